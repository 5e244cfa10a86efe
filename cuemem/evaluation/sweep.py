"""The whole grid at once: evidence recall and context tokens of every setting, from the entry tables.

The plain loop over settings (:mod:`cuemem.evaluation.plain_sweep`) gives the same; a test holds the two together.
Tokens here are the additive count: each turn's own tokens and one header for each session shown, or of a serialised
text the tokens of its pieces.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cuemem.context import session_header
from cuemem.evaluation.metrics import scored_apart
from cuemem.evaluation.retrieval import category_label
from cuemem.evaluation.swept import Asked, Swept
from cuemem.ports import EntryTable, Memory, TokenCounter
from cuemem.types import Question

Weights = npt.NDArray[np.float64]


def scorable(question: Question) -> bool:
    """Whether a sweep counts the question: answerable, and with gold turns."""
    return not scored_apart(question) and bool(question.gold_utterances)


class Gold:
    """Where the gold turns of a memory's questions lie."""

    def __init__(self, memory: Memory) -> None:
        self._place = {it.utterance_id: turn.index for turn in memory.turns for it in turn.utterances}
        self._key = memory.conversation.conversation_id

    def of(self, question: Question) -> tuple[Asked, list[int]]:
        """What a sweep remembers of a question, and its gold turns."""
        gold = sorted({self._place[it] for it in question.gold_utterances if it in self._place})
        return Asked(self._key, question.index, category_label(question), len(gold)), gold


def sweep(memory: Memory, method: Any, questions: Iterable[Question], tokens: TokenCounter) -> Swept | None:
    """Every setting of the method over the scorable questions.

    None where the method's contexts do not nest, or where there is no such question.
    """
    costs, gold = _Costs.of(memory, tokens), Gold(memory)
    counted: list[Asked] = []
    rows: list[_Row] = []
    axes: dict[str, tuple[int, ...]] = {}
    for question in filter(scorable, questions):
        table = memory.entries(question.query, method)
        if table is None:
            return None
        asked, places = gold.of(question)
        counted.append(asked)
        rows.append(_row(table, places, costs))
        axes = dict(table.axes) | {table.counted: tuple(range(1, table.most + 1))}
    if not rows:
        return None
    found, turns, spent = (np.stack(parts) for parts in zip(*rows, strict=True))
    return Swept(axes, tuple(counted), found, turns, spent)


_Row = tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint16], npt.NDArray[np.int32]]


@dataclass(frozen=True)
class _Costs:
    """What each turn and each session header costs, and where the sessions begin."""

    turns: Weights  # (T,)
    headers: Weights  # (sessions shown,)
    starts: npt.NDArray[np.int64]  # the first turn of each session

    @classmethod
    def of(cls, memory: Memory, tokens: TokenCounter) -> _Costs:
        firsts = [
            turn for turn in memory.turns if not turn.index or memory.turns[turn.index - 1].session != turn.session
        ]
        return cls(
            np.array([tokens.count(turn.text) for turn in memory.turns], float),
            np.array([tokens.count(session_header(turn)) for turn in firsts], float),
            np.array([turn.index for turn in firsts], np.int64),
        )


def _row(table: EntryTable, gold: list[int], costs: _Costs) -> _Row:
    """One question at every setting: gold turns found, turns, tokens."""
    width = table.most + 2  # values 0 … most, and one place for what never enters
    least = np.minimum(table.least, table.most + 1).reshape(-1, table.least.shape[-1])
    base = (np.arange(len(least)) * width)[:, None]

    def accumulated(entry: npt.NDArray[np.uint8], weights: Weights | None = None) -> Weights:
        """What enters at a value is in at all larger ones."""
        spread = None if weights is None else np.broadcast_to(weights, entry.shape).ravel()
        counts = np.bincount((base + entry).ravel(), spread, minlength=len(least) * width)
        return np.cumsum(counts.reshape(len(least), width)[:, 1:-1], axis=1, dtype=float).ravel()

    if table.pieces is None:
        spent = accumulated(least, costs.turns)
        spent += accumulated(np.minimum.reduceat(least, costs.starts, axis=1), costs.headers)
    else:
        pieces = np.minimum(table.pieces, table.most + 1).reshape(len(least), -1)
        spent = accumulated(pieces, table.costs)
    return (
        accumulated(least[:, gold]).astype(np.uint8),
        accumulated(least).astype(np.uint16),
        spent.astype(np.int32),
    )
