"""All data sets that are missing are named at once, with the command that gets them."""

import pytest

from benchmark.datasets import check_ready
from benchmark.datasets.fetching import Fetcher
from benchmark.datasets.preparation import prepare
from benchmark.datasets.registry import find_entry
from benchmark.errors import UserError


def test_all_that_are_missing_are_named_in_one_line(folder):
    names = ["cll", "synthetic:samples=60", "lung:samples=50", "smk+log2p1", "lung"]
    with pytest.raises(UserError) as caught:
        check_ready(names, folder.root)
    assert str(caught.value) == (
        f"3 data sets are not ready in {folder.root}, run "
        f"`wpfs-bench download cll lung smk --data-dir {folder.root}`"
    )


def test_what_is_ready_is_not_named_and_the_registry_is(folder, write_registry, site, mat_bytes):
    site.files["tiny.mat"] = mat_bytes
    registry = write_registry(f"{site.url}/tiny.mat", content=mat_bytes)
    with pytest.raises(UserError, match=r"data set 'tiny' is not ready") as caught:
        check_ready(["tiny"], folder.root, [registry])
    assert f"download tiny --registry {registry} --data-dir" in str(caught.value)
    prepare(find_entry("tiny", [registry]), Fetcher(folder))
    check_ready(["tiny", "synthetic"], folder.root, [registry])
    with pytest.raises(UserError, match=r"`wpfs-bench download cll --data-dir"):
        check_ready(["tiny", "cll"], folder.root, [registry])


def test_an_unknown_name_is_an_error_of_its_own(folder):
    with pytest.raises(UserError, match="unknown data set"):
        check_ready(["cll", "lungs"], folder.root)
