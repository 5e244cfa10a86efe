"""The line of time: which turns stand in which row, and where along it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise

from cuemem.types import Turn
from cuemem.viz.graph.marks import Mark
from cuemem.viz.graph.measure import text_width
from cuemem.viz.graph.picture import Box, Look

LABEL = 12.0  # font size of what stands in or under a turn
SMALL = 10.5  # font size of session labels
EDGE = 4.0  # room at both ends of a row
PAD = 2.0  # between two turns that follow each other
SKIP = 8.0  # more, where turns between them are not shown
MARGIN = 3.0  # inside a session's band
STRETCH = 30.0  # the most that turns are spread to fill a row
LINES = 15.0  # height of a line of session label

# Half the width of the shapes as vis draws them with the sizes in looks.py.
HALF: dict[Look, float] = {
    "temporal": 6.0,
    "semantic": 7.5,
    "history": 6.0,
    "cut": 5.5,
    "other": 5.0,
    "missed": 12.0,
    "found anchor": 15.0,
    "found temporal": 13.0,
    "found semantic": 13.0,
    "found history": 13.0,
}


@dataclass(frozen=True, slots=True)
class Span:
    """A session's part of a row: its band from ``left`` to ``right`` and the lines written beneath."""

    session: int
    left: float
    right: float
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Turns on one line. ``places`` are their x; ``skipped[i]`` turns lie unseen between i and i + 1."""

    marks: tuple[Mark, ...]
    places: tuple[float, ...]
    skipped: tuple[int, ...]
    spans: tuple[Span, ...]


def half_width(mark: Mark) -> float:
    """Half the room that a turn and its label take along the line."""
    return _half(mark.look, mark.label)


@lru_cache(maxsize=1024)
def _half(look: Look, label: str) -> float:
    room = text_width(label, LABEL)
    return max(24.0, room + 8.0) / 2 if look == "anchor" else max(HALF[look], room / 2 + 1)


def box_of(mark: Mark, x: float, y: float) -> Box:
    """The space of a turn whose shape is centred at (x, y), with the label beneath it where it has one."""
    half = half_width(mark)
    if mark.look == "anchor":
        return Box(x, y, 2 * half, 24.0)
    shape = HALF[mark.look]
    below = LINES if mark.label else 0.0
    return Box(x, y + below / 2, 2 * half, 2 * shape + below)


def split_rows(marks: Sequence[Mark], width: float) -> list[list[Mark]]:
    """The turns in as few rows as fit the width, about equally full.

    A row ends where turns are left out, so that neighbours stay side by side, unless a run is longer than a row.
    """
    rows = _fill(marks, width)
    if len(rows) > 1 and len(marks) <= 160:  # evening out is for the eye; long histories fill their rows anyway
        low, high = width / len(rows), width
        for _ in range(5):
            middle = (low + high) / 2
            if len(tried := _fill(marks, middle)) <= len(rows):
                rows, high = tried, middle
            else:
                low = middle
    return rows


def _fill(marks: Sequence[Mark], width: float) -> list[list[Mark]]:
    rows: list[list[Mark]] = []
    row: list[Mark] = []
    ruler = _Ruler()
    for run in _runs(marks):
        pieces = [run] if _Ruler().with_turns(run).length <= width else [[mark] for mark in run]
        for piece in pieces:
            longer = ruler.with_turns(piece)
            if row and longer.length > width:
                rows.append(row)
                row, longer = [], _Ruler().with_turns(piece)
            row += piece
            ruler = longer
    return [*rows, row] if row else rows


@dataclass(frozen=True, slots=True)
class _Ruler:
    """The least width of a row, turn by turn: the sessions behind it, and the one that it ends with."""

    behind: float = 2 * EDGE
    inner: float = 0.0
    label: float = 0.0
    last: Mark | None = None

    @property
    def length(self) -> float:
        """The width so far."""
        return self.behind + max(self.inner, self.label)

    def with_turns(self, marks: Sequence[Mark]) -> _Ruler:
        """The ruler after these turns too."""
        behind, inner, label, last = self.behind, self.inner, self.label, self.last
        for mark in marks:
            gap = 0.0 if last is None else _gap(last, mark)
            if last is not None and last.turn.session == mark.turn.session:
                inner += gap + 2 * half_width(mark)
            else:
                behind += max(inner, label) + gap
                inner, label = 2 * MARGIN + 2 * half_width(mark), _label_width(mark.turn)
            last = mark
        return _Ruler(behind, inner, label, last)


def _runs(marks: Sequence[Mark]) -> list[list[Mark]]:
    """Turns that follow each other in the conversation without a gap."""
    numbered = enumerate(marks)
    return [
        [mark for _, mark in group] for _, group in groupby(numbered, key=lambda pair: pair[1].turn.index - pair[0])
    ]


def _gap(before: Mark, mark: Mark) -> float:
    """The least room between a turn and the one before it in the row."""
    return PAD + (SKIP if mark.turn.index != before.turn.index + 1 else 0.0)


def _label_width(turn: Turn) -> float:
    """The room that a session's label needs; a year beneath it is never the widest line."""
    return max(text_width(line, SMALL) for line in session_lines(turn, None)[0]) + 4


def _session_sides(marks: Sequence[Mark]) -> list[tuple[float, float]]:
    """Room left of and right of each turn that its session needs: its margins, and the width of its label."""
    sides: list[tuple[float, float]] = []
    for _, group in groupby(marks, key=lambda mark: mark.turn.session):
        members = list(group)
        inner = 2 * MARGIN + sum(2 * half_width(mark) for mark in members)
        inner += sum(_gap(before, after) for before, after in pairwise(members))
        side = MARGIN + max(0.0, _label_width(members[0].turn) - inner) / 2
        own = [(0.0, 0.0)] * len(members)
        own[0] = (side, own[0][1])
        own[-1] = (own[-1][0], side)
        sides += own
    return sides


def session_lines(turn: Turn, year: int | None) -> tuple[tuple[str, ...], int | None]:
    """What is written under a session: its number and its day, and the year where it is new."""
    if turn.time is None:
        return (f"S{turn.session}", "undated"), year
    day = (f"S{turn.session}", f"{turn.time.day} {turn.time:%b}")
    return (day if turn.time.year == year else (*day, f"{turn.time.year}")), turn.time.year


def place_row(marks: Sequence[Mark], width: float) -> Row:
    """Where the turns of one row stand: spread over the width as far as that looks like one line."""
    sides, halves = _session_sides(marks), [half_width(mark) for mark in marks]
    gaps = [_gap(before, after) for before, after in pairwise(marks)]
    skipped = [after.turn.index - before.turn.index - 1 for before, after in pairwise(marks)]
    weights = [1.0 if count == 0 else 2.0 for count in skipped]
    free = max(0.0, width - _Ruler().with_turns(marks).length)
    unit = min(STRETCH, free / (sum(weights) + 2.0))
    x = EDGE + (free - unit * (sum(weights) + 2.0)) / 2 + unit + sides[0][0] + halves[0]
    places = [x]
    for at in range(1, len(marks)):
        apart = sides[at - 1][1] + sides[at][0] + gaps[at - 1] + unit * weights[at - 1]
        places.append(places[-1] + halves[at - 1] + apart + halves[at])
    return Row(tuple(marks), tuple(places), tuple(skipped), _spans(marks, places, sides, unit, width))


def _spans(
    marks: Sequence[Mark],
    places: Sequence[float],
    sides: Sequence[tuple[float, float]],
    unit: float,
    width: float,
) -> tuple[Span, ...]:
    """The bands of the sessions, side by side, their borders midway between the turns they part."""
    spans: list[Span] = []
    year: int | None = None
    for _, group in groupby(range(len(marks)), key=lambda at: marks[at].turn.session):
        members = list(group)
        first, last = members[0], members[-1]
        lines, year = session_lines(marks[first].turn, year)
        left = places[first] - half_width(marks[first]) - sides[first][0] - (unit / 2 if first == 0 else 0)
        right = places[last] + half_width(marks[last]) + sides[last][1] + (unit / 2 if last == len(marks) - 1 else 0)
        if spans:
            border = (spans[-1].right + left) / 2
            spans[-1] = Span(spans[-1].session, spans[-1].left, border, spans[-1].lines)
            left = border
        spans.append(Span(marks[first].turn.session, max(0.0, left), min(width, right), lines))
    return tuple(spans)
