"""The whole conversation: every turn, session after session, like words on a page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from cuemem.types import Recall
from cuemem.viz.graph.marks import Mark, edge_words, sentence_of, title_of
from cuemem.viz.graph.measure import text_width
from cuemem.viz.graph.picture import Link, Node, Picture, Scenery
from cuemem.viz.graph.rows import EDGE, SMALL, box_of, half_width, session_lines

PITCH = 4.0  # between two turns
HEIGHT = 46.0  # from row to row
BETWEEN = 18.0  # between two sessions in a row
TITLE_LENGTH = 120  # hundreds of turns: what the pointer shows is shorter


def whole(marks: Sequence[Mark], recall: Recall, width: float) -> Picture:
    """All turns in rows; a session starts a new row where it does not fit the rest of this one."""
    nodes: list[Node] = []
    scenery: list[Scenery] = []
    x, y, year = EDGE, HEIGHT / 2, None
    for _, group in groupby(marks, key=lambda mark: mark.turn.session):
        members = list(group)
        lines, year = session_lines(members[0].turn, year)
        label = max(text_width(line, SMALL) for line in lines) + 8
        length = label + sum(2 * half_width(mark) + PITCH for mark in members)
        if x > EDGE and x + length > width - EDGE:
            x, y = EDGE, y + HEIGHT
        left = x
        for place, line in enumerate(lines):
            at = y + (place - (len(lines) - 1) / 2) * 12
            scenery.append(
                Scenery("text" if place == 0 else "small", x + label / 2 - 2, at, x + label / 2 - 2, at, line)
            )
        x += label
        for mark in members:
            step = 2 * half_width(mark) + PITCH
            if x + step > width - EDGE:
                scenery.append(Scenery("band", left, y - 20, x, y + 20, str(mark.turn.session)))
                x, y = EDGE + label, y + HEIGHT
                left = x - PITCH
            at = x + half_width(mark)
            nodes.append(
                Node(
                    mark.node_id,
                    mark.look,
                    at,
                    y,
                    box_of(mark, at, y),
                    mark.label,
                    title_of(mark, TITLE_LENGTH),
                    mark.turn.turn_id,
                )
            )
            x += step
        scenery.append(Scenery("band", left, y - 20, x, y + 20, str(members[0].turn.session)))
        x += BETWEEN
    bands_first = sorted(scenery, key=lambda piece: piece.kind != "band")
    return Picture(
        width, y + HEIGHT / 2 + 10, tuple(nodes), _links(marks), tuple(bands_first), sentence_of(marks, recall)
    )


def _links(marks: Sequence[Mark]) -> tuple[Link, ...]:
    """The edges that brought turns in; the deciding one of each turn."""
    return tuple(
        Link(
            f"turn {edge.source}",
            f"turn {edge.target}",
            edge.kind,
            f"{edge.source} → {edge.target}: {edge_words(edge)}",
            bow=0.25 if edge.kind == "semantic" else None,
        )
        for mark in marks
        for edge in mark.via[:1]
    )
