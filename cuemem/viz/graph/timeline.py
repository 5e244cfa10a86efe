"""The arc diagram on a timeline: the query, its cues, and the turns they lead to in the order they were said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from cuemem.types import Edge, Recall
from cuemem.viz.graph.arcs import depth_of, roundness
from cuemem.viz.graph.cards import Card, place_cards
from cuemem.viz.graph.marks import Mark, clipped, edge_words, sentence_of, title_of
from cuemem.viz.graph.measure import text_width, wrap
from cuemem.viz.graph.picture import Box, Link, Node, Picture, Scenery
from cuemem.viz.graph.rows import LINES, Row, box_of, half_width, place_row, split_rows

QUERY = "query"
QUERY_TEXT = 14.0
QUERY_LINE = 18.0
FALL = 38.0  # from the query down to the first cards
STEM = 24.0  # from the lowest card down to its turn
TITLE = 26.0  # half the height of what stands on the line, with some air
BENEATH = 32.0  # under the line, where no arc hangs
ROW_GAP = 18.0


def timeline(marks: Sequence[Mark], recall: Recall, width: float, cosines: bool = False) -> Picture:
    """The picture of a recall. The same arguments give the same picture."""
    rows = [place_row(row, width) for row in split_rows(marks, width)]
    # What the budget cut is shown as a hollow dot without its edges: they would hide those that matter.
    edges = [edge for mark in marks if not mark.cut for edge in mark.via]
    arcs = _Arcs.of(rows, edges, cosines)
    query = _query(recall, width)
    nodes, links, scenery = [query], [], []
    y = query.box.height + 2
    for at, row in enumerate(rows):
        cards = place_cards(row.marks, row.places, width, cosines)
        zone = max((card.top for card in cards), default=0.0)
        foot = y + (ROW_GAP if at else FALL) + zone
        line = foot + (STEM if cards else 0.0) + TITLE / 2
        floor = line + max(BENEATH, arcs.deepest(at) + 14.0)
        nodes += [_turn(mark, x, line) for mark, x in zip(row.marks, row.places, strict=True)]
        nodes += [_cue(card, foot) for card in cards]
        links += _pointers(cards, faint=at > 0)
        scenery += _scenery(row, line, floor)
        y = floor + LINES * max((len(span.lines) for span in row.spans), default=0) + 6.0
    links += arcs.links()
    return Picture(width, y + 4.0, tuple(nodes), tuple(links), tuple(scenery), sentence_of(marks, recall))


@dataclass(frozen=True)
class _Arcs:
    """The edges that brought turns in: along the line, as arcs beneath it, or across rows."""

    edges: Sequence[Edge]
    place: Mapping[str, float]
    row: Mapping[str, int]
    cosines: bool

    @classmethod
    def of(cls, rows: Sequence[Row], edges: Sequence[Edge], cosines: bool) -> _Arcs:
        """The arcs between turns that stand in these rows."""
        place = {mark.turn.turn_id: x for row in rows for mark, x in zip(row.marks, row.places, strict=True)}
        return cls(
            edges, place, {mark.turn.turn_id: at for at, row in enumerate(rows) for mark in row.marks}, cosines
        )

    def deepest(self, row: int) -> float:
        """How deep the arcs of a row hang."""
        here = [edge for edge in self.edges if self.row[edge.source] == self.row[edge.target] == row]
        return max((depth_of(self._distance(edge)) for edge in here if edge.kind == "semantic"), default=0.0)

    def links(self) -> list[Link]:
        """The lines. Where two cosines would be written over each other, the later one is told on hover only."""
        links, written = [], list[tuple[int, float, float]]()
        for edge in self.edges:
            source, target = f"turn {edge.source}", f"turn {edge.target}"
            title = f"{edge.source} → {edge.target}: {edge_words(edge)}"
            across = self.row[edge.source] != self.row[edge.target]
            if edge.kind == "temporal":
                links.append(Link(source, target, "temporal", title, upright=across))
                continue
            depth = depth_of(self._distance(edge))
            label = "" if across else self._cosine(edge, depth, written)
            bow = None if across else roundness(self._distance(edge), depth)
            links.append(Link(source, target, "semantic", title, label, bow, upright=across))
        return links

    def _distance(self, edge: Edge) -> float:
        return abs(self.place[edge.source] - self.place[edge.target])

    def _cosine(self, edge: Edge, depth: float, written: list[tuple[int, float, float]]) -> str:
        if not self.cosines or edge.cosine is None:
            return ""
        row, middle = self.row[edge.source], (self.place[edge.source] + self.place[edge.target]) / 2
        if any(row == other and abs(middle - x) < 30 and abs(depth - y) < 12 for other, x, y in written):
            return ""
        written.append((row, middle, depth))
        return f"{edge.cosine:.2f}"


def _query(recall: Recall, width: float) -> Node:
    """The question at the top, in at most two lines."""
    lines = wrap(recall.query.text, min(620.0, width - 60.0), QUERY_TEXT, 2)
    box_width = max(text_width(line, QUERY_TEXT) for line in lines) + 24
    height = len(lines) * QUERY_LINE + 14
    box = Box(width / 2, height / 2 + 2, min(box_width, width - 4), height)
    return Node(QUERY, "query", box.x, box.y, box, "\n".join(lines), clipped(recall.query.text, 600))


def _turn(mark: Mark, x: float, y: float) -> Node:
    box = box_of(mark, x, y)
    return Node(mark.node_id, mark.look, x, y, box, mark.label, title_of(mark), mark.turn.turn_id)


def _cue(card: Card, foot: float) -> Node:
    box = Box(card.x, foot - card.bottom - card.height / 2, card.width, card.height)
    hit = card.hit
    title = f"rank {hit.rank:,}, cosine {hit.cosine:.3f}, from turn {hit.cue.turn_id}\n{clipped(hit.cue.text, 400)}"
    if card.look == "cue lost":
        title = f"the best of a gold turn, not retrieved: {title}"
    return Node(
        card.mark.hit_id(hit),
        card.look,
        box.x,
        box.y,
        box,
        card.label,
        title,
        card.mark.turn.turn_id,
        _emphasis(hit.rank),
    )


def _emphasis(rank: int) -> float:
    """1 for the best cue, falling by a tenth with each rank."""
    return max(0.0, 1.0 - (rank - 1) / 10)


def _pointers(cards: Sequence[Card], faint: bool) -> list[Link]:
    """From the query to each retrieved cue, and from the cues down to their turn."""
    links = []
    for card in cards:
        cue, rank = card.mark.hit_id(card.hit), card.hit.rank
        lost = card.look == "cue lost"
        if not lost:
            emphasis = _emphasis(rank) * (0.4 if faint else 1.0)
            title = f"cosine {card.hit.cosine:.3f} to the question"
            links.append(Link(QUERY, cue, "query", title, upright=True, emphasis=emphasis))
        links.append(Link(cue, card.mark.node_id, "points", upright=True, emphasis=_emphasis(rank), lost=lost))
    return links


def _scenery(row: Row, line: float, floor: float) -> list[Scenery]:
    """Session bands with their labels, and the line of time, dotted where turns are left out."""
    pieces = []
    for span in row.spans:
        kind_floor = floor + LINES * max(len(other.lines) for other in row.spans) + 2
        pieces.append(Scenery("band", span.left, line - TITLE, span.right, kind_floor, str(span.session)))
        middle = (span.left + span.right) / 2
        for place, text in enumerate(span.lines):
            y = floor + LINES * (place + 0.5)
            pieces.append(Scenery("text" if place == 0 else "small", middle, y, middle, y, text))
    steps = zip(pairwise(row.places), row.skipped, pairwise(row.marks), strict=True)
    for (left, right), skipped, (before, after) in steps:
        start, end = left + half_width(before), right - half_width(after)
        pieces.append(Scenery("gap" if skipped else "line", start, line, end, line))
        count = f"{skipped}"
        if skipped and text_width(count, 9.5) + 2 < end - start:
            pieces.append(Scenery("small", (start + end) / 2, line - 9, (start + end) / 2, line - 9, count))
    return pieces
