"""What recall reads of a built memory: units, their source turns, vectors, attributes, words, and their traces."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from cuemem.context import said
from cuemem.lexical import LexicalIndex
from cuemem.methods.qgmem.attributes import EventAttributes
from cuemem.methods.qgmem.construction import traces_of
from cuemem.types import Conversation, Indices, Matrix, MemoryTrace, MemoryUnit, Turn, TurnId, spoken


class UnitIndex:
    """S = (M, R) with all that is derived of it. Read-only, thread-safe."""

    def __init__(
        self,
        conversation: Conversation,
        turns: tuple[Turn, ...],
        units: tuple[MemoryUnit, ...],
        facts: Matrix,
        attributes: EventAttributes,
        traces: tuple[MemoryTrace, ...],
    ) -> None:
        self.turns = turns
        self.units = units
        self.facts = facts  # (N, d)
        self.attributes = attributes
        self.traces = traces
        self.trace_of: Mapping[int, MemoryTrace] = traces_of(traces)
        place = {utterance.utterance_id: at for at, utterance in enumerate(conversation.utterances)}
        self._evidence = [
            conversation.utterances[place[unit.start_turn] : place[unit.end_turn] + 1] for unit in units
        ]
        turn_of = {u.utterance_id: turn.index for turn in turns for u in turn.utterances}
        self.spans: tuple[tuple[int, ...], ...] = tuple(
            tuple(dict.fromkeys(turn_of[u.utterance_id] for u in lines)) for lines in self._evidence
        )
        self._lexical: dict[bool, LexicalIndex] = {}
        self._lock = threading.Lock()

    @cached_property
    def units_of(self) -> Mapping[int, tuple[int, ...]]:
        """The units whose evidence bounds hold a turn, for each turn that has any."""
        held: dict[int, list[int]] = {}
        for unit, span in enumerate(self.spans):
            for turn in span:
                held.setdefault(turn, []).append(unit)
        return {turn: tuple(units) for turn, units in held.items()}

    @cached_property
    def heads(self) -> tuple[tuple[str, TurnId, str], ...]:
        """What names each unit in a list: its fact, the turn in which its evidence begins, its id."""
        return tuple(
            (unit.fact_text, self.turns[span[0]].turn_id, unit.unit_id)
            for unit, span in zip(self.units, self.spans, strict=True)
        )

    @cached_property
    def turn_pairs(self) -> tuple[Indices, Indices]:
        """Every unit with every turn of its evidence, as two columns."""
        return _columns([(unit, turn) for unit, span in enumerate(self.spans) for turn in span])

    @cached_property
    def trace_pairs(self) -> tuple[Indices, Indices]:
        """Every unit of a trace with its trace, as two columns."""
        return _columns([(unit, trace.index) for trace in self.traces for unit in trace.members])

    def evidence(self, unit: int) -> str:
        """The source dialogue of a unit, a line for each message."""
        return "\n".join(spoken(utterance) for utterance in self._evidence[unit])

    def turns_of(self, unit: int) -> tuple[Turn, ...]:
        """The turns in which the evidence of a unit lies."""
        return tuple(self.turns[turn] for turn in self.spans[unit])

    def utterance_time(self, unit: int) -> str:
        """T^u of a unit in words."""
        return utterance_time(self.units[unit])

    def lexical(self, *, stems: bool) -> LexicalIndex:
        """The words of every unit's fact with its evidence, indexed at the first use."""
        with self._lock:
            if stems not in self._lexical:
                documents = [f"{unit.fact_text} {self.evidence(unit.index)}" for unit in self.units]
                self._lexical[stems] = LexicalIndex(documents, stems=stems)
            return self._lexical[stems]

    def document(self, unit: int) -> str:
        """What a reranker reads of a unit: fact, source dialogue, entities, locations, both times, trajectory."""
        it = self.units[unit]
        trace = self.trace_of.get(unit)
        lines = {
            "Fact": it.fact_text,
            "Dialogue": self.evidence(unit),
            "Entities": ", ".join(it.entities),
            "Locations": ", ".join(it.locations),
            "Fact time": ", ".join(map(str, it.fact_time)),
            "Utterance time": utterance_time(it),
            "Trajectory": trace.trajectory if trace else "",
        }
        return "\n".join(f"{name}: {text}" for name, text in lines.items() if text)

    def source_turns(self, units: Sequence[int]) -> tuple[int, ...]:
        """The turns of these units, each once, in the order of the units."""
        return tuple(dict.fromkeys(turn for unit in units for turn in self.spans[unit]))


def _columns(pairs: Sequence[tuple[int, int]]) -> tuple[Indices, Indices]:
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def utterance_time(unit: MemoryUnit) -> str:
    """T^u in words; ``serial-N`` where the data counts instead of dating: larger is newer."""
    return f"serial-{unit.serial}" if unit.serial is not None else said(unit.said_at)
