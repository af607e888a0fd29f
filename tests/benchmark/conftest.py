"""Small data, well and badly behaved methods."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.datasets.loading import DataSource
from benchmark.plan.jobs import Job, RunRequest, make_jobs

TINY = "synthetic:samples=60,features=30,informative=3"

METHODS = '''
import ctypes
import os
import signal
import time

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier


class Trees(ExtraTreesClassifier):
    """Stochastic and quick."""

    def __init__(self, n_estimators=5, max_depth=3, random_state=None, n_jobs=None):
        super().__init__(
            n_estimators=n_estimators,
            max_depth=max_depth,
            random_state=random_state,
            n_jobs=n_jobs,
        )


class SlowTrees(Trees):
    def fit(self, X, y):
        time.sleep(0.2)
        return super().fit(X, y)


class Constant:
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.misbehave()
        return self

    def misbehave(self):
        pass

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        return np.tile(np.eye(len(self.classes_))[0], (len(X), 1))


class Segfault(Constant):
    def misbehave(self):
        ctypes.string_at(0)


class Killed(Constant):
    def misbehave(self):
        os.kill(os.getpid(), signal.SIGKILL)


class Quitter(Constant):
    def misbehave(self):
        os._exit(3)


class Exiter(Constant):
    def misbehave(self):
        raise SystemExit(4)


class Raiser(Constant):
    def misbehave(self):
        raise ValueError("first line\\nsecond line")


class Sleeper(Constant):
    def misbehave(self):
        time.sleep(600)


class Leaker(Constant):
    def misbehave(self):
        self.hoard = np.ones(150_000_000)
        time.sleep(600)


class OutOfGpuMemory(Constant):
    def misbehave(self):
        raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")


class NotANumber(Constant):
    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), np.nan)


class ReportsEnvironment(Constant):
    """Tells what it saw through its importances."""

    def misbehave(self):
        visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
        self.seen = [int(visible) if visible else -1, int(os.environ["OMP_NUM_THREADS"])]

    @property
    def feature_importances_(self):
        return np.array(self.seen + [0] * 28)


class OnGpu(ReportsEnvironment):
    """The same, for a method that may use a GPU."""

    def __init__(self, device="cpu"):
        self.device = device


class KillsParent(Constant):
    def misbehave(self):
        os.kill(os.getppid(), signal.SIGKILL)


class TellsWhere(Constant):
    """Fails with where it and the suite were imported from."""

    def misbehave(self):
        import benchmark

        raise ValueError(f"{benchmark.__file__} {__file__}")
'''


@pytest.fixture
def methods_file(tmp_path: Path) -> Path:
    """Return a file with methods of a third party."""
    path = tmp_path / "their_methods.py"
    path.write_text(textwrap.dedent(METHODS))
    return path


@pytest.fixture
def tiny() -> DataSource:
    return DataSource(TINY)


@pytest.fixture
def make_tiny_jobs(methods_file: Path, tiny: DataSource) -> Callable[..., list[Job]]:
    """Return a function: class names of ``methods_file`` -> jobs on the tiny data set."""

    def make(*classes: str, folds: int = 5, repeats: int = 1) -> list[Job]:
        methods = [f"{methods_file}:{name}" for name in classes]
        return make_jobs(RunRequest(methods, [tiny], repeats=repeats, folds=folds))

    return make
