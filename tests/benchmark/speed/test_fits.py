import importlib.util

import numpy as np
import pytest

from benchmark.run.execute import Part
from benchmark.speed import fits
from benchmark.speed.plain_networks import PLAIN, PlainNetwork, fit_plain


@pytest.fixture
def parts():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 60)).astype(np.float32)
    X[:, 0] += 4 * y
    return Part(X, y), Part(X[::4], y[::4])


@pytest.mark.parametrize("name", PLAIN)
def test_plain_networks_learn_what_ours_learn_with_as_many_parameters(name, parts):
    network = fit_plain(name, *parts, n_steps=10)
    ours = fits._build(name, 10)
    ours.fit(parts[0].X, parts[0].y, eval_set=[(parts[1].X, parts[1].y)])
    count = sum(parameter.numel() for parameter in network.parameters())
    spare = 100 if name in ("cae", "fsnet") else 0  # a bias that selectors do not use
    assert count - spare == ours.n_parameters_
    before = fit_plain(name, *parts, n_steps=1).state_dict()
    assert any((value != before[key]).any() for key, value in network.state_dict().items())


def test_plain_networks_are_validated_as_often_as_ours(parts, monkeypatch):
    train = Part(np.repeat(parts[0].X, 2, axis=0)[:72], np.repeat(parts[0].y, 2)[:72])
    checks = []
    monkeypatch.setattr(
        PlainNetwork, "eval", lambda network: checks.append(network) or network.train(False)
    )
    fit_plain("mlp", train, parts[1], n_steps=30)  # epochs of nine batches
    ours = fits._build("mlp", 30)
    ours.fit(train.X, train.y, eval_set=[(parts[1].X, parts[1].y)])
    assert len(checks) == len(ours.history_["step"])


def test_a_package_that_is_not_installed_is_named_and_the_others_are_measured(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        fits.importlib.util,
        "find_spec",
        lambda name: None if name == "lassonet" else find(name),
    )
    monkeypatch.setattr(fits, "PLAIN", ("mlp",))
    monkeypatch.setattr(fits, "PACKAGES", {"lassonet": fits.PACKAGES["lassonet"]})
    mlp, lassonet = fits.measure_fits(n_features=120, steps=10, rounds=1)
    assert lassonet["missing"] == "lassonet is not installed"
    assert mlp["steps"] == [2, 10]
    assert mlp["run"] > 0
    assert len(mlp["ours"]) == len(mlp["other"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tabnet", "lassonet"])
def test_packages_fit_with_the_hyperparameters_of_ours(name, parts):
    model = fits.fit_package(name, fits._build(name, 1), *parts)
    assert model.predict(parts[1].X).shape == parts[1].y.shape
