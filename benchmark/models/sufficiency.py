"""Are the selected genes enough: alone in a linear SVM, beside random ones and all."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from baselines._shared.registry import get_method
from benchmark.datasets.dataset import Dataset
from benchmark.datasets.splits import Split, make_split
from benchmark.errors import UserError
from benchmark.genes.selections import Selections
from benchmark.plan.key import SEED
from benchmark.report.statistics import correct_standard_error
from benchmark.report.table import Cell, Row, Table
from benchmark.report.tables.cells import deviate
from benchmark.run.execute import Part, build_estimator, take_parts
from benchmark.run.metrics import balanced_accuracy

#: What judges a set of genes: the suite's linear SVM with its defaults.
JUDGE = "linear-svm"

#: Sets of random genes drawn for a split; their scores are averaged.
DRAWS = 10

_LEVEL = 0.95

#: From the numbers of some genes to a score.
_Scorer = Callable[[NDArray[np.int64]], float]


@dataclass(frozen=True, eq=False)
class Sufficiency:
    """Test balanced accuracy of the SVM on the splits of a method's runs.

    Parameters
    ----------
    model
        The method.
    sizes
        (M,) genes taken of each run: fewer than asked for where fewer have a score.
    top, drawn, everything
        (M,) with a run's best genes, with as many random ones, and with all.
    test_share
        Share of the samples in a test set.
    """

    model: str
    sizes: NDArray[np.int64]
    top: NDArray[np.float64]
    drawn: NDArray[np.float64]
    everything: NDArray[np.float64]
    test_share: float

    @property
    def gain(self) -> float:
        """Mean difference between a run's best genes and random ones."""
        return float(np.mean(self.top - self.drawn))

    def find_interval(self) -> tuple[float, float]:
        """Return the gain's 95% interval; infinite with a single run.

        Runs of repeated cross-validation share training rows: the standard error is Nadeau and
        Bengio's.
        """
        from scipy.special import stdtrit

        n = len(self.top)
        if n < 2:
            return -math.inf, math.inf
        error = correct_standard_error(self.top - self.drawn, self.test_share)
        reach = float(stdtrit(n - 1, (1 + _LEVEL) / 2)) * error
        return self.gain - reach, self.gain + reach

    @property
    def is_no_better_than_random(self) -> bool:
        """Whether the gain cannot be told from none."""
        return self.find_interval()[0] <= 0


@dataclass(eq=False)
class Evaluation:
    """Scores sets of genes on the splits of a data set; what methods share is computed once.

    The judge learns from a split's training rows and is scored on its test rows. Neither it nor
    the lists, which runs made of the same training rows, has seen a test row.

    Parameters
    ----------
    dataset
        What the runs learnt from.
    count
        Genes to take of each run.
    on_run
        Called whenever a run has been scored.
    """

    dataset: Dataset
    count: int
    on_run: Callable[[], None] = lambda: None
    _scores: dict[tuple[str, int], float] = field(default_factory=dict, init=False)

    def measure(self, selections: Selections) -> Sufficiency:
        """Score the best genes of each run of a method.

        Raises
        ------
        UserError
            If a run's split cannot be made again, or an archive keeps fewer of its scores.
        """
        rows, n_test = [], 0
        tops = selections.list_top(self.count)
        for (_, run), genes in zip(selections.runs.iterrows(), tops, strict=True):
            split = self._make_split(
                int(run["repeat"]), int(run["fold"]), int(run["folds"]), run["split_checksum"]
            )
            n_test = len(split.test)
            train, _, test = take_parts(self.dataset, split)
            score = partial(_score, train, test)
            rows.append(
                (
                    len(genes),
                    score(genes),
                    self._score_random(score, split, len(genes)),
                    self._score_all(score, split),
                )
            )
            self.on_run()
        sizes, top, drawn, everything = map(np.array, zip(*rows, strict=True))
        test_share = n_test / self.dataset.n_samples
        return Sufficiency(selections.model, sizes, top, drawn, everything, test_share)

    def _make_split(self, repeat: int, fold: int, folds: int, checksum: str) -> Split:
        split = make_split(self.dataset.y, repeat, fold, folds, self.dataset.groups)
        if split.checksum != checksum:
            raise UserError(
                f"data set {self.dataset.name}: repeat {repeat}, fold {fold} was split in another "
                "way when the runs were made; run them again"
            )
        return split

    def _score_all(self, score: _Scorer, split: Split) -> float:
        key = split.checksum, self.dataset.n_features
        if key not in self._scores:
            self._scores[key] = score(np.arange(self.dataset.n_features))
        return self._scores[key]

    def _score_random(self, score: _Scorer, split: Split, size: int) -> float:
        if size == self.dataset.n_features:
            return self._score_all(score, split)
        key = split.checksum, size
        if key not in self._scores:
            rng = np.random.default_rng([int(split.checksum, 16), size])
            sets = [rng.choice(self.dataset.n_features, size, replace=False) for _ in range(DRAWS)]
            self._scores[key] = float(np.mean([score(genes) for genes in sets]))
        return self._scores[key]


def _score(train: Part, test: Part, genes: NDArray[np.int64]) -> float:
    """Return the test balanced accuracy of a linear SVM that sees some genes."""
    if not len(genes):  # nothing to learn from: one class for everybody
        return 1 / len(np.unique(test.y))
    svm = build_estimator(get_method(JUDGE), {}, SEED, "cpu", 1)
    svm.fit(train.X[:, genes], train.y)
    return balanced_accuracy(test.y, svm.predict(test.X[:, genes]))


def build_sufficiency(
    dataset: Dataset, found: Sequence[Sufficiency], count: int, titles: Mapping[str, str]
) -> Table:
    """Set what is reached with selected, with random and with all genes side by side.

    Parameters
    ----------
    dataset
        What the runs learnt from.
    found
        One per method.
    count
        Genes asked for.
    titles
        Method -> what to call it.
    """
    ordered = sorted(found, key=lambda each: -each.top.mean())
    rows = []
    for each in ordered:
        low, high = each.find_interval()
        known = math.isfinite(low)
        rows.append(
            Row(
                titles[each.model],
                (
                    Cell(float(np.median(each.sizes)), digits=0),
                    *(
                        Cell(100 * scores.mean(), 100 * deviate(scores), len(scores), digits=1)
                        for scores in (each.top, each.drawn, each.everything)
                    ),
                    Cell(100 * each.gain, digits=1, signed=True),
                    Cell(f"{100 * low:+.1f} to {100 * high:+.1f}" if known else "—"),
                ),
            )
        )
    return Table(
        "sufficiency",
        f"Are the genes enough? Linear SVM on {dataset.name}: test balanced accuracy (%)",
        "method",
        ("genes", f"best {count}", "random", f"all {dataset.n_features}", "gain", "95% interval"),
        tuple(rows),
        (
            f"Mean ± standard deviation over a method's runs (n beside it unless 25). The SVM "
            f"({JUDGE}, its defaults) learns from a run's training rows and the {count} genes that "
            "run scores highest; genes: the median number, fewer where fewer have a score.",
            f"Random: as many genes, mean of {DRAWS} draws for each split. Gain: best less random; "
            "its interval allows for the training rows that runs share (Nadeau and Bengio).",
            *_warn([titles[each.model] for each in ordered if each.is_no_better_than_random]),
        ),
    )


def _warn(methods: Sequence[str]) -> tuple[str, ...]:
    if not methods:
        return ()
    return (
        "Warning: no better than random genes, as far as these runs can tell: "
        f"{', '.join(methods)}.",
    )
