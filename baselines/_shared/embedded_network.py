"""What DietNetworks and FsNet share: weights and a decoder predicted from feature embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from wpfs.estimator import NetworkClassifier
from wpfs.options import Embedding, EmbeddingOptions, keyword_constructor
from wpfs.ranges import Weight

if TYPE_CHECKING:
    import torch

    from wpfs.auxiliary import WeightPredictor
    from wpfs.masks import MaskStream
    from wpfs.networks import Decoder


@keyword_constructor
class EmbeddedNetworkClassifier(EmbeddingOptions, NetworkClassifier):
    """A network classifier whose parts are predicted from embeddings of the features.

    Takes the hyper-parameters of ``NetworkClassifier`` and ``wpfs.options.EmbeddingOptions`` too.

    Parameters
    ----------
    reconstruction
        Weight of the squared reconstruction error in the loss; without it there is no decoder.
    """

    embedding: Embedding = "dot-histogram"
    reconstruction: Weight = 0.0

    def check_hyperparameters(self) -> None:
        """Raise a ``ValueError`` that names what cannot be meant; ``fit`` does so first."""
        super().check_hyperparameters()
        if self.reconstruction and len(self.hidden_sizes) < 2:
            raise ValueError(
                "hidden_sizes must have two layers or more when reconstruction counts: the "
                "decoder starts at the second"
            )

    def _embed(self, X: npt.NDArray[np.float64], seed: int) -> torch.Tensor:
        """Return the embeddings (D, M) of raw training rows."""
        import torch

        from wpfs.embeddings import embed_features

        return torch.from_numpy(
            embed_features(
                X, self.embedding, self.embedding_size, mirrored=self.mirrored, seed=seed
            )
        )

    def _build_weight_predictor(
        self, embedding_size: int, n_units: int, masks: MaskStream, bounded: bool = True
    ) -> WeightPredictor:
        """Return a network that predicts (D, n_units) weights."""
        from wpfs.auxiliary import WeightPredictor

        return WeightPredictor(
            embedding_size, (*self.auxiliary_sizes[:-1], n_units), self.dropout, masks, bounded
        )

    def _build_decoder(self, embeddings: torch.Tensor, masks: MaskStream) -> Decoder | None:
        """Return a decoder from the second hidden layer, if it counts in the loss."""
        from wpfs.networks import Decoder

        if self.reconstruction == 0:
            return None
        n_units = self.hidden_sizes[1]
        return Decoder(
            self._build_weight_predictor(embeddings.shape[1], n_units, masks), embeddings
        )
