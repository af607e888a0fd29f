"""What only a cluster can do wrong: nodes that know nothing, die, join, or have other work."""

import itertools
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmark.errors import UserError
from benchmark.plan.jobs import Job, RunRequest, make_jobs
from benchmark.results.arrays import read_arrays
from benchmark.results.store import Store, read_records
from benchmark.run.devices import plan_slots
from benchmark.run.executors.events import Finished, Notice
from benchmark.run.executors.local import LocalExecutor
from benchmark.run.executors.ray import Demand, RayExecutor
from benchmark.run.executors.ray_cluster import RayCluster
from benchmark.run.executors.resources import Resources
from benchmark.run.provenance import find_commit

from .conftest import Nodes

MakeJobs = Callable[..., list[Job]]

#: Seconds that anything may take on a machine with other work.
_PATIENCE = 300

#: Fields of a record that two runs of one key may differ in; somebody may commit meanwhile.
_VOLATILE = {"path", "seconds", "peak_memory_mb", "started", "processor", "git_commit"}


def list_outcomes(folder: Path) -> dict[str, Any]:
    """Return all that must not depend on where a run was done, by the name of its record."""
    found = {}
    for record in read_records(folder):
        path = Path(record["path"])
        arrays = {name: array.tobytes() for name, array in read_arrays(path).items()}
        fields = {name: value for name, value in record.items() if name not in _VOLATILE}
        found[str(path.relative_to(folder))] = (fields, arrays)
    return found


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file: while it is there, the runs of the user's method wait."""
    return tmp_path_factory.mktemp("gate") / "closed"


@pytest.fixture(scope="module")
def methods(gate: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a method of a user's file, which lies on no node."""
    file = tmp_path_factory.mktemp("user") / "gated_trees.py"
    file.write_text(
        "import pathlib, time\n"
        "from sklearn.ensemble import ExtraTreesClassifier\n"
        "class GatedTrees(ExtraTreesClassifier):\n"
        "    def __init__(self, n_estimators=5, random_state=None):\n"
        "        super().__init__(n_estimators=n_estimators, random_state=random_state)\n"
        "    def fit(self, X, y):\n"
        f"        while pathlib.Path({str(gate)!r}).exists():\n"
        "            time.sleep(0.05)\n"
        "        return super().fit(X, y)\n"
    )
    return f"{file}:GatedTrees"


@pytest.fixture(scope="module")
def expected(methods: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the outcomes of three methods × synthetic × 10 by the local executor."""
    from benchmark.datasets.loading import DataSource

    names = [methods, "linear-svm", "knn"]
    store = Store(tmp_path_factory.mktemp("local"))
    with LocalExecutor(plan_slots([], 2)) as executor:
        jobs = make_jobs(RunRequest(names, [DataSource("synthetic")], repeats=2))
        for event in executor.run(jobs):
            if isinstance(event, Finished):
                store.write(event.job.key, event.outcome.record, event.outcome.arrays)
    return list_outcomes(store.folder)


@dataclass
class Command:
    """A process that does those thirty runs, the ten of the user's method last."""

    process: "subprocess.Popen[bytes]"
    log: Path

    @property
    def output(self) -> str:
        return self.log.read_text()

    def finish(self) -> None:
        assert self.process.wait(timeout=_PATIENCE) == 0, self.output


Start = Callable[..., Command]


@pytest.fixture
def start(nodes: Nodes, methods: str, gate: Path, tmp_path: Path) -> Iterator[Start]:
    """Return a function that gives the command."""
    started: list[Command] = []

    def begin(results: Path, *flags: str) -> Command:
        words = [sys.executable, "-m", "benchmark", "run", "--executor", "ray"]
        words += ["--ray-address", nodes.address, "-d", "synthetic", "--repeats", "2"]
        words += ["--method", methods, "-m", "linear-svm,knn", "--results", str(results), *flags]
        log = tmp_path / f"output-{len(started)}.txt"
        with log.open("wb") as file:
            process = subprocess.Popen(words, stdout=file, stderr=subprocess.STDOUT)
        started.append(Command(process, log))
        return started[-1]

    yield begin
    gate.unlink(missing_ok=True)
    for command in started:
        command.process.kill()
        command.process.wait()


def wait_until(happened: Callable[[], bool], what: Command) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not happened():
        assert time.monotonic() < deadline, what.output
        assert what.process.poll() is None, what.output
        time.sleep(0.05)


def list_records(folder: Path) -> list[Path]:
    return list(folder.glob("*/*/*/*.json"))


@pytest.mark.slow
def test_nodes_that_know_nothing_give_the_local_results(
    nodes: Nodes, start: Start, expected: dict[str, Any], tmp_path: Path
) -> None:
    start(tmp_path / "results").finish()
    assert list_outcomes(tmp_path / "results") == expected
    assert len(expected) == 30
    assert {fields["status"] for fields, _ in expected.values()} == {"ok"}
    assert nodes.list_files() == []
    assert "Logs on each node" in (tmp_path / "results" / ".logs" / "ray.txt").read_text()


@pytest.mark.slow
def test_a_node_dies_and_another_joins_in_the_middle(
    nodes: Nodes, start: Start, gate: Path, expected: dict[str, Any], tmp_path: Path
) -> None:
    results = tmp_path / "results"
    gate.touch()
    command = start(results)
    wait_until(lambda: len(list_records(results)) >= 4, command)
    nodes.kill_one()
    nodes.add()
    for news in (r"^node .* left$", r"^node .* joined$"):
        wait_until(lambda: bool(re.search(news, command.output, re.MULTILINE)), command)  # noqa: B023
    gate.unlink()
    command.finish()
    assert list_outcomes(results) == expected
    noise = ("raylet", "core_worker", "Traceback", "Worker ID")
    assert [word for word in noise if word in command.output] == []


@pytest.mark.slow
def test_a_killed_driver_loses_nothing_and_two_drivers_do_no_harm(
    start: Start, gate: Path, expected: dict[str, Any], tmp_path: Path
) -> None:
    results = tmp_path / "results"
    gate.touch()
    killed = start(results, "--jobs", "1")
    wait_until(lambda: len(list_records(results)) >= random.randrange(1, 15), killed)
    finished = {path: path.read_bytes() for path in list_records(results)}
    other = start(results, "--jobs", "1")
    # Not for its first run: what is left may all wait at the gate.
    wait_until(lambda: "Ray cluster at" in other.output, other)
    time.sleep(random.uniform(0, 1))  # the moment is to be any
    assert killed.process.poll() is None
    killed.process.kill()
    gate.unlink()
    other.finish()
    assert list_outcomes(results) == expected
    assert all(path.read_bytes() == content for path, content in finished.items())


@pytest.mark.slow
def test_a_run_that_loses_its_place_is_tried_three_times_more(
    nodes: Nodes, make_tiny_jobs: MakeJobs
) -> None:
    bad, good = make_tiny_jobs("KillsParent")[:1], make_tiny_jobs("Constant")
    where = make_tiny_jobs("TellsWhere")[:1]
    with RayExecutor(nodes.address) as executor:
        events = list(executor.run([*bad, *where, *good]))
    finished = [event for event in events if isinstance(event, Finished)]
    records = {event.job.key.model: event.outcome.record for event in finished}
    assert len(finished) == 7
    assert records["kills-parent"]["status"] == "failed"
    assert "lost 4 times with its place on the cluster" in records["kills-parent"]["error"]
    tries = [e for e in events if isinstance(e, Notice) and "trying again" in e.text]
    assert len(tries) == 3
    assert records["constant"]["status"] == "ok"
    assert records["constant"]["git_commit"] == find_commit()
    suite, method = records["tells-where"]["error"].removeprefix("ValueError: ").split()
    assert "py_modules" in suite
    assert f"{nodes.folder}/" in method


@pytest.mark.slow
def test_gpus_are_for_methods_that_use_one(nodes: Nodes, make_tiny_jobs: MakeJobs) -> None:
    jobs = [make_tiny_jobs(name)[0] for name in ("OnGpu", "ReportsEnvironment")]
    with RayExecutor(nodes.address, gpus_per_run=0.25) as executor:
        events = [e for e in executor.run(jobs) if isinstance(e, Finished)]
    seen = {e.job.key.model: e.outcome.arrays["importances"][0] for e in events}  # type: ignore[index]
    assert seen == {"on-gpu": 0, "reports-environment": -1}
    assert {e.job.key.model: e.outcome.record["device"] for e in events}["on-gpu"] == "cuda"


@pytest.mark.slow
def test_people_are_told_what_is_waited_for(
    nodes: Nodes, make_tiny_jobs: MakeJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmark.run.executors.ray._PATIENCE", 0)
    with RayExecutor(nodes.address, threads=2, memory_per_run=4096) as executor:
        events = executor.run(make_tiny_jobs("Constant"))
        texts = [event.text for event in itertools.islice(events, 2)]  # type: ignore[union-attr]
    assert texts[0].startswith(f"Ray cluster at {nodes.address}: ")
    assert texts[1] == (
        "waiting for room: a run asks for 2 CPU, 4,096 MB of memory; no node has as much yet"
    )


def test_runs_ask_for_what_they_use(make_tiny_jobs: MakeJobs) -> None:
    executor = RayExecutor(gpus_per_run=0.25, threads=2, memory_per_run=1024)
    on_gpu, other = (make_tiny_jobs(name)[0] for name in ("OnGpu", "Constant"))
    asked = executor._find_demand(on_gpu).resources
    assert asked == {"CPU": 2, "GPU": 0.25, "memory": 1024 * 2**20}
    assert executor._find_demand(other) == Demand(2, 0, 1024)


def test_a_head_that_is_gone_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmark.run.executors.ray_cluster._LOOK", 0.01)
    cluster = RayCluster("127.0.0.1:1")
    cluster._head = "127.0.0.1:1"
    with pytest.raises(UserError, match="give the same command again"):
        next(cluster.watch_nodes())
    assert cluster.is_lost


def test_an_address_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    monkeypatch.setattr("benchmark.run.executors.ray_cluster._LOOK", 0.01)
    for text in ("nowhere", "ray://127.0.0.1:10001", "host:"):
        with pytest.raises(UserError, match=f"--ray-address {text}: write host:port"):
            RayExecutor(text).__enter__()
    with pytest.raises(UserError, match=r"no Ray cluster answers at 127\.0\.0\.1:1: "):
        RayExecutor("127.0.0.1:1").__enter__()


@pytest.mark.slow
def test_a_wrong_token_is_one_line(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_TOKEN", "another")
    command = start(tmp_path / "results")
    assert command.process.wait(timeout=_PATIENCE) == 2
    _, error = command.output.splitlines()
    assert error.startswith("error: cannot join the Ray cluster at ")
    assert "RAY_AUTH_TOKEN" in error


def test_ray_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"pip install 'wpfs-bench\[ray\]'"):
        RayExecutor().__enter__()


def test_flags_that_do_not_go_together() -> None:
    with pytest.raises(UserError, match="choose one of local, ray"):
        Resources(executor="slurm")
    with pytest.raises(UserError, match="say --gpu all"):
        Resources(executor="ray", gpu="0")
    with pytest.raises(UserError, match="--ray-address: only with --executor ray"):
        Resources(ray_address="auto")
    with pytest.raises(UserError, match="--memory-per-run: only with --executor ray"):
        Resources(memory_per_run=100)
    with pytest.raises(UserError, match=r"say --gpu-fraction 0\.25"):
        Resources(executor="ray", gpu="all", jobs_per_gpu=4)
    with pytest.raises(UserError, match="above 0 and up to 1"):
        Resources(executor="ray", gpu_fraction=2)
