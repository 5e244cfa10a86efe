"""What makes a record a memory unit: evidence bounds that exist, a fact, an index of readable attributes.

Shared by imported files and language models. What cannot be used is left out and reported, never swallowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cuemem.problems import ProblemList
from cuemem.text import storable
from cuemem.types import Conversation, Interval, MemoryUnit, QueryParse, Triple, Window

PARTS = ("subject", "predicate", "object")
_SHOWN = 60


class UnitReader:
    """Reads units of one conversation, or of one window of it, and collects what was wrong with them."""

    def __init__(self, conversation: Conversation, problems: ProblemList, window: Window | None = None) -> None:
        lines = window.lines if window else conversation.utterances
        self._place = {line.utterance_id: at for at, line in enumerate(lines)}
        self._session = {line.utterance_id: line.session for line in lines}
        self._new = None if window is None else {line.utterance_id for line in window.new}
        self.problems = problems

    def unit(self, record: Mapping[str, Any], unit_id: str, place: str) -> MemoryUnit | None:
        """The unit without its attributes; None, and a problem, for one that cannot be bound to its evidence."""
        fact = words(record.get("fact_text"))
        if not fact:
            self.problems.add("unit without fact", place, "The unit states no fact; it was left out.")
            return None
        bounds = self._bounds(record, place, fact)
        if bounds is None:
            return None
        triple = record.get("triple")
        parts = [words(triple.get(part)) for part in PARTS] if isinstance(triple, Mapping) else ["", "", ""]
        if not all(parts):
            self.problems.add("unit triple incomplete", place, f"“{_short(fact)}” has no whole triple; it was kept.")
        return MemoryUnit(0, unit_id, *bounds, fact, Triple(*parts))

    def _bounds(self, record: Mapping[str, Any], place: str, fact: str) -> tuple[str, str] | None:
        """The first and the last line of the evidence, or None and a problem."""
        start, end = words(record.get("start_turn")), words(record.get("end_turn"))
        for name in (start, end):
            if name not in self._place:
                missing = f"names {name!r}" if name else "does not say which turn it comes from"
                detail = f"“{_short(fact)}” {missing}, which is no turn here; it was left out."
                self.problems.add("unit turn unknown", place, detail)
                return None
        if self._place[end] < self._place[start]:
            detail = f"“{_short(fact)}” runs from {start} back to {end}; the two were exchanged."
            self.problems.add("unit bounds reversed", place, detail)
            start, end = end, start
        if self._session[start] != self._session[end]:
            detail = f"“{_short(fact)}” runs from {start} to {end}, over a border of sessions; it was left out."
            self.problems.add("unit across sessions", place, detail)
            return None
        # The overlap comes first, so evidence that ends in it lies in it whole.
        if self._new is not None and end not in self._new:
            detail = f"“{_short(fact)}” has its evidence ({start} to {end}) only in lines that were there before."
            self.problems.add("unit in overlap only", place, detail)
            return None
        return start, end

    def index(self, unit: MemoryUnit, record: Mapping[str, Any], place: str) -> MemoryUnit:
        """The unit with its retrieval index: entities, locations, and the times that can be read."""
        return replace(
            unit,
            entities=tuple(self._texts(record, "entities", place)),
            locations=tuple(self._texts(record, "locations", place)),
            fact_time=tuple(self._times(record.get("time"), place)),
        )

    def _texts(self, record: Mapping[str, Any], name: str, place: str) -> list[str]:
        return texts(record.get(name), name, place, self.problems)

    def _times(self, value: Any, place: str) -> Iterator[Interval]:
        entries = value if isinstance(value, list) else [] if value is None else [value]
        for entry in entries:
            try:
                if not isinstance(entry, Mapping):
                    raise TypeError(f"{str(entry)[:_SHOWN]!r} is no object with start and end")
                start, end = words(entry.get("start")), words(entry.get("end"))
                yield Interval.read(start or end, end or start, words(entry.get("granularity")) or "day")
            except (TypeError, ValueError) as error:
                self.problems.add("unit interval invalid", place, f"{storable(str(error))}; the time was left out.")


def texts(value: Any, name: str, place: str, problems: ProblemList) -> list[str]:
    """A list of texts, each once; what is none is reported and left out."""
    entries = value if isinstance(value, list) else [] if value is None else [value]
    found = []
    for entry in entries:
        text = words(entry)
        if text:
            found.append(text)
        elif not isinstance(entry, str):
            detail = f"{str(entry)[:_SHOWN]!r} among the {name} is no text; it was left out."
            problems.add("unit attribute malformed", place, detail)
    return list(dict.fromkeys(found))


def read_parse(record: Mapping[str, Any], place: str, problems: ProblemList) -> QueryParse:
    """A parsed question; times are ``YYYY-MM-DD``, partial ones too, or two with ``..`` between them."""
    time = record.get("time")
    times = time if isinstance(time, Mapping) else {}
    return QueryParse(
        tuple(texts(record.get("entities"), "entities", place, problems)),
        tuple(texts(record.get("locations"), "locations", place, problems)),
        tuple(_spans(times.get("fact"), place, problems)),
        tuple(_spans(times.get("utterance"), place, problems)),
    )


def _spans(value: Any, place: str, problems: ProblemList) -> Iterator[Interval]:
    for text in texts(value, "times", place, problems):
        start, _, end = text.partition("..")
        try:
            yield Interval.read(start, end or start)
        except ValueError as error:
            problems.add("parse interval invalid", place, f"{storable(str(error))}; the time was left out.")


def words(value: Any) -> str:
    """A text on one line that every store can hold; anything but a text or a number is empty."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(storable(str(value)).split())


def without_twins(units: Sequence[MemoryUnit], place: str, problems: ProblemList) -> tuple[MemoryUnit, ...]:
    """The units with ids of their own: a later one of an id that is taken gets another."""
    taken: set[str] = set()
    kept = []
    for unit in units:
        wanted, number = unit.unit_id, 1
        while wanted in taken:
            number += 1
            wanted = f"{unit.unit_id}#{number}"
        if wanted != unit.unit_id:
            problems.add("unit id repeated", place, f"Two units are called {unit.unit_id!r}; one is now {wanted!r}.")
        taken.add(wanted)
        kept.append(replace(unit, unit_id=wanted))
    return tuple(kept)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rstrip()}…"
