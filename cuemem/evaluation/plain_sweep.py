"""The general path of a sweep: every setting recalled by itself.

For what no entry table holds: a token budget, and methods whose contexts do not nest. Tokens are those of the
rendered context.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from cuemem.evaluation.ladder import rungs_of
from cuemem.evaluation.sweep import Gold, scorable
from cuemem.evaluation.swept import Asked, Axes, Swept
from cuemem.knobs import Knob, check, knobs_of, with_settings
from cuemem.ports import Memory
from cuemem.types import Question

_FEW = 5  # values of a knob where none were asked for


@dataclass(frozen=True, slots=True)
class Row:
    """One question at every setting, in the order of :class:`cuemem.evaluation.swept.Swept`."""

    asked: Asked
    found: tuple[int, ...]
    turns: tuple[int, ...]
    tokens: tuple[int, ...]


def coarse_axes(method: Any, given: Mapping[str, Sequence[int]] | None = None) -> dict[str, tuple[int, ...]]:
    """The values of every knob with a letter: those given, by name or letter, else a few over its range.

    Raises BadSetting for a value outside a knob's range and for a name that is no knob of the method.
    """
    asked = dict(given or {})
    axes: dict[str, tuple[int, ...]] = {}
    for knob in knobs_of(method):
        values = asked.pop(knob.name, asked.pop(knob.symbol or "", None))
        if values is not None:
            axes[knob.name] = tuple(values)
        elif knob.symbol and knob.when == "recall" and _counts(knob):
            axes[knob.name] = _few(knob, getattr(method, knob.name))
    for name, values in (axes | asked).items():
        for value in values:
            check(with_settings(method, {name: value}))
    return axes


def _counts(knob: Knob) -> bool:
    return isinstance(knob.default, int) and not isinstance(knob.default, bool) and knob.high is not None


def _few(knob: Knob, usual: int) -> tuple[int, ...]:
    """Some values over the range of a knob, the usual one among them."""
    rungs = rungs_of(knob, usual)
    if len(rungs) <= _FEW:
        return rungs
    places = np.linspace(0, len(rungs) - 1, _FEW - 1).round().astype(int).tolist()
    return tuple(sorted({usual, *(rungs[place] for place in places)}))


def combinations(axes: Axes) -> Iterator[dict[str, int]]:
    """Every setting of a grid, the last knob running fastest."""
    for values in product(*axes.values()):
        yield dict(zip(axes, values, strict=True))


def recalled(
    memory: Memory, method: Any, questions: Iterable[Question], axes: Axes, budget: int | None
) -> Iterator[Row]:
    """The scorable questions, each recalled at every setting. A question at a time, so that work can be resumed."""
    variants = [with_settings(method, setting) for setting in combinations(axes)]
    gold_of = Gold(memory)
    for question in filter(scorable, questions):
        asked, places = gold_of.of(question)
        gold = {memory.turns[place].turn_id for place in places}
        contexts = [memory.recall(question.query, variant, budget).context for variant in variants]
        turns = [context.turn_ids for context in contexts]
        yield Row(
            asked,
            tuple(len(gold.intersection(ids)) for ids in turns),
            tuple(len(set(ids)) for ids in turns),
            tuple(context.tokens for context in contexts),
        )


def of_rows(axes: Axes, rows: Sequence[Row]) -> Swept:
    """Rows as a sweep."""
    return Swept(
        axes,
        tuple(row.asked for row in rows),
        np.array([row.found for row in rows], np.uint8),
        np.array([row.turns for row in rows], np.uint16),
        np.array([row.tokens for row in rows], np.int32),
        rendered=True,
    )
