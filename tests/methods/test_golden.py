"""A conversation of eight turns worked out by hand from the equations of section 4.

Cues lie on the unit circle, so the cosine of two is the cosine of the angle between them:

    index  turn   cue   angle        turns by index: 0 D1:1  1 D1:2  2 D1:3  3 D1:4  4 D1:5
      c0   D1:1   tea      0                         5 D2:1  6 D2:2  7 D2:3
      c1   D1:2   lake    40         D1:3 and D2:2 have no cue.
      c2   D1:4   cup     10
      c3   D1:5   train   90         nearest by angle (k = 1), ties to the lower index:
      c4   D2:1   bus     85         c0→c2 (10)  c1→c6 (20)  c2→c5 (2)  c3→c4 (5)
      c5   D2:3   mug     12         c4→c3 (5)   c5→c2 (2)   c6→c1 (20)
      c6   D2:3   boat    60

The query lies at 5: distances c0 5, c2 5 (tie), c5 7, c1 35, c6 55, c4 80, c3 85.
With m = 2 the cues are c0, c2 and the anchors D1:1 (A1), D1:4 (A2).
With w = 1 they reach D1:2 from A1, D1:3 and D1:5 from A2.
With k = 1 c0 leads to D1:4 (an anchor already) and c2 to D2:3.
"""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from cuemem.errors import BadSetting, UnknownName
from cuemem.methods import CueMem
from cuemem.methods.cuemem.method import CueMemory
from cuemem.types import Query
from tests.fakes import AngleEmbedder, close, models, talk

CUES = {
    "D1:1": ["tea @0"],
    "D1:2": ["lake @40"],
    "D1:4": ["cup @10"],
    "D1:5": ["train @90"],
    "D2:1": ["bus @85"],
    "D2:3": ["mug @12", "boat @60"],
}
METHOD = CueMem(cue_source="given", window=1, neighbours=1, top_cues=2)
QUERY = Query("what did we drink? @5")


@pytest.fixture(scope="module")
def memory() -> CueMemory:
    return METHOD.build(talk(5, 3), models(CUES, AngleEmbedder()))


def degrees(angle: float) -> float:
    return math.cos(math.radians(angle))


def test_cues_are_numbered_in_the_order_of_their_turns(memory: CueMemory) -> None:
    assert [(cue.turn_id, cue.text.split()[0]) for cue in memory.cue_graph.cues] == [
        ("D1:1", "tea"),
        ("D1:2", "lake"),
        ("D1:4", "cup"),
        ("D1:5", "train"),
        ("D2:1", "bus"),
        ("D2:3", "mug"),
        ("D2:3", "boat"),
    ]


def test_turn_graph(memory: CueMemory) -> None:
    edges = memory.graph(METHOD).edges
    temporal = {(edge.source, edge.target) for edge in edges if edge.kind == "temporal"}
    ids = ["D1:1", "D1:2", "D1:3", "D1:4", "D1:5", "D2:1", "D2:2", "D2:3"]
    assert temporal == {pair for a, b in pairwise(ids) for pair in ((a, b), (b, a))}
    semantic = {(edge.source, edge.target): edge for edge in edges if edge.kind == "semantic"}
    assert set(semantic) == {
        ("D1:1", "D1:4"),
        ("D1:2", "D2:3"),
        ("D1:4", "D2:3"),
        ("D1:5", "D2:1"),
        ("D2:1", "D1:5"),
        ("D2:3", "D1:4"),
        ("D2:3", "D1:2"),
    }
    assert close(semantic["D1:4", "D2:3"].cosine or 0, degrees(2))
    assert (semantic["D2:3", "D1:2"].source_cue, semantic["D2:3", "D1:2"].target_cue) == (6, 1)


def test_recall(memory: CueMemory) -> None:
    recall = memory.recall(QUERY, METHOD)
    assert [(anchor.rank, anchor.turn_id) for anchor in recall.anchors] == [(1, "D1:1"), (2, "D1:4")]
    assert [hit.rank for anchor in recall.anchors for hit in anchor.hits] == [1, 2]
    assert close(recall.anchors[0].hits[0].cosine, degrees(5))
    roles = {item.turn_id: item.role for item in recall.context.items}
    assert roles == {
        "D1:1": "anchor",
        "D1:2": "temporal",
        "D1:3": "temporal",
        "D1:4": "anchor",
        "D1:5": "temporal",
        "D2:3": "semantic",
    }
    assert list(roles) == ["D1:1", "D1:2", "D1:3", "D1:4", "D1:5", "D2:3"]
    entry = sorted(recall.context.items, key=lambda item: item.entry)
    assert [item.turn_id for item in entry] == ["D1:1", "D1:4", "D1:2", "D1:3", "D1:5", "D2:3"]


def test_context_text(memory: CueMemory) -> None:
    text = memory.recall(QUERY, METHOD).context.text
    assert text.splitlines()[0] == "[Session 1 · Friday, 1 March 2024, 09:00]"
    assert text.splitlines()[1].startswith("Ben: word 1 of session 1")
    assert text.splitlines()[-3:-1] == ["…", "[Session 2 · Sunday, 31 March 2024, 09:00]"]


def test_a_turn_reached_by_both_kinds_counts_as_temporal_and_keeps_both_reasons(memory: CueMemory) -> None:
    wide = CueMem(cue_source="given", window=4, neighbours=1, top_cues=2)
    item = next(item for item in memory.recall(QUERY, wide).context.items if item.turn_id == "D2:3")
    assert item.role == "temporal"
    assert [edge.kind for edge in item.via] == ["temporal", "semantic"]


@pytest.mark.parametrize(
    ("turn_id", "stage", "rank", "changes"),
    [
        # c4 has rank 6; D2:1 is two turns from A2; it is the fifth nearest of c0 and of c2.
        ("D2:1", "below m", 6, {"window": 2, "neighbours": 5, "top_cues": 6}),
        # No cue: three turns from A2; D2:3 beside it becomes an anchor with c5, rank 3.
        ("D2:2", "no cue", None, {"window": 3, "top_cues": 3}),
        # An anchor already at m = 1; the graph is not needed.
        ("D1:1", "in context", 1, {"window": 0, "neighbours": 0, "top_cues": 1}),
        # Only the semantic edge of c2 reaches it; c2 has rank 2, its own cue rank 3.
        ("D2:3", "in context", 3, {"window": 4, "neighbours": 1, "top_cues": 2}),
    ],
)
def test_explain(memory: CueMemory, turn_id: str, stage: str, rank: int | None, changes: dict[str, int]) -> None:
    explanation = memory.explain(QUERY, METHOD, turn_id)
    assert (explanation.stage, explanation.rank) == (stage, rank)
    found = {change.knob: change.value for change in explanation.changes}
    if turn_id == "D2:3":
        found = {name: value for name, value in found.items() if name != "window"}
        changes = {"neighbours": 1, "top_cues": 2}
    assert found == changes


def test_the_sentence_names_stage_rank_and_remedy(memory: CueMemory) -> None:
    assert memory.explain(QUERY, METHOD, "D2:1").sentence == (
        "D2:1 was lost at retrieval: its best cue has rank 6, below m = 2, and no anchor reaches it. "
        "w = 2 or k = 5 or m = 6 would bring it in."
    )


def test_session_break_cuts_temporal_edges_at_the_border(memory: CueMemory) -> None:
    method = CueMem(cue_source="given", window=2, neighbours=0, top_cues=2, session_break=True)
    assert "D2:1" not in memory.recall(QUERY, method).context.turn_ids
    assert "window" not in {change.knob for change in memory.explain(QUERY, method, "D2:1").changes}


def test_exclude_same_turn_looks_further(memory: CueMemory) -> None:
    # c5 and c6 share D2:3. At k = 3 c6's nearest are c1 (20), c4 (25), c3 (30); none is its own turn's.
    # c5's are c2 (2), c0 (12), c1 (28) either way, and c6 (48) comes fourth: at k = 4 it gives way to c4 (73).
    method = CueMem(cue_source="given", window=0, neighbours=4, top_cues=10, exclude_same_turn=True)
    edges = {(e.source, e.target): e for e in memory.graph(method).edges if e.source == "D2:3"}
    plain = CueMem(cue_source="given", window=0, neighbours=4, top_cues=10)
    assert memory.cue_graph.neighbours(plain).rows[5, :4].tolist() == [2, 0, 1, 6]
    assert memory.cue_graph.neighbours(method).rows[5, :4].tolist() == [2, 0, 1, 4]
    assert edges["D2:3", "D2:1"].rank == 2  # c6 → c4 is a better pair than c5 → c4


def test_symmetric_edges_lead_both_ways(memory: CueMemory) -> None:
    method = CueMem(cue_source="given", window=0, neighbours=1, top_cues=2, symmetric=True)
    pairs = {(edge.source, edge.target) for edge in memory.graph(method).edges}
    assert {("D1:1", "D1:4"), ("D1:4", "D1:1")} <= pairs
    assert all((target, source) in pairs for source, target in pairs)


def test_budget_cuts_in_the_order_of_entry(memory: CueMemory) -> None:
    whole = memory.recall(QUERY, METHOD)
    context = memory.recall(QUERY, METHOD, whole.context.tokens - 1).context
    assert [item.turn_id for item in context.cut] == ["D2:3"]
    assert "over the budget" in (context.cut[0].cut or "")
    explanation = memory.explain(QUERY, METHOD, "D2:3", whole.context.tokens - 1)
    assert explanation.stage == "cut by budget"
    assert {c.knob: c.value for c in explanation.changes}["budget"] == whole.context.tokens


def test_a_setting_outside_its_range_and_an_unknown_turn_are_named(memory: CueMemory) -> None:
    with pytest.raises(BadSetting, match="window=7 is outside its range 0 to 6"):
        memory.recall(QUERY, CueMem(cue_source="given", window=7))
    with pytest.raises(BadSetting, match="built with cue_source='given'"):
        memory.recall(QUERY, CueMem(cue_source="sentences"))
    with pytest.raises(UnknownName, match="D9:9"):
        memory.explain(QUERY, METHOD, "D9:9")


def test_under_a_budget_that_no_single_change_beats_the_uncapped_remedy_is_told(memory: CueMemory) -> None:
    # Room for the two anchors and little more: D2:1 would come behind temporal neighbours that do not fit.
    explanation = memory.explain(QUERY, METHOD, "D2:2", 30)
    assert explanation.changes == ()
    assert [str(change) for change in explanation.uncapped] == ["w = 3", "m = 3"]
    assert explanation.sentence.endswith(
        "No single change would bring it in under this budget; without one, w = 3 or m = 3 would."
    )
