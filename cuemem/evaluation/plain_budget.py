"""The plain counter of published comparisons: turns in rank order, a quarter of a token a character.

A turn costs len("[date] Name: text (image: caption)") / 4 tokens, its date included, and turns enter until the first
that does not fit. Real contexts fit more (one date for each session, a real tokenizer): compare only under one
counter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from cuemem.types import Turn, TurnId, spoken

_CHARACTERS = 4


def plain_cost(turn: Turn) -> float:
    """What a turn costs; the date as LoCoMo writes it."""
    return sum(len(f"[{_date(turn)}] {spoken(it)}") for it in turn.utterances) / _CHARACTERS


def _date(turn: Turn) -> str:
    """``1:56 pm on 8 May, 2023``."""
    time = turn.time
    if time is None:
        return ""
    half = "am" if time.hour < 12 else "pm"
    return f"{time.hour % 12 or 12}:{time:%M} {half} on {time.day} {time:%B, %Y}"


def recall_within(
    ranking: Iterable[TurnId], gold: Collection[TurnId], costs: Mapping[TurnId, float], budgets: Sequence[int]
) -> list[float]:
    """The share of the gold among the turns that fit, for each of the budgets."""
    ranked = list(ranking)
    found = []
    for budget in budgets:
        spent, inside = 0.0, set()
        for turn_id in ranked:
            if spent + costs[turn_id] > budget:
                break
            spent += costs[turn_id]
            inside.add(turn_id)
        found.append(len(inside & set(gold)) / len(set(gold)))
    return found
