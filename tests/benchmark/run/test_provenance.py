"""What records say of their machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.run import provenance

CPUINFO = """\
processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 1
model name\t: AMD EPYC

processor\t: 1
cpu family\t: 99
model name\t: another
"""


@pytest.fixture(autouse=True)
def _forget_processor() -> Iterator[None]:
    provenance.name_processor.cache_clear()
    yield
    provenance.name_processor.cache_clear()


def show_cpuinfo(monkeypatch: pytest.MonkeyPatch, text: str | None) -> None:
    def read(path: Path) -> str:
        assert path == Path("/proc/cpuinfo")
        if text is None:
            raise FileNotFoundError(path)
        return text

    monkeypatch.setattr(Path, "read_text", read)


def test_processors_of_one_name_are_told_apart_by_their_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    show_cpuinfo(monkeypatch, CPUINFO)
    assert provenance.name_processor() == "AMD EPYC (cpu family 25, model 1)"


@pytest.mark.parametrize("text", [None, "Hardware\t: some board\n"])
def test_where_the_system_does_not_say_the_kind_of_machine_stands(
    monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    show_cpuinfo(monkeypatch, text)
    monkeypatch.setattr("platform.processor", lambda: "")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert provenance.name_processor() == "aarch64"
