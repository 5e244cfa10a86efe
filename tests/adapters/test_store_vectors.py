"""Vectors: equal to the bit, never of another model, and computed once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from cuemem.adapters.store import CachedEmbedder, Store
from cuemem.errors import BadInput, Cancelled
from cuemem.types import Matrix
from tests.adapters.store_samples import FakeEmbedder, extractions, load, sample


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.duckdb") as opened:
        yield opened


def same_bits(left: Matrix, right: Matrix) -> bool:
    return left.dtype == right.dtype == np.float32 and left.shape == right.shape and left.tobytes() == right.tobytes()


def test_vectors_come_back_to_the_bit(tmp_path: Path) -> None:
    texts = [f"text {i}" for i in range(20_000)]
    matrix = np.random.default_rng(1).standard_normal((20_000, 384), dtype=np.float32)
    matrix[::7, ::5] = 0.0
    matrix[3] = np.float32(1e-45)  # the least there is
    with Store.open(tmp_path / "store.duckdb") as store:
        store.add_vectors("m", texts, matrix)
        found = store.vectors("m", texts)
        assert found.present.all()
        assert same_bits(found.matrix, matrix)
        some = [texts[5], "unknown", texts[19_999], texts[5]]
        found = store.vectors("m", some)
        assert found.present.tolist() == [True, False, True, True]
        assert same_bits(found.matrix, np.stack([matrix[5], np.zeros(384, np.float32), matrix[-1], matrix[5]]))
    with Store.open(tmp_path / "store.duckdb") as store:
        assert same_bits(store.vectors("m", texts).matrix, matrix)


def test_the_sign_of_zero_is_dropped_at_once(store: Store) -> None:
    store.add_vectors("m", ["a"], np.array([[-0.0, -1.0]], np.float32))
    assert same_bits(store.vectors("m", ["a"]).matrix, np.array([[0.0, -1.0]], np.float32))


numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_numbers_and_any_texts(store: Store, data: st.DataObject) -> None:
    texts = data.draw(st.lists(st.text(st.characters(), max_size=5), min_size=1, max_size=5, unique=True))
    matrix = data.draw(arrays.arrays(np.float32, (len(texts), 3), elements=numbers))
    model = f"model {store.info().rows['vectors']}"
    store.add_vectors(model, texts, matrix)
    assert same_bits(store.vectors(model, texts).matrix, matrix + np.float32(0.0))


def test_models_never_mix(store: Store) -> None:
    store.add_vectors("one", ["a", "b"], np.ones((2, 3), np.float32))
    store.add_vectors("two", ["b"], np.full((1, 5), 2, np.float32))
    assert store.vectors("two", ["a", "b"]).present.tolist() == [False, True]
    assert store.vectors("two", ["b"]).matrix.tolist() == [[2.0] * 5]
    assert store.vectors("one", ["b"]).matrix.tolist() == [[1.0] * 3]
    unknown = store.vectors("three", ["a"])
    assert (unknown.matrix.shape, unknown.present.tolist()) == ((1, 0), [False])
    with pytest.raises(BadInput, match="dimension 5, but those the store holds under this name have 3"):
        store.add_vectors("one", ["c"], np.ones((1, 5), np.float32))
    assert store.info().vector_models == {"one": 2, "two": 1}


def test_the_first_vector_of_a_text_stays(store: Store) -> None:
    store.add_vectors("m", ["a", "a"], np.array([[1.0], [2.0]], np.float32))
    store.add_vectors("m", ["b", "a"], np.array([[3.0], [4.0]], np.float32))
    assert store.vectors("m", ["a", "b"]).matrix.tolist() == [[1.0], [3.0]]


def test_unusable_vectors_are_refused(store: Store) -> None:
    for matrix, match in (
        (np.ones((1, 3)), "an array of shape"),
        (np.ones(2), "an array of shape"),
        (np.array([[1.0], [np.nan]]), "not all finite"),
    ):
        with pytest.raises(BadInput, match=match):
            store.add_vectors("m", ["a", "b"], matrix.astype(np.float32))
    assert store.info().rows["vectors"] == 0


def test_a_text_is_encoded_once(store: Store) -> None:
    model = FakeEmbedder()
    embedder = CachedEmbedder(store, model, batch=4)
    assert embedder.name == "fake"
    texts = [f"t{i % 7}" for i in range(10)]
    first = embedder.encode(texts)
    assert model.calls == [["t0", "t1", "t2", "t3"], ["t4", "t5", "t6"]]
    assert first.shape == (10, 8)
    assert same_bits(first[:3], first[7:])
    # encoded again in other batches the vectors would differ: those of the store are given
    assert same_bits(embedder.encode(list(reversed(texts))), first[::-1])
    mixed = embedder.encode(["new", "t3", "newer"])
    assert model.calls[2:] == [["new", "newer"]]
    assert same_bits(mixed[1:2], first[3:4])
    assert same_bits(CachedEmbedder(store, FakeEmbedder()).encode(["newer"]), mixed[2:])
    assert embedder.encode([]).shape == (0, 8)
    assert CachedEmbedder(store, FakeEmbedder("other", 3)).encode(["t0"]).shape == (1, 3)


def test_an_interruption_keeps_the_batches_done(store: Store) -> None:
    seen: list[tuple[str, int, int]] = []

    def progress(what: str, done: int, total: int) -> None:
        seen.append((what, done, total))
        if done == 4:
            raise Cancelled("enough")

    model = FakeEmbedder()
    texts = [f"t{i}" for i in range(5)]
    with pytest.raises(Cancelled):
        CachedEmbedder(store, model, 2, progress).encode(texts)
    assert seen == [("embedding", 0, 5), ("embedding", 2, 5), ("embedding", 4, 5)]
    assert store.info().rows["vectors"] == 4
    CachedEmbedder(store, model, 2).encode(texts)
    assert model.calls[2:] == [["t4"]]


def test_two_threads_get_the_same_vectors(store: Store) -> None:
    given_out: list[Matrix] = []
    barrier = threading.Barrier(2)

    def work(batch: int) -> None:
        barrier.wait()
        given_out.append(CachedEmbedder(store, FakeEmbedder(), batch).encode([f"t{i}" for i in range(60)]))

    threads = [threading.Thread(target=work, args=(batch,)) for batch in (7, 13)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert same_bits(*given_out)


def test_compaction_drops_what_no_conversation_says(store: Store) -> None:
    one, other = sample(), sample(position=1, sample_id="conv-30")
    load(store, [one, other])
    key = one.conversation.conversation_id
    store.replace_cue_set(key, "llm", "utterance", {}, extractions(one.conversation))
    said = [u for it in (one, other) for u in it.conversation.utterances]
    held = [f"{u.speaker}: {u.text}{' (image: a cat)' if u.caption else ''}" for u in said]
    pair = f"{held[0]}\n{held[1]}"
    of_one = [*held[:6], pair, "it is 0 a", "statement 1"]
    shared = ["When?", "Ann says 0.", *held[6:]]
    texts = [*of_one, *shared, "typed by hand"]
    store.add_vectors("m", texts, np.ones((len(texts), 2), np.float32))
    assert store.compact().vectors == 1
    assert store.vectors("m", texts).present.tolist() == [True] * (len(texts) - 1) + [False]
    store.remove(key)
    dropped = store.compact()
    assert dropped.vectors == len(of_one)
    assert store.vectors("m", shared).present.all()
    assert dropped.size_after > 0
