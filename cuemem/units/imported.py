"""Units, traces and parsed questions made elsewhere, a JSON object a line each.

Units: ``{"unit_id", "start_turn", "end_turn", "fact_text", "triple": {subject, predicate, object}, "entities": […],
"locations": […], "time": [{start, end, granularity}]}``. Traces: ``{"members": [unit ids], "trajectory": "…"}``.
Questions: ``{"qa_index" or "question", "entities": […], "locations": […], "time": {"fact": […], "utterance": […]}}``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cuemem.errors import BadInput
from cuemem.problems import ProblemKind, ProblemList
from cuemem.text import storable
from cuemem.types import Conversation, ConversationId, MemoryUnit, Problem, Query, QueryParse, Question, Window
from cuemem.unit_ports import Trajectory, UnitExtraction
from cuemem.units.checks import UnitReader, read_parse, without_twins, words

UNIT_SHAPE = '{"unit_id": "u1", "start_turn": "D1:3", "end_turn": "D1:3", "fact_text": "Ann has a cat.", …}'
TRACE_SHAPE = '{"members": ["u1", "u7"], "trajectory": "First a cat, since May a dog too."}'
PARSE_SHAPE = '{"qa_index": 0, "entities": ["Ann"], "locations": [], "time": {"fact": [], "utterance": []}}'


@dataclass(frozen=True, slots=True)
class ImportedUnits:
    """The units of one file for one conversation; made by :func:`read_units`."""

    file: str
    sha256: str
    conversation_id: ConversationId
    units: tuple[MemoryUnit, ...] = field(repr=False)
    problems: tuple[Problem, ...] = field(default=(), repr=False)
    traces_sha256: str = ""

    @property
    def name(self) -> str:
        return "imported"

    @property
    def provenance(self) -> Mapping[str, str]:
        traces = {"traces_sha256": self.traces_sha256} if self.traces_sha256 else {}
        return {"source": self.name, "file": self.file, "sha256": self.sha256, **traces}

    def extract(
        self, conversation: Conversation, windows: Sequence[Window], anew: Collection[int] = ()
    ) -> Iterator[UnitExtraction]:
        """Each window with the units whose last line is new in it. Raises BadInput for another conversation."""
        if conversation.conversation_id != self.conversation_id:
            raise BadInput(
                f"{self.file} was read for another conversation than {conversation.title}. Import it again."
            )
        at = {line.utterance_id: window.position for window in windows for line in window.new}
        held: dict[int, list[MemoryUnit]] = {}
        for unit in self.units:
            held.setdefault(at[unit.end_turn], []).append(unit)
        for window in windows:
            yield UnitExtraction(window.position, tuple(held.get(window.position, ())))


def read_units(lines: Iterable[str], conversation: Conversation, *, file: str, sha256: str) -> ImportedUnits:
    """Read a file of units for a conversation; what cannot be used is left out and listed among the problems.

    Raises :class:`BadInput` when no usable unit is left.
    """
    problems = ProblemList(conversation.sample_id)
    reader = UnitReader(conversation, problems)
    units: list[MemoryUnit] = []
    for place, record in _records(lines, file, "unit line malformed", UNIT_SHAPE, problems):
        unit = reader.unit(record, words(record.get("unit_id")) or f"u{len(units) + 1}", place)
        if unit is not None:
            units.append(reader.index(unit, record, place))
    if not units:
        found = problems.as_tuple()
        first = f" {found[0].place}: {found[0].detail}" if found else " It is empty."
        raise BadInput(
            f"{file} has no usable memory unit for {conversation.title}.{first} "
            f"Choose the units of this conversation; a line looks like {UNIT_SHAPE}."
        )
    kept = without_twins(units, file, problems)
    return ImportedUnits(file, sha256, conversation.conversation_id, kept, problems.as_tuple())


def read_traces(
    lines: Iterable[str], units: Sequence[MemoryUnit], *, file: str
) -> tuple[tuple[Trajectory, ...], tuple[Problem, ...]]:
    """The relation clusters of a file with their trajectories, and what was wrong with it."""
    problems = ProblemList()
    known = {unit.unit_id for unit in units}
    traces = []
    for place, record in _records(lines, file, "trace malformed", TRACE_SHAPE, problems):
        members = record.get("members")
        named = [words(it) for it in members] if isinstance(members, list) else []
        if strangers := [name for name in named if name not in known]:
            problems.add(
                "unit id unknown", place, f"There is no unit {strangers[0]!r}; it was left out of its trace."
            )
        kept = tuple(dict.fromkeys(name for name in named if name in known))
        if len(kept) < 2:
            problems.add("trace malformed", place, "The trace has fewer than two units; it was left out.")
            continue
        traces.append(Trajectory(kept, words(record.get("trajectory"))))
    return tuple(traces), problems.as_tuple()


def read_parses(
    lines: Iterable[str], questions: Sequence[Question], *, file: str
) -> tuple[tuple[tuple[Query, QueryParse], ...], tuple[Problem, ...]]:
    """The parsed questions of a file, found by their place (``qa_index``) or their text, and what was wrong."""
    problems = ProblemList()
    by_index = {question.index: question for question in questions}
    by_text = {question.text: question for question in questions}
    parses: dict[Query, QueryParse] = {}
    for place, record in _records(lines, file, "parse malformed", PARSE_SHAPE, problems):
        number, text = record.get("qa_index"), record.get("question")
        known = isinstance(number, int) and not isinstance(number, bool)
        question = by_index.get(number) if known else by_text.get(words(text)) if text else None  # type: ignore[arg-type]
        if question is None:
            named = repr(number) if number is not None else repr(words(text)[:60])
            problems.add("parse question unknown", place, f"There is no question {named}; the line was left out.")
            continue
        parses[question.query] = read_parse(record, place, problems)
    return tuple(parses.items()), problems.as_tuple()


def _records(
    lines: Iterable[str], file: str, kind: ProblemKind, shape: str, problems: ProblemList
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a file with their places; blank lines are skipped, any other line is reported."""
    for number, line in enumerate(lines, start=1):
        place = f"{file}, line {number}"
        if not line.strip("\ufeff \t\r\n"):
            continue
        try:
            value = json.loads(line.lstrip("\ufeff"))
        except (ValueError, RecursionError) as error:
            problems.add(kind, place, f"The line is not JSON ({storable(str(error))}); it was left out.")
            continue
        if not isinstance(value, Mapping):
            problems.add(kind, place, f"The line has another shape than {shape}; it was left out.")
            continue
        yield place, value
