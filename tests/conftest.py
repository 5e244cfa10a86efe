"""What every test needs: no network, no hub, and one real embedding model for all of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

if TYPE_CHECKING:
    from cuemem.adapters.embed import SentenceEmbedder


@pytest.fixture(scope="session")
def real_embedder() -> SentenceEmbedder:
    """all-MiniLM-L6-v2; loading takes seconds, so once for the session."""
    from cuemem.adapters.embed import SentenceEmbedder

    embedder = SentenceEmbedder()
    embedder.warm_up()
    return embedder
