"""Corrections: recorded, counted, undone, and never lost unseen when a cue set is made anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from cuemem.adapters.store import CueSet, MemoryRecord, Store
from cuemem.errors import BadInput, NotBuilt, UnknownName
from cuemem.ports import Extraction
from cuemem.types import Triple
from tests.adapters.store_samples import extractions, load, sample

KEY = sample().conversation.conversation_id
SET = (KEY, "given", "utterance")
MADE = extractions(sample().conversation)
BEFORE = MADE[0].contents
AFTER = (Triple("Ann", "has", "a cat"), "Ann is glad.")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with a complete cue set."""
    with Store.open(tmp_path / "store.duckdb") as opened:
        load(opened, [sample()])
        opened.replace_cue_set(*SET, {"file": "1"}, MADE)
        yield opened


def held(store: Store) -> CueSet:
    return store.cue_sets(KEY)[0]


def of_turn(store: Store, turn_id: str) -> Extraction:
    return next(it for it in store.extractions(*SET) if it.turn_id == turn_id)


def test_a_correction_is_recorded_and_the_set_follows(store: Store) -> None:
    as_made = held(store)
    made = store.correct_turn(*SET, "D1:0", AFTER)
    assert made is not None
    assert (made.number, made.turn_id, made.before, made.after, made.state) == (1, "D1:0", BEFORE, AFTER, "applied")
    assert timedelta(0) <= datetime.now(UTC) - made.corrected_at < timedelta(minutes=1)
    assert store.corrections(KEY) == (made,)
    assert of_turn(store, "D1:0") == Extraction("D1:0", AFTER)
    now = held(store)
    assert (now.corrections, now.dropped, now.provenance) == (1, 0, {"file": "1"})
    assert now.content_hash != as_made.content_hash
    assert store.undo_correction(*SET) == replace(made, state="undone")
    assert store.extractions(*SET) == tuple(MADE)
    assert (held(store).content_hash, held(store).corrections) == (as_made.content_hash, 0)
    assert store.corrections(KEY) == (replace(made, state="undone"),)


def test_what_is_there_already_is_no_correction(store: Store) -> None:
    assert store.correct_turn(*SET, "D1:0", BEFORE) is None
    assert store.corrections(KEY) == ()


def test_adding_to_and_deleting_from_a_turn(store: Store) -> None:
    store.correct_turn(*SET, "D1:2", ("A turn without cues has one.",))
    store.correct_turn(*SET, "D1:0", ())
    assert [cue.turn_id for cue in store.cues(*SET)][:3] == ["D1:1", "D1:1", "D1:2"]
    store.undo_correction(*SET)
    store.undo_correction(*SET)
    assert store.extractions(*SET) == tuple(MADE)


def test_a_failed_turn_is_mended_and_its_failure_comes_back(store: Store) -> None:
    failed = MADE[3]
    assert failed.failure
    made = store.correct_turn(*SET, failed.turn_id, ())
    assert made is not None  # nobody's cue was missing, but the failure is settled
    assert held(store).failed == 0
    store.undo_correction(*SET)
    assert of_turn(store, failed.turn_id) == failed


def test_any_correction_is_undone_unless_a_later_one_changed_the_turn_again(store: Store) -> None:
    store.correct_turn(*SET, "D1:0", ("one",))
    store.correct_turn(*SET, "D1:1", ("two",))
    store.correct_turn(*SET, "D1:0", ("three",))
    with pytest.raises(BadInput, match=r"correction 3 changed D1:0 again\. Undo that one first"):
        store.undo_correction(*SET, 1)
    store.undo_correction(*SET, 2)
    assert of_turn(store, "D1:1") == MADE[1]
    store.undo_correction(*SET, 3)
    store.undo_correction(*SET, 1)
    assert store.extractions(*SET) == tuple(MADE)
    with pytest.raises(BadInput, match="undone already"):
        store.undo_correction(*SET, 1)
    with pytest.raises(BadInput, match="no correction that could be undone"):
        store.undo_correction(*SET)
    with pytest.raises(UnknownName, match="no correction 9; there are 3"):
        store.undo_correction(*SET, 9)


def test_a_set_of_the_same_origin_keeps_its_corrections_and_another_drops_them_on_record(store: Store) -> None:
    store.correct_turn(*SET, "D1:0", AFTER)
    store.correct_turn(*SET, "D1:1", ("undone",))
    store.undo_correction(*SET)
    assert store.begin_cue_set(*SET, {"file": "1"}).corrections == 1
    store.replace_cue_set(*SET, {"file": "2"}, MADE)
    assert (held(store).corrections, held(store).dropped) == (0, 1)
    assert [it.state for it in store.corrections(KEY)] == ["dropped", "undone"]
    with pytest.raises(BadInput, match="cues of D1:0 were made anew since"):
        store.undo_correction(*SET, 1)
    again = store.correct_turn(*SET, "D1:0", AFTER)
    assert again is not None
    assert again.number == 3


def test_a_turn_that_is_extracted_anew_drops_its_own_corrections_only(store: Store) -> None:
    store.correct_turn(*SET, "D1:0", AFTER)
    store.correct_turn(*SET, "D1:1", AFTER)
    store.add_extractions(*SET, [Extraction("D1:0", ("anew",))])
    assert [(it.turn_id, it.state) for it in store.corrections(KEY)] == [("D1:0", "dropped"), ("D1:1", "applied")]


def test_memories_of_the_set_follow_and_others_do_not(store: Store) -> None:
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    for number, source in enumerate(("given", "given", "other")):
        store.arrays.put(f"key {number}", {"a": np.arange(3)})
        store.save_memory(
            MemoryRecord(
                f"m{number}",
                KEY,
                "cuemem",
                {},
                f"model {number}",
                "utterance",
                source,
                6,
                8,
                f"key {number}",
                long_ago,
            )
        )
    store.correct_turn(*SET, "D1:0", ("one",))
    now = {record.memory_id: record for record in store.memories(KEY)}
    assert [(now[m].cue_count, now[m].array_key) for m in ("m0", "m1", "m2")] == [(7, None), (7, None), (8, "key 2")]
    assert [now[m].built_at > long_ago for m in ("m0", "m1", "m2")] == [True, True, False]
    assert [store.arrays.get(f"key {number}") is None for number in range(3)] == [True, True, False]


def test_a_set_that_is_not_there_or_not_complete_and_a_strange_turn(store: Store) -> None:
    with pytest.raises(NotBuilt, match="extract them first"):
        store.correct_turn(KEY, "other", "utterance", "D1:0", ())
    store.begin_cue_set(KEY, "half", "utterance", {})
    with pytest.raises(NotBuilt, match="complete them first"):
        store.correct_turn(KEY, "half", "utterance", "D1:0", ())
    with pytest.raises(UnknownName, match=r"no utterance turn 'D9:9'"):
        store.correct_turn(*SET, "D9:9", ())
    with pytest.raises(BadInput, match="surrogate"):
        store.correct_turn(*SET, "D1:0", ("\ud800",))
    assert (store.corrections(KEY), store.extractions(*SET)) == ((), tuple(MADE))


def test_a_removed_conversation_takes_its_corrections_along(store: Store) -> None:
    store.correct_turn(*SET, "D1:0", AFTER)
    store.remove(KEY)
    assert store.info().rows["corrections"] == 0
