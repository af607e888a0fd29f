"""WPFS, the method of the paper."""

from baselines._shared.method import EVERY_DATASET, Method
from wpfs import WPFSClassifier

# validation_interval 4: an epoch of prostate and cll has nine batches, and the authors looked at
# the validation set after the fourth and the eighth.
_PAPER = {
    EVERY_DATASET: {"sparsity": 3e-5},
    "cll": {"sparsity": 3e-4, "embedding_size": 70, "validation_interval": 4},
    "lung": {"sparsity": 3e-5, "embedding_size": 20},
    "metabric-dr": {"sparsity": 0.0},
    "metabric-pam50": {"sparsity": 3e-6},
    "prostate": {"sparsity": 3e-3, "validation_interval": 4},
    "smk": {"sparsity": 3e-5},
    "tcga-2ysurvival": {"sparsity": 3e-5},
    "tcga-tumor-grade": {"sparsity": 3e-5},
    "toxicity": {"sparsity": 3e-5},
}

METHODS = (
    Method(
        name="wpfs",
        estimator=WPFSClassifier,
        title="WPFS",
        kind="network",
        year=2023,
        reference=(
            "Margeloiu, Simidjievski, Liò, Jamnik. Weight Predictor Network with Feature Selection "
            "for Small Sample Tabular Biomedical Data. AAAI 2023."
        ),
        tags=frozenset(
            {
                "weighs-classes",
                "ranks-features",
                "early-stopping",
                "embeds-features",
                "gpu",
                "selects-features",
                "gates-features",
            }
        ),
        grid={"sparsity": (0.0, 3e-6, 3e-5, 3e-4, 3e-3, 1e-2), "embedding_size": (20, 50, 70)},
        paper_values=_PAPER,
        paper_column="WPFS",
        requires=("torch", "numba"),
    ),
)
