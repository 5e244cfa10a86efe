"""Neighbours, duplicates and turns without cues, against plain loops over the cosines."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuemem.errors import BadSetting, UnknownName
from cuemem.methods import CueMem
from cuemem.methods.cuemem import inspect
from cuemem.methods.cuemem.method import CueMemory
from cuemem.types import Conversation, Query
from tests.fakes import AngleEmbedder, models, talk
from tests.strategies import CueTable, conversations

# Angles of the cues in degrees, as the embedder reads them off their text.
ANGLES = {
    "D1:1": ["a @0", "b @10"],
    "D1:2": [],
    "D1:3": ["c @11", "a @0"],
    "D1:4": ["d @90", "e @0"],
}


@pytest.fixture
def memory() -> CueMemory:
    return CueMem(cue_source="given").build(talk(5), models(ANGLES, AngleEmbedder()))


def test_the_nearest_cues_with_their_cosines(memory: CueMemory) -> None:
    hits = inspect.nearest(memory, 1, 3)  # b at 10 degrees: c is 1 away, the a's and e 10
    assert [(hit.rank, hit.cue.index, hit.cue.text) for hit in hits] == [
        (1, 2, "c @11"),
        (2, 0, "a @0"),
        (3, 3, "a @0"),
    ]
    assert hits[0].cosine == pytest.approx(math.cos(math.radians(1)), abs=1e-6)
    assert [hit.cue.index for hit in inspect.nearest(memory, 0, 99)] == [3, 5, 1, 2, 4]
    assert inspect.nearest(memory, 0, 0) == ()
    for missing in (-1, 6):
        with pytest.raises(UnknownName, match="the 6 cues are counted from 0"):
            inspect.nearest(memory, missing, 1)


def test_all_cues_are_ranked_for_a_query(memory: CueMemory) -> None:
    hits = inspect.ranked(memory, Query("@85"))
    assert [(hit.rank, hit.cue.index) for hit in hits] == [(1, 4), (2, 2), (3, 1), (4, 0), (5, 3), (6, 5)]
    assert hits[0].cosine == pytest.approx(math.cos(math.radians(5)), abs=1e-6)
    retrieved = memory.recall(Query("@85"), CueMem(cue_source="given", top_cues=3)).trace[1].items
    assert [item.label for item in retrieved] == [hit.cue.text for hit in hits[:3]]


def test_exact_duplicates_are_groups_of_one_text(memory: CueMemory) -> None:
    assert [[cue.index for cue in group] for group in inspect.exact_duplicates(memory)] == [[0, 3]]


def test_near_duplicates_are_pairs_of_different_texts(memory: CueMemory) -> None:
    found = inspect.near_duplicates(memory, math.cos(math.radians(10.5)))
    pairs = [(pair.one.index, pair.other.index) for pair in found.pairs]
    assert pairs == [(0, 5), (3, 5), (1, 2), (0, 1), (1, 3), (1, 5)]
    assert [pair.cosine for pair in found.pairs[:2]] == [1.0, 1.0]
    assert found.total == 6
    few = inspect.near_duplicates(memory, math.cos(math.radians(10.5)), most=2)
    assert (few.pairs, few.total) == (found.pairs[:2], 6)
    for threshold in (0, -1, 1.01, math.nan):
        with pytest.raises(BadSetting, match="no cosine to look for"):
            inspect.near_duplicates(memory, threshold)


def test_turns_without_cues(memory: CueMemory) -> None:
    assert [turn.turn_id for turn in inspect.turns_without_cues(memory)] == ["D1:2", "D1:5"]


def test_an_empty_memory() -> None:
    memory = CueMem(cue_source="given").build(talk(2), models({}))
    assert inspect.exact_duplicates(memory) == ()
    assert inspect.near_duplicates(memory, 0.5) == inspect.NearDuplicates((), 0)
    assert len(inspect.turns_without_cues(memory)) == 2


@settings(max_examples=60, deadline=None)
@given(given_talk=conversations(), threshold=st.sampled_from([0.1, 0.5, 0.99, 1.0]), most=st.integers(0, 5))
def test_random_memories_against_plain_loops(
    given_talk: tuple[Conversation, CueTable], threshold: float, most: int
) -> None:
    conversation, cues = given_talk
    memory = CueMem(cue_source="given").build(conversation, models(cues))
    listed, count = memory.cue_graph.cues, memory.cue_count
    vectors = memory.vectors.astype(np.float64)
    cosine = np.round(vectors @ vectors.T, 6)
    for cue in range(count):
        order = sorted(
            (other for other in range(count) if other != cue), key=lambda other: (-cosine[cue, other], other)
        )
        hits = inspect.nearest(memory, cue, 4)
        assert [hit.cue.index for hit in hits] == order[:4]
        held = memory.cue_graph.anywhere
        assert held.rows[cue, : len(hits)].tolist() == order[: len(hits)]
    pairs = [
        (-cosine[one, other], one, other)
        for one in range(count)
        for other in range(one + 1, count)
        if cosine[one, other] >= threshold and listed[one].text != listed[other].text
    ]
    found = inspect.near_duplicates(memory, threshold, most)
    assert [(pair.one.index, pair.other.index) for pair in found.pairs] == [pair[1:] for pair in sorted(pairs)][:most]
    assert found.total == len(pairs)
