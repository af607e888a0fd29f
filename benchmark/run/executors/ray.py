"""Runs jobs on a Ray cluster (extra ``ray``), for work spread over several machines.

Every machine needs this package and the data sets. Ray places runs on machines and GPUs; the
results come back to the process that started them, which alone writes the store.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from benchmark.errors import UserError
from benchmark.run.devices import Slot
from benchmark.run.executors.events import Finished, Limits, RunningJob, Started
from benchmark.run.executors.worker import environment_of

if TYPE_CHECKING:
    from benchmark.plan.jobs import Job
    from benchmark.run.execute import Outcome

#: Seconds without a result after which the time limit is looked at all the same.
_TICK = 1.0


class RayExecutor:
    """Gives jobs to Ray.

    Parameters
    ----------
    address
        Of the cluster, ``auto`` for the one of this machine, None to start one here.
    jobs
        Runs at a time; by default as many as the cluster has room for.
    gpus_per_run
        0 for the CPU, 1 for a GPU each, 0.5 for two runs per GPU.
    threads
        Threads of a run.
    limits
        What a run may use; only the time is watched, memory is Ray's affair. Time counts from
        when a run is given to Ray: on a cluster that others use, waiting for room is part of it.
    cache
        Folder in which methods may keep embeddings.
    """

    def __init__(
        self,
        address: str | None = None,
        jobs: int | None = None,
        gpus_per_run: float = 0.0,
        threads: int = 1,
        limits: Limits | None = None,
        cache: Path | None = None,
    ) -> None:
        self._address = address
        self._jobs = jobs
        self._gpus_per_run = gpus_per_run
        self._threads = threads
        self._limits = limits or Limits()
        self._cache = cache
        self._running: dict[Any, RunningJob] = {}
        if self._limits.memory_mb is not None:
            raise UserError("--memory-limit is not for --executor ray: Ray watches memory itself")

    @property
    def _device(self) -> str:
        return "cuda" if self._gpus_per_run else "cpu"

    def __enter__(self) -> Self:
        ray = _import_ray()
        if not ray.is_initialized():
            try:
                ray.init(address=self._address, log_to_driver=False, logging_level="error")
            except (ConnectionError, ValueError, RuntimeError) as error:
                reason = " ".join(str(error).split())[:200]
                raise UserError(
                    f"cannot reach the Ray cluster {self._address}: {reason}"
                ) from error
        return self

    def __exit__(self, *_: object) -> None:
        ray = _import_ray()
        for reference in self._running:
            ray.cancel(reference, force=True)
        self._running.clear()
        ray.shutdown()

    def run(self, jobs: Iterable["Job"]) -> Iterator[Started | Finished]:
        """Do the jobs, yielding an event whenever one is given to Ray or ends."""
        ray = _import_ray()
        remote = ray.remote(
            num_cpus=self._threads,
            num_gpus=self._gpus_per_run,
            max_retries=0,
            runtime_env={
                "env_vars": environment_of(self._threads, self._cache, on_this_machine=False)
            },
        )(_execute)
        pending = deque(jobs)
        free = deque(Slot(index, self._device) for index in range(self._count_places(ray)))
        while pending or self._running:
            while pending and free:
                job, slot = pending.popleft(), free.popleft()
                reference = remote.remote(job, self._device, self._threads)
                self._running[reference] = RunningJob(job, slot, self._threads)
                yield Started(job, slot)
            ready, _ = ray.wait(list(self._running), num_returns=1, timeout=_TICK)
            for reference in ready:
                running = self._running.pop(reference)
                free.append(running.slot)
                yield self._fetch(ray, reference, running)
            for event in self._enforce_limits(ray):
                free.append(event.slot)
                yield event

    def _count_places(self, ray: Any) -> int:
        resources = ray.cluster_resources()
        places = int(resources.get("CPU", 0) // self._threads)
        if self._gpus_per_run:
            places = min(places, int(resources.get("GPU", 0) / self._gpus_per_run))
        if places < 1:
            raise UserError(
                f"the Ray cluster has no room for a run with {self._threads} CPUs and "
                f"{self._gpus_per_run:g} GPUs: it has {resources.get('CPU', 0):g} CPUs and "
                f"{resources.get('GPU', 0):g} GPUs"
            )
        return places if self._jobs is None else min(places, self._jobs)

    def _fetch(self, ray: Any, reference: Any, running: RunningJob) -> Finished:
        try:
            return running.finish(ray.get(reference))
        except ray.exceptions.OutOfMemoryError:
            return running.fail("the worker was killed by Ray: the machine ran out of memory")
        except ray.exceptions.RayError as error:
            first_line = str(error).strip().partition("\n")[0]
            return running.fail(f"the worker crashed ({type(error).__name__}: {first_line})")

    def _enforce_limits(self, ray: Any) -> Iterator[Finished]:
        if self._limits.seconds is None:
            return
        for reference, running in list(self._running.items()):
            if running.seconds >= self._limits.seconds:
                ray.cancel(reference, force=True)
                del self._running[reference]
                yield running.time_out(self._limits.seconds)


def _execute(job: "Job", device: str, threads: int) -> "Outcome":
    from benchmark.run.execute import execute_job

    return execute_job(job, device, threads)


def _import_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise UserError("--executor ray needs Ray: pip install 'wpfs-bench[ray]'") from error
    return ray
