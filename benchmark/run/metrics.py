"""Measures of predictions against the truth, as fractions, and the one table of them.

An entry of ``METRICS`` is all there is to a metric: runs record it, reports show it and
``wpfs-bench report --help`` lists it.

Written out in numpy: they are called six times per run, and scikit-learn's input checks alone
would cost more than the rest of a small run.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchmark.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Probabilities below this count as this in the cross-entropy, which would be infinite at zero.
SMALLEST_PROBABILITY = 1e-15


def balanced_accuracy(y_true: "NDArray[np.int64]", y_pred: "NDArray[np.int64]") -> float:
    """Return the mean recall over the classes that occur in ``y_true``, both (n,)."""
    import numpy as np

    counts = np.bincount(y_true)
    hits = np.bincount(y_true, weights=y_true == y_pred)
    present = counts > 0
    return float(np.mean(hits[present] / counts[present]))


def accuracy(y_true: "NDArray[np.int64]", y_pred: "NDArray[np.int64]") -> float:
    """Return the share of right labels."""
    import numpy as np

    return float(np.mean(y_true == y_pred))


def macro_f1(y_true: "NDArray[np.int64]", y_pred: "NDArray[np.int64]") -> float:
    """Return the mean F1 over the classes that occur in truth or prediction."""
    import numpy as np

    n_classes = int(max(y_true.max(), y_pred.max())) + 1
    hits = np.bincount(y_true[y_true == y_pred], minlength=n_classes)
    total = np.bincount(y_true, minlength=n_classes) + np.bincount(y_pred, minlength=n_classes)
    present = total > 0
    return float(np.mean(2 * hits[present] / total[present]))


def cross_entropy(
    y_true: "NDArray[np.int64]", proba: "NDArray[np.float64]", weights: "NDArray[np.float64]"
) -> float:
    """Return the class-weighted mean of -log p(true class); NaN if all weights are zero.

    Parameters
    ----------
    y_true
        (n,) class codes.
    proba
        (n, C) probabilities.
    weights
        (C,) class weights.
    """
    from wpfs.loss import weighted_cross_entropy

    row_weights = weights[y_true]
    if not row_weights.any():
        return float("nan")
    return weighted_cross_entropy(proba, y_true, row_weights, SMALLEST_PROBABILITY)


def brier(y_true: "NDArray[np.int64]", proba: "NDArray[np.float64]") -> float:
    """Return the Brier score: mean squared distance from the one-hot truth, halved for C = 2."""
    import numpy as np

    truth = np.eye(proba.shape[1])[y_true]
    distance = float(np.mean(((proba - truth) ** 2).sum(axis=1)))
    return distance / 2 if proba.shape[1] == 2 else distance


def auroc(y_true: "NDArray[np.int64]", proba: "NDArray[np.float64]") -> float:
    """Return the area under the ROC curve, one class against the rest, mean over classes.

    Classes without a positive or without a negative row are left out; NaN if none is left.
    """
    import numpy as np

    n_classes = proba.shape[1]
    classes = [1] if n_classes == 2 else range(n_classes)
    areas = [_binary_auroc(y_true == c, proba[:, c]) for c in classes]
    known = [area for area in areas if not np.isnan(area)]
    return float(np.mean(known)) if known else float("nan")


def _binary_auroc(positive: "NDArray[np.bool_]", score: "NDArray[np.float64]") -> float:
    import numpy as np

    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        return float("nan")
    _, group, counts = np.unique(score, return_inverse=True, return_counts=True)
    # Mean rank of each group of ties: the Mann-Whitney form of the area.
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return float(
        (ranks[group][positive].sum() - n_positive * (n_positive + 1) / 2)
        / (n_positive * n_negative)
    )


@dataclass(frozen=True)
class Metric:
    """A measure, where it is recorded and how it is shown.

    Parameters
    ----------
    name
        As on the command line.
    title
        Without the part of the split it was measured on.
    compute
        Takes the arrays of ``needs`` in that order and returns a fraction or a loss.
    needs
        Of ``y_true`` (n,), ``y_pred`` (n,), ``proba`` (n, C) and ``weights`` (C,), the balanced
        class weights. What needs ``proba`` is missing from runs of methods without it.
    recorded_on
        The parts of a split on which runs record it.
    part
        The part whose values are meant: one of ``recorded_on``.
    percent
        Whether the stored fraction is shown times 100.
    higher_is_better
        Which end ranks first.
    digits
        Decimals shown.
    """

    name: str
    title: str
    compute: Callable[..., float]
    needs: tuple[str, ...] = ("y_true", "y_pred")
    recorded_on: tuple[str, ...] = ("test",)
    part: str = "test"
    percent: bool = True
    higher_is_better: bool = True
    digits: int = 2

    def on(self, part: str) -> "Metric":
        """Return the same measure on another part of the split."""
        return replace(self, part=part)

    @property
    def column(self) -> str:
        """Its field in the result record."""
        return f"{self.name.replace('-', '_')}_{self.part}"

    @property
    def scale(self) -> float:
        """What a stored value is multiplied with before it is shown."""
        return 100.0 if self.percent else 1.0

    @property
    def label(self) -> str:
        """The part, the title and the unit, as in a caption."""
        part = {"train": "Training", "valid": "Validation", "test": "Test"}[self.part]
        return f"{part} {self.title}" + (" (%)" if self.percent else "")

    @property
    def phrase(self) -> str:
        """The label inside a sentence."""
        return self.label[0].lower() + self.label[1:]


#: What runs record and ``--metric`` takes.
METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            "balanced-accuracy",
            "balanced accuracy",
            balanced_accuracy,
            recorded_on=("train", "valid", "test"),
        ),
        Metric(
            "cross-entropy",
            "weighted cross-entropy",
            cross_entropy,
            needs=("y_true", "proba", "weights"),
            recorded_on=("valid", "test"),
            percent=False,
            higher_is_better=False,
            digits=4,
        ),
        Metric("auroc", "AUROC (one against the rest)", auroc, needs=("y_true", "proba")),
        Metric("macro-f1", "macro F1", macro_f1),
        Metric(
            "brier",
            "Brier score",
            brier,
            needs=("y_true", "proba"),
            percent=False,
            higher_is_better=False,
            digits=3,
        ),
        Metric("accuracy", "accuracy", accuracy),
    )
}

_BY_COLUMN = {
    metric.on(part).column: metric.on(part)
    for metric in METRICS.values()
    for part in metric.recorded_on
}

#: The fields of a record that hold scores.
SCORE_COLUMNS = tuple(_BY_COLUMN)


def measure(part: str, arrays: "Mapping[str, np.ndarray]") -> dict[str, float]:
    """Return every score of a part of the split, by its field in the record.

    Parameters
    ----------
    part
        ``train``, ``valid`` or ``test``.
    arrays
        Those of ``Metric.needs`` that there are.
    """
    return {
        metric.on(part).column: metric.compute(*(arrays[name] for name in metric.needs))
        for metric in METRICS.values()
        if part in metric.recorded_on and arrays.keys() >= set(metric.needs)
    }


def find_metric(name: str) -> Metric:
    """Return a metric by its name on the command line."""
    if name not in METRICS:
        raise UserError(f"unknown metric {name!r}: choose one of {', '.join(METRICS)}")
    return METRICS[name]


def find_metric_of_column(column: str) -> Metric:
    """Return the metric whose values a field of the record holds."""
    return _BY_COLUMN[column]
