"""What the numbers of a lecture say, in sentences. Pure; turn ids in them are data, so they are shown as text."""

from __future__ import annotations

from collections.abc import Sequence

from cuemem.evaluation.curves import Point
from cuemem.evaluation.ladder import Outcome, Rung
from cuemem.text import counted
from cuemem.types import TurnId
from cuemem.viz.graph.marks import clipped


def listed(names: Sequence[str], most: int = 6) -> str:
    """``a, b and c``; of many the first few and how many more."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "none"


def short(text: str, most: int = 160) -> str:
    """A text for a sentence or a row: on one line, and its beginning where it is long."""
    return clipped(" ".join(text.split()), most)


def share(part: float, whole: float) -> str:
    """A share as a whole per cent."""
    return f"{part / whole:.0%}" if whole else "0%"


def found(outcome: Outcome, gold: int) -> str:
    """``2 of 2 gold turns``."""
    return f"{len(outcome.found)} of {counted(gold, 'gold turn')}" if gold else "no gold turn to find"


def setting(symbol: str, value: int | None) -> str:
    """``w = 2``; a budget in tokens."""
    if symbol == "budget":
        return "no budget" if value is None else f"a budget of {value:,} tokens"
    return f"{symbol} = {value}"


def changed(symbol: str, before: Rung, after: Rung) -> str:
    """What a step from one value to another does: ``w = 3 instead of w = 2 adds 9 turns and 291 tokens, …``."""
    old, new = before.outcome, after.outcome
    start = f"{setting(symbol, after.value)} instead of {setting(symbol, before.value)}"
    start = start[:1].upper() + start[1:] if symbol == "budget" else start
    if old == new:
        return f"{start} changes nothing here."
    turns, tokens = new.turns - old.turns, new.tokens - old.tokens
    if turns >= 0 and tokens >= 0:
        sizes = f"adds {counted(turns, 'turn')} and {counted(tokens, 'token')}"
    elif turns <= 0 and tokens <= 0:
        sizes = f"saves {counted(-turns, 'turn')} and {counted(-tokens, 'token')}"
    else:
        sizes = f"means {_more(turns, 'turn')} and {_more(tokens, 'token')}"
    return f"{start} {sizes}; {_gold(old.found, new.found)}."


def _more(difference: int, noun: str) -> str:
    return f"{counted(abs(difference), noun)} {'more' if difference >= 0 else 'fewer'}"


def _gold(old: Sequence[TurnId], new: Sequence[TurnId]) -> str:
    won, lost = [it for it in new if it not in old], [it for it in old if it not in new]
    parts = []
    if won:
        parts.append(f"it finds {counted(len(won), 'more gold turn')} ({listed(won)})")
    if lost:
        parts.append(f"it loses {counted(len(lost), 'gold turn')} ({listed(lost)})")
    return " and ".join(parts) or "no gold turn is won or lost"


def compared_with(rungs: Sequence[Rung], value: int | None, usual: int | None) -> Rung | None:
    """What to compare the present rung with: the usual one, and that itself with the last lower one that differs."""
    place = next((at for at, rung in enumerate(rungs) if rung.value == value), None)
    if place is None:
        return None
    if value != usual:
        return next((rung for rung in rungs if rung.value == usual), None)
    lower = [rung for rung in rungs[:place] if rung.outcome != rungs[place].outcome]
    return lower[-1] if lower else next(iter([*rungs[:place], *rungs[place + 1 :]]), None)


def verdict(here: Point, rival: Point | None, m: int, of_rival: str) -> str:
    """How a rival does with at most the same tokens, over all questions, without taking sides."""
    if rival is None:
        return f"{of_rival} cannot spend as few as {here.tokens:,.0f} tokens, so there is nothing to compare."
    gap = here.recall - rival.recall
    room = (
        f" Its largest m spends only {rival.tokens:,.0f} of the {here.tokens:,.0f} tokens."
        if rival.value == m and rival.tokens < 0.9 * here.tokens
        else ""
    )
    told = f"{of_rival} with m = {rival.value} finds {rival.recall:.1%} for {rival.tokens:,.0f} tokens"
    against = f"against {here.recall:.1%} for {here.tokens:,.0f} tokens here"
    points = round(abs(100 * gap))
    if points == 0:
        return f"{told}, {against}: the same.{room}"
    return f"{told}, {against}: {counted(points, 'percentage point')} {'less' if gap > 0 else 'more'}.{room}"
