"""The real embedding model, which encodes a text once: many tests build memories of the same conversations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cuemem.adapters.embed import SentenceEmbedder
from cuemem.types import Matrix


class RememberingEmbedder(SentenceEmbedder):
    """Vectors of the model as it gave them first."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, Matrix] = {}

    def encode(self, texts: Sequence[str]) -> Matrix:
        """The rows of texts that are new come from the model."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new or not texts:
            found = super().encode(new)
            self._known |= dict(zip(new, found, strict=True))
        return np.stack([self._known[text] for text in texts]) if texts else found
