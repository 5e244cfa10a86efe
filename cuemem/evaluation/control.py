"""The fair control of a graph (section 5.3): the same method without it, at the same number of tokens.

Dropping the graph at the same m buys fewer tokens with less recall, which says nothing about the graph. So m grows
until the context costs as much.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from cuemem.evaluation.metrics import score
from cuemem.knobs import knobs_of, with_settings
from cuemem.ports import Memory
from cuemem.types import Query, TurnId


@dataclass(frozen=True, slots=True)
class Control:
    """The context without the graph that costs no more. ``symbol`` and ``value`` say which knob grew, and to what.

    ``limited`` tells that the knob's range ended before the tokens did.
    """

    method: Any
    symbol: str
    value: int
    recall: float | None
    turns: int
    tokens: int
    limited: bool


def at_equal_tokens(
    memory: Memory, method: Any, query: Query, gold: Collection[TurnId], tokens: int, budget: int | None
) -> Control | None:
    """The largest context without the graph that costs at most ``tokens``.

    None where the method has no graph, or already its smallest context costs more. Under a budget long turns are
    shortened as they are with the graph. A larger value of the knob never makes a smaller context, so halving
    finds the largest.
    """
    alone = method.without_graph()
    table = memory.entries(query, alone) if alone is not None else None
    if table is None:
        return None
    low, high = 0, table.most
    while low < high:
        middle = (low + high + 1) // 2
        variant = with_settings(alone, {table.counted: middle})
        low, high = (
            (middle, high) if memory.recall(query, variant, budget).context.tokens <= tokens else (low, middle - 1)
        )
    if low == 0:
        return None
    chosen = with_settings(alone, {table.counted: low})
    context = memory.recall(query, chosen, budget).context
    symbol = next(knob.symbol or knob.name for knob in knobs_of(alone) if knob.name == table.counted)
    found = score(gold, context.turn_ids).recall
    return Control(chosen, symbol, low, found, len(context.items), context.tokens, low == table.most)
