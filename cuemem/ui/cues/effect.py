"""What a correction did to the context of the question that was looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cuemem.text import counted
from cuemem.types import Recall, TurnId

_NAMED = 6


@dataclass(frozen=True, slots=True)
class Before:
    """A recall as it was before the cues changed; ``change`` says in words what was done."""

    change: str
    question: int
    asked: tuple[Any, ...]  # conversation, method and budget
    turns: tuple[TurnId, ...]
    tokens: int
    gold: int
    turn: TurnId  # whose cues changed
    rank: int | None  # of its best cue


def sentence(before: Before, after: Recall, gold: Sequence[TurnId], rank: int | None) -> str:
    """What changed in the context, in words. ``rank`` is that of the turn's best cue now."""
    now = after.context.turn_ids
    came = [turn for turn in now if turn not in before.turns]
    left = [turn for turn in before.turns if turn not in now]
    best = f"{before.change} {_moved(before, rank)}"
    if not came and not left:
        return f"{best} The context is as before."
    said = [f"gained {_names(came)}"] if came else []
    said += [f"lost {_names(left)}"] if left else []
    found = len(set(gold) & set(now))
    evidence = f"; gold found: {before.gold} → {found} of {len(gold)}" if gold else ""
    return (
        f"{best} The context {' and '.join(said)}: "
        f"{len(before.turns):,} → {counted(len(now), 'turn')}, "
        f"{before.tokens:,} → {counted(after.context.tokens, 'token')}{evidence}."
    )


def _moved(before: Before, rank: int | None) -> str:
    """How the best cue of the turn stands for the question, before and now."""
    if rank is None:
        return f"{before.turn} has no cue now."
    about = f"For question {before.question}"
    if rank == before.rank:
        return f"{about} its best cue has rank {rank:,} as before."
    was = "it had none before" if before.rank is None else f"it was {before.rank:,}"
    return f"{about} its best cue has rank {rank:,} now; {was}."


def _names(turns: Sequence[TurnId]) -> str:
    more = len(turns) - _NAMED
    return ", ".join(turns[:_NAMED]) + (f" and {more} more" if more > 0 else "")
