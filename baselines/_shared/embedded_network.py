"""What DietNetworks and FsNet share: weights and a decoder predicted from feature embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from wpfs.embeddings import EMBEDDINGS
from wpfs.estimator import EmbeddingClassifier
from wpfs.options import keyword_constructor
from wpfs.ranges import Choice, Weight

if TYPE_CHECKING:
    import torch

    from wpfs.auxiliary import WeightPredictor
    from wpfs.masks import MaskStream


@keyword_constructor
class EmbeddedNetworkClassifier(EmbeddingClassifier):
    """A network classifier whose parts are predicted from embeddings of the features.

    Takes the hyper-parameters of ``wpfs.estimator.EmbeddingClassifier`` too.

    Parameters
    ----------
    reconstruction
        Weight of the squared reconstruction error in the loss; without it there is no decoder.
    """

    embedding: Annotated[str, Choice(EMBEDDINGS)] = "dot-histogram"
    reconstruction: Weight = 0.0

    def check_hyperparameters(self) -> None:
        """Raise a ``ValueError`` that names what cannot be meant; ``fit`` does so first."""
        super().check_hyperparameters()
        if self.reconstruction and len(self.hidden_sizes) < 2:
            raise ValueError(
                "hidden_sizes must have two layers or more when reconstruction counts: the "
                "decoder starts at the second"
            )

    def _build_weight_predictor(
        self, embeddings: torch.Tensor, n_units: int, masks: MaskStream, bounded: bool = True
    ) -> WeightPredictor:
        """Return a network that predicts (D, n_units) weights."""
        from wpfs.auxiliary import WeightPredictor

        sizes = *self.auxiliary_sizes[:-1], n_units
        return WeightPredictor(embeddings.shape[1], sizes, self.dropout, masks, bounded)

    def _penalise(self, embeddings: torch.Tensor | None, masks: MaskStream) -> dict[str, Any]:
        from wpfs.networks import Decoder

        if embeddings is None or self.reconstruction == 0:
            return {}
        predictor = self._build_weight_predictor(embeddings, self.hidden_sizes[1], masks)
        return {
            "decoder": Decoder(predictor, embeddings),
            "reconstruction": self.reconstruction,
        }
