import errno
import os
from pathlib import Path

import pytest

from benchmark.files import write_atomically


def test_a_full_disk_leaves_no_file_and_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left") as caught:
        write_atomically(tmp_path / "page.html", b"text")
    assert caught.value.filename == str(tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    link = tmp_path / "output"
    link.symlink_to("/dev/null")
    write_atomically(link, b"text")
    assert link.is_symlink()
    assert not Path("/dev/null").is_file()
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path, b"text")
