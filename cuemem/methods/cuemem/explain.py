"""Why a turn was, or was not, recalled: at which stage it was lost and the least change that brings it in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cuemem.context import Candidate, fits, least_budget
from cuemem.knobs import knobs_of, with_settings
from cuemem.methods.cuemem.graph import CueGraph
from cuemem.methods.cuemem.reconstruction import Retrieval, expand
from cuemem.methods.cuemem.settings import Settings
from cuemem.methods.explanation import describe, outcome
from cuemem.ports import TokenCounter
from cuemem.types import Change, CueHit, Explanation


def explain_turn(
    retrieval: Retrieval, turn: int, settings: Settings, tokens: TokenCounter, budget: int | None
) -> Explanation:
    """The explanation of one turn under these settings.

    In paper mode the least w, k and m have closed forms, since more of any never drops a turn. Under a budget a
    larger context may push the turn out, so there every value from the closed form on is tried.
    """
    turn_id = retrieval.graph.turns[turn].turn_id
    candidates = retrieval.expansion(settings)
    place = _place(candidates, turn)
    least = closed_form(retrieval, turn, settings)
    if budget is None:
        inside = place is not None
        changes = least
    else:
        needed = None if place is None else least_budget(candidates, place, tokens, settings.turn_cap)
        inside = needed is not None and needed <= budget
        changes = tried_out(retrieval, turn, settings, tokens, budget, least)
        changes += () if needed is None else (Change("budget", needed),)
    chosen = None if place is None else candidates[place]
    hits = rank_cues(retrieval, turn)
    stage = outcome(in_context=inside, chosen=chosen is not None, ranked=bool(hits))
    return describe(turn_id, stage, chosen, hits, changes, settings.top_cues, "cue", () if budget is None else least)


def rank_cues(retrieval: Retrieval, turn: int) -> tuple[CueHit, ...]:
    """The cues of a turn by their rank over all of C."""
    graph = retrieval.graph
    cues = graph.cues_of(turn)
    ranked = zip(retrieval.ranking.ranks(cues), cues, strict=True)
    return tuple(CueHit(rank, cosine, graph.cues[cue]) for (rank, cosine), cue in sorted(ranked))


def closed_form(retrieval: Retrieval, turn: int, settings: Settings) -> tuple[Change, ...]:
    """Paper mode: the least w, k and m, each with the other two kept, at which the turn is in E_q.

    Within the knobs' ranges; a knob that cannot bring the turn in within its range is not named.
    """
    graph, first_rank = retrieval.graph, retrieval.first_rank
    hops = retrieval.hops(settings)
    here = hops.target == turn
    anchor_rank, neighbour_rank = hops.anchor_rank[here], hops.neighbour_rank[here]
    near = _distances(graph, turn, first_rank, settings)
    is_anchor = first_rank.get(turn, settings.top_cues + 1) <= settings.top_cues
    by_window = any(rank <= settings.top_cues and distance <= settings.window for rank, distance in near)
    linked = (anchor_rank <= settings.top_cues) & (neighbour_rank <= settings.neighbours)
    without_window = is_anchor or bool(linked.any())
    without_graph = is_anchor or by_window
    least = {
        "window": 0 if without_window else _least(d for rank, d in near if rank <= settings.top_cues),
        "neighbours": 0 if without_graph else _least(neighbour_rank[anchor_rank <= settings.top_cues].tolist()),
        "top_cues": _least(
            ([first_rank[turn]] if turn in first_rank else [])
            + [rank for rank, distance in near if distance <= settings.window]
            + anchor_rank[neighbour_rank <= settings.neighbours].tolist()
        ),
    }
    return tuple(
        Change(knob.name, value, knob.symbol)
        for knob in knobs_of(settings)
        if (value := least.get(knob.name)) is not None and value <= (knob.high or value)
    )


def tried_out(
    retrieval: Retrieval,
    turn: int,
    settings: Settings,
    tokens: TokenCounter,
    budget: int,
    least: tuple[Change, ...],
) -> tuple[Change, ...]:
    """Budget mode: the least w, k and m at which the turn is in the context, by trying each value.

    A turn must be reached before it can fit, so the search starts at the value that reaches it.
    """
    ranges = {knob.name: knob.high or 0 for knob in knobs_of(settings)}
    changes = []
    for reached in least:
        for value in range(reached.value, ranges[reached.knob] + 1):
            candidates = expand(retrieval, with_settings(settings, {reached.knob: value}))
            place = _place(candidates, turn)
            if place is not None and fits(candidates, place, tokens, budget, settings.turn_cap):
                changes.append(Change(reached.knob, value, reached.symbol))
                break
    return tuple(changes)


def _place(candidates: Sequence[Candidate], turn: int) -> int | None:
    """The place of a turn in the order of entry, from 0."""
    return next((at for at, candidate in enumerate(candidates) if candidate.turn.index == turn), None)


def _distances(graph: CueGraph, turn: int, first_rank: dict[int, int], settings: Settings) -> list[tuple[int, int]]:
    """(best cue rank, distance) of every turn that some m makes an anchor and a window could reach from."""
    sessions = graph.sessions
    return [
        (rank, abs(anchor - turn))
        for anchor, rank in first_rank.items()
        if anchor != turn and (not settings.session_break or sessions[anchor] == sessions[turn])
    ]


def _least(values: Iterable[int]) -> int | None:
    return min(values, default=None)
