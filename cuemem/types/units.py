"""QGMem, section III-A: atomic memory units, the windows they are taken from, their traces; and a parsed query."""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Self

from cuemem.types.dialogue import Utterance
from cuemem.types.memory import Triple

_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


@dataclass(frozen=True, slots=True)
class Interval:
    """A span of days, both ends included. A partial date (``2023``, ``2023-05``) is the whole year or month."""

    start: str
    end: str
    granularity: str = "day"

    @classmethod
    def read(cls, start: str, end: str, granularity: str = "day") -> Self:
        """The interval between two dates as written. Raises ValueError for no date, or an end before the start."""
        made = cls(start.strip(), end.strip(), granularity)
        if made.last < made.first:
            raise ValueError(f"{start} to {end} ends before it starts")
        return made

    @property
    def first(self) -> date:
        """The first day."""
        return _day(self.start, last=False)

    @property
    def last(self) -> date:
        """The last day."""
        return _day(self.end, last=True)

    def __str__(self) -> str:
        return self.start if self.start == self.end else f"{self.start} to {self.end}"


def _day(text: str, *, last: bool) -> date:
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no date like 2023-05-08, 2023-05 or 2023")
    year, month, day = (int(part) if part else None for part in match.groups())
    assert year is not None
    if month is None:
        return date(year, 12, 31) if last else date(year, 1, 1)
    if day is None:
        if not 1 <= month <= 12:
            raise ValueError(f"{text!r} has no such month")
        return date(year, month, calendar.monthrange(year, month)[1] if last else 1)
    return date(year, month, day)


@dataclass(frozen=True, slots=True)
class Window:
    """Some lines of one session that are looked at together; the first ``overlap`` of them were in the last window.

    Every utterance is new in exactly one window: units belong to the window in which their last line is new.
    """

    position: int
    lines: tuple[Utterance, ...]
    overlap: int = 0

    @property
    def new(self) -> tuple[Utterance, ...]:
        """The lines that are new here."""
        return self.lines[self.overlap :]


@dataclass(frozen=True, slots=True)
class MemoryUnit:
    """m: one independently retrievable claim, bound to the lines it was said in.

    ``start_turn`` and ``end_turn`` are the utterance ids of its evidence bounds. T^f is ``fact_time``, when it
    happened, and T^u is ``said_at``, or ``serial`` where the data counts instead of dating. ``index`` is its place in
    M, by which ties are broken; units are ordered by the end of their evidence.
    """

    index: int
    unit_id: str
    start_turn: str
    end_turn: str
    fact_text: str
    triple: Triple
    entities: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    fact_time: tuple[Interval, ...] = ()
    said_at: datetime | None = None
    serial: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryTrace:
    """r: units of one evolving relation, oldest first by memory time (indices in M); the last is the current state.

    ``trajectory`` is what a language model wrote of them, empty where none has; ``failure`` why not, if it failed.
    """

    index: int
    relation: str
    members: tuple[int, ...]
    trajectory: str = ""
    failure: str | None = None

    @property
    def current(self) -> int:
        """The unit that holds now."""
        return self.members[-1]


@dataclass(frozen=True, slots=True)
class QueryParse:
    """φ(q, t_q): what a question demands of a memory's entities, locations, factual time and utterance time."""

    entities: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    fact: tuple[Interval, ...] = ()
    utterance: tuple[Interval, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.entities or self.locations or self.fact or self.utterance)


def interval_value(interval: Interval) -> Mapping[str, Any]:
    """An interval as JSON."""
    return {"start": interval.start, "end": interval.end, "granularity": interval.granularity}
