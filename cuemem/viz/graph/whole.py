"""The whole conversation: every turn, session after session, like words on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from cuemem.types import Recall
from cuemem.viz.graph.marks import Mark, edge_words, sentence_of, title_of
from cuemem.viz.graph.measure import text_width
from cuemem.viz.graph.picture import Link, Node, Picture, Scenery
from cuemem.viz.graph.rows import EDGE, SMALL, box_of, half_width, session_lines

PITCH = 4.0  # between two turns
HEIGHT = 46.0  # from row to row
BAND = 20.0  # half the height of a session's band
BETWEEN = 18.0  # between two sessions in a row
TOP = 40.0  # the first row: the id of a selected turn stands above it
TITLE_LENGTH = 120  # hundreds of turns: what the pointer shows is shorter


def whole(marks: Sequence[Mark], recall: Recall, width: float) -> Picture:
    """All turns in rows; a session starts a new row where it does not fit the rest of this one."""
    pen = _Pen(width)
    year: int | None = None
    for _, group in groupby(marks, key=lambda mark: mark.turn.session):
        members = list(group)
        lines, year = session_lines(members[0].turn, year)
        pen.session(lines, members)
    height = pen.y + HEIGHT / 2 + 10
    scenery = (*pen.bands, *pen.labels)
    return Picture(width, height, tuple(pen.nodes), _links(marks, pen.nodes), scenery, sentence_of(marks, recall))


@dataclass
class _Pen:
    """Writes turns into rows, and knows where it stands."""

    width: float
    x: float = EDGE
    y: float = TOP
    nodes: list[Node] = field(default_factory=list)
    bands: list[Scenery] = field(default_factory=list)
    labels: list[Scenery] = field(default_factory=list)

    def session(self, lines: Sequence[str], marks: Sequence[Mark]) -> None:
        """A session's label and its turns; one longer than a row goes on in the next, indented by its label."""
        label = max(text_width(line, SMALL) for line in lines) + 8
        length = label + sum(2 * half_width(mark) + PITCH for mark in marks)
        if self.x > EDGE and self.x + length > self.width - EDGE:
            self._new_row()
        left, number = self.x, str(marks[0].turn.session)
        self._label(lines, left + label / 2 - 2)
        self.x += label
        for mark in marks:
            if self.x + 2 * half_width(mark) > self.width - EDGE:
                self._band(left, number)
                self._new_row()
                left, self.x = EDGE + label - PITCH, EDGE + label
            self._turn(mark)
        self._band(left, number)
        self.x += BETWEEN

    def _new_row(self) -> None:
        self.x, self.y = EDGE, self.y + HEIGHT

    def _label(self, lines: Sequence[str], x: float) -> None:
        for place, line in enumerate(lines):
            y = self.y + (place - (len(lines) - 1) / 2) * 12
            self.labels.append(Scenery("small" if place else "text", x, y, x, y, line))

    def _turn(self, mark: Mark) -> None:
        half = half_width(mark)
        x, y, title = self.x + half, self.y, title_of(mark, TITLE_LENGTH)
        box = box_of(mark, x, y)
        self.nodes.append(Node(mark.node_id, mark.look, x, y, box, mark.label, title, mark.turn.turn_id))
        self.x += 2 * half + PITCH

    def _band(self, left: float, number: str) -> None:
        self.bands.append(Scenery("band", left, self.y - BAND, self.x, self.y + BAND, number))


def _links(marks: Sequence[Mark], nodes: Sequence[Node]) -> tuple[Link, ...]:
    """The deciding edge of each turn; a temporal one only where it runs along a row."""
    row = {node.node_id: node.y for node in nodes}
    links = []
    for mark in marks:
        for edge in mark.via[:1]:
            source, target = f"turn {edge.source}", f"turn {edge.target}"
            if edge.kind == "semantic" or row[source] == row[target]:
                title = f"{edge.source} → {edge.target}: {edge_words(edge)}"
                bow = 0.25 if edge.kind == "semantic" else None
                links.append(Link(source, target, edge.kind, title, bow=bow))
    return tuple(links)
