"""Loading: what is saved comes back equal, a file loads whole or not at all, and twice is the same as once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cuemem.adapters.store import Store
from cuemem.errors import BadInput, UnknownName
from cuemem.types import Problem
from tests.adapters.store_samples import Loaded, load, random_loaded, sample, sha


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.duckdb") as opened:
        yield opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(tmp_path_factory.mktemp("shared") / "store.duckdb") as opened:
        yield opened


numbers = count()


def read(store: Store, conversation_id: str) -> Loaded:
    return Loaded(
        store.conversation(conversation_id),
        store.questions(conversation_id),
        store.problems(conversation_id),
        store.observations(conversation_id),
    )


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(random_loaded(), min_size=1, max_size=3))
def test_what_is_loaded_comes_back_equal(shared: Store, drawn: list[Loaded]) -> None:
    file = f"file {next(numbers)}"
    saved = [
        replace(one, conversation=replace(one.conversation, conversation_id=f"{sha(file)[:16]}/{position}"))
        for position, one in enumerate(drawn)
    ]
    assert load(shared, saved, file) == (len(saved), 0)
    for one in saved:
        back = read(shared, one.conversation.conversation_id)
        assert back == one
        kept = [(type(a.answer), type(a.adversarial_answer)) for a in back.questions]
        assert kept == [(type(a.answer), type(a.adversarial_answer)) for a in one.questions]


def test_a_second_load_changes_nothing(store: Store) -> None:
    samples = [sample(position=0), sample(position=1, sample_id="conv-30")]
    assert not store.has_file(sha("file"))
    assert load(store, samples) == (2, 0)
    before = (store.files(), store.conversations(), store.info().rows)
    assert store.has_file(sha("file"))
    assert load(store, samples) == (0, 2)
    assert (store.files(), store.conversations(), store.info().rows) == before


def test_summaries_count_what_there_is(store: Store) -> None:
    load(store, [sample()])
    (summary,) = store.conversations()
    assert summary.title == "locomo/conv-26"
    assert (summary.file, summary.file_sha256) == ("file.json", sha("file"))
    assert (summary.sessions, summary.utterances, summary.questions, summary.problems) == (2, 6, 2, 1)
    assert (summary.cues, summary.memories) == (0, 0)
    (file,) = store.files()
    assert (file.format, file.dataset, file.size, file.known_as, file.conversations) == (
        "locomo",
        "locomo",
        123,
        "LoCoMo",
        1,
    )
    assert file.loaded_at.utcoffset() is not None


def test_an_exception_within_a_load_leaves_nothing(store: Store) -> None:
    many = [sample(position=i, sample_id=f"conv-{i}", utterances=1500) for i in range(5)]

    def breaking() -> Iterator[Loaded]:
        yield from many  # more than is kept back before it is written
        raise RuntimeError("the file is cut off")

    with pytest.raises(RuntimeError, match="cut off"):
        load(store, breaking())
    rows = store.info().rows
    assert {table: n for table, n in rows.items() if n} == {}
    assert not store.has_file(sha("file"))
    assert load(store, many) == (5, 0)


def test_a_load_nested_in_a_transaction_goes_with_it(store: Store) -> None:
    def work() -> None:
        with store.writing():
            load(store, [sample()])
            assert len(store.conversations()) == 1  # this thread sees what it has written
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert store.conversations() == ()


def test_removed_conversations_come_back_with_the_next_load(store: Store) -> None:
    samples = [sample(position=0), sample(position=1, sample_id="conv-30")]
    first, second = (one.conversation.conversation_id for one in samples)
    load(store, samples)
    before = store.info().rows
    store.remove(first)
    assert [it.conversation_id for it in store.conversations()] == [second]
    assert not store.has_file(sha("file"))
    with pytest.raises(UnknownName, match=first):
        store.questions(first)
    assert load(store, samples) == (1, 1)
    assert store.has_file(sha("file"))
    assert store.info().rows == before
    assert read(store, first) == samples[0]

    store.remove(first)
    store.remove(second)
    assert {table: n for table, n in store.info().rows.items() if n} == {}
    assert load(store, samples) == (2, 0)


def test_problems_of_the_file_as_a_whole_come_first(store: Store) -> None:
    of_file = Problem("sample id repeated", "file.json", "conv-26 stands twice.")
    for _ in range(2):
        with store.loading(sha("file"), "file.json", "locomo", "locomo", 1) as progress:
            progress.add(sample())
            progress.add_problems([of_file])
    assert store.file_problems(sha("file")) == (of_file, *sample().problems)
    store.remove(sample().conversation.conversation_id)
    assert store.info().rows["problems"] == 0
    with pytest.raises(UnknownName, match="no file"):
        store.file_problems(sha("file"))


def test_a_part_of_a_file_does_not_pass_for_all_of_it(store: Store) -> None:
    samples = [sample(position=0), sample(position=1, sample_id="conv-30")]
    load(store, samples[1:], whole=False)
    assert not store.has_file(sha("file"))
    assert store.files()[0].conversations is None
    assert load(store, samples) == (1, 1)
    assert store.has_file(sha("file"))


def test_unusable_input_is_a_sentence(store: Store) -> None:
    with pytest.raises(BadInput, match=r"file\.json holds no conversation"):
        load(store, [])
    with pytest.raises(BadInput, match="does not belong to"):
        load(store, [sample("another file")])
    good = sample()
    twice = replace(good.conversation, utterances=(*good.conversation.utterances, good.conversation.utterances[0]))
    with pytest.raises(BadInput, match="2 turns of locomo/conv-26 have the id 'D1:0'"):
        load(store, [replace(good, conversation=twice)])
    half = replace(good.conversation.utterances[0], text="half a \ud83d pair")
    with pytest.raises(BadInput, match=r"surrogate pair cannot be stored: half a \\ud83d pair"):
        load(store, [replace(good, conversation=replace(good.conversation, utterances=(half,)))])
    assert store.info().rows["conversations"] == 0


def test_numbers_that_json_lacks_are_kept_as_python_reads_them(store: Store) -> None:
    question = replace(sample().questions[0], answer=[float("inf"), float("-inf"), 10**400])
    load(store, [replace(sample(), questions=(question,))])
    assert store.questions(sample().conversation.conversation_id) == (question,)
