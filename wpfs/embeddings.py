"""Feature embeddings: what the auxiliary networks know of each gene (Section "Feature Embeddings").

All are unsupervised and computed from the training rows only.
"""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

from wpfs.cache import load_or_compute

EMBEDDINGS = ("nmf", "svd", "feature-values", "dot-histogram")
PREPROCESSINGS = ("min-max", "z-score", "raw")

#: Raised when the numbers change, so that cached embeddings of older versions are not used.
_VERSION = 1


def embed_features(
    X: npt.NDArray[np.floating],
    embedding: str = "nmf",
    size: int = 50,
    preprocessing: str = "min-max",
    mirrored: bool = False,
    seed: int = 42,
) -> npt.NDArray[np.float32]:
    """Return one embedding per feature.

    Parameters
    ----------
    X
        (n, D), raw training rows.
    embedding
        One of ``EMBEDDINGS``.
    size
        M; capped at min(n, D) for the factorisations and at n for feature values, with a warning.
    preprocessing
        One of ``PREPROCESSINGS``, applied feature by feature.
    mirrored
        Give feature j the embedding of feature D - 1 - j, as the paper's code did with
        dot-histogram and feature-values embeddings.
    seed
        Start of the NMF.

    Returns
    -------
    array (D, M), float32
    """
    if embedding not in EMBEDDINGS:
        raise ValueError(f"unknown embedding {embedding!r}: use one of {EMBEDDINGS}")
    if preprocessing not in PREPROCESSINGS:
        raise ValueError(f"unknown preprocessing {preprocessing!r}: use one of {PREPROCESSINGS}")
    if size < 1:
        raise ValueError(f"the embedding size must be at least 1, not {size}")
    size = _cap(size, embedding, *X.shape)
    start = seed if embedding == "nmf" else None
    result = load_or_compute(
        lambda: _embed(preprocess(X, preprocessing), embedding, size, seed),
        X,
        *(_VERSION, embedding, size, preprocessing, start),
    )
    return np.ascontiguousarray(result[::-1]) if mirrored else result


def preprocess(X: npt.NDArray[np.floating], preprocessing: str) -> npt.NDArray[np.float64]:
    """Scale each column of X (n, D); constant columns become zero, except raw ones."""
    values = np.asarray(X, dtype=np.float64)
    if preprocessing == "raw":
        return values
    if preprocessing == "min-max":
        offset, width = values.min(axis=0), np.ptp(values, axis=0)
    else:
        offset, width = values.mean(axis=0), values.std(axis=0)
    return (values - offset) / np.where(width > 0, width, 1.0)


def _cap(size: int, embedding: str, n_samples: int, n_features: int) -> int:
    limits = {"feature-values": n_samples, "dot-histogram": size}
    limit = limits.get(embedding, min(n_samples, n_features))
    if size > limit:
        warnings.warn(
            f"{embedding} embeddings of {n_samples} samples and {n_features} features have at most "
            f"{limit} dimensions: using {limit} instead of {size}",
            stacklevel=3,
        )
    return min(size, limit)


def _embed(
    X: npt.NDArray[np.float64], embedding: str, size: int, seed: int
) -> npt.NDArray[np.float32]:
    result: npt.NDArray[np.floating]
    if embedding == "nmf":
        result = _embed_by_nmf(X, size, seed)
    elif embedding == "svd":
        result = _embed_by_svd(X, size)
    elif embedding == "feature-values":
        result = X[:size].T
    else:
        result = _embed_by_dot_histogram(X, size)
    return np.ascontiguousarray(result, dtype=np.float32)


def _embed_by_nmf(X: npt.NDArray[np.float64], rank: int, seed: int) -> npt.NDArray[np.float32]:
    """Return H transposed (D, rank) of ``X ~ W H``, from multiplicative updates in float32.

    Both start as absolute normal values that are not scaled to the data: the first update of W
    does that, and H keeps the unit scale that the auxiliary networks get to see.
    """
    from sklearn.decomposition import non_negative_factorization
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    from wpfs.subnormals import flushed_subnormals

    if X.min() < 0:
        raise ValueError(
            "NMF needs non-negative values, but the smallest is "
            f"{X.min():.4g}: use min-max preprocessing"
        )
    generator = np.random.default_rng(seed)
    W = np.abs(generator.standard_normal((X.shape[0], rank), dtype=np.float32))
    H = np.abs(generator.standard_normal((rank, X.shape[1]), dtype=np.float32))
    # The updates shrink entries of H towards zero without end, thousands of them to subnormals.
    # On several threads sums have other last bits, and beside other processes threads that wait
    # for each other take many times as long as one.
    with (
        flushed_subnormals(),
        threadpool_limits(1, user_api="blas"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", ConvergenceWarning)  # the paper's limit is an end as good
        _, H, _ = non_negative_factorization(
            np.ascontiguousarray(X, dtype=np.float32),
            W,
            H,
            n_components=rank,
            init="custom",
            solver="mu",
            tol=1e-4,
            max_iter=1000,
        )
    return H.T


def _embed_by_svd(X: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.float64]:
    """Return the right singular vectors (D, size), signs fixed so that each sums to >= 0."""
    rows = np.linalg.svd(X, full_matrices=False)[2][:size]
    signs = np.where(rows.sum(axis=1) < 0, -1.0, 1.0)
    return (rows * signs[:, None]).T


def _embed_by_dot_histogram(X: npt.NDArray[np.float64], bins: int) -> npt.NDArray[np.float64]:
    """Return counts times bin centres (D, bins), the bins of each feature spanning its range.

    Agrees with ``numpy.histogram`` feature by feature, rounding at the edges included.
    """
    low, high = X.min(axis=0), X.max(axis=0)
    constant = low == high
    low, high = np.where(constant, low - 0.5, low), np.where(constant, high + 0.5, high)
    edges = np.linspace(low, high, bins + 1)  # (bins + 1, D)
    columns = np.arange(X.shape[1])
    index = ((X - low) / (high - low) * bins).astype(np.intp)
    index[index == bins] -= 1
    index[edges[index, columns] > X] -= 1
    index[(edges[index + 1, columns] <= X) & (index != bins - 1)] += 1
    counts = np.bincount((index + columns * bins).ravel(), minlength=bins * X.shape[1]).reshape(
        -1, bins
    )
    return counts * ((edges[1:] + edges[:-1]) / 2).T
