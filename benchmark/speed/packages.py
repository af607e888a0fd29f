"""TabNet and LassoNet as their packages fit them, with the hyper-parameters of ours."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wpfs.loss import balance_classes

if TYPE_CHECKING:
    from benchmark.run.execute import Part

#: Method -> what to import, and what to install.
PACKAGES = {
    "tabnet": ("pytorch_tabnet", "pytorch-tabnet"),
    "lassonet": ("lassonet", "lassonet"),
}


def fit_package(name: str, ours: Any, train: Part, valid: Part) -> Any:
    """Scale and fit.

    Parameters
    ----------
    name
        Of a method in ``PACKAGES``.
    ours
        Our classifier, whose hyper-parameters count.
    train, valid
        Raw rows (n, D) and class codes (n,).
    """
    mean, std = train.X.mean(axis=0), train.X.std(axis=0)
    std[std == 0] = 1
    train, valid = (
        replace(part, X=((part.X - mean) / std).astype(np.float32)) for part in (train, valid)
    )
    weights = balance_classes(train.y, int(train.y.max()) + 1)
    fit = _fit_tabnet if name == "tabnet" else _fit_lassonet
    return fit(ours, weights, train, valid)


def _fit_tabnet(ours: Any, weights: np.ndarray, train: Part, valid: Part) -> Any:
    import torch
    from pytorch_tabnet.tab_model import TabNetClassifier

    from baselines.tabnet import fit_virtual_batch

    model = TabNetClassifier(
        n_d=ours.width,
        n_a=ours.width,
        n_steps=ours.n_steps,
        gamma=ours.relaxation,
        n_independent=ours.n_independent,
        n_shared=ours.n_shared,
        momentum=ours.momentum,
        clip_value=ours.gradient_clip,
        lambda_sparse=ours.sparsity,
        optimizer_params={"lr": ours.learning_rate},
        scheduler_fn=torch.optim.lr_scheduler.StepLR,
        scheduler_params={"step_size": 20, "gamma": 0.95},
        verbose=0,
        device_name="cpu",
    )
    model.fit(
        train.X,
        train.y,
        eval_set=[(valid.X, valid.y)],
        eval_metric=["logloss"],
        loss_fn=torch.nn.CrossEntropyLoss(torch.from_numpy(weights).float()),
        max_epochs=ours.max_epochs,
        patience=ours.max_epochs,
        batch_size=len(train.X),
        virtual_batch_size=fit_virtual_batch(len(train.X), ours.virtual_batch_size),
    )
    return model


def _fit_lassonet(ours: Any, weights: np.ndarray, train: Part, valid: Part) -> Any:
    import torch
    from lassonet import LassoNetClassifier

    model = LassoNetClassifier(
        class_weight=weights.tolist(),
        hidden_dims=ours.hidden,
        lambda_start=ours.lambda_start,
        path_multiplier=ours.path_multiplier,
        M=ours.hierarchy,
        dropout=ours.dropout,
        batch_size=ours.batch_size,
        optim=partial(torch.optim.AdamW, lr=ours.learning_rate, betas=(0.9, 0.98)),
        n_iters=ours.max_epochs,
        patience=ours.patience,
        backtrack=True,
        verbose=0,
    )
    model.path(train.X, train.y, X_val=valid.X, y_val=valid.y, return_state_dicts=True)
    return model
