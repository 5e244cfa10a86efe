"""The picture: nothing overlaps, nothing is outside, everything is there, and it is always the same."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuemem.viz.graph import payload
from cuemem.viz.graph.picture import Picture
from tests.viz.graph_samples import Drawn, recalls

WIDTHS = st.sampled_from([300.0, 340.0, 520.0, 760.0, 1000.0, 1480.0])


def overlapping(picture: Picture) -> list[tuple[str, str]]:
    # Half a pixel: sums of many lengths may differ in their last bits.
    return [(one.node_id, two.node_id) for one, two in combinations(picture.nodes, 2) if one.box.meets(two.box, -0.5)]


@settings(max_examples=80, deadline=None)
@given(drawn=recalls(), width=WIDTHS, cosines=st.booleans(), everything=st.booleans())
def test_no_two_nodes_overlap_and_all_lie_inside(drawn: Drawn, width: float, cosines: bool, everything: bool) -> None:
    picture = drawn.picture(width=width, cosines=cosines, everything=everything)
    assert overlapping(picture) == []
    for node in picture.nodes:
        box = node.box
        assert box.x - box.width / 2 >= -0.5, node
        assert box.x + box.width / 2 <= picture.width + 0.5, node
        assert box.y - box.height / 2 >= -0.5, node
        assert box.y + box.height / 2 <= picture.height + 0.5, node


@settings(max_examples=30, deadline=None)
@given(drawn=recalls(), width=WIDTHS)
def test_session_labels_do_not_overlap(drawn: Drawn, width: float) -> None:
    from cuemem.viz.graph.measure import text_width

    for everything in (False, True):
        texts = [piece for piece in drawn.picture(width=width, everything=everything).scenery if piece.kind == "text"]
        for one, two in combinations(texts, 2):
            apart = abs(one.x1 - two.x1) >= (text_width(one.text, 10.5) + text_width(two.text, 10.5)) / 2
            assert apart or abs(one.y1 - two.y1) >= 11, (one, two)


@settings(max_examples=30, deadline=None)
@given(drawn=recalls(), width=WIDTHS)
def test_every_turn_and_every_edge_is_drawn_once(drawn: Drawn, width: float) -> None:
    context = drawn.recall.context
    shown = {item.turn_id for item in (*context.items, *context.cut)} | set(drawn.gold)
    picture = drawn.picture(width=width)
    turns = [node.turn_id for node in picture.nodes if node.node_id.startswith("turn ")]
    assert sorted(turns, key=str) == sorted(shown)
    drawn_edges = [
        (link.source, link.target, link.kind) for link in picture.links if link.kind in ("temporal", "semantic")
    ]
    edges = [(f"turn {e.source}", f"turn {e.target}", e.kind) for item in context.items for e in item.via]
    assert sorted(drawn_edges) == sorted(edges)
    retrieved = {(hit.cue.index, hit.cue.turn_id) for anchor in drawn.recall.anchors for hit in anchor.hits[:6]}
    joined = {link.target for link in picture.links if link.kind == "query"}
    assert joined <= {f"cue {index} {turn_id}" for index, turn_id in retrieved}
    whole = drawn.picture(width=width, everything=True)
    assert [node.turn_id for node in whole.nodes] == list(drawn.turns)


@settings(max_examples=20, deadline=None)
@given(drawn=recalls(), width=WIDTHS, cosines=st.booleans(), everything=st.booleans())
def test_the_same_recall_gives_the_same_payload(drawn: Drawn, width: float, cosines: bool, everything: bool) -> None:
    first, second = (payload(drawn.picture(width=width, cosines=cosines, everything=everything)) for _ in range(2))
    assert first == second
    ids = [node["id"] for node in first["nodes"]]
    assert len(ids) == len(set(ids))
    assert {edge["from"] for edge in first["edges"]} | {edge["to"] for edge in first["edges"]} <= set(ids)
    assert first["options"]["physics"] == {"enabled": False}


def test_the_turns_stand_in_the_order_in_which_they_were_said(worked: Drawn) -> None:
    line = [node for node in worked.picture(width=1000).nodes if node.node_id.startswith("turn ")]
    assert [node.turn_id for node in sorted(line, key=lambda node: node.x)] == [
        "D1:1",
        "D1:2",
        "D1:3",
        "D2:1",
        "D2:4",
    ]
    assert len({node.y for node in line}) == 1


def test_roles_are_told_by_shape_and_label(worked: Drawn) -> None:
    looks = {node.turn_id: (node.look, node.label) for node in worked.picture(width=1000).nodes if node.turn_id}
    nodes = {node.node_id: node for node in worked.picture(width=1000).nodes}
    assert looks["D1:1"] == ("temporal", "")
    assert (nodes["turn D1:2"].look, nodes["turn D1:2"].label) == ("anchor", "A1")
    assert (nodes["turn D2:1"].look, nodes["turn D2:1"].label) == ("found semantic", "gold")
    assert (nodes["turn D2:4"].look, nodes["turn D2:4"].label) == ("missed", "miss")
    assert nodes["cue 3 D2:4"].look == "cue lost"  # the best cue of the missed turn, greyed
    assert nodes["cue 3 D2:4"].label.startswith("#4")


def test_the_alternative_text_says_the_result(worked: Drawn) -> None:
    assert worked.picture().sentence == (
        f"1 anchor lead to 4 turns and {worked.recall.context.tokens} tokens of context; "
        "1 of 2 gold turns are among them, missing: D2:4."
    ).replace("1 anchor lead", "1 anchor leads")


@pytest.fixture
def worked() -> Drawn:
    """w = 1, k = 1, m = 1: D1:2 is the anchor, D1:1 and D1:3 stand beside it, D2:1 has the nearest cue.

    The question lies at 10°, the cues at 12° (D1:2), 40° (D2:1), 100° (D1:4) and 170° (D2:4).
    """
    from cuemem.methods import CueMem
    from cuemem.types import Query
    from tests.fakes import AngleEmbedder, models, talk

    cues = {"D1:2": ["a @12"], "D1:4": ["b @100"], "D2:1": ["c @40"], "D2:4": ["d @170"]}
    method = CueMem(cue_source="given", window=1, neighbours=1, top_cues=1)
    memory = method.build(talk(4, 4), models(cues, AngleEmbedder()))
    query, gold = Query("q @10"), ("D2:1", "D2:4")
    explanations = {turn_id: memory.explain(query, method, turn_id) for turn_id in gold}
    turns = {turn.turn_id: turn for turn in memory.turns}
    return Drawn(memory.recall(query, method), gold, turns, explanations)
