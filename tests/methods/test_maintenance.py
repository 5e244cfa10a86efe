"""ADD and DELETE give what a rebuild gives (section 4.4)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuemem.errors import BadInput
from cuemem.knobs import with_settings
from cuemem.methods import CueMem
from cuemem.methods.cuemem.maintenance import add, delete, least_recently_used, older_than
from cuemem.methods.cuemem.method import CueMemory
from cuemem.turns import cut_turns
from cuemem.types import Conversation, Query, Utterance
from tests.fakes import GivenCues, models, talk
from tests.strategies import CueTable, conversations, units

Talk = tuple[Conversation, CueTable]


def same(left: CueMemory, right: CueMemory) -> None:
    assert left.turns == right.turns
    assert left.cue_graph.cues == right.cue_graph.cues
    assert np.array_equal(left.vectors, right.vectors)
    for one, other in (
        (left.cue_graph.anywhere, right.cue_graph.anywhere),
        (left.cue_graph.elsewhere, right.cue_graph.elsewhere),
    ):
        assert np.array_equal(one.rows, other.rows)
        assert np.array_equal(one.cosines, other.cosines)
    method = left.built_as
    assert left.graph(method) == right.graph(method)
    assert left.recall(Query("cue 3"), method) == right.recall(Query("cue 3"), method)


@settings(max_examples=80, deadline=None)
@given(talk=conversations(), unit=units, at=st.data())
def test_add_is_a_rebuild(talk: Talk, unit: str, at: st.DataObject) -> None:
    conversation, cues = talk
    size = at.draw(st.integers(0, len(conversation.utterances)))
    early = replace(conversation, utterances=conversation.utterances[:size])
    method = with_settings(CueMem(cue_source="given"), {"turn_unit": unit})
    grown = add(method.build(early, models(cues)), conversation.utterances[size:], models(cues))
    same(grown, method.build(conversation, models(cues)))


@settings(max_examples=80, deadline=None)
@given(talk=conversations(), at=st.data())
def test_delete_is_a_rebuild_over_what_remains(talk: Talk, at: st.DataObject) -> None:
    conversation, cues = talk
    method = CueMem(cue_source="given")
    memory = method.build(conversation, models(cues))
    gone = at.draw(st.sets(st.sampled_from([turn.turn_id for turn in memory.turns])))
    kept = tuple(u for u in conversation.utterances if u.utterance_id not in gone)
    same(
        delete(memory, gone, models(cues)),
        method.build(replace(conversation, utterances=kept), models(cues)),
    )


def test_larger_memories_relink_only_what_changed_and_still_equal_a_rebuild() -> None:
    # More cues than a list of neighbours holds, so that untouched lists are really carried over.
    conversation = talk(*[12] * 8)
    cues = {u.utterance_id: [f"cue {u.utterance_id}", f"more {u.utterance_id}"] for u in conversation.utterances}
    method = CueMem(cue_source="given")
    early = replace(conversation, utterances=conversation.utterances[:90])
    source = models(cues)
    grown = add(method.build(early, source), conversation.utterances[90:], source)
    same(grown, method.build(conversation, models(cues)))
    shrunk = delete(grown, [turn.turn_id for turn in grown.turns[::7]], models(cues))
    kept = tuple(u for place, u in enumerate(conversation.utterances) if place % 7)
    same(shrunk, method.build(replace(conversation, utterances=kept), models(cues)))


def test_add_extracts_only_the_new_turns_and_a_reply_completes_the_last_exchange() -> None:
    chat = [
        Utterance("S1:1.1", 1, "User", "hello there", role="user"),
        Utterance("S1:1.2", 1, "Assistant", "hi", role="assistant"),
        Utterance("S1:2.1", 1, "User", "a question", role="user"),
    ]
    reply = Utterance("S1:2.2", 1, "Assistant", "an answer", role="assistant")
    conversation = replace(talk(), utterances=tuple(chat))
    cues = {"S1:1": ["cue 1"], "S1:2": ["cue 2"]}
    method = CueMem(cue_source="given")
    memory = method.build(conversation, models(cues))
    later = models(cues)
    source = later.cue_sources["given"]
    assert isinstance(source, GivenCues)
    grown = add(memory, [reply], later)
    assert source.asked == ["S1:2"]
    assert [len(turn.utterances) for turn in grown.turns] == [2, 2]
    with pytest.raises(BadInput, match="already"):
        add(grown, [reply], later)


def test_age_counts_days_before_the_newest_turn_and_keeps_the_undated() -> None:
    conversation = talk(2, 2, 2)  # thirty days apart
    undated = replace(conversation.utterances[0], time=None)
    turns = cut_turns(replace(conversation, utterances=(undated, *conversation.utterances[1:])))
    assert older_than(turns, 30) == ("D1:2",)
    assert older_than(turns, 29) == ("D1:2", "D2:1", "D2:2")
    assert older_than(turns, 60) == ()
    assert older_than((), 1) == ()


def test_least_recently_used_forgets_the_unused_first_then_the_longest_unused() -> None:
    turns = cut_turns(talk(5))
    log = [("D1:1", "D1:4"), ("D1:2",), ("D1:4",)]
    assert least_recently_used(turns, log, 4) == ("D1:3",)
    assert least_recently_used(turns, log, 2) == ("D1:1", "D1:3", "D1:5")
    assert least_recently_used(turns, log, 9) == ()
