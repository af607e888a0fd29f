"""Runs jobs on a Ray cluster (extra ``ray``), for work spread over several machines.

Nodes need Python and the dependencies only: packages, tables and a user's method file travel with
the runs. Ray finds the places; results come back to the process that asked for them, which alone
writes the store.
"""

import re
import time
import uuid
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from baselines._shared.registry import get_method
from benchmark.errors import UserError
from benchmark.run.devices import Slot
from benchmark.run.executors.events import Event, Finished, Limits, Notice, RunningJob, Started
from benchmark.run.executors.ray_cluster import RayCluster, import_ray
from benchmark.run.executors.ray_place import Place
from benchmark.run.executors.shipping import Packer, list_files
from benchmark.run.outcome import Outcome
from benchmark.run.provenance import SUITE, find_commit, list_versions

if TYPE_CHECKING:
    from benchmark.plan.jobs import Job

#: Seconds without a result after which nodes and places are looked at all the same.
_TICK = 1.0

#: How often a run whose place died is tried again.
_RETRIES = 3

#: Places that wait for room at a time: the demand that an autoscaler sees.
_ASKED_AT_ONCE = 128

#: Places that may fail to start, one after the other, before the session gives up or pauses.
_START_ATTEMPTS = 3

#: Seconds of that pause, where other places work.
_PAUSE = 60.0

#: Seconds without any place after which people are told what is waited for.
_PATIENCE = 15.0

#: Seconds that places have to end and clean up.
_FAREWELL = 20.0


@dataclass(frozen=True)
class Demand:
    """What a run asks of Ray, in Ray's units."""

    cpus: int
    gpus: float = 0.0
    memory_mb: float | None = None

    @property
    def resources(self) -> dict[str, float]:
        """By Ray's names, without those that are not asked for."""
        memory = 0.0 if self.memory_mb is None else self.memory_mb * 2**20
        asked = {"CPU": float(self.cpus), "GPU": self.gpus, "memory": memory}
        return {kind: amount for kind, amount in asked.items() if amount}

    @property
    def device(self) -> str:
        """What methods are told to use."""
        return "cuda" if self.gpus else "cpu"

    def __str__(self) -> str:
        memory = "" if self.memory_mb is None else f", {self.memory_mb:,.0f} MB of memory"
        return f"{self.cpus:g} CPU{f', {self.gpus:g} GPU' if self.gpus else ''}{memory}"


@dataclass
class _Task:
    """A job to do, and what became of the places it was lost with."""

    job: "Job"
    losses: list[str] = field(default_factory=list)


@dataclass
class _Seat:
    """The driver's side of a place; ``call`` is what it does now, ``node`` where it is."""

    actor: Any
    demand: Demand
    index: int
    call: Any
    node: str | None = None
    task: _Task | None = None
    running: RunningJob | None = None
    files: set[str] = field(default_factory=set)


class RayExecutor:
    """Gives jobs to places on the nodes of a Ray cluster.

    Use as a context: leaving it ends all places at once.

    Parameters
    ----------
    address
        As ``RayCluster`` takes it.
    jobs
        Runs at a time; by default as many as the cluster has room for.
    gpus_per_run
        What a run of a method that uses a GPU asks for; 0 for the CPU.
    threads
        Threads, and so CPUs, of a run.
    memory_per_run
        MB that a run asks for, None for no demand.
    limits
        What a run may use, from its start.
    logs
        Folder for what Ray prints; None leaves it on the terminal.
    """

    def __init__(
        self,
        address: str | None = None,
        jobs: int | None = None,
        gpus_per_run: float = 0.0,
        threads: int = 1,
        memory_per_run: float | None = None,
        limits: Limits | None = None,
        logs: Path | None = None,
    ) -> None:
        self._cluster = RayCluster(address, logs and logs / "ray.txt")
        self._jobs = jobs
        self._gpus_per_run = gpus_per_run
        self._threads = threads
        self._memory_per_run = memory_per_run
        self._limits = limits or Limits()
        self._session = uuid.uuid4().hex[:12]
        self._seats: dict[int, _Seat] = {}
        self._waiting: dict[Demand, deque[_Task]] = {}
        self._files: dict[str, Any] = {}
        self._packer = Packer(self._keep_file)
        self._farewells: list[Any] = []
        self._failed_starts = 0
        self._pause_until = 0.0
        self._told_at: float | None = None

    def __enter__(self) -> Self:
        self._cluster.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        ray = import_ray()
        for seat in [] if self._cluster.is_lost else list(self._seats.values()):
            self._dismiss(seat)
        if self._farewells:
            ray.wait(self._farewells, num_returns=len(self._farewells), timeout=_FAREWELL)
        self._cluster.__exit__()

    @property
    def n_places(self) -> int:
        """How many jobs run side by side, as far as is known now."""
        return max(1, sum(seat.node is not None for seat in self._seats.values()))

    def run(self, jobs: Iterable["Job"]) -> Iterator[Event]:
        """Do the jobs, yielding an event whenever one starts or ends, or a node comes or goes."""
        for job in jobs:
            self._waiting.setdefault(self._find_demand(job), deque()).append(_Task(job))
        yield Notice(self._cluster.describe())
        while any(self._waiting.values()) or any(seat.task for seat in self._seats.values()):
            yield from map(Notice, self._cluster.watch_nodes())
            self._ask_for_places()
            yield from self._explain_waiting()
            for seat in list(self._seats.values()):
                if seat.node is not None and seat.task is None:
                    yield from self._occupy(seat)
            for seat in self._wait():
                yield from self._receive(seat)

    def _find_demand(self, job: "Job") -> Demand:
        uses_gpu = bool(self._gpus_per_run) and "gpu" in get_method(job.method).tags
        gpus = self._gpus_per_run if uses_gpu else 0.0
        return Demand(self._threads, gpus, self._memory_per_run)

    def _ask_for_places(self) -> None:
        """Ask Ray for a place per job that waits, and take back what is not wanted any more."""
        missing = {demand: min(len(w), _ASKED_AT_ONCE) for demand, w in self._waiting.items()}
        for seat in list(self._seats.values()):
            if seat.task is None:
                missing[seat.demand] -= 1
            if seat.node is None and missing[seat.demand] < 0:
                self._dismiss(seat)
                missing[seat.demand] += 1
        if time.monotonic() < self._pause_until:
            return
        while self._jobs is None or len(self._seats) < self._jobs:
            demand = max(missing, key=missing.__getitem__)
            if missing[demand] <= 0:
                return
            self._open(demand)
            missing[demand] -= 1

    def _open(self, demand: Demand) -> None:
        ray = import_ray()
        memory = {} if demand.memory_mb is None else {"memory": int(demand.memory_mb * 2**20)}
        # A second thread, so that a place can be closed in the middle of a run.
        options = ray.remote(
            num_cpus=demand.cpus, num_gpus=demand.gpus, max_concurrency=2, max_restarts=0, **memory
        )
        actor = options(Place).remote(self._session, demand.device, self._threads, self._limits)
        index = next(i for i in range(len(self._seats) + 1) if i not in self._seats)
        self._seats[index] = _Seat(actor, demand, index, actor.prepare.remote())

    def _explain_waiting(self) -> Iterator[Notice]:
        """Report once what is waited for when there is no place at all; refuse what never comes."""
        if any(seat.node is not None for seat in self._seats.values()):
            self._told_at = None
            return
        for demand in (seat.demand for seat in self._seats.values()):
            if self._cluster.starts_here and not self._cluster.fits(demand.resources):
                raise UserError(f"this machine has no room for a run, which asks for {demand}")
        if self._told_at is None:
            self._told_at = time.monotonic() + _PATIENCE
        elif self._told_at < time.monotonic():
            self._told_at = float("inf")
            demands = {seat.demand for seat in self._seats.values()}
            known = all(self._cluster.fits(demand.resources) for demand in demands)
            reason = "nodes are busy or still starting" if known else "no node has as much yet"
            asked = " or ".join(sorted(map(str, demands)))
            yield Notice(f"waiting for room: a run asks for {asked}; {reason}")

    def _occupy(self, seat: _Seat) -> Iterator[Started]:
        """Give a free place a job, or give it back to the cluster."""
        waiting = self._waiting[seat.demand]
        if not waiting:
            self._dismiss(seat)
            return
        seat.task = waiting.popleft()
        job = self._packer.pack(seat.task.job)
        new = {name: self._files[name] for name in list_files(job) if name not in seat.files}
        seat.files.update(new)
        seat.call = seat.actor.do.remote(job, new)
        node = self._cluster.name_node(seat.node or "")
        slot = Slot(seat.index, seat.demand.device, node=node)
        seat.running = RunningJob(seat.task.job, slot, self._threads)
        yield Started(seat.task.job, slot)

    def _wait(self) -> list[_Seat]:
        """Return the places that have something to say."""
        calls = {seat.call: seat for seat in self._seats.values() if seat.call is not None}
        if not calls:
            time.sleep(_TICK)
            return []
        ray = import_ray()
        ready, rest = ray.wait(list(calls), num_returns=1, timeout=_TICK)
        if ready and rest:
            ready += ray.wait(rest, num_returns=len(rest), timeout=0)[0]
        return [calls[call] for call in ready]

    def _receive(self, seat: _Seat) -> Iterator[Event]:
        """Take what a place says: that it is ready, a result, or that it died."""
        ray = import_ray()
        call, seat.call = seat.call, None
        try:
            answer = ray.get(call)
        except ray.exceptions.RayError as error:
            yield from self._handle_loss(seat, error)
            return
        if seat.task is None:
            seat.node = answer
            self._failed_starts = 0
            return
        assert seat.running is not None
        finished = Finished(seat.task.job, seat.running.slot, _sign(answer.outcome), answer.seconds)
        seat.task = seat.running = None
        started = list(self._occupy(seat))  # the place goes on while the result is written
        yield finished
        yield from started

    def _handle_loss(self, seat: _Seat, error: Exception) -> Iterator[Event]:
        """Remove a place that died; its run is tried again, the last time recorded as failed."""
        import_ray().kill(seat.actor)
        del self._seats[seat.index]
        if seat.task is None or seat.running is None:
            yield from self._count_failed_start(seat, error)
            return
        yield from map(Notice, self._cluster.watch_nodes())
        where = seat.running.slot.node
        seat.task.losses.append(f"{where}: {_explain(error)}")
        if len(seat.task.losses) <= _RETRIES:
            self._waiting[seat.demand].appendleft(seat.task)
            yield Notice(f"{seat.task.job.key} was lost with its place on {where}: trying again")
            return
        yield seat.running.fail(
            f"lost {len(seat.task.losses)} times with its place on the cluster, "
            f"the last time on {seat.task.losses[-1]}"
        )

    def _count_failed_start(self, seat: _Seat, error: Exception) -> Iterator[Notice]:
        self._failed_starts += 1
        if self._failed_starts < _START_ATTEMPTS:
            return
        reason = f"places cannot start on the cluster: {_explain(error)}"
        if "ModuleNotFoundError" in reason:
            reason += " (every node needs the dependencies: pip install 'wpfs-bench[ray]')"
        if not any(other.node is not None for other in self._seats.values()):
            raise UserError(reason)
        self._failed_starts = 0
        self._pause_until = time.monotonic() + _PAUSE
        yield Notice(f"{reason}; asking for more in {_PAUSE:g} s")

    def _dismiss(self, seat: _Seat) -> None:
        """End a place, and the run that it may be doing."""
        del self._seats[seat.index]
        if seat.node is None:
            import_ray().kill(seat.actor)
        else:
            self._farewells.append(seat.actor.close.remote())

    def _keep_file(self, name: str, content: bytes) -> None:
        self._files[name] = import_ray().put(content)


def _sign(outcome: Outcome) -> Outcome:
    """State in a record the code it was made with: nodes have its files, not its repository."""
    outcome.record["git_commit"] = find_commit()
    if (version := list_versions().get(SUITE)) is not None:
        outcome.record["versions"][SUITE] = version
    return outcome


def _explain(error: Exception) -> str:
    """Return one line on why Ray lost a place."""
    cause = getattr(error, "cause", None) or error
    text = str(cause)
    if isinstance(cause, UserError):
        return text
    # What Ray says of a class that could not be imported ends with the import's own error.
    named = re.findall(r"^ *(\w+Error: .+)$", text, re.MULTILINE)
    return named[-1] if named else f"{type(cause).__name__}: {' '.join(text.split())[:300]}"
