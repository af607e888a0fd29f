"""A place on a node of a Ray cluster: an actor that does one run after another.

The runs happen in a worker process of the place, as on one machine. So a crash, a segmentation
fault or a limit ends that process and is the run's own failure, while the death of the place
itself is the cluster's.
"""

import fcntl
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark.errors import UserError
from benchmark.files import write_atomically
from benchmark.run.devices import Slot
from benchmark.run.executors.events import Finished, Limits
from benchmark.run.executors.local import LocalExecutor
from benchmark.run.executors.shipping import unpack_job

if TYPE_CHECKING:
    from benchmark.plan.jobs import Job


class Place:
    """Does runs on the node it was put on.

    Parameters
    ----------
    session
        Names what the places of one ``run`` share on a node.
    device
        ``cpu``, or ``cuda`` where Ray gave the place a GPU.
    threads
        Threads of a run.
    limits
        What a run may use.
    """

    def __init__(self, session: str, device: str, threads: int, limits: Limits) -> None:
        # A worker process would otherwise import the program of Ray's own workers first.
        vars(sys.modules["__main__"]).pop("__file__", None)
        self._folder = NodeFolder(session)
        os.chdir(self._folder.path)
        hidden = {"CUDA_VISIBLE_DEVICES": ""}
        slot = Slot(0, device, hidden if device == "cpu" else {})
        cache = self._folder.path / "embeddings"
        self._executor = LocalExecutor([slot], threads, limits, cache)
        self._busy = False

    def prepare(self) -> str:
        """Start the worker process; return the id of the node."""
        import ray

        try:
            self._executor.warm_up()
        except UserError as error:
            reason = _explain_failed_import() or str(error)
            raise UserError(reason) from None
        return ray.get_runtime_context().get_node_id()

    def do(self, job: "Job", files: dict[str, Any]) -> Finished:
        """Do a packed run.

        Parameters
        ----------
        job
            From ``Packer.pack``.
        files
            Name -> Ray reference of those files of the run that this place did not have yet.
        """
        import ray

        for name, reference in files.items():
            if not self._folder.has(name):
                self._folder.write(name, ray.get(reference))
        self._busy = True
        *_, event = self._executor.run([unpack_job(job, self._folder.path)])
        self._busy = False
        assert isinstance(event, Finished)
        return event

    def close(self) -> None:
        """End everything at once, also a run; the last place of a node leaves no file behind."""
        from ray.actor import exit_actor

        self._executor.__exit__()
        self._folder.remove()
        if self._busy:  # exit_actor would wait for the run
            os._exit(0)
        exit_actor()


class NodeFolder:
    """Files that the places of a session on one node share; the system's temporary folder.

    Each place holds a lock on it, so that it is known which folders are in use: what a killed
    session left behind is removed by the next.
    """

    def __init__(self, session: str) -> None:
        root = Path(tempfile.gettempdir()) / f"wpfs-bench-{os.getuid()}"
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = root.lstat()  # a link may lead to what must not be tidied up
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
            raise UserError(
                f"{root} belongs to another user or is a link: set TMPDIR to another folder"
            )
        self.path = root / session
        self._lock = self._enter()
        for other in root.iterdir():
            if other != self.path:
                _remove_unused(other)

    def _enter(self) -> int:
        """Lock the folder; again when the last place of before removed it meanwhile."""
        while True:
            self.path.mkdir(mode=0o700, exist_ok=True)
            with suppress(FileNotFoundError):
                handle = os.open(self.path, os.O_RDONLY)
                fcntl.flock(handle, fcntl.LOCK_SH)
                with suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(handle), self.path.stat()):
                        return handle
                os.close(handle)

    def has(self, name: str) -> bool:
        """Return whether a file is there."""
        return (self.path / name).is_file()

    def write(self, name: str, content: bytes) -> None:
        """Write a file, whole or not at all."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)

    def remove(self) -> None:
        """Remove the folder if no other place uses it."""
        os.close(self._lock)
        _remove_unused(self.path)


def _remove_unused(folder: Path) -> None:
    with suppress(OSError):  # in use (BlockingIOError), or gone
        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(handle)


def _explain_failed_import() -> str:
    """Return the error with which a worker process ends here before its first run, "" if none."""
    tried = subprocess.run(
        [sys.executable, "-c", "import benchmark.run.execute"],
        capture_output=True,
        text=True,
        check=False,
    )
    return tried.stderr.strip().rpartition("\n")[2] if tried.returncode else ""
