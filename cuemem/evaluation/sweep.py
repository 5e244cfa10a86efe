"""The whole grid at once: evidence recall and context tokens of every setting, from the entry tables.

The plain loop over settings (:func:`cuemem.evaluation.retrieval.grid`) gives the same recall; a test holds the
two together. Tokens here are the additive count: each turn's own tokens and one header for each session shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cuemem.context import session_header
from cuemem.errors import BadSetting
from cuemem.evaluation.metrics import gold_of, scored_apart
from cuemem.ports import EntryTable, Memory, TokenCounter
from cuemem.types import Question

Grid = npt.NDArray[np.float64]  # an axis for each knob, in the order of Swept.axes


@dataclass(frozen=True)
class Swept:
    """Sums over questions at every setting; :meth:`mean` makes means of them. Two can be added."""

    axes: Mapping[str, tuple[int, ...]]
    questions: int
    recall: Grid
    any: Grid
    all: Grid
    turns: Grid
    tokens: Grid

    def __add__(self, other: Swept) -> Swept:
        if self.axes != other.axes:
            raise BadSetting("Two sweeps over different knobs cannot be added.")
        pairs = ((getattr(self, name), getattr(other, name)) for name in _MEASURES)
        return Swept(self.axes, self.questions + other.questions, *(left + right for left, right in pairs))

    def mean(self, measure: str) -> Grid:
        """The mean of a measure over the questions, at every setting; nan without questions."""
        sums: Grid = getattr(self, measure)
        return sums / self.questions if self.questions else np.full_like(sums, np.nan)


_MEASURES = ("recall", "any", "all", "turns", "tokens")


def sweep(memory: Memory, method: Any, questions: Iterable[Question], tokens: TokenCounter) -> Swept | None:
    """Every setting of the method over the answerable questions with gold; None where its contexts do not nest."""
    costs = _Costs.of(memory, tokens)
    place = {turn.turn_id: turn.index for turn in memory.turns}
    total: _Totals | None = None
    for question in questions:
        gold = [place[turn_id] for turn_id in gold_of(question, memory.turns).turns]
        if not gold or scored_apart(question):
            continue
        table = memory.entries(question.query, method)
        if table is None:
            return None
        if total is None:
            total = _Totals(table)
        total.count(table, gold, costs)
    return total.swept() if total else None


@dataclass(frozen=True)
class _Costs:
    """What each turn and each session header costs, and where the sessions begin."""

    turns: Grid  # (T,)
    headers: Grid  # (sessions shown,)
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


class _Totals:
    """Counts by setting and by the least value of the counted knob, to be accumulated along it in the end."""

    def __init__(self, table: EntryTable) -> None:
        self._table = table
        self._width = table.most + 2  # values 0 … most, and one place for what never enters
        shape = table.least.shape[:-1]
        self._settings = int(np.prod(shape, dtype=np.int64))
        self._base = (np.arange(self._settings) * self._width)[:, None]
        self._sums = {name: np.zeros(self._settings * self._width) for name in _MEASURES}
        self._questions = 0

    def count(self, table: EntryTable, gold: list[int], costs: _Costs) -> None:
        """Add one question."""
        least = np.minimum(table.least, table.most + 1).reshape(self._settings, -1)
        found = least[:, gold]
        self._add("recall", found, 1 / len(gold))
        self._add("any", found.min(axis=1, keepdims=True), 1.0)
        self._add("all", found.max(axis=1, keepdims=True), 1.0)
        self._add("turns", least, 1.0)
        self._add("tokens", least, costs.turns)
        self._add("tokens", np.minimum.reduceat(least, costs.starts, axis=1), costs.headers)
        self._questions += 1

    def _add(self, name: str, least: npt.NDArray[np.uint8], weight: float | Grid) -> None:
        bins = (self._base + least).ravel()
        size = len(self._sums[name])
        if isinstance(weight, float):
            self._sums[name] += np.bincount(bins, minlength=size) * weight
        else:
            self._sums[name] += np.bincount(bins, np.broadcast_to(weight, least.shape).ravel(), minlength=size)

    def swept(self) -> Swept:
        """The sums at every setting: what enters at a value is in at all larger ones."""
        axes = dict(self._table.axes) | {self._table.counted: tuple(range(1, self._table.most + 1))}
        shape = tuple(len(values) for values in axes.values())
        grids = []
        for name in _MEASURES:
            by_value = self._sums[name].reshape(self._settings, self._width)[:, 1:-1]
            grids.append(np.cumsum(by_value, axis=1).reshape(shape))
        return Swept(axes, self._questions, *grids)
