"""The equations of section 4 against their plainest reading, on random conversations full of ties."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cuemem.knobs import with_settings
from cuemem.methods import CueMem
from cuemem.methods.cuemem.method import CueMemory
from cuemem.types import Conversation, Query, TurnId
from tests.fakes import HashEmbedder, models
from tests.strategies import CueTable, conversations, queries, settings_of, units

Talk = tuple[Conversation, CueTable]


def cosine(left: str, right: str) -> float:
    """In plain float64, rounded as everywhere."""
    a, b = (HashEmbedder().encode([text])[0].astype(float) for text in (left, right))
    return round(float(np.sum(a * b)), 6)


def plain_context(memory: CueMemory, method: CueMem, text: str) -> set[TurnId]:
    """E_q read off the equations, in nothing but loops."""
    cues = [(cue.text, memory.cue_graph.place[cue.turn_id]) for cue in memory.cue_graph.cues]
    sessions = [turn.session for turn in memory.turns]

    def nearest(of: int) -> list[int]:
        others = [
            j
            for j, (_, turn) in enumerate(cues)
            if j != of and not (method.exclude_same_turn and turn == cues[of][1])
        ]
        return sorted(others, key=lambda j: (-cosine(cues[of][0], cues[j][0]), j))[: method.neighbours]

    semantic = {(turn, cues[j][1]) for i, (_, turn) in enumerate(cues) for j in nearest(i)}
    if method.symmetric:
        semantic |= {(b, a) for a, b in semantic}
    temporal = {
        (i, j)
        for i in range(len(sessions))
        for j in range(len(sessions))
        if 0 < abs(i - j) <= method.window and not (method.session_break and sessions[i] != sessions[j])
    }
    best = sorted(range(len(cues)), key=lambda i: (-cosine(text, cues[i][0]), i))[: method.top_cues]
    anchors = {cues[i][1] for i in best}
    reached = anchors | {j for i, j in semantic | temporal if i in anchors}
    return {memory.turns[turn].turn_id for turn in reached}


def build(talk: Talk, unit: str, knobs: dict[str, Any]) -> tuple[CueMem, CueMemory]:
    method = with_settings(CueMem(cue_source="given"), {"turn_unit": unit, **knobs})
    return method, method.build(talk[0], models(talk[1]))


@settings(max_examples=80, deadline=None)
@given(talk=conversations(), unit=units, knobs=settings_of(CueMem), text=queries)
def test_recall_is_the_equations(talk: Talk, unit: str, knobs: dict[str, Any], text: str) -> None:
    method, memory = build(talk, unit, knobs)
    assert set(memory.recall(Query(text), method).context.turn_ids) == plain_context(memory, method, text)


@settings(max_examples=50, deadline=None)
@given(talk=conversations(), unit=units, knobs=settings_of(CueMem), text=queries, more=st.data())
def test_expansion_holds_the_anchors_and_grows_with_w_k_and_m(
    talk: Talk, unit: str, knobs: dict[str, Any], text: str, more: st.DataObject
) -> None:
    method, memory = build(talk, unit, knobs)
    recall = memory.recall(Query(text), method)
    inside = set(recall.context.turn_ids)
    assert {anchor.turn_id for anchor in recall.anchors} <= inside
    name = more.draw(st.sampled_from(["window", "neighbours", "top_cues"]))
    high = {"window": 6, "neighbours": 10, "top_cues": 60}[name]
    wider = with_settings(method, {name: more.draw(st.integers(getattr(method, name), high))})
    assert inside <= set(memory.recall(Query(text), wider).context.turn_ids)


@settings(max_examples=40, deadline=None)
@given(talk=conversations(), unit=units, knobs=settings_of(CueMem), text=queries)
def test_every_turn_in_the_context_names_an_edge_of_the_graph_that_reached_it(
    talk: Talk, unit: str, knobs: dict[str, Any], text: str
) -> None:
    method, memory = build(talk, unit, knobs)
    edges = {(edge.source, edge.target, edge.kind, edge.rank) for edge in memory.graph(method).edges}
    recall = memory.recall(Query(text), method)
    anchors = {anchor.turn_id for anchor in recall.anchors}
    for item in recall.context.items:
        assert bool(item.via) == (item.role != "anchor")
        for edge in item.via:
            assert edge.source in anchors
            assert edge.target == item.turn_id
            assert (edge.source, edge.target, edge.kind, edge.rank) in edges


@settings(max_examples=60, deadline=None)
@given(talk=conversations(), text=queries)
def test_ranks_are_those_of_a_stable_sort(talk: Talk, text: str) -> None:
    method, memory = build(talk, "utterance", {})
    texts = [cue.text for cue in memory.cue_graph.cues]
    order = sorted(range(len(texts)), key=lambda i: (-cosine(text, texts[i]), i))
    for turn in memory.turns:
        for hit in memory.explain(Query(text), method, turn.turn_id).hits:
            assert order[hit.rank - 1] == hit.cue.index
