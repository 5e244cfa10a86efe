"""Exported files: complete, self-contained, and text from data is nothing but text in them."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from html.parser import HTMLParser

from hypothesis import given, settings

from cuemem.viz.graph import payload
from cuemem.viz.graph.export import graphml, standalone_html
from cuemem.viz.graph.marks import marks_of
from cuemem.viz.graph.network import vis_library
from tests.viz.graph_samples import Drawn, recalls

HOSTILE = "</script><script>alert(1)</script> <img src=x onerror=alert(2)> & \x00\x0b\ud800 ]]> 'q' \"d\""
GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


OURS = {"html", "head", "meta", "title", "style", "body", "h1", "p", "div", "script"}
OURS |= {"table", "thead", "tbody", "tr", "th", "td"}


class Tags(HTMLParser):
    """The tags and the names of attributes of a page, as a browser reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


def spoilt(drawn: Drawn) -> Drawn:
    """The same recall with hostile text wherever text comes from data; a store holds no half surrogates."""
    text = HOSTILE.replace("\ud800", "").replace("\x00", "")
    turns = {
        turn_id: replace(turn, utterances=tuple(replace(u, text=text, speaker=text) for u in turn.utterances))
        for turn_id, turn in drawn.turns.items()
    }
    return replace(drawn, turns=turns, recall=replace(drawn.recall, query=replace(drawn.recall.query, text=text)))


def page_of(drawn: Drawn) -> str:
    picture = drawn.picture(width=800)
    marks = marks_of(drawn.recall, drawn.gold, drawn.turns, drawn.explanations)
    return standalone_html(picture, drawn.recall.query.text, marks)


@settings(max_examples=15, deadline=None)
@given(drawn=recalls())
def test_a_page_loads_nothing_and_holds_no_markup_from_data(drawn: Drawn) -> None:
    page = page_of(spoilt(drawn))
    found = Tags()
    found.feed(page)
    assert found.tags.count("script") == 3
    assert set(found.tags) <= OURS
    assert not [name for name in found.attributes if name in ("src", "href", "action") or name.startswith("on")]
    assert not re.search(r"url\(|@import|https?://", page.replace(vis_library(), ""))
    assert "default-src 'none'" in page


@settings(max_examples=15, deadline=None)
@given(drawn=recalls())
def test_the_payload_in_the_page_is_the_picture(drawn: Drawn) -> None:
    drawn = spoilt(drawn)
    held = re.search(r'<script type="application/json" id="payload">(.*?)</script>', page_of(drawn), re.DOTALL)
    assert held is not None
    assert json.loads(held[1]) == payload(drawn.picture(width=800))


@settings(max_examples=15, deadline=None)
@given(drawn=recalls())
def test_graphml_has_every_turn_cue_and_edge(drawn: Drawn) -> None:
    drawn = spoilt(drawn)
    graph = ElementTree.fromstring(graphml(drawn.recall, drawn.gold, drawn.turns, drawn.explanations)).find(
        f"{GRAPHML}graph"
    )
    assert graph is not None
    nodes = [node.get("id") for node in graph.iter(f"{GRAPHML}node")]
    context = drawn.recall.context
    shown = {item.turn_id for item in (*context.items, *context.cut)} | set(drawn.gold)
    assert {node for node in nodes if node and node.startswith("turn ")} == {f"turn {turn_id}" for turn_id in shown}
    edges = [(edge.get("source"), edge.get("target")) for edge in graph.iter(f"{GRAPHML}edge")]
    via = [(f"turn {e.source}", f"turn {e.target}") for item in (*context.items, *context.cut) for e in item.via]
    between_turns = [pair for pair in edges if pair[0] and pair[0].startswith("turn ")]
    assert sorted(between_turns, key=str) == sorted(via)
