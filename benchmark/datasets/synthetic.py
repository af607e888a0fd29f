"""A made data set that looks like gene expression and whose truth is known."""

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmark.datasets.dataset import Dataset
from benchmark.datasets.names import SYNTHETIC
from benchmark.errors import UserError

_MODULE_SIZE = 25
_BATCHES = 3


def load_synthetic(
    samples: int = 150,
    features: int = 1000,
    informative: int = 100,
    classes: int = 3,
    noise: float = 1.0,
    seed: int = 0,
) -> Dataset:
    """Make a gene-expression-like table.

    Log-expression is a gene's own level, plus its module's activity in the sample (genes of a
    module are correlated), plus a shift of the sample's batch, plus noise, plus the effects of
    the class; values are its exponential, so positive and heavy-tailed. Half of the informative
    genes shift with the class. The others come in pairs: on its own neither gene of a pair says
    anything of the class, but the sign of their product does.

    Parameters
    ----------
    samples, features
        Rows and columns.
    informative
        Number of genes that depend on the class.
    classes
        Number of classes; each is about 1.6 times as large as the next.
    noise
        Factor on the genes' own noise (standard deviation 0.5, as have the shifts between classes).
    seed
        Another seed is another table.
    """
    _check(samples, features, informative, classes, noise, seed)
    rng = np.random.default_rng(seed)
    y = _draw_labels(rng, samples, classes)
    genes = np.sort(rng.choice(features, size=informative, replace=False))

    log_values = rng.normal(5.0, 1.2, size=features) + _module_activity(rng, samples, features)
    log_values += rng.normal(0.0, 0.3, size=(_BATCHES, features))[
        rng.integers(_BATCHES, size=samples)
    ]
    log_values += noise * rng.normal(0.0, 0.5, size=(samples, features))

    shuffled = rng.permutation(genes)
    n_linear = informative - 2 * (informative // 4)
    log_values[:, shuffled[:n_linear]] += _linear_effects(rng, y, classes, n_linear)
    log_values[:, shuffled[n_linear:]] += _interaction_effects(
        rng, y, classes, informative - n_linear
    )

    parameters = {
        "samples": samples,
        "features": features,
        "informative": informative,
        "classes": classes,
        "noise": noise,
        "seed": seed,
    }
    width = len(str(features))
    return Dataset(
        name=name_of(parameters),
        # Rounded, as published expression tables are; it also hides the last bits, in which
        # mathematics libraries differ.
        X=np.round(np.exp(log_values), 3).astype(np.float32),
        y=y,
        feature_names=np.array([f"gene-{j:0{width}d}" for j in range(features)]),
        sample_ids=np.array([f"sample-{i:0{len(str(samples))}d}" for i in range(samples)]),
        class_names=np.array([f"class-{c}" for c in range(classes)]),
        informative=genes,
        hyperparameters_of=SYNTHETIC,
        provenance={"source": "made by benchmark.datasets.synthetic", **parameters},
    )


def name_of(parameters: dict[str, Any]) -> str:
    """Return the name that ``parse_parameters`` turns back into these parameters."""
    defaults = _defaults()
    changed = [f"{key}={value}" for key, value in parameters.items() if value != defaults[key]]
    return f"{SYNTHETIC}:{','.join(changed)}" if changed else SYNTHETIC


def parse_parameters(name: str) -> dict[str, Any]:
    """Read the parameters from a name such as ``synthetic:samples=100,features=5000``."""
    defaults = _defaults()
    _, _, text = name.partition(":")
    parameters: dict[str, Any] = {}
    for item in filter(None, text.split(",")):
        key, _, value = item.partition("=")
        if key not in defaults:
            raise UserError(f"{name}: unknown parameter {key!r}, use one of {', '.join(defaults)}")
        try:
            parameters[key] = type(defaults[key])(value)
        except ValueError:
            raise UserError(f"{name}: {key} must be a number, not {value!r}") from None
    return parameters


def _defaults() -> dict[str, Any]:
    return {p.name: p.default for p in inspect.signature(load_synthetic).parameters.values()}


#: 4 GB in the double precision that they are drawn in.
_MOST_VALUES = 500_000_000


def _check(
    samples: int, features: int, informative: int, classes: int, noise: float, seed: int
) -> None:
    if classes < 2:
        raise UserError(f"synthetic: classes must be at least 2, not {classes}")
    if features < 2:
        raise UserError(f"synthetic: features must be at least 2, not {features}")
    if samples * features > _MOST_VALUES:
        raise UserError(
            f"synthetic: {samples} samples x {features} features are more than "
            f"{_MOST_VALUES:,} values, make it smaller"
        )
    if not 1 <= informative <= features:
        raise UserError(f"synthetic: informative must be 1 to {features}, not {informative}")
    if not 0 <= noise < np.inf:
        raise UserError(f"synthetic: noise must be a number from 0, not {noise}")
    if seed < 0:
        raise UserError(f"synthetic: seed must be a whole number from 0, not {seed}")
    if _class_sizes(samples, classes).min() < 10:
        raise UserError(
            f"synthetic: {samples} samples are too few for {classes} classes (the smallest "
            "would have under 10), raise samples"
        )


def _class_sizes(samples: int, classes: int) -> NDArray[np.int64]:
    shares = 1.6 ** -np.arange(classes)
    sizes = np.floor(samples * shares / shares.sum()).astype(np.int64)
    sizes[0] += samples - sizes.sum()
    return sizes


def _draw_labels(rng: np.random.Generator, samples: int, classes: int) -> NDArray[np.int64]:
    return rng.permutation(np.repeat(np.arange(classes), _class_sizes(samples, classes)))


def _module_activity(rng: np.random.Generator, samples: int, features: int) -> NDArray[np.float64]:
    """Return (samples, features): each gene's share in the activity of its module."""
    n_modules = max(1, features // _MODULE_SIZE)
    module_of = rng.integers(n_modules, size=features)
    activity = rng.normal(size=(samples, n_modules))
    return activity[:, module_of] * rng.uniform(0.2, 0.8, size=features)


def _linear_effects(
    rng: np.random.Generator, y: NDArray[np.int64], classes: int, n_genes: int
) -> NDArray[np.float64]:
    """Return (samples, n_genes): a shift per class, centred over the classes."""
    shifts = rng.normal(0.0, 0.5, size=(classes, n_genes))
    return (shifts - shifts.mean(axis=0))[y]


def _interaction_effects(
    rng: np.random.Generator, y: NDArray[np.int64], classes: int, n_genes: int
) -> NDArray[np.float64]:
    """Return (samples, n_genes): pairs of genes that agree in some classes, disagree in others."""
    n_pairs = n_genes // 2
    agreement = np.where((np.arange(classes)[:, None] + np.arange(n_pairs)) % 2, 1.0, -1.0)
    first = rng.choice([-1.0, 1.0], size=(len(y), n_pairs))
    effects = np.empty((len(y), n_genes))
    effects[:, 0::2] = first
    effects[:, 1::2] = first * agreement[y]
    return effects
