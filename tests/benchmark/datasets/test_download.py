"""What can go wrong between a server and the data folder, and that nothing half-done counts."""

import errno
import gzip
import hashlib
import os
import socket
import threading
import time
from pathlib import Path

import pytest

from benchmark.datasets import download
from benchmark.datasets.download import (
    Fetcher,
    FetchError,
    Reachability,
    StorageError,
    git_blob_of,
)
from benchmark.datasets.registry import SourceFile

CONTENT = os.urandom(1 << 20)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def a_file(*urls, sha256=SHA256, git_blob=None, name="file.bin"):
    return SourceFile(name, "table", tuple(urls), sha256, git_blob)


@pytest.fixture
def fetcher(folder):
    return Fetcher(folder, reachability=Reachability(timeout=2), read_timeout=0.5)


def leftovers(folder):
    return sorted(p.name for p in folder.raw("x").parent.iterdir())


def cut_after(count):
    """Promise everything, send ``count`` bytes from the start asked for, hang up."""

    def answer(handler, content):
        start = int((handler.headers.get("Range") or "bytes=0-")[6:-1])
        handler.send_response(206 if start else 200)
        handler.send_header("Content-Range", f"bytes {start}-")
        handler.send_header("ETag", '"one"')
        handler.send_header("Content-Length", str(len(content) - start))
        handler.end_headers()
        handler.wfile.write(content[start : start + count])

    return answer


def test_a_file_arrives_whole_and_alone(site, folder, fetcher):
    site.files["file.bin"] = CONTENT
    path = fetcher.fetch(a_file(f"{site.url}/file.bin"))
    assert path.read_bytes() == CONTENT
    assert leftovers(folder) == ["file.bin"]


def test_a_file_that_is_there_is_not_fetched_again(site, fetcher):
    site.files["file.bin"] = CONTENT
    for _ in range(2):
        fetcher.fetch(a_file(f"{site.url}/file.bin"))
    assert len(site.requests) == 1


def test_a_file_placed_by_hand_is_taken(folder, fetcher):
    path = folder.raw("file.bin")
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    assert fetcher.fetch(a_file("http://127.0.0.1:9/file.bin")) == path


def test_a_wrong_file_placed_by_hand_is_replaced(site, folder, fetcher):
    path = folder.raw("file.bin")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"something else")
    site.files["file.bin"] = CONTENT
    assert fetcher.fetch(a_file(f"{site.url}/file.bin")).read_bytes() == CONTENT


def test_a_wrong_file_placed_by_hand_is_the_first_reason(site, folder, fetcher):
    path = folder.raw("file.bin")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"something else")
    with pytest.raises(FetchError) as caught:
        fetcher.fetch(a_file(f"{site.url}/file.bin"))
    first, second = caught.value.reasons
    assert first.startswith("raw folder: file.bin has the wrong content: sha256")
    assert second == "127.0.0.1: HTTP 404"
    assert path.read_bytes() == b"something else"


def test_a_local_file_is_not_called_a_mirror(folder, tmp_path):
    fetcher = Fetcher(folder, mirrors=[str(tmp_path)])
    with pytest.raises(FetchError) as caught:
        fetcher.fetch(a_file(str(tmp_path / "elsewhere" / "file.bin")))
    mirror, local = caught.value.reasons
    assert mirror == f"mirror folder: {tmp_path / 'file.bin'}: no such file or directory"
    assert local.startswith(f"local file: {tmp_path / 'elsewhere'}")


def test_404_moves_on_to_the_next_mirror(site, fetcher):
    site.files["right.bin"] = CONTENT
    path = fetcher.fetch(a_file(f"{site.url}/wrong.bin", f"{site.url}/right.bin"))
    assert path.read_bytes() == CONTENT


def test_404_everywhere_is_said(site, folder, fetcher):
    with pytest.raises(FetchError, match=r"^127.0.0.1: HTTP 404$"):
        fetcher.fetch(a_file(f"{site.url}/file.bin"))
    assert leftovers(folder) == []


def test_wrong_bytes_move_on_to_the_next_mirror(site, folder, fetcher):
    site.files |= {"wrong.bin": b"other bytes", "right.bin": CONTENT}
    path = fetcher.fetch(a_file(f"{site.url}/wrong.bin", f"{site.url}/right.bin"))
    assert path.read_bytes() == CONTENT
    assert leftovers(folder) == ["file.bin"]


def test_wrong_bytes_everywhere_name_file_and_both_digests(site, folder, fetcher):
    site.files["file.bin"] = b"other bytes"
    found = hashlib.sha256(b"other bytes").hexdigest()
    with pytest.raises(FetchError) as caught:
        fetcher.fetch(a_file(f"{site.url}/file.bin"))
    for part in ("file.bin", found[:12], SHA256[:12]):
        assert part in str(caught.value)
    assert leftovers(folder) == []


def test_git_blob_id_is_as_good_as_sha256(site, tmp_path, folder, fetcher):
    (tmp_path / "right").write_bytes(CONTENT)
    blob = git_blob_of(tmp_path / "right")
    site.files |= {"wrong.bin": b"other", "right.bin": CONTENT}
    file = a_file(f"{site.url}/wrong.bin", f"{site.url}/right.bin", sha256=None, git_blob=blob)
    assert fetcher.fetch(file).read_bytes() == CONTENT


def test_a_silent_server_times_out(site, folder, fetcher):
    site.tricks["file.bin"] = [lambda handler, content: time.sleep(1.5)]
    with pytest.raises(FetchError, match="timed out"):
        fetcher.fetch(a_file(f"{site.url}/file.bin"))
    assert "file.bin" not in leftovers(folder)


def test_a_cut_connection_is_resumed_where_it_broke(site, fetcher):
    site.files["file.bin"] = CONTENT
    site.tricks["file.bin"] = [cut_after(300_000), cut_after(200_000)]
    assert fetcher.fetch(a_file(f"{site.url}/file.bin")).read_bytes() == CONTENT
    starts = [r for _, r in site.requests]
    assert starts[0] is None
    assert [int(r[6:-1]) > 0 for r in starts[1:]] == [True, True]


def test_a_part_of_an_earlier_run_is_resumed(site, folder, fetcher):
    part = folder.raw("file.bin.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[:1000])
    site.files["file.bin"] = CONTENT
    assert fetcher.fetch(a_file(f"{site.url}/file.bin")).read_bytes() == CONTENT
    assert site.requests == [("file.bin", "bytes=1000-")]


def test_a_spoilt_part_is_thrown_away(site, folder, fetcher):
    part = folder.raw("file.bin.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(b"rubbish")
    site.files["file.bin"] = CONTENT
    assert fetcher.fetch(a_file(f"{site.url}/file.bin")).read_bytes() == CONTENT


def test_a_part_longer_than_the_file_is_thrown_away(site, folder, fetcher):
    part = folder.raw("file.bin.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT + b"more")
    site.files["file.bin"] = CONTENT
    assert fetcher.fetch(a_file(f"{site.url}/file.bin")).read_bytes() == CONTENT


def test_a_part_of_unknown_origin_is_not_resumed_without_a_digest(site, folder, fetcher):
    part = folder.raw("file.bin.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(b"rubbish")
    site.files["file.bin"] = CONTENT
    path = fetcher.fetch(a_file(f"{site.url}/file.bin", sha256=None))
    assert path.read_bytes() == CONTENT


def test_a_file_that_changed_on_the_server_is_not_pieced_together(site, fetcher):
    """Without a digest only the ETag tells that the second half belongs to another file."""
    changed = bytes(reversed(CONTENT))
    site.files["file.bin"] = changed
    site.tricks["file.bin"] = [lambda handler, _: cut_after(300_000)(handler, CONTENT)]
    path = fetcher.fetch(a_file(f"{site.url}/file.bin", sha256=None))
    assert path.read_bytes() == changed


def test_a_server_that_sends_another_piece_is_not_believed(site, folder, fetcher):
    part = folder.raw("file.bin.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[:1000])

    def wrong_piece(handler, content):
        handler.send_response(206)
        handler.send_header("Content-Range", f"bytes 0-999/{len(content)}")
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(content[:1000])

    site.files["file.bin"] = CONTENT
    site.tricks["file.bin"] = [wrong_piece]
    with pytest.raises(FetchError, match="another piece"):
        fetcher.fetch(a_file(f"{site.url}/file.bin"))


def test_a_login_page_is_not_the_file(site, folder, fetcher):
    def page(handler, _):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html; charset=utf-8")
        handler.end_headers()
        handler.wfile.write(b"<html>please accept our cookies</html>")

    site.tricks["file.bin"] = [page]
    with pytest.raises(FetchError, match="web page"):
        fetcher.fetch(a_file(f"{site.url}/file.bin", sha256=None))
    assert leftovers(folder) == []


def test_endless_cuts_end(site, fetcher):
    site.files["file.bin"] = CONTENT
    site.tricks["file.bin"] = [cut_after(50_000)] * 50
    with pytest.raises(FetchError, match="cut off 10 times"):
        fetcher.fetch(a_file(f"{site.url}/file.bin"))


def test_a_truncated_gzip_without_digest_does_not_count(site, folder, fetcher):
    whole = gzip.compress(CONTENT)
    site.files |= {"cut.gz": whole[:-100], "whole.gz": whole}
    file = a_file(f"{site.url}/cut.gz", sha256=None, name="table.csv.gz")
    with pytest.raises(FetchError, match=r"table.csv.gz is damaged"):
        fetcher.fetch(file)
    assert leftovers(folder) == []
    both = a_file(f"{site.url}/cut.gz", f"{site.url}/whole.gz", sha256=None, name="table.csv.gz")
    assert fetcher.fetch(both).read_bytes() == whole


def test_a_full_disk_stops_everything(site, folder, fetcher, monkeypatch):
    site.files["file.bin"] = CONTENT

    class FullDisk:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def write(self, block):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(download._Part, "open", lambda self: FullDisk())
    with pytest.raises(StorageError, match=r"disk of .* is full"):
        fetcher.fetch(a_file(f"{site.url}/file.bin", f"{site.url}/file.bin"))
    assert len(site.requests) == 1
    assert "file.bin" not in leftovers(folder)


def test_too_little_room_is_seen_before_downloading(site, folder, fetcher, monkeypatch):
    site.files["file.bin"] = CONTENT
    monkeypatch.setattr(download.shutil, "disk_usage", lambda path: type("U", (), {"free": 10}))
    with pytest.raises(StorageError, match="full"):
        fetcher.fetch(a_file(f"{site.url}/file.bin"))
    assert not folder.raw("file.bin.part").exists()


def test_mirrors_come_first_folders_and_addresses(site, tmp_path, folder):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "file.bin").write_bytes(CONTENT)
    mirrored = Fetcher(folder, [str(tmp_path / "mirror")])
    assert mirrored.fetch(a_file(f"{site.url}/file.bin")).read_bytes() == CONTENT
    assert site.requests == []
    site.files["other.bin"] = CONTENT
    addressed = Fetcher(folder, [str(tmp_path / "mirror"), f"{site.url}/deep/"])
    addressed.fetch(a_file("http://127.0.0.1:9/x", name="other.bin"))
    assert site.requests == [("other.bin", None)]


def test_a_mirror_folder_without_the_file_is_passed_over(site, tmp_path, folder):
    site.files["file.bin"] = CONTENT
    fetcher = Fetcher(folder, [str(tmp_path)])
    assert fetcher.fetch(a_file(f"{site.url}/file.bin")).read_bytes() == CONTENT


def test_a_closed_port_is_asked_once(folder, monkeypatch):
    reachability = Reachability(timeout=1)
    asked = []
    real = reachability._connect
    monkeypatch.setattr(
        reachability, "_connect", lambda host, url: (asked.append(host), real(host, url))
    )
    fetcher = Fetcher(folder, reachability=reachability)
    for name in ("a", "b", "c"):
        with pytest.raises(FetchError, match="refused"):
            fetcher.fetch(a_file("http://127.0.0.1:9/x", name=name))
    assert asked == ["127.0.0.1"]


def test_unknown_names_are_all_asked_at_the_same_time(monkeypatch):
    """No answer comes before all ten have been asked, so asking in turn could not pass."""
    everybody = threading.Barrier(10)

    def look_up(*_, **__):
        everybody.wait(timeout=5)
        raise socket.gaierror

    monkeypatch.setattr("socket.getaddrinfo", look_up)
    urls = [f"http://host-{i}.invalid/x" for i in range(10)]
    reachability = Reachability(urls, timeout=5)
    assert {reachability.problem(url) for url in urls} == {"name not resolved"}


def test_a_name_server_that_never_answers_is_not_waited_for(monkeypatch):
    never = threading.Event()

    def look_up(*_, **__):
        never.wait()
        raise socket.gaierror

    monkeypatch.setattr("socket.getaddrinfo", look_up)
    reachability = Reachability(timeout=0.1)
    assert reachability.problem("http://host.invalid/x") == "no answer in 0 s"
    never.set()


def test_the_proxy_of_the_environment_is_used(site, fetcher, monkeypatch):
    for name in ("no_proxy", "NO_PROXY", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", site.url)
    site.files["file.bin"] = CONTENT
    path = fetcher.fetch(a_file("http://no-such-host.invalid/file.bin"))
    assert path.read_bytes() == CONTENT


def test_progress_ends_at_the_size_of_the_file(site, folder):
    site.files["file.bin"] = CONTENT
    seen = []
    Fetcher(folder, report=lambda *args: seen.append(args)).fetch(a_file(f"{site.url}/file.bin"))
    assert seen[0] == ("file.bin", 0, len(CONTENT))
    assert seen[-1] == ("file.bin", len(CONTENT), len(CONTENT))
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_git_blob_id_is_the_one_git_gives(tmp_path: Path):
    (tmp_path / "hello").write_bytes(b"hello\n")
    assert git_blob_of(tmp_path / "hello") == "ce013625030ba8dba906f756967f9e9ca394464a"
