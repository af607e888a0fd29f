"""What a worker is started with."""

from pathlib import Path

import pytest

from benchmark.run.executors import worker

ZEN5 = """
vendor_id\t: AuthenticAMD
flags\t\t: fma avx2 avx512f avx512cd avx512dq avx512bw avx512vl
"""


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        (ZEN5, True),
        (ZEN5.replace("avx512vl", ""), False),
        (ZEN5.replace("AuthenticAMD", "GenuineIntel"), False),  # OpenBLAS sees to these itself
        ("Features : neon\n", False),
    ],
)
def test_wide_products_are_asked_for_only_where_the_processor_has_them(
    description: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(description)
    assert worker._has_unused_vectors(cpuinfo) is expected
    assert not worker._has_unused_vectors(tmp_path / "missing")


def test_a_users_own_choice_of_kernels_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_has_unused_vectors", lambda _: True)
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    assert worker.environment_of(1, None)["OPENBLAS_CORETYPE"] == "SkylakeX"
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    assert worker.environment_of(1, None)["OPENBLAS_CORETYPE"] == "Haswell"
