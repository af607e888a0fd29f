"""The connection to a Ray cluster: started or found, its nodes, and where its log lines go."""

import os
import re
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any, Self

from benchmark.errors import UserError
from benchmark.text import count_noun

#: Shipped to the nodes: top folders of what runs import.
_PACKAGES = ("wpfs", "baselines", "benchmark")

#: Seconds between two looks at the nodes.
_LOOK = 2.0

#: Looks at a head that does not answer, before it counts as gone.
_HEAD_ATTEMPTS = 5

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

#: With the value 0 Ray listens on 127.0.0.1 alone; in spite of its name it holds for Linux, too.
_LOOPBACK_VARIABLE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"

#: Ray gives its workers 15 by default, so that anything else comes first on a busy machine.
_NICENESS_VARIABLE = "RAY_worker_niceness"


class RayCluster:
    """A connection to a cluster; a context that ends with it.

    Parameters
    ----------
    address
        ``host:port``, ``auto`` for the cluster of this machine, None to start one here that
        nobody else can reach and that ends with the connection.
    log
        File for whatever Ray prints meanwhile; None leaves it on standard error.
    """

    def __init__(self, address: str | None = None, log: Path | None = None) -> None:
        self._address = address or os.environ.get("RAY_ADDRESS")
        self._log = log
        # Ray lets nodes import from the folder it starts in, before anything else, if they have it.
        self._empty = tempfile.TemporaryDirectory()
        self._restore_output: Callable[[], None] | None = None
        self._nodes: dict[str, str] = {}
        self._next_look = 0.0
        self._head = ""
        self._lost = False

    @property
    def is_lost(self) -> bool:
        """Whether the head is gone, so that nothing can be asked of Ray."""
        return self._lost

    @property
    def starts_here(self) -> bool:
        """Whether the cluster is this machine alone, so that no node can join."""
        return self._address is None

    def __enter__(self) -> Self:
        if self._address is None or self._address.startswith(_LOOPBACK):
            os.environ.setdefault(_LOOPBACK_VARIABLE, "0")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault(_NICENESS_VARIABLE, "0")
        ray = import_ray()
        if self._address not in (None, "auto"):
            _check_address(self._address)
        self._hide_output()
        try:
            with _signal_handlers_kept(), chdir(self._empty.name):
                context = ray.init(
                    address=self._address or "local",
                    log_to_driver=False,
                    logging_level="error",
                    runtime_env={
                        "py_modules": [str(_find_package(name)) for name in _PACKAGES],
                        "excludes": ["**/__pycache__/"],
                    },
                    **({"include_dashboard": False} if self.starts_here else {}),
                )
        except Exception as error:  # Ray raises a dozen kinds, some of them its own
            self._show_output()
            reason = " ".join(str(error).split())[:300]
            if self._address is None:
                raise UserError(f"cannot start Ray: {reason}") from error
            raise UserError(
                f"cannot join the Ray cluster at {self._address}: {reason}; token (RAY_AUTH_MODE, "
                "RAY_AUTH_TOKEN), Ray and Python must be those of its head"
            ) from error
        facts = context.address_info
        self._head = facts["gcs_address"]
        self._note(
            f"Ray {ray.__version__} at {facts['gcs_address']}.",
            f"Logs on each node: {facts['session_dir']}/logs.",
        )
        return self

    def __exit__(self, *_: object) -> None:
        with _signal_handlers_kept():
            import_ray().shutdown()
        self._empty.cleanup()
        self._show_output()

    def describe(self) -> str:
        """Return size and address of the cluster, and where its log lines are."""
        ray = import_ray()
        self._nodes = self._list_nodes()
        resources = ray.cluster_resources()
        size = [count_noun(len(self._nodes), "node")]
        size += [
            count_noun(int(resources[kind]), kind) for kind in ("CPU", "GPU") if kind in resources
        ]
        where = f"; what Ray prints is in {self._log}" if self._log else ""
        return f"Ray cluster at {self._head}: {', '.join(size)}{where}"

    def name_node(self, node: str) -> str:
        """Return a node's host and the start of its id."""
        return self._nodes.get(node, node[:6])

    def watch_nodes(self) -> Iterator[str]:
        """Return a line per node that joined or left since the last look."""
        if time.monotonic() < self._next_look:
            return
        self._check_head()
        before, self._nodes = self._nodes, self._list_nodes()
        for node in self._nodes.keys() - before.keys():
            yield f"node {self._nodes[node]} joined"
        for node in before.keys() - self._nodes.keys():
            yield f"node {before[node]} left"

    def fits(self, demand: dict[str, float]) -> bool:
        """Return whether some node has all of an amount of each resource, busy or not."""
        return any(
            all(node["Resources"].get(kind, 0) >= amount for kind, amount in demand.items())
            for node in import_ray().nodes()
            if node["Alive"]
        )

    def _check_head(self) -> None:
        """Raise when the head is gone: Ray itself would end this process without a word."""
        if _answers(self._head):
            return
        self._lost = True
        raise UserError(
            f"the head of the Ray cluster at {self._head} is gone: finished runs are kept, start "
            "the cluster and give the same command again"
        )

    def _list_nodes(self) -> dict[str, str]:
        self._next_look = time.monotonic() + _LOOK
        return {
            node["NodeID"]: f"{node['NodeManagerHostname']} ({node['NodeID'][:6]})"
            for node in import_ray().nodes()
            if node["Alive"]
        }

    def _hide_output(self) -> None:
        """Send standard error, also that of Ray's compiled parts, to the log file."""
        if self._log is None:
            return
        from ray._private import worker

        self._log.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        sys.stderr.flush()
        terminal, printing = os.dup(2), worker.print_to_stdstream
        os.dup2(file, 2)
        os.close(file)
        # With log_to_driver=False, too, Ray prints on standard output what nodes report.
        worker.print_to_stdstream = lambda data, *_, **__: self._note(*data["lines"])

        def restore() -> None:
            worker.print_to_stdstream = printing
            sys.stderr.flush()
            os.dup2(terminal, 2)
            os.close(terminal)

        self._restore_output = restore

    def _show_output(self) -> None:
        if self._restore_output is not None:
            self._restore_output()
            self._restore_output = None

    def _note(self, *lines: str) -> None:
        if self._log is not None:
            with self._log.open("a") as file:
                print(*lines, sep="\n", file=file)


def _check_address(address: str) -> None:
    """Raise when no head can be reached: Ray itself would try for a quarter of an hour."""
    if not re.fullmatch(r"[^/\s]+:\d+", address):
        raise UserError(f"--ray-address {address}: write host:port, or auto on a node")
    if not _answers(address):
        raise UserError(f"no Ray cluster answers at {address}: is its head running?")


def _answers(address: str) -> bool:
    """Return whether anything listens at ``host:port``, after some patience."""
    host, _, port = address.rpartition(":")
    for _ in range(_HEAD_ATTEMPTS):
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=_LOOK):
                return True
        except OSError:
            time.sleep(_LOOK)
    return False


def import_ray() -> Any:
    """Return the package ``ray``."""
    try:
        import ray
    except ImportError as error:
        raise UserError("--executor ray needs Ray: pip install 'wpfs-bench[ray]'") from error
    return ray


def _find_package(name: str) -> Path:
    return Path(__file__).resolve().parents[3] / name


@contextmanager
def _signal_handlers_kept() -> Iterator[None]:
    """Undo that Ray takes SIGTERM for itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
