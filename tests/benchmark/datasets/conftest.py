"""A local web server that misbehaves on demand, and small files to serve."""

import hashlib
import io
import tarfile
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import scipy.io

from benchmark.datasets.cache import DataFolder


class Site:
    """Serves ``files``; ``tricks`` replace the answer to the next request of a path, one by one."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.tricks: dict[str, list[Callable[[BaseHTTPRequestHandler, bytes], None]]] = {}
        self.requests: list[tuple[str, str | None]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = self.path.rpartition("/")[2]
                site.requests.append((name, self.headers.get("Range")))
                content = site.files.get(name)
                if site.tricks.get(name):
                    site.tricks[name].pop(0)(self, content or b"")
                elif content is None:
                    self.send_error(404)
                else:
                    serve(self, content)

            def log_message(self, *_: object) -> None:
                """Keep the test output clean."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # clients hang up on purpose
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def serve(handler: BaseHTTPRequestHandler, content: bytes, etag: str | None = None) -> None:
    """Answer as a good server does, with ranges."""
    etag = etag or f'"{hashlib.sha256(content).hexdigest()[:8]}"'
    start = 0
    asked = handler.headers.get("Range")
    condition = handler.headers.get("If-Range")
    if asked and condition in (None, etag):
        start = int(asked.removeprefix("bytes=").rstrip("-"))
        if start >= len(content):
            handler.send_error(416)
            return
    handler.send_response(206 if start else 200)
    if start:
        handler.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
    handler.send_header("ETag", etag)
    handler.send_header("Content-Length", str(len(content) - start))
    handler.end_headers()
    handler.wfile.write(content[start:])


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def make_mat() -> Callable[[int], bytes]:
    """Return a function that makes a .mat file: 30 × 40, classes 1, 2 (12 and 18 samples)."""

    def make(padding: int = 0) -> bytes:
        rng = np.random.default_rng(0)
        variables = {
            "X": rng.normal(size=(30, 40)),
            "Y": np.repeat([1, 2], [12, 18]).astype(np.uint8)[:, None],
            "padding": np.zeros(padding, dtype=np.uint8),
        }
        buffer = io.BytesIO()
        scipy.io.savemat(buffer, variables)
        return buffer.getvalue()

    return make


@pytest.fixture
def mat_bytes(make_mat: Callable[[int], bytes]) -> bytes:
    return make_mat(0)


@pytest.fixture
def make_tar() -> Callable[[dict[str, str]], bytes]:
    """Return a function that packs texts into a .tar.gz."""

    def pack(members: dict[str, str]) -> bytes:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
            for name, text in members.items():
                content = text.encode()
                info = tarfile.TarInfo(name)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
        return buffer.getvalue()

    return pack


@pytest.fixture
def write_registry(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a registry with one small .mat data set."""

    def write(*urls: str, content: bytes | None = None, file: str = "tiny.mat") -> Path:
        digest = f"sha256: {hashlib.sha256(content).hexdigest()}" if content is not None else ""
        addresses = "".join(f"\n              - {url}" for url in urls)
        path = tmp_path / "more.yaml"
        path.write_text(
            f"""
datasets:
  tiny:
    title: A tiny table
    citation: nobody
    licence: none
    classes: [low, high]
    expected: {{samples: 30, features: 40, counts: [12, 18]}}
    sources:
      - note: test
        loader: mat
        files:
          - name: {file}
            {digest}
            urls:{addresses}
        labels: {{1: low, 2: high}}
"""
        )
        return path

    return write
