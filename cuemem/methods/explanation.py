"""The words of an explanation, shared by all methods: the stage of loss and what would recover the turn."""

from __future__ import annotations

from collections.abc import Sequence

from cuemem.context import Candidate
from cuemem.types import Change, CueHit, Explanation, LossStage, TurnId


def outcome(*, in_context: bool, chosen: bool, ranked: bool) -> LossStage:
    """The stage at which a turn was lost: no cue → below m and not reached → cut by budget → in context."""
    if in_context:
        return "in context"
    if chosen:
        return "cut by budget"
    return "below m" if ranked else "no cue"


def describe(
    turn_id: TurnId,
    stage: LossStage,
    chosen: Candidate | None,
    hits: Sequence[CueHit],
    changes: Sequence[Change],
    most: int,
    ranked_thing: str,
    uncapped: Sequence[Change] = (),
) -> Explanation:
    """An explanation with its sentence. ``most`` is m, ``ranked_thing`` what the method ranks ("cue", "turn").

    ``uncapped`` are the changes that would bring the turn in if there were no budget.
    """
    rank = hits[0].rank if hits else None
    role = chosen.role if chosen else None
    via = chosen.via if chosen else ()
    reason = _reason(stage, chosen, rank, most, ranked_thing)
    sentence = f"{turn_id} {reason}{remedy(stage, changes, uncapped)}"
    return Explanation(turn_id, stage, role, via, tuple(hits), rank, tuple(changes), sentence, tuple(uncapped))


def _reason(stage: LossStage, chosen: Candidate | None, rank: int | None, most: int, thing: str) -> str:
    if stage == "no cue":
        return f"was lost before retrieval: it has no {thing}, and no anchor reaches it."
    if stage == "below m":
        return f"was lost at retrieval: its best {thing} has rank {rank}, below m = {most}, and no anchor reaches it."
    how = "is in the context" if stage == "in context" else "was chosen but cut by the budget"
    if chosen is None or not chosen.via:
        return f"{how}: its best {thing} has rank {rank}." if rank else f"{how}."
    edge = chosen.via[0]
    link = f"{edge.rank} turn{'s' if edge.rank > 1 else ''} away from" if edge.kind == "temporal" else "linked to"
    cosine = f" (cosine {edge.cosine:.3f}, neighbour {edge.rank})" if edge.cosine is not None else ""
    return f"{how} as a {edge.kind} neighbour: {link} anchor {edge.source}{cosine}."


def remedy(stage: LossStage, changes: Sequence[Change], uncapped: Sequence[Change]) -> str:
    """What would recover a lost turn, as a sentence after a blank; empty for a turn that is in the context."""
    if stage == "in context":
        return ""
    if changes:
        return f" {_listed(changes)} would bring it in."
    if uncapped:
        return f" No single change would bring it in under this budget; without one, {_listed(uncapped)} would."
    return " No single change within the ranges would bring it in."


def _listed(changes: Sequence[Change]) -> str:
    return " or ".join(str(change) for change in changes)
