"""The mini-batch training loop shared by WPFS, MLP, DietNetworks, FsNet and CAE."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch import Tensor, nn

from wpfs.chunks import reserved_threads
from wpfs.networks import ClassificationNetwork
from wpfs.options import TrainingOptions
from wpfs.step import CompiledStep, build_step
from wpfs.subnormals import flushed_subnormals

# The schedule of the paper and its code: a tenth of the learning rate after 500 checks.
_DECAY_CHECKS = 500
_FINAL_FACTOR = 0.1


class TrainingDivergedError(ArithmeticError):
    """The loss became infinite or not a number."""


@dataclass(frozen=True)
class ValidationCheck:
    """Losses at one validation check."""

    step: int
    train_loss: float
    penalty: float
    valid_loss: float
    learning_rate: float


@dataclass(frozen=True)
class TrainingOutcome:
    """How a training went; the network itself holds the best weights."""

    best_step: int
    n_steps: int
    reason: str
    checks: list[ValidationCheck] = field(repr=False)


@dataclass(frozen=True)
class DeviceSamples:
    """Standardised samples and class codes on the training device."""

    X: Tensor
    y: Tensor


def schedule_factor(schedule: str, check: int) -> float:
    """Return the learning rate after a number of validation checks, relative to the first.

    The paper says linear over 500 epochs; ``exponential`` is what its authors' code does and what
    produced its numbers. Both end at a tenth.
    """
    if schedule == "constant":
        return 1.0
    if check >= _DECAY_CHECKS:
        return _FINAL_FACTOR
    if schedule == "linear":
        return 1.0 - (1.0 - _FINAL_FACTOR) * check / _DECAY_CHECKS
    return 0.995**check


# A tower cuts its products into chunks for threads of its own.
@threadpool_limits.wrap(limits=1, user_api="blas")
@flushed_subnormals()
def train(
    network: ClassificationNetwork,
    training: DeviceSamples,
    validation: DeviceSamples,
    class_weights: Tensor,
    options: TrainingOptions,
    seed: int,
    on_check: Callable[[ValidationCheck], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> TrainingOutcome:
    """Minimise the weighted cross-entropy plus the network's penalty (Algorithm 1).

    Keeps the weights with the lowest weighted cross-entropy on the validation set and stops after
    ``options.patience`` checks without a lower one.

    Parameters
    ----------
    network
        Trained in place; ends in evaluation mode with the best weights.
    training, validation
        (n, D) and (n,).
    class_weights
        (C,), used in training and validation loss.
    options
        Optimiser, batches, schedule, stopping.
    seed
        Order of the batches.
    on_check
        Called after each validation check.
    should_stop
        Asked before each step; True ends the training with the best weights so far.

    Raises
    ------
    TrainingDivergedError
        When the loss is no longer finite.
    """
    device = training.X.device
    batch_size = min(options.batch_size, len(training.y))
    batches = len(training.y) // batch_size
    interval = min(options.validation_interval, batches)
    validation_batch = batch_size if options.batched_validation else len(validation.y)
    trainer = build_step(network, class_weights, options, batch_size)
    shuffler = torch.Generator().manual_seed(seed)
    checks: list[ValidationCheck] = []
    pending: list[Tensor] = []
    best_loss, best_step, best_check = math.inf, 0, 0
    best_state = _copy_state(network)
    step = 0
    reason = "max_steps"
    with reserved_threads() if isinstance(trainer, CompiledStep) else nullcontext():
        while step < options.max_steps and reason == "max_steps":
            order = torch.randperm(len(training.y), generator=shuffler).to(device)
            network.train()
            for batch in range(1, batches + 1):
                if should_stop is not None and should_stop():
                    reason = "cancelled"
                    break
                step += 1
                rows = order[(batch - 1) * batch_size : batch * batch_size]
                network.set_step(step)
                pending.append(trainer.take(training.X[rows], training.y[rows]))
                if batch % interval == 0:
                    check = _check_validation(
                        network,
                        validation,
                        validation_batch,
                        class_weights,
                        step,
                        pending,
                        trainer.learning_rate,
                    )
                    pending.clear()
                    checks.append(check)
                    if check.valid_loss < best_loss:
                        best_loss, best_step, best_check = check.valid_loss, step, len(checks)
                        best_state = _copy_state(network)
                    if on_check is not None:
                        on_check(check)
                    if len(checks) - best_check >= options.patience:
                        reason = "patience"
                        break
                    factor = schedule_factor(options.schedule, len(checks))
                    trainer.learning_rate = options.learning_rate * factor
                    network.train()
                if step >= options.max_steps:
                    break
        if pending and not checks:  # fewer steps than it takes to reach the first check
            checks.append(
                _check_validation(
                    network,
                    validation,
                    validation_batch,
                    class_weights,
                    step,
                    pending,
                    trainer.learning_rate,
                )
            )
            best_step, best_state = step, _copy_state(network)
    # Their own memory: those of a compiled step are views of one array.
    network.load_state_dict(best_state, assign=True)
    network.forget_last_batch()
    network.eval()
    return TrainingOutcome(best_step, step, reason, checks)


def _check_validation(
    network: ClassificationNetwork,
    validation: DeviceSamples,
    batch_size: int,
    class_weights: Tensor,
    step: int,
    pending: list[Tensor],
    learning_rate: float,
) -> ValidationCheck:
    """Measure the validation loss; the one place where losses travel to the host."""
    network.eval()
    with torch.no_grad():
        logits = network(validation.X)
        batches = zip(logits.split(batch_size), validation.y.split(batch_size), strict=True)
        valid_loss = torch.stack(
            [nn.functional.cross_entropy(*batch, class_weights) for batch in batches]
        ).mean()
    *training_losses, last = torch.stack((*pending, valid_loss.expand(2))).tolist()
    losses = np.array(training_losses)
    finite = np.isfinite(losses[:, 1])
    if not finite.all():
        bad = int(np.argmin(finite))
        raise TrainingDivergedError(
            f"the training loss is {losses[bad, 1]} at step {step - len(losses) + bad + 1}: "
            "lower the learning rate or check the input's scale"
        )
    if not math.isfinite(last[0]):
        raise TrainingDivergedError(
            f"the validation loss is {last[0]} at step {step}: "
            "lower the learning rate or check the input's scale"
        )
    cross_entropy, total = losses.mean(axis=0)
    return ValidationCheck(
        step=step,
        train_loss=float(cross_entropy),
        penalty=float(total - cross_entropy),
        valid_loss=last[0],
        learning_rate=learning_rate,
    )


def _copy_state(network: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in network.state_dict().items()}
