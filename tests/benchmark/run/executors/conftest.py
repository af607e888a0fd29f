"""A Ray cluster of two node processes on the loopback interface, for all tests of a process."""

import os
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from benchmark.run.executors.events import Executor

_START_ATTEMPTS = 4


@dataclass
class Nodes:
    """The node processes, and the folder each has for its temporary files and its data sets."""

    cluster: Any
    folder: Path
    places: dict[Any, Path] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return self.cluster.address

    def add(self) -> None:
        """Let a node join; nothing is prepared on it."""
        place = self.folder / uuid.uuid4().hex[:6]
        for name in ("tmp", "data"):
            (place / name).mkdir(parents=True)
        variables = {"TMPDIR": f"{place}/tmp", "WPFS_BENCH_DATA": f"{place}/data"}
        for attempt in range(_START_ATTEMPTS):
            try:
                node = self.cluster.add_node(
                    num_cpus=1,
                    num_gpus=1,  # Ray believes it, and shows it to whoever asks for one
                    node_ip_address="127.0.0.1",
                    object_store_memory=80 * 2**20,
                    env_vars=variables,
                )
            except Exception:  # Ray gives a node half a minute, which a busy machine may need
                if attempt == _START_ATTEMPTS - 1:
                    raise
            else:
                self.places[node] = place
                return

    def kill_one(self) -> None:
        """Kill all processes of a node with signal 9."""
        node = next(iter(self.cluster.worker_nodes))
        self.cluster.remove_node(node, allow_graceful=False)
        del self.places[node]

    def list_files(self) -> list[Path]:
        """Return what runs left on the nodes that live."""
        found = [p for place in self.places.values() for p in place.glob("tmp/wpfs-bench-*/**/*")]
        return [path for path in found if path.is_file()]


@pytest.fixture(scope="session")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    variables = {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": uuid.uuid4().hex,
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_worker_niceness": "0",  # its own choice, 15, starves runs on a busy machine
    }
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    Cluster = pytest.importorskip("ray.cluster_utils").Cluster  # reads the variables

    folder = tmp_path_factory.mktemp("nodes")
    found = Nodes(Cluster(shutdown_at_exit=True), folder)
    for _ in range(2):
        found.add()
    yield found
    found.cluster.shutdown()
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


MakeExecutor = Callable[..., Executor]


@pytest.fixture(params=["local", "ray"])
def make_executor(request: pytest.FixtureRequest) -> MakeExecutor:
    """Return a function that makes an executor with two places."""
    if request.param == "local":
        from benchmark.run.devices import plan_slots
        from benchmark.run.executors.local import LocalExecutor

        return lambda limits=None, places=2: LocalExecutor(plan_slots([], places), limits=limits)
    from benchmark.run.executors.ray import RayExecutor

    address = request.getfixturevalue("nodes").address
    return lambda limits=None, places=2: RayExecutor(address, jobs=places, limits=limits)
