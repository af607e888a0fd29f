"""Lets any scikit-learn classifier take part: scales its input from the training rows."""

import inspect
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClusterMixin,
    OutlierMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metaestimators import available_if

#: What a fitted classifier may say of itself beyond the scikit-learn interface.
_OPTIONAL = ("history_", "n_parameters_", "best_step_", "n_steps_", "selected_features_")

_OTHER_KINDS = {
    RegressorMixin: "regressor",
    ClusterMixin: "clustering method",
    OutlierMixin: "outlier detector",
    TransformerMixin: "transformer",
}


class ScaledClassifier(ClassifierMixin, BaseEstimator):
    """A classifier behind a z-score learnt from its training rows.

    Not used itself: ``scale_inside`` derives one class per wrapped classifier, whose
    constructor takes exactly that classifier's arguments.
    """

    wrapped: ClassVar[type]

    def __init__(self, **parameters: Any) -> None:
        bound = inspect.signature(self.wrapped).bind(**parameters)
        bound.apply_defaults()
        for name in self._get_param_names():
            setattr(self, name, bound.arguments[name])

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(_named_parameters(cls.wrapped))

    def fit(
        self,
        X: np.ndarray,
        y: np.ndarray,
        eval_set: Sequence[tuple[np.ndarray, np.ndarray]] | None = None,
    ) -> Self:
        """Fit scaler and classifier.

        Parameters
        ----------
        X
            Raw training rows, (n, D).
        y
            Labels, (n,).
        eval_set
            Pairs of raw rows and labels; scaled and passed on where the classifier's ``fit``
            has an argument of that name.
        """
        self.scaler_ = StandardScaler().fit(X)
        self.estimator_ = self.wrapped(**self.get_params(deep=False))
        extra = {}
        if eval_set is not None and "eval_set" in inspect.signature(self.estimator_.fit).parameters:
            extra["eval_set"] = [(self.scaler_.transform(Xe), ye) for Xe, ye in eval_set]
        self.estimator_.fit(self.scaler_.transform(X), y, **extra)
        self.classes_ = self.estimator_.classes_
        for name in _OPTIONAL:
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return labels, (n,)."""
        return self.estimator_.predict(self.scaler_.transform(X))

    def _has_probabilities(self) -> bool:
        # Of a made classifier: SVC has predict_proba or not, as its arguments say.
        return hasattr(self.wrapped(**self.get_params(deep=False)), "predict_proba")

    @available_if(_has_probabilities)
    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return class probabilities, (n, C), where the classifier has them."""
        return self.estimator_.predict_proba(self.scaler_.transform(X))

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importances as the classifier gives them, else the sizes of its coefficients, (D,)."""
        if hasattr(self.estimator_, "feature_importances_"):
            return np.asarray(self.estimator_.feature_importances_)
        return np.abs(np.atleast_2d(self.estimator_.coef_)).sum(axis=0)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.wrapped,), self.__getstate__()


def scale_inside(estimator: type) -> type:
    """Derive a classifier that scales its input and then does what ``estimator`` does.

    A class that says ``scales_inside = True`` is returned as it is: it gets raw values.

    Raises
    ------
    TypeError
        If the class is not a classifier or a constructor argument has no default.
    """
    _demand_classifier(estimator)
    parameters = _named_parameters(estimator)
    required = [name for name, p in parameters.items() if p.default is p.empty]
    if required:
        raise TypeError(
            f"{estimator.__name__} has arguments without defaults ({', '.join(required)}): "
            "write a class without such arguments that makes it in fit"
        )
    if getattr(estimator, "scales_inside", False):
        return estimator
    return type(
        f"Scaled{estimator.__name__}",
        (ScaledClassifier,),
        {
            "wrapped": estimator,
            "__signature__": inspect.Signature(list(parameters.values())),
            "__module__": __name__,
            "__doc__": f"{estimator.__name__} on z-scored features.",
        },
    )


def _demand_classifier(estimator: type) -> None:
    """Raise a ``TypeError`` that says what a class is instead."""
    name = estimator.__name__
    if not issubclass(estimator, ClassifierMixin):
        for mixin, kind in _OTHER_KINDS.items():
            if issubclass(estimator, mixin):
                raise TypeError(f"{name} is a {kind}: a method must be a classifier")
    for needed in ("fit", "predict"):
        if not callable(getattr(estimator, needed, None)):
            raise TypeError(f"{name} is not a classifier: it has no {needed}()")


def _rebuild(estimator: type) -> ScaledClassifier:
    return scale_inside(estimator)()


def _named_parameters(estimator: type) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(estimator).parameters.values()
    return {
        p.name: p.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for p in parameters
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    }
