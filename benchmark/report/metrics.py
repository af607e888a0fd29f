"""The metrics a report can show."""

from dataclasses import dataclass

from benchmark.errors import UserError


@dataclass(frozen=True)
class Metric:
    """A column of the result record and how to show it.

    Parameters
    ----------
    name
        As on the command line.
    column
        Of the result record.
    title
        Without the split it was measured on.
    split
        The split it was measured on: ``Test`` or ``Validation``.
    percent
        Whether the stored fraction is shown times 100.
    higher_is_better
        Which end ranks first.
    digits
        Decimals shown.
    """

    name: str
    column: str
    title: str
    split: str = "Test"
    percent: bool = True
    higher_is_better: bool = True
    digits: int = 2

    @property
    def scale(self) -> float:
        """What a stored value is multiplied with before it is shown."""
        return 100.0 if self.percent else 1.0

    @property
    def label(self) -> str:
        """The split, the title and the unit, as in a caption."""
        return f"{self.split} {self.title}" + (" (%)" if self.percent else "")

    @property
    def phrase(self) -> str:
        """The label inside a sentence."""
        return self.label[0].lower() + self.label[1:]


#: What ``--metric`` takes.
METRICS = {
    metric.name: metric
    for metric in (
        Metric("balanced-accuracy", "balanced_accuracy_test", "balanced accuracy"),
        Metric("auroc", "auroc_test", "AUROC (one against the rest)"),
        Metric("macro-f1", "macro_f1_test", "macro F1"),
        Metric("accuracy", "accuracy_test", "accuracy"),
        Metric(
            "brier", "brier_test", "Brier score", percent=False, higher_is_better=False, digits=3
        ),
    )
}

#: What only the paper's ablations are measured with.
STUDY_METRICS = (
    Metric("valid-balanced-accuracy", "balanced_accuracy_valid", "balanced accuracy", "Validation"),
    Metric(
        "valid-cross-entropy",
        "cross_entropy_valid",
        "weighted cross-entropy",
        "Validation",
        percent=False,
        higher_is_better=False,
        digits=4,
    ),
)


def find_metric(name: str) -> Metric:
    """Return a metric by its name on the command line."""
    if name not in METRICS:
        raise UserError(f"unknown metric {name!r}: choose one of {', '.join(METRICS)}")
    return METRICS[name]


def find_metric_of_column(column: str) -> Metric:
    """Return the metric that shows a column of the result record."""
    return next(m for m in (*METRICS.values(), *STUDY_METRICS) if m.column == column)
