"""The folder of downloaded tables: the binary file, its record, what is missing."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.datasets.cache import check_ready, read_meta, read_stored_table, write_table
from benchmark.datasets.dataset import Dataset
from benchmark.datasets.download import Fetcher
from benchmark.datasets.prepare import prepare
from benchmark.datasets.registry import find_entry
from benchmark.datasets.synthetic import load_synthetic
from benchmark.errors import UserError


@pytest.fixture(scope="module")
def dataset():
    made = load_synthetic(samples=60, features=40, informative=5)
    return dataclasses.replace(
        made, differences=("One.", "Two."), stand_in_for="x", informative=None
    )


@pytest.fixture(scope="module")
def entry(dataset):
    return dataclasses.replace(
        find_entry("prostate"),
        name=dataset.name,
        hyperparameters_of=dataset.hyperparameters_of,
        stand_in_for="x",
    )


def test_what_is_written_is_read(tmp_path, dataset, entry):
    path = tmp_path / "tables" / "t.npz"
    write_table(path, dataset, "fingerprint")
    again = read_stored_table(path, entry)
    assert again.checksum == dataset.checksum
    for field in dataclasses.fields(Dataset):
        before, after = getattr(dataset, field.name), getattr(again, field.name)
        np.testing.assert_array_equal(before, after, err_msg=field.name)


def test_groups_survive(tmp_path, dataset, entry):
    grouped = dataclasses.replace(dataset, groups=np.array([f"g{i % 7}" for i in range(60)]))
    write_table(tmp_path / "t.npz", grouped, "f")
    assert read_stored_table(tmp_path / "t.npz", entry).groups.tolist() == grouped.groups.tolist()
    assert grouped.checksum != dataset.checksum


def test_meta_of_another_fingerprint_is_none(tmp_path, dataset):
    write_table(tmp_path / "t.npz", dataset, "f")
    assert read_meta(tmp_path / "t.npz", "f")["samples"] == 60
    assert read_meta(tmp_path / "t.npz", "other") is None
    assert read_meta(tmp_path / "none.npz", "f") is None


@settings(max_examples=40)
@given(share=st.floats(0, 0.999))
def test_a_table_cut_anywhere_is_not_ready(tmp_path_factory, dataset, entry, share):
    path = tmp_path_factory.mktemp("t") / "t.npz"
    write_table(path, dataset, "f")
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert read_meta(path, "f") is None
    with pytest.raises(UserError, match=r"damaged.*download --force synthetic"):
        read_stored_table(path, entry)


def test_changed_bytes_are_noticed(tmp_path, dataset, entry):
    path = tmp_path / "t.npz"
    write_table(path, dataset, "f")
    content = bytearray(path.read_bytes())
    content[2000] ^= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"damaged.*synthetic.* --data-dir elsewhere`"):
        read_stored_table(path, entry, data_dir=Path("elsewhere"))


def test_a_record_refuses_arrays_that_do_not_fit(dataset):
    with pytest.raises(ValueError, match="y has 59 entries, not 60"):
        dataclasses.replace(dataset, y=dataset.y[:-1])
    with pytest.raises(ValueError, match="no class name"):
        dataclasses.replace(dataset, class_names=dataset.class_names[:1])


def test_who_gave_an_array_cannot_change_the_record(dataset):
    X = dataset.X.copy()
    held = dataclasses.replace(dataset, X=X)
    X[0, 0] = -5
    assert held.X[0, 0] == dataset.X[0, 0] != -5
    with pytest.raises(ValueError, match="read-only"):
        held.X[0, 0] = 6


@pytest.mark.parametrize("field", ["X", "y", "feature_names", "sample_ids", "class_names"])
def test_the_checksum_sees_every_array(dataset, field):
    changed = getattr(dataset, field).copy()
    changed[[0, 1]] = changed[[1, 0]] if field != "y" else 1 - np.minimum(changed[[0, 1]], 1)
    assert dataclasses.replace(dataset, **{field: changed}).checksum != dataset.checksum


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
