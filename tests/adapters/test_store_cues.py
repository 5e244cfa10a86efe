"""Cue sets: order, resumption, correction, import."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cuemem.adapters.store import Store
from cuemem.errors import BadInput, NotBuilt, UnknownName
from cuemem.ports import Extraction
from cuemem.types import Conversation, Cue, Session, SpeakerRole, Triple, TurnUnit, Utterance
from tests.adapters.store_samples import Loaded, extractions, load, sample

conversation = sample().conversation
made = extractions(conversation)
utterance: TurnUnit = "utterance"
key = (conversation.conversation_id, "llm", utterance)
origin = {"model": "m", "prompt": "p"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.duckdb") as opened:
        load(opened, [sample(), sample(position=1, sample_id="conv-30")])
        yield opened


def test_an_extraction_resumes_where_it_was_left(store: Store) -> None:
    begun = store.begin_cue_set(*key, origin)
    assert (begun.turns, begun.done, begun.cues, begun.complete, begun.content_hash) == (6, 0, 0, False, None)
    store.add_extractions(*key, made[:4])
    with pytest.raises(BadInput, match="2 of 6 turns are still to be done, the first is D2:4"):
        store.complete_cue_set(*key)

    resumed = store.begin_cue_set(*key, origin)
    assert (resumed.done, resumed.failed, resumed.cues) == (4, 1, 4)
    assert store.extractions_done(*key) == {"D1:0", "D1:1", "D1:2", "D2:3"}
    store.add_extractions(*key, made[4:])
    complete = store.complete_cue_set(*key)
    assert (complete.complete, complete.done, complete.cues) == (True, 6, 8)
    assert complete.content_hash is not None
    assert complete.provenance == origin
    assert store.cue_sets(conversation.conversation_id) == (complete,)
    assert store.extractions(*key) == tuple(made)
    assert store.conversations()[0].cues == 8


def test_cues_are_numbered_by_turn_whatever_the_order_of_extraction(store: Store) -> None:
    store.begin_cue_set(*key, origin)
    for extraction in reversed(made):
        store.add_extractions(*key, [extraction])
    contents = [(e.turn_id, content) for e in made for content in e.contents]
    assert store.cues(*key) == tuple(Cue(i, turn, content) for i, (turn, content) in enumerate(contents))
    assert store.extractions(*key) == tuple(made)


def test_a_turn_can_be_corrected(store: Store) -> None:
    first = store.replace_cue_set(*key, origin, made)
    store.add_extractions(*key, [replace(made[3], contents=("found after all",), failure=None)])
    (corrected,) = store.cue_sets(conversation.conversation_id)
    assert (corrected.complete, corrected.failed, corrected.cues) == (True, 0, 9)
    assert corrected.content_hash != first.content_hash
    assert [cue.index for cue in store.cues(*key)] == list(range(9))
    store.add_extractions(*key, [made[3]])
    assert store.cue_sets(conversation.conversation_id) == (first,)


def test_other_provenance_begins_anew(store: Store) -> None:
    store.begin_cue_set(*key, origin)
    store.add_extractions(*key, made)
    other = store.begin_cue_set(*key, origin | {"prompt": "another"})
    assert (other.done, other.cues) == (0, 0)
    assert store.cues(*key) == ()


def test_sources_units_and_conversations_stay_apart(store: Store) -> None:
    store.replace_cue_set(*key, origin, made)
    store.replace_cue_set(key[0], "other", "utterance", {}, extractions(conversation, "b"))
    pairs = [Extraction(f"D{n}", ("pair",)) for n in ("1:0", "1:2", "2:3", "2:5")]
    store.replace_cue_set(key[0], "llm", "exchange", {}, pairs)
    other = f"{key[0][:16]}/1"
    store.replace_cue_set(other, "llm", "utterance", {}, made)
    assert [(s.source, s.turn_unit, s.cues) for s in store.cue_sets(key[0])] == [
        ("llm", "utterance", 8),
        ("other", "utterance", 8),
        ("llm", "exchange", 4),
    ]
    assert [summary.cues for summary in store.conversations()] == [20, 8]
    by_hash = {s.content_hash for it in (key[0], other) for s in store.cue_sets(it)}
    assert len(by_hash) == 3  # the same cues have the same hash, whatever conversation they are of
    store.remove_cue_set(*key)
    assert [summary.cues for summary in store.conversations()] == [12, 8]
    store.remove(key[0])
    assert [summary.cues for summary in store.conversations()] == [8]
    assert (store.info().rows["cue_sets"], store.info().rows["extractions"]) == (1, 6)


def test_an_import_that_fails_leaves_the_former_set(store: Store) -> None:
    former = store.replace_cue_set(*key, origin, made)
    with pytest.raises(BadInput, match="not complete"):
        store.replace_cue_set(*key, {"file": "f"}, made[:2])
    with pytest.raises(UnknownName, match="no utterance turn 'D9:9'"):
        store.replace_cue_set(*key, {"file": "f"}, [*made, Extraction("D9:9", ("x",))])
    assert store.cue_sets(key[0]) == (former,)
    assert store.extractions(*key) == tuple(made)


def test_what_is_not_there_is_a_sentence(store: Store) -> None:
    with pytest.raises(NotBuilt, match="no cues from 'llm' with utterances as turns"):
        store.cues(*key)
    with pytest.raises(UnknownName, match="no conversation with the id 'x'"):
        store.cues("x", "llm", "utterance")
    with pytest.raises(UnknownName):
        store.begin_cue_set("x", "llm", "utterance", {})
    with pytest.raises(UnknownName):
        store.cue_sets("x")
    with pytest.raises(NotBuilt):
        store.add_extractions(*key, made)


def test_a_conversation_without_turns(store: Store) -> None:
    empty = Loaded(Conversation(f"{key[0][:16]}/2", "locomo", "empty", (), ()))
    load(store, [empty])
    assert store.replace_cue_set(empty.conversation.conversation_id, "llm", "exchange", {}, []).complete


def test_turns_that_share_an_id_are_refused(store: Store) -> None:
    roles: tuple[SpeakerRole, ...] = ("user", "assistant") * 2
    chat = tuple(Utterance(f"S1:1.{n}", 1, role, "x", role=role) for n, role in enumerate(roles))
    unclear = Loaded(Conversation(f"{key[0][:16]}/2", "other", "chat", (Session(1, None),), chat))
    load(store, [unclear])
    with pytest.raises(BadInput, match="exchange turns that share an id"):
        store.begin_cue_set(unclear.conversation.conversation_id, "llm", "exchange", {})


text = st.text(max_size=12) | st.sampled_from(["\0", "\u2028", "long " * 15_000])
contents = st.lists(text | st.builds(Triple, text, text, text), max_size=4).map(tuple)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(contents, min_size=6, max_size=6), st.lists(st.none() | text, min_size=6, max_size=6))
def test_extractions_come_back_equal(
    store: Store, drawn: list[tuple[Triple | str, ...]], failures: list[str | None]
) -> None:
    turns = [u.utterance_id for u in conversation.utterances]
    saved = tuple(Extraction(*one) for one in zip(turns, drawn, failures, strict=True))
    store.replace_cue_set(*key, {}, saved)
    assert store.extractions(*key) == saved
