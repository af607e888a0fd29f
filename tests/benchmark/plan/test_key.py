from dataclasses import replace

import pytest

from benchmark.plan.key import RunKey


@pytest.fixture
def key() -> RunKey:
    return RunKey("prostate", "abc", "lightgbm", 1, '{"max_depth":1}', repeat=2, fold=3)


def test_a_key_is_a_readable_path_and_log_prefix(key: RunKey) -> None:
    assert key.path.startswith("prostate/lightgbm/max_depth=1-")
    assert key.path.endswith("/r2-f3-s42")
    assert str(key) == "prostate lightgbm[max_depth=1] r2-f3-s42"


@pytest.mark.parametrize(
    "change",
    [
        {"dataset_checksum": "other"},
        {"method_version": 2},
        {"protocol_version": 2},
        {"hyperparameters_text": "{}"},
        {"folds": 4},
        {"seed": 43},
        {"repeat": 0},
        {"fold": 0},
    ],
)
def test_whatever_differs_gives_another_path(key: RunKey, change: dict[str, object]) -> None:
    assert replace(key, **change).path != key.path  # type: ignore[arg-type]


def test_names_cannot_leave_the_results_folder() -> None:
    key = RunKey("../../etc/passwd", "abc", "a/b", 1, "{}", repeat=0, fold=0)
    assert ".." not in key.path.split("/")
    assert key.path.count("/") == 3
