"""The folder that the places of a node share."""

import os
import tempfile
from pathlib import Path

import pytest

from benchmark.errors import UserError
from benchmark.run.executors.ray_place import NodeFolder


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_last_place_removes_the_folder() -> None:
    one, other = NodeFolder("a"), NodeFolder("a")
    one.write("tables/x.npz", b"content")
    assert other.has("tables/x.npz")
    one.remove()
    assert other.has("tables/x.npz")
    other.remove()
    assert not other.path.exists()
    assert NodeFolder("a").path.is_dir()


def test_a_new_session_removes_what_a_killed_one_left_and_nothing_in_use() -> None:
    busy = NodeFolder("busy")
    left = busy.path.with_name("left")
    (left / "tables").mkdir(parents=True)
    NodeFolder("new")
    assert not left.exists()
    assert busy.path.is_dir()


def test_the_folder_is_for_one_user(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = NodeFolder("a")
    assert folder.path.parent.stat().st_mode & 0o077 == 0
    user = folder.path.parent.name.rpartition("-")[2]
    monkeypatch.setattr("os.getuid", lambda: int(user) + 1)
    folder.path.parent.rename(temporary / f"wpfs-bench-{int(user) + 1}")
    with pytest.raises(UserError, match="belongs to another user"):
        NodeFolder("a")


def test_a_link_in_its_place_is_refused_and_leads_to_no_loss(temporary: Path) -> None:
    precious = temporary / "home" / "precious"
    precious.mkdir(parents=True)
    (temporary / f"wpfs-bench-{os.getuid()}").symlink_to(precious.parent)
    with pytest.raises(UserError, match="is a link"):
        NodeFolder("a")
    assert precious.is_dir()
