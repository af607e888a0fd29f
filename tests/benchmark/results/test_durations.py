from dataclasses import replace
from pathlib import Path

from benchmark.plan.key import RunKey
from benchmark.results.durations import read_reference_durations, read_stored_durations
from benchmark.results.store import Store

KEY = RunKey("prostate", "abc", "knn", 1, "{}", repeat=0, fold=0)


def test_a_few_runs_of_each_method_are_read(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for fold in range(5):
        store.write(replace(KEY, fold=fold), {"status": "ok", "seconds": 2.0 + fold}, None)
    store.write(replace(KEY, dataset="lung"), {"status": "failed", "seconds": 9.0}, None)
    store.write(replace(KEY, dataset="lung", fold=1), {"status": "ok", "seconds": 5.0}, None)
    store.write(replace(KEY, model="mlp"), {"status": "ok", "seconds": 7.0}, None)
    damaged = store.write(replace(KEY, dataset="smk"), {"status": "ok", "seconds": 7.0}, None)
    damaged.write_text("{")
    assert list(read_stored_durations(tmp_path, {"knn"})) == [
        ("knn", "lung", 5.0),
        ("knn", "prostate", 2.0),
        ("knn", "prostate", 3.0),
        ("knn", "prostate", 4.0),
    ]
    assert not list(read_stored_durations(tmp_path / "nowhere", {"knn"}))


def test_reference_runs_are_those_of_the_checkout() -> None:
    durations = list(read_reference_durations({"knn"}))
    assert {model for model, _, _ in durations} == {"knn"}
    assert all(seconds > 0 for _, _, seconds in durations)
