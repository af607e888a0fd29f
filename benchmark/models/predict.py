"""From a model and samples of unknown class to classes and probabilities."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmark.datasets.dataset import fill_gaps
from benchmark.datasets.own_table.new_samples import NewSamples
from benchmark.errors import UserError
from benchmark.models.fit import Fitted
from benchmark.models.folder import Model
from benchmark.models.matching import GeneMatch, match_genes
from benchmark.run.execute import RunError, describe_error, predict_rows
from benchmark.text import count_noun, list_some

RESCALINGS = ("none", "cohort")

MISSING = ("error", "median")

_NAMED = 5

#: A cohort is on another scale when its genes' means lie, in the median, more than this many
#: training deviations away. One sample of the same cohort lies 0.67 away.
_SHIFTED = 1.5

#: Or when its genes spread, in the median, this many times more or less ...
_STRETCHED = 2.0

#: ... which fewer samples than this cannot tell.
_FEW = 10


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a model says of samples.

    Parameters
    ----------
    sample_ids
        (n,).
    codes
        (n,) class codes.
    proba
        (n, C), None for a method without probabilities.
    notes
        What was done to the values, for people.
    warnings
        What may make the predictions worthless.
    """

    sample_ids: tuple[str, ...]
    codes: NDArray[np.int64]
    proba: NDArray[np.float64] | None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def predict(
    fitted: Fitted, samples: NewSamples, missing: str = "error", rescale: str = "none"
) -> Predictions:
    """Predict the classes of samples.

    Parameters
    ----------
    fitted
        The classifier and its model.
    samples
        Values, not transformed yet.
    missing
        ``error``, or ``median``: genes and values that are not there are filled with the median
        of the training rows.
    rescale
        ``none``, or ``cohort``: each gene gets the mean and the deviation it had in the training
        rows, for samples measured on another platform.

    Raises
    ------
    UserError
        If genes or values are missing, or there is too little to rescale by.
    """
    X, notes, alarms = _prepare(fitted.model, samples, missing, rescale)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            codes, proba = predict_rows(fitted.classifier, X, len(fitted.model.classes), "new")
    except RunError:
        raise
    except Exception as error:  # a method may raise anything
        raise RunError(f"predicting failed: {describe_error(error)}") from error
    return Predictions(samples.sample_ids, codes, proba, tuple(notes), tuple(alarms))


def _prepare(
    model: Model, samples: NewSamples, missing: str, rescale: str
) -> tuple[NDArray[np.float32], list[str], list[str]]:
    """Return values (n, D) as a model's classifier takes them, notes and warnings."""
    match = match_genes(model.genes, samples.feature_names)
    _check_genes(model, match, samples, missing)
    n_ignored = samples.n_ignored + len(samples.feature_names) - int(match.found.sum())
    notes = [f"{int(match.found.sum())} of the model's {len(model.genes)} genes found"]
    if match.n_by_case:
        notes[0] += f", {match.n_by_case} of them under a name in another case"
    if n_ignored:
        notes[0] += f"; {count_noun(n_ignored, 'other column')} not used"
    X = np.full((len(samples.X), len(model.genes)), np.nan)
    X[:, match.found] = samples.X[:, match.places[match.found]]
    X = _transform(X, model, samples)
    gaps = int(np.isnan(X[:, match.found]).sum())
    if gaps and missing != "median" and not model.fills_gaps:
        raise UserError(
            f"{samples.name}: {count_noun(gaps, 'missing value')} in genes of the model: fill "
            "them, or use --missing median (the training rows' medians)"
        )
    alarms = []
    if rescale == "cohort":
        X = _rescale(X, model, samples)
        notes.append(
            f"every gene rescaled by its mean and deviation over these {len(X)} samples to those "
            "of the training rows"
        )
        if len(X) < _FEW:
            alarms.append(f"only {count_noun(len(X), 'sample')} to rescale by: use a whole cohort")
    elif misfit := describe_misfit(X, model):
        alarms.append(misfit)
    if gaps or match.missing:
        what = [count_noun(gaps, "value")] if gaps else []
        what += [count_noun(len(match.missing), "gene")] if match.missing else []
        notes.append(f"filled with training medians: {' and '.join(what)} that were missing")
    return fill_gaps(X, model.medians).astype(np.float32), notes, alarms


def _check_genes(model: Model, match: GeneMatch, samples: NewSamples, missing: str) -> None:
    if not match.found.any():
        raise UserError(
            f"{samples.name}: none of the model's {len(model.genes)} genes "
            f"({list_some(model.genes, 3)}) is among its columns "
            f"({list_some(samples.feature_names, 3)})"
        )
    if match.missing and missing != "median":
        raise UserError(
            f"{samples.name}: {len(match.missing)} of the model's "
            f"{count_noun(len(model.genes), 'gene')} "
            f"{'is' if len(match.missing) == 1 else 'are'} missing "
            f"({list_some(match.missing, _NAMED)}): add them, or fill them with --missing median"
        )


def _transform(X: NDArray[np.float64], model: Model, samples: NewSamples) -> NDArray[np.float64]:
    if model.transform is None:
        return X
    lowest = np.nanmin(X)
    if lowest < 0:
        raise UserError(
            f"{samples.name}: the model was trained on values after --transform "
            f"{model.transform}, which needs values of at least 0, the smallest here is "
            f"{lowest:g}: give values like those it was trained on"
        )
    return np.log2(X + 1)


def _rescale(X: NDArray[np.float64], model: Model, samples: NewSamples) -> NDArray[np.float64]:
    """Give each gene the mean and deviation it had in the training rows; keep gaps."""
    if len(X) < 2:
        raise UserError(
            f"{samples.name}: one sample has no spread to rescale by: --rescale cohort needs a "
            "cohort"
        )
    means, deviations = _describe_genes(X)
    z = (X - means) / np.where(deviations > 0, deviations, 1)
    return z * model.deviations + model.means


def _describe_genes(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean and the deviation of each gene (D,), NaN for one that is missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.nanmean(X, axis=0), np.nanstd(X, axis=0)


def describe_misfit(X: NDArray[np.float64], model: Model) -> str | None:
    """Return where values (n, D) are not on the scale of the training rows, None if they are."""
    means, deviations = _describe_genes(X)
    varies = (model.deviations > 0) & ~np.isnan(means)
    if not varies.any():
        return None
    shift = np.median(np.abs(means - model.means)[varies] / model.deviations[varies])
    spread = np.median(deviations[varies] / model.deviations[varies])
    told = []
    if shift > _SHIFTED:
        told.append(f"the typical gene's mean lies {shift:.1f} training deviations away")
    if len(X) >= _FEW and not 1 / _STRETCHED <= spread <= _STRETCHED:
        told.append(f"the typical gene's deviation is {spread:.2g} times that of the training rows")
    if not told:
        return None
    return (
        f"these values are not on the scale of the training table: {'; '.join(told)}. For another "
        "platform use --rescale cohort; else give values in the same unit"
    )


def list_rows(predictions: Predictions, classes: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row per sample: ``sample``, ``class`` and, where known, ``p(name)`` per class."""
    rows: list[dict[str, Any]] = []
    for place, sample in enumerate(predictions.sample_ids):
        row: dict[str, Any] = {"sample": sample, "class": classes[predictions.codes[place]]}
        if predictions.proba is not None:
            pairs = zip(classes, predictions.proba[place], strict=True)
            row |= {f"p({name})": float(p) for name, p in pairs}
        rows.append(row)
    return rows
