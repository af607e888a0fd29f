"""Hyper-parameters that several networks share, each declared here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeVar, dataclass_transform

from wpfs.ranges import Choice, Count, Positive, Range, Weight

T = TypeVar("T")


@dataclass_transform(kw_only_default=True, eq_default=False)
def keyword_constructor(estimator: type[T]) -> type[T]:
    """Give a class a constructor whose keyword arguments are its annotated attributes.

    Attributes of decorated base classes come with them. Comparison and ``repr`` stay those of
    scikit-learn: estimators are compared by identity and show only what differs from the defaults.
    """
    return dataclass(kw_only=True, eq=False, repr=False)(estimator)


@keyword_constructor
class TrainingOptions:
    """How to train; the defaults are the paper's.

    Parameters
    ----------
    learning_rate, weight_decay
        Of AdamW.
    gradient_clip
        Largest gradient norm.
    schedule
        Of the learning rate: "exponential" (as the authors' code), "linear" (as the paper) or
        "constant". It counts validation checks.
    batch_size
        Rows of a step; an incomplete last batch is dropped.
    max_steps
        Steps at most.
    patience
        Validation checks without a lower loss before stopping.
    validation_interval
        Batches from one check to the next, counted from one in every epoch: with 18 batches and an
        interval of 5 there are checks after batches 5, 10 and 15.
    batched_validation
        Take the mean of the losses of batches, as the authors' code does, where the ninth of nine
        samples counts as much as the other eight, for the loss of all validation samples.
    """

    learning_rate: Positive = 3e-3
    weight_decay: Weight = 1e-4
    gradient_clip: Positive = 2.5
    schedule: Annotated[str, Choice(("exponential", "linear", "constant"))] = "exponential"
    # Batch normalisation needs two rows to have a spread.
    batch_size: Annotated[int, Range(2, whole=True)] = 8
    max_steps: Count = 10_000
    patience: Count = 200
    validation_interval: Count = 5
    batched_validation: bool = False
