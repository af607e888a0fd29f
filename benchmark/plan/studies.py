"""The paper's ablations as lists of runs.

A study varies a few hyper-parameters of a method and leaves the rest at the values the paper
chose for the data set. Studies share runs with each other and with the main table.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from benchmark.datasets.names import SIZE_MARK
from benchmark.errors import UserError

#: (model, data set) -> the hyper-parameters the paper chose, defaults left out.
Base = Callable[[str, str], dict[str, Any]]

#: One run of a study: model, data set, hyper-parameters.
Run = tuple[str, str, dict[str, Any]]


@dataclass(frozen=True)
class Variant:
    """A column of a study's table.

    Parameters
    ----------
    label
        Its head, as in ``results/paper.yaml`` where the paper has the table.
    changes
        Hyper-parameters in place of those the paper chose.
    model
        The method.
    samples
        Size of a stratified sample of the data set, all of it when None.
    over
        Label of the variant over which the report says, split by split, what this one gains.
    in_question
        Whether the paper's main table may have been made with these values; it does not say.
    """

    label: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    model: str = "wpfs"
    samples: int | None = None
    over: str = ""
    in_question: bool = False

    def run(self, dataset: str, base: Base) -> Run:
        """Return the model, the data set and the hyper-parameters for a data set."""
        values = {**base(self.model, dataset), **self.changes}
        name = dataset if self.samples is None else f"{dataset}{SIZE_MARK}{self.samples}"
        return self.model, name, values


@dataclass(frozen=True)
class Study:
    """A question, the variants that answer it, and how they are measured.

    Parameters
    ----------
    name
        As on the command line, and of the table in ``results/paper.yaml`` if there is one.
    title
        What is compared.
    where
        In the paper, or why it is here.
    variants
        Columns of the table.
    metric
        Column of the result record that is shown.
    datasets
        The only data sets it is meant for; any when empty.
    """

    name: str
    title: str
    where: str
    variants: tuple[Variant, ...]
    metric: str = "balanced_accuracy_test"
    datasets: tuple[str, ...] = ()

    def narrow(self, models: Sequence[str]) -> "Study":
        """Return the study with the variants of these methods only, of all when empty.

        Raises
        ------
        UserError
            If none is left.
        """
        if not models:
            return self
        left = tuple(variant for variant in self.variants if variant.model in models)
        if not left:
            about = ", ".join(dict.fromkeys(variant.model for variant in self.variants))
            raise UserError(f"the study {self.name} is about {about}, not {', '.join(models)}")
        return replace(self, variants=left)

    def runs(self, datasets: Iterable[str], base: Base) -> list[Run]:
        """List the runs on these data sets, each once.

        Parameters
        ----------
        datasets
            Names; those the study is not meant for are left out.
        base
            Gives the paper's values.

        Returns
        -------
        list
            (model, data set, hyper-parameters), without split or seed.
        """
        found: list[Run] = []
        for dataset in datasets:
            if self.datasets and dataset not in self.datasets:
                continue
            for variant in self.variants:
                run = variant.run(dataset, base)
                if run not in found:
                    found.append(run)
        return found


def _embedding_types() -> Iterable[Variant]:
    """Yield the columns of the paper's Tables 5 and 6."""
    for title, embedding, preprocessings in (
        ("NMF", "nmf", ("min-max", "raw")),
        ("SVD", "svd", ("min-max", "z-score")),
        ("feature-values", "feature-values", ("min-max", "z-score")),
        ("dot-histogram", "dot-histogram", ("min-max", "z-score")),
    ):
        for preprocessing in preprocessings:
            yield Variant(
                f"{title}, {preprocessing}",
                {
                    "embedding": embedding,
                    "embedding_preprocessing": preprocessing,
                    "embedding_size": 50,
                    "sparsity_network": False,
                    "sparsity": 0.0,
                },
            )


def _mirrored_embeddings() -> Iterable[Variant]:
    right = [
        *(
            variant
            for variant in _embedding_types()
            if variant.label in ("feature-values, min-max", "dot-histogram, min-max")
        ),
        Variant("diet-networks", {}, "diet-networks", in_question=True),
        Variant("fsnet", {"embedding": "dot-histogram"}, "fsnet", in_question=True),
    ]
    for variant in right:
        yield variant
        yield replace(
            variant,
            label=f"{variant.label}, mirrored",
            changes={**variant.changes, "mirrored": True},
            over=variant.label,
        )


def _over_the_first(*variants: Variant) -> tuple[Variant, ...]:
    first, *others = variants
    return first, *(replace(variant, over=first.label) for variant in others)


_ALL = (
    Study(
        "embedding-type",
        "Embedding type and preprocessing, size 50, without sparsity network",
        "Tables 5 and 6, Figure 2",
        tuple(_embedding_types()),
        metric="balanced_accuracy_valid",
    ),
    Study(
        "embedding-size",
        "Embedding size, batch size 16, λ = 0",
        "Table 7",
        tuple(
            Variant(str(size), {"embedding_size": size, "batch_size": 16, "sparsity": 0.0})
            for size in (20, 50, 70)
        ),
        metric="cross_entropy_valid",
    ),
    Study(
        "spn",
        "Without and with the sparsity network, λ = 0",
        "Table 8, Figure 3",
        _over_the_first(
            Variant("without SPN", {"sparsity_network": False, "sparsity": 0.0}),
            Variant("with SPN", {"sparsity": 0.0}),
        ),
    ),
    Study(
        "wpn",
        "Without and with the weight predictor network",
        "Figure 7",
        tuple(
            Variant(
                f"{'with' if predictor else 'without'} WPN, λ = {value:g}",
                {"weight_predictor": predictor, "sparsity": value},
                over=f"without WPN, λ = {value:g}" if predictor else "",
            )
            for predictor in (False, True)
            for value in (0.0, 3e-5)
        ),
    ),
    Study(
        "lambda",
        "Weight λ of the sparsity loss",
        "Table 9, Figures 6 and 11 to 19",
        tuple(
            Variant(label, {"sparsity": float(label)})
            for label in ("0", "3e-6", "3e-5", "3e-4", "3e-3", "1e-2")
        ),
    ),
    Study(
        "dataset-size",
        "Number of samples, WPFS and MLP",
        "Figures 8 to 10",
        tuple(
            Variant(f"{model}, n = {samples or 'all'}", {}, model, samples)
            for model in ("wpfs", "mlp")
            for samples in (60, 100, 140, None)
        ),
        datasets=("metabric-dr", "metabric-pam50", "scanb-basal", "synthetic"),
    ),
    Study(
        "schedule",
        "Learning-rate schedule",
        "The text says linear, the authors' code decays exponentially",
        _over_the_first(
            Variant("exponential", {"schedule": "exponential"}, in_question=True),
            Variant("linear", {"schedule": "linear"}, in_question=True),
            # The paper's footnote: similar results with a constant 1e-4.
            Variant("constant 1e-4", {"schedule": "constant", "learning_rate": 1e-4}),
        ),
    ),
    Study(
        "validation-loss",
        "Validation loss over the whole set, or averaged over batches, λ = 0, without SPN",
        "The authors' code averages over batches: a last, short one counts as much as others",
        _over_the_first(
            Variant("whole set", {"sparsity_network": False, "sparsity": 0.0}),
            Variant(
                "mean of batches",
                {"sparsity_network": False, "sparsity": 0.0, "batched_validation": True},
            ),
        ),
    ),
    Study(
        "mirrored",
        "Embeddings as described, and mirrored as in the authors' code",
        "The authors' code turns the table by 90 degrees before embedding it",
        tuple(_mirrored_embeddings()),
    ),
    Study(
        "fsnet",
        "FsNet's embedding, and its selectors' logits bounded by tanh or free",
        "The paper does not say which embedding FsNet reads; the authors' code defaults to NMF",
        _over_the_first(
            *(
                Variant(
                    f"{title}{'' if bounded else ', free'}",
                    {"embedding": embedding, "bounded_logits": bounded},
                    "fsnet",
                    in_question=True,
                )
                for title, embedding in (("NMF", "nmf"), ("dot-histogram", "dot-histogram"))
                for bounded in (True, False)
            )
        ),
    ),
    Study(
        "tabnet",
        "TabNet stopped on the validation cross-entropy, or on that of the authors' code",
        "The authors' metric applies softmax to probabilities",
        _over_the_first(
            Variant("softmax once", {}, "tabnet", in_question=True),
            Variant("softmax twice", {"double_softmax": True}, "tabnet", in_question=True),
        ),
    ),
    Study(
        "cae",
        "Learning rate of CAE",
        "The paper prints its grid (1e-4, 1e-3) but not the choice; the authors' code defaults to "
        "3e-3",
        _over_the_first(
            *(
                Variant(label, {"learning_rate": float(label)}, "cae", in_question=True)
                for label in ("1e-3", "1e-4", "3e-3")
            )
        ),
    ),
)

#: Every study by name.
STUDIES: Mapping[str, Study] = MappingProxyType({study.name: study for study in _ALL})
