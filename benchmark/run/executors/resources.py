"""The flags of ``run`` that say where and with what jobs are done, and the executor they mean."""

from dataclasses import dataclass, field
from pathlib import Path

from benchmark.errors import UserError
from benchmark.run.devices import Slot, choose_gpus, list_gpus, plan_slots
from benchmark.run.executors.events import Executor, Limits

EXECUTORS = ("local", "ray")


@dataclass(frozen=True)
class Resources:
    """What runs may use, as on the command line.

    Parameters
    ----------
    executor
        ``local`` (worker processes of this machine) or ``ray``.
    gpu
        ``0``, ``0,1``, ``all``, or None for the CPU.
    jobs
        Runs side by side, None for as many as fit.
    jobs_per_gpu
        Runs that share a GPU.
    threads
        Threads of a run.
    limits
        Time and memory of a run.
    ray_address
        Of a Ray cluster.
    gpu_fraction
        Share of a GPU that a run on Ray asks for.
    memory_per_run
        MB that a run on Ray asks for.
    """

    executor: str = "local"
    gpu: str | None = None
    jobs: int | None = None
    jobs_per_gpu: int = 1
    threads: int = 1
    limits: Limits = field(default_factory=Limits)
    ray_address: str | None = None
    gpu_fraction: float | None = None
    memory_per_run: float | None = None

    def __post_init__(self) -> None:
        if self.executor not in EXECUTORS:
            raise UserError(f"--executor {self.executor}: choose one of {', '.join(EXECUTORS)}")
        if self.executor == "ray" and self.gpu not in (None, "all"):
            raise UserError(f"--gpu {self.gpu}: with --executor ray say --gpu all, Ray places runs")
        self._check_ray_flags()
        if self.jobs_per_gpu > 1 and self.gpu is None:
            raise UserError(f"--jobs-per-gpu {self.jobs_per_gpu}: only with --gpu")
        self.count_workers(1)

    def _check_ray_flags(self) -> None:
        """Refuse flags of Ray without it, and with it those that Ray has others for."""
        flags = {
            "--ray-address": self.ray_address,
            "--gpu-fraction": self.gpu_fraction,
            "--memory-per-run": self.memory_per_run,
        }
        given = [flag for flag, value in flags.items() if value is not None]
        if self.executor != "ray":
            if given:
                raise UserError(f"{given[0]}: only with --executor ray")
            return
        if self.jobs_per_gpu > 1:
            raise UserError(
                f"--jobs-per-gpu {self.jobs_per_gpu}: with --executor ray say "
                f"--gpu-fraction {1 / self.jobs_per_gpu:.3g}"
            )
        if self.gpu_fraction is not None and not 0 < self.gpu_fraction <= 1:
            raise UserError(
                f"--gpu-fraction {self.gpu_fraction:g}: write a number above 0 and up to 1"
            )

    def count_workers(self, n_jobs: int) -> int | None:
        """Return how many runs are done side by side, None where the cluster will tell."""
        if self.executor == "ray":
            return None if self.jobs is None else min(self.jobs, max(1, n_jobs))
        return len(self._plan_slots(n_jobs))

    def make_executor(self, results: Path, n_jobs: int) -> Executor:
        """Make the executor for a number of jobs whose results go to a folder."""
        cache = (results / ".cache" / "embeddings").resolve()
        logs = (results / ".logs").resolve()
        if self.executor == "ray":
            from benchmark.run.executors.ray import RayExecutor

            return RayExecutor(
                self.ray_address,
                self.jobs,
                self.gpu_fraction or float(self.gpu is not None),
                self.threads,
                self.memory_per_run,
                self.limits,
                logs,
            )
        from benchmark.run.executors.local import LocalExecutor

        return LocalExecutor(self._plan_slots(n_jobs), self.threads, self.limits, cache, logs)

    def _plan_slots(self, n_jobs: int) -> list[Slot]:
        gpus = []
        if self.gpu is not None and self.executor == "local":
            gpus = choose_gpus(self.gpu, list_gpus())
        return plan_slots(gpus, self.jobs, self.jobs_per_gpu, self.threads, max(1, n_jobs))
