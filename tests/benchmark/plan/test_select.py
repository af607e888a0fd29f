"""Names, globs and groups on the command line."""

from pathlib import Path
from typing import Any

import pytest

from benchmark.errors import UserError
from benchmark.plan.select import choose_datasets, choose_methods, split_list

TINY = "synthetic:samples=60,features=30,informative=3"


def test_names_globs_and_groups_of_methods() -> None:
    assert choose_methods(["linear-*", "knn,majority", "knn"]) == ["linear-svm", "knn", "majority"]
    assert {"random-forest", "lightgbm"} <= set(choose_methods(["paper"]))
    assert "linear-svm" not in choose_methods(["paper"])
    assert set(choose_methods(["paper"])) < set(choose_methods(["all"]))


def test_a_file_of_methods_is_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert choose_methods(["mine.py:Mine"]) == [f"{tmp_path / 'mine.py'}:Mine"]


def test_names_globs_and_groups_of_data_sets() -> None:
    assert len(choose_datasets(["paper"])) == 9
    assert choose_datasets([f"{TINY},prostate"]) == [TINY, "prostate"]
    found = choose_datasets(["tcga-*"])
    assert "tcga-2ysurvival" in found
    assert all(name.startswith("tcga-") for name in found)


def test_commas_inside_parameters_do_not_split_a_name() -> None:
    texts = ["synthetic:samples=60,features=30,prostate", " smk , cll "]
    assert split_list(texts) == ["synthetic:samples=60,features=30", "prostate", "smk", "cll"]


@pytest.mark.parametrize(
    ("choose", "pattern", "message"),
    [
        (choose_methods, "majorty", r"no method 'majorty' \(did you mean 'majority'\?\)"),
        (choose_methods, "xyz*", r"no method 'xyz\*'"),
        (choose_methods, "mine.py", "write mine.py:ClassName for a class of it"),
        (choose_datasets, "prostat", r"no data set 'prostat' \(did you mean 'prostate'\?\)"),
    ],
)
def test_what_names_nothing_is_refused(choose: Any, pattern: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        choose([pattern])
