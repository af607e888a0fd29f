import pytest

from benchmark.speed import measurement
from benchmark.speed.measurement import CONTENDERS, measure_speed


@pytest.fixture
def probes(monkeypatch):
    """Answer probes without starting processes."""
    requests = []

    def answer(request, tuned=True):
        requests.append((dict(request), tuned))
        if request["probe"] == "memory":
            return 100.0
        names = request["contenders"]
        return {name: [1.0, 5.0, 3.0] for name in names}

    monkeypatch.setattr(measurement, "_probe", answer)
    return requests


def test_contenders_share_a_process_and_without_memory_settings_each_has_its_own(probes):
    report = measure_speed([1000], [1, 2], quick=True, announce=lambda what: None)
    steps = [(r["contenders"], tuned) for r, tuned in probes if r["probe"] == "steps"]
    assert (
        steps
        == [
            (list(CONTENDERS), True),
            (["ours"], False),
            (["floor"], False),
            (["floor-openblas"], False),
        ]
        * 2
    )
    assert [row["threads"] for row in report["steps"]] == [1, 2]
    assert report["steps"][0]["milliseconds"] == dict.fromkeys(CONTENDERS, 3.0)
    assert list(report["peak_memory_mb"][1000]) == ["literal", "plain", "ours", "floor"]


def test_the_literal_algorithm_is_skipped_with_a_reason_when_memory_does_not_suffice(
    probes, monkeypatch
):
    import psutil

    class Little:
        available = 2 * 10**9

    monkeypatch.setattr(psutil, "virtual_memory", Little)
    report = measure_speed([20_000], [1], quick=True, announce=lambda what: None)
    row = report["steps"][0]
    assert row["skipped"] == "needs about 8 GB, 2 GB are free"
    assert "literal" not in report["peak_memory_mb"][20_000]


def test_a_failing_probe_says_why():
    with pytest.raises(RuntimeError, match=r"failed: KeyError: 'nonsense'"):
        measurement._probe({"probe": "nonsense"})
