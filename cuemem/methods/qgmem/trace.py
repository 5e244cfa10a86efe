"""What a QGMem recall did, as the uniform stages that every page draws."""

from __future__ import annotations

from collections.abc import Mapping

from cuemem.methods.qgmem.activation import CHANNELS, Activation, Asked, Channel
from cuemem.methods.qgmem.generation import LocalGraph, state_of
from cuemem.methods.qgmem.settings import NO_PARSES, NO_RERANKER, Settings
from cuemem.methods.qgmem.units import UnitIndex
from cuemem.methods.stages import context_stage, query_stage
from cuemem.text import counted
from cuemem.types import EvidenceContext, QueryParse, Stage, StageItem

TITLES: Mapping[Channel, str] = {
    "lexical": "Lexical channel",
    "dense": "Dense channel",
    "attributes": "Event-attribute channel",
}
MEASURES: Mapping[Channel, str] = {"lexical": "BM25", "dense": "cosine", "attributes": "S_ELT"}


def stages(
    asked: Asked,
    settings: Settings,
    activation: Activation,
    graph: LocalGraph,
    context: EvidenceContext,
    model: str,
    seconds: tuple[float, float],
) -> tuple[Stage, ...]:
    """Query → parse → three ranked lists → fusion → rerank → working memory → local graph → context."""
    building, rendering = seconds
    index = asked.index
    return (
        query_stage(model, asked.encoding_of(settings)),
        _parse(asked, settings),
        *(_channel(name, asked, settings, activation) for name in CHANNELS),
        _fusion(index, settings, activation),
        _rerank(asked, settings, activation),
        _working(index, settings, activation),
        _graph(index, graph, building),
        context_stage(context, rendering),
    )


def _parse(asked: Asked, settings: Settings) -> Stage:
    parse = asked.parse(settings)
    if parse is None:
        why = (
            "no parse is used"
            if settings.parses == NO_PARSES
            else f"this question has no parse from {settings.parses!r}"
        )
        return Stage("parse", "Query parse", f"{why}, so there is no event-attribute channel", ())
    items = [StageItem(text, note="entity") for text in parse.entities]
    items += [StageItem(text, note="location") for text in parse.locations]
    items += [StageItem(str(it), note="when it happened") for it in parse.fact]
    items += [StageItem(str(it), note="when it was said") for it in parse.utterance]
    return Stage("parse", "Query parse", _demands(parse), tuple(items), measure="")


def _demands(parse: QueryParse) -> str:
    parts = [
        counted(len(parse.entities), "entity"),
        counted(len(parse.locations), "location"),
        counted(len(parse.fact) + len(parse.utterance), "time"),
    ]
    return ", ".join(part for part in parts if not part.startswith("0 ")) or "it demands nothing"


def _channel(name: Channel, asked: Asked, settings: Settings, activation: Activation) -> Stage:
    found = activation.lists.get(name)
    if found is None:
        why = "off" if not getattr(settings, name) else "without a parsed question"
        return Stage(name, TITLES[name], why, (), measure=MEASURES[name], group="channels")
    index = asked.index
    heads = [index.heads[unit] for unit in found.units.tolist()]
    rows = zip(heads, range(1, len(heads) + 1), found.scores.tolist(), strict=True)
    items = tuple([StageItem(fact, turn, rank, score, name) for (fact, turn, name), rank, score in rows])
    summary = f"the best {len(items):,} of {len(index.units):,} units"
    return Stage(name, TITLES[name], summary, items, activation.seconds[name], MEASURES[name], "channels")


def _unit(index: UnitIndex, unit: int, rank: int, score: float | None, note: str = "") -> StageItem:
    fact, turn, unit_id = index.heads[unit]
    return StageItem(fact, turn, rank, score, f"{unit_id}; {note}" if note else unit_id)


def _fusion(index: UnitIndex, settings: Settings, activation: Activation) -> Stage:
    fused = activation.fused
    rows = enumerate(zip(fused.units.tolist(), fused.scores.tolist(), strict=True), 1)
    ranks = [(name, it.rank) for name, it in activation.lists.items()]
    items = tuple(
        _unit(index, unit, rank, score, ", ".join([f"{name} {held.get(unit, '–')}" for name, held in ranks]))
        for rank, (unit, score) in rows
    )
    summary = (
        f"the best {len(items):,} by reciprocal ranks (κ = {settings.rrf_constant}) of {len(activation.lists)} lists"
    )
    return Stage("fusion", "Fusion", summary, items, activation.seconds["fusion"], "RRF")


def _rerank(asked: Asked, settings: Settings, activation: Activation) -> Stage:
    if settings.reranker == NO_RERANKER:
        return Stage("rerank", "Rerank", "no reranker: the order of the fusion is kept", (), measure="")
    name = asked.reranker(settings).name
    items = tuple(
        _unit(asked.index, unit, rank, activation.rerank_scores[unit], f"fusion {activation.fused.rank[unit]}")
        for rank, unit in enumerate(activation.ranked.tolist(), 1)
    )
    summary = f"{counted(len(items), 'unit')} scored by {name}"
    return Stage("rerank", "Rerank", summary, items, activation.seconds["rerank"], "score")


def _working(index: UnitIndex, settings: Settings, activation: Activation) -> Stage:
    items = []
    for rank, unit in enumerate(activation.working(settings), 1):
        trace = index.trace_of.get(unit)
        state = state_of(trace, unit)
        items.append(_unit(index, unit, rank, None, f"{state} of {len(trace.members)}" if trace else ""))
    summary = f"the best k = {settings.working_memory} of {counted(len(activation.ranked), 'unit')}"
    return Stage("working", "Working memory", summary, tuple(items), measure="")


def _graph(index: UnitIndex, graph: LocalGraph, seconds: float) -> Stage:
    items = tuple(
        StageItem(
            f"{edge.source} → {edge.predicate} → {edge.target}",
            index.turns[index.spans[edge.unit][0]].turn_id,
            note=index.units[edge.unit].unit_id,
        )
        for edge in graph.edges
    )
    summary = f"{counted(len(graph.nodes), 'node')}, {counted(len(graph.edges), 'edge')}"
    return Stage("graph", "Local graph", summary, items, seconds, measure="")
