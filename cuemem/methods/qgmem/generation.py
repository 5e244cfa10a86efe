"""Section III-C: graph-augmented generation. The working memory as a local graph, and as text for a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cuemem.context import Candidate, render_statements
from cuemem.methods.qgmem.units import UnitIndex, utterance_time
from cuemem.ports import TokenCounter
from cuemem.types import ContextItem, EvidenceContext, MemoryTrace, Statement, TurnId

# A trajectory tells states of one relation apart; without one all that is known is which memory is the newest.
_WRITTEN = ("earlier state", "current state")
_UNWRITTEN = ("older", "newest")
_UNITS, _FACTS = "Evidence clusters:", "Facts:"
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A directed edge of the local graph, labelled with the predicate; ``unit`` is the unit whose fact it is."""

    source: str
    target: str
    predicate: str
    unit: int


@dataclass(frozen=True, slots=True)
class LocalGraph:
    """The working memory's facts as a graph: a plain value, for a graph encoder or to be read."""

    nodes: tuple[str, ...]
    edges: tuple[GraphEdge, ...]


def local_graph(index: UnitIndex, working: Sequence[int]) -> LocalGraph:
    """Nodes are subjects and objects, the same under case, spaces and closing marks only once, as first written.

    At most k edges and 2k nodes; a fact that two units state alike is one edge, of the better unit.
    """
    nodes: dict[str, str] = {}
    edges: dict[tuple[str, str, str], GraphEdge] = {}
    for unit in working:
        triple = index.units[unit].triple
        if not (triple.subject and triple.object):
            continue
        source, target = (nodes.setdefault(_normal(text), text) for text in (triple.subject, triple.object))
        key = (_normal(source), _normal(triple.relation), _normal(target))
        edges.setdefault(key, GraphEdge(source, target, triple.relation, unit))
    return LocalGraph(tuple(nodes.values()), tuple(edges.values()))


def _normal(text: str) -> str:
    return _SPACE.sub(" ", text).strip(" .,;:!?\"'").casefold()


def state_of(trace: MemoryTrace | None, unit: int) -> str:
    """Whether a unit is the current state of its trace or a superseded one; empty for a unit without a trace."""
    if trace is None:
        return ""
    return (_WRITTEN if trace.trajectory else _UNWRITTEN)[trace.current == unit]


@dataclass(frozen=True, slots=True)
class Serialised:
    """A working memory as text, and its labelled lines."""

    text: str
    statements: tuple[Statement, ...]


def serialise(index: UnitIndex, working: Sequence[int]) -> Serialised:
    """The paper's path for backbones behind an API: evidence clusters with labelled units, then labelled facts.

    Units are labelled MU1, MU2, … by their place in the working memory, edges of the local graph F1, F2, …; units of
    one trace stand together under its trajectory, in order of time. Without a written trajectory the newest fact
    stands there, so that a superseded unit never stands alone.
    """
    if not working:
        return Serialised("", ())
    labels = {unit: f"MU{place}" for place, unit in enumerate(working, 1)}
    clusters: dict[object, list[int]] = {}
    for unit in working:
        trace = index.trace_of.get(unit)
        clusters.setdefault(("trace", trace.index) if trace else ("unit", unit), []).append(unit)
    statements: list[Statement] = []
    for units in clusters.values():
        trace = index.trace_of.get(units[0])
        above, lead = ((_UNITS,), "- ") if trace is None else ((_UNITS, f"- {_headline(index, trace)}"), "  ")
        for unit in sorted(units):
            line = _line(index, labels[unit], unit, trace)
            statements.append(Statement(labels[unit], "unit", line, _sources(index, unit), above, lead))
    for place, edge in enumerate(local_graph(index, working).edges, 1):
        line = f"F{place} ({labels[edge.unit]}): {edge.source} | {edge.predicate} | {edge.target}"
        statements.append(Statement(f"F{place}", "fact", line, _sources(index, edge.unit), (_FACTS,)))
    return Serialised(render_statements(statements), tuple(statements))


def _headline(index: UnitIndex, trace: MemoryTrace) -> str:
    if trace.trajectory:
        return f"trajectory: {trace.trajectory}"
    newest = index.units[trace.current]
    return f"{len(trace.members)} related memories; the newest: {newest.fact_text}"


def _line(index: UnitIndex, label: str, unit: int, trace: MemoryTrace | None) -> str:
    it = index.units[unit]
    facts = [f"utterance_time {utterance_time(it)}"]
    if it.fact_time:
        facts.append(f"happened {', '.join(map(str, it.fact_time))}")
    if state := state_of(trace, unit):
        facts.append(state)
    return f"{label} ({'; '.join(facts)}): {it.fact_text}"


def _sources(index: UnitIndex, unit: int) -> tuple[TurnId, ...]:
    return tuple(turn.turn_id for turn in index.turns_of(unit))


# --- contexts ----------------------------------------------------------------------------------------------------


def turn_candidates(index: UnitIndex, working: Sequence[int]) -> list[Candidate]:
    """The source turns of the working memory in the order in which they enter a budget: by their best unit."""
    return [Candidate(index.turns[turn], "anchor") for turn in index.source_turns(working)]


def unit_context(
    index: UnitIndex, working: Sequence[int], tokens: TokenCounter, budget: int | None
) -> EvidenceContext:
    """The serialised working memory: all of it, or as many of its best units as fit the budget.

    The text grows with every unit, so halving finds how many fit; a larger budget never drops one.
    """
    fitting = len(working)
    if budget is not None:
        low = 0
        while low < fitting:
            middle = (low + fitting + 1) // 2
            low, fitting = (
                (middle, fitting) if unit_tokens(index, working[:middle], tokens) <= budget else (low, middle - 1)
            )
    made = serialise(index, working[:fitting])
    inside = index.source_turns(working[:fitting])
    later = [turn for turn in index.source_turns(working) if turn not in set(inside)]
    items = {turn: _item(index, turn, entry, made, tokens) for entry, turn in enumerate(inside, 1)}
    cut = _left_out(index, working, fitting, later, len(inside), tokens, budget) if later else ()
    text = made.text
    return EvidenceContext(
        tuple(items[turn] for turn in sorted(items)), text, tokens.count(text), budget, cut, made.statements
    )


def unit_tokens(index: UnitIndex, working: Sequence[int], tokens: TokenCounter) -> int:
    """What the serialised units cost."""
    return tokens.count(serialise(index, working).text)


def piece_costs(index: UnitIndex, tokens: TokenCounter) -> npt.NDArray[np.float64]:  # (N + R,)
    """The tokens of each unit's two lines in the serialised text, then of each trace's headline."""
    units = [
        tokens.count(_line(index, "MU1", unit.index, index.trace_of.get(unit.index)))
        + tokens.count(f"F1 (MU1): {unit.triple.subject} | {unit.triple.relation} | {unit.triple.object}")
        for unit in index.units
    ]
    return np.array([*units, *(tokens.count(_headline(index, trace)) for trace in index.traces)], float)


def _item(index: UnitIndex, turn: int, entry: int, made: Serialised, tokens: TokenCounter) -> ContextItem:
    """A source turn with the lines that it stands behind."""
    turn_id = index.turns[turn].turn_id
    text = "\n".join(it.text for it in made.statements if turn_id in it.turn_ids)
    return ContextItem(turn_id, "anchor", entry, tokens.count(text), text)


def _left_out(
    index: UnitIndex,
    working: Sequence[int],
    fitting: int,
    turns: Sequence[int],
    entered: int,
    tokens: TokenCounter,
    budget: int | None,
) -> tuple[ContextItem, ...]:
    """The source turns of the units that did not fit, each with the reason."""
    needed = unit_tokens(index, working[: fitting + 1], tokens)
    first = f"its unit would bring the context to {needed:,} tokens, over the budget of {budget:,}"
    later = "its unit comes after one that did not fit the budget"
    made = serialise(index, working)
    return tuple(
        ContextItem(
            it.turn_id,
            it.role,
            it.entry,
            it.tokens,
            it.text,
            cut=first if turn in index.spans[working[fitting]] else later,
        )
        for place, turn in enumerate(turns, entered + 1)
        for it in [_item(index, turn, place, made, tokens)]
    )
