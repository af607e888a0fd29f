"""What a user asks a report to show."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmark.report.table import PROTOCOL_RUNS
from benchmark.run.metrics import METRICS, Metric


@dataclass(frozen=True)
class ReportRequest:
    """What a report shows.

    Parameters
    ----------
    metric
        A value of ``METRICS``.
    rank_method
        ``paper`` or ``average``.
    models, datasets
        Which, in this order; all in the paper's order when empty.
    preset
        Of the hyper-parameters: ``paper``, ``default`` or ``tuned``.
    overrides
        Hyper-parameters in place of those of the preset, where a method has them.
    against
        The method that statistics compare the others with; WPFS or the best when None.
    titles
        Show methods by title instead of by their names on the command line.
    folds
        Of the cross-validation; None if the runs have a single one.
    expected
        Runs that a complete cell has.
    """

    metric: Metric = METRICS["balanced-accuracy"]
    rank_method: str = "paper"
    models: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    preset: str = "paper"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    against: str | None = None
    titles: bool = False
    folds: int | None = None
    expected: int = PROTOCOL_RUNS
