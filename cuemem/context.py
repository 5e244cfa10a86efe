"""From chosen turns to the evidence context E_q: chronological rendering and the token budget (section 4.3).

Shared by every method, so that methods differ only in the turns they choose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from cuemem.ports import TokenCounter
from cuemem.types import ContextItem, ContextRole, Edge, EvidenceContext, Statement, Turn, TurnId

GAP = "…"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A turn that a method wants in the context; candidates come in the order in which they may enter."""

    turn: Turn
    role: ContextRole
    via: tuple[Edge, ...] = ()


def said(time: datetime | None) -> str:
    """A date as a reader and a model need it, weekday included: ``Monday, 8 May 2023, 13:56``."""
    return "date unknown" if time is None else f"{time:%A}, {time.day} {time:%B %Y, %H:%M}"


def session_header(turn: Turn) -> str:
    """The line that opens each session shown in a context."""
    return f"[Session {turn.session} · {said(turn.time)}]"


def render(lines: Sequence[tuple[Turn, str]]) -> str:
    """Turns in chronological order as one text: a dated header for each session, ``…`` where turns are missing."""
    parts: list[str] = []
    previous: Turn | None = None
    for turn, text in lines:
        if turn.index != (previous.index + 1 if previous else 0):
            parts.append(GAP)
        if previous is None or turn.session != previous.session:
            parts.append(session_header(turn))
        parts.append(text)
        previous = turn
    return "\n".join(parts)


def assemble(
    candidates: Sequence[Candidate],
    tokens: TokenCounter,
    budget: int | None = None,
    turn_cap: int | None = None,
) -> EvidenceContext:
    """The context made of the candidates: all of them, or as many as enter before one does not fit the budget.

    In budget mode a turn longer than ``turn_cap`` tokens is first cut in the middle. Tokens are counted on the
    rendered context. A larger budget never drops a turn.
    """
    items = [_item(candidate, entry, tokens, budget, turn_cap) for entry, candidate in enumerate(candidates, 1)]
    turns = [candidate.turn for candidate in candidates]
    fitting = len(items) if budget is None else _fitting(turns, items, tokens, budget)
    order = sorted(range(fitting), key=lambda place: turns[place].index)
    text = render([(turns[place], items[place].text) for place in order])
    cut = (
        _left_out(items, fitting, _prefix_tokens(turns, items, fitting + 1, tokens), budget)
        if fitting < len(items)
        else ()
    )
    return EvidenceContext(tuple(items[place] for place in order), text, tokens.count(text), budget, cut)


def least_budget(
    candidates: Sequence[Candidate], wanted: int, tokens: TokenCounter, turn_cap: int | None = None
) -> int:
    """The least budget at which the candidate at place ``wanted`` (from 0) is in the context."""
    items = [_item(candidate, 0, tokens, 1, turn_cap) for candidate in candidates[: wanted + 1]]
    return _prefix_tokens([candidate.turn for candidate in candidates], items, wanted + 1, tokens)


def fits(
    candidates: Sequence[Candidate],
    wanted: int,
    tokens: TokenCounter,
    budget: int,
    turn_cap: int | None = None,
) -> bool:
    """Whether the candidate at place ``wanted`` (from 0) enters the budget, without rendering what is far over."""
    items = [_item(candidate, 0, tokens, budget, turn_cap) for candidate in candidates[: wanted + 1]]
    # Joining lines can merge no more than a token or two at each border.
    if sum(item.tokens - 2 for item in items) > budget:
        return False
    return _prefix_tokens([candidate.turn for candidate in candidates], items, wanted + 1, tokens) <= budget


def _item(
    candidate: Candidate, entry: int, tokens: TokenCounter, budget: int | None, turn_cap: int | None
) -> ContextItem:
    text = candidate.turn.text
    count = tokens.count(text)
    shortened = budget is not None and turn_cap is not None and count > turn_cap
    if shortened and turn_cap is not None:
        text = tokens.shorten(text, turn_cap)
        count = tokens.count(text)
    return ContextItem(candidate.turn.turn_id, candidate.role, entry, count, text, candidate.via, shortened)


def _prefix_tokens(turns: Sequence[Turn], items: Sequence[ContextItem], size: int, tokens: TokenCounter) -> int:
    """The tokens of the rendered context of the first ``size`` candidates."""
    order = sorted(range(size), key=lambda place: turns[place].index)
    return tokens.count(render([(turns[place], items[place].text) for place in order]))


def _fitting(turns: Sequence[Turn], items: Sequence[ContextItem], tokens: TokenCounter, budget: int) -> int:
    """How many candidates enter before the next one does not fit.

    Each turn adds at least its name line, which is more than the gap mark it may remove, so the rendered size
    grows with every entry; the search starts at an estimate and walks to the border.
    """
    size, spent = 0, 0
    while size < len(items) and spent + items[size].tokens <= budget:
        spent += items[size].tokens + 1
        size += 1
    while size > 0 and _prefix_tokens(turns, items, size, tokens) > budget:
        size -= 1
    while size < len(items) and _prefix_tokens(turns, items, size + 1, tokens) <= budget:
        size += 1
    return size


def _left_out(items: Sequence[ContextItem], fitting: int, needed: int, budget: int | None) -> tuple[ContextItem, ...]:
    """The turns that did not enter, each with the reason."""
    first = f"would bring the context to {needed:,} tokens, over the budget of {budget:,}"
    later = "comes after a turn that did not fit the budget"
    return tuple(
        replace(item, cut=first if place == fitting else later)
        for place, item in enumerate(items)
        if place >= fitting
    )


def render_statements(statements: Sequence[Statement]) -> str:
    """Statements as one text, in their order: each under the lines that open its part, which stand once."""
    lines: list[str] = []
    over: tuple[str, ...] = ()
    for it in statements:
        same = 0
        while same < min(len(over), len(it.above)) and over[same] == it.above[same]:
            same += 1
        lines += [*it.above[same:], f"{it.lead}{it.text}"]
        over = it.above
    return "\n".join(lines)


def keep_newest(
    context: EvidenceContext, turns: Sequence[Turn], tokens: TokenCounter, budget: int, reason: str
) -> EvidenceContext:
    """The context without its oldest part, so that it has at most ``budget`` tokens; its turns join what was cut.

    For what a model cannot read because its window is too small. Turns go one by one and keep their text as it was
    chosen. A context of statements stays one: those go that were said first, all that were said last in the same
    turn together.
    """
    ages = _ages(context, turns)
    steps = [*(sum(it < age for it in ages) for age in sorted(set(ages))), len(ages)]
    low, high = 0, len(steps) - 1  # the fewest to drop: what is left shrinks with every drop, so halving finds it
    while low < high:
        middle = (low + high) // 2
        enough = tokens.count(_newer(context, turns, ages, steps[middle])[0]) <= budget
        low, high = (low, middle) if enough else (middle + 1, high)
    return without_oldest(context, turns, tokens, steps[low], reason)


def without_oldest(
    context: EvidenceContext, turns: Sequence[Turn], tokens: TokenCounter, count: int, reason: str
) -> EvidenceContext:
    """The context without its ``count`` oldest turns, or statements where it holds those."""
    text, inside, statements = _newer(context, turns, _ages(context, turns), count)
    items = [item for item in context.items if item.turn_id in inside]
    if statements:
        items = [_behind(item, statements, tokens) for item in items]
    dropped = tuple(replace(item, cut=reason) for item in context.items if item.turn_id not in inside)
    return EvidenceContext(tuple(items), text, tokens.count(text), context.budget, context.cut + dropped, statements)


def _ages(context: EvidenceContext, turns: Sequence[Turn]) -> list[int]:
    """Where each turn stands in the conversation, or each statement's last turn."""
    place = {turn.turn_id: turn.index for turn in turns}
    if context.statements:
        return [max(place[turn_id] for turn_id in it.turn_ids) for it in context.statements]
    return [place[item.turn_id] for item in context.items]


def _newer(
    context: EvidenceContext, turns: Sequence[Turn], ages: Sequence[int], count: int
) -> tuple[str, set[TurnId], tuple[Statement, ...]]:
    """What is left without the ``count`` oldest: the text, its turns, its statements."""
    left = sorted(sorted(range(len(ages)), key=lambda at: ages[at])[count:])
    if context.statements:
        statements = tuple(context.statements[at] for at in left)
        return render_statements(statements), {name for it in statements for name in it.turn_ids}, statements
    place = {turn.turn_id: turn for turn in turns}
    items = [context.items[at] for at in left]
    return render([(place[it.turn_id], it.text) for it in items]), {it.turn_id for it in items}, ()


def _behind(item: ContextItem, statements: Sequence[Statement], tokens: TokenCounter) -> ContextItem:
    """A turn with those of the statements that it stands behind."""
    text = "\n".join(it.text for it in statements if item.turn_id in it.turn_ids)
    return replace(item, text=text, tokens=tokens.count(text))
