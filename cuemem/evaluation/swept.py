"""What a sweep gave: every scorable question at every setting, and means over any part of the questions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cuemem.errors import BadSetting
from cuemem.types import ConversationId

Grid = npt.NDArray[np.float64]  # (settings,)
Axes = Mapping[str, Sequence[int]]
Measure = Literal["recall", "any", "all"]
MEASURES: tuple[Measure, ...] = ("recall", "any", "all")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a sweep: answerable, and with ``gold`` turns."""

    conversation_id: ConversationId
    index: int
    category: str
    gold: int


class _Settings:
    """The settings of a grid in a fixed order: the last knob runs fastest."""

    axes: Axes

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each knob has."""
        return tuple(len(values) for values in self.axes.values())

    @property
    def size(self) -> int:
        """How many settings there are."""
        return int(np.prod(self.shape, dtype=np.int64))

    def setting(self, place: int) -> dict[str, int]:
        """The values of the knobs at a place."""
        where = np.unravel_index(place, self.shape)
        return {name: values[int(at)] for (name, values), at in zip(self.axes.items(), where, strict=True)}

    def place(self, setting: Mapping[str, Any]) -> int | None:
        """Where a setting stands, None where it is not in the grid. Other names in ``setting`` do not matter."""
        at = []
        for name, values in self.axes.items():
            if setting.get(name) not in values:
                return None
            at.append(list(values).index(setting[name]))
        return int(np.ravel_multi_index(at, self.shape)) if at else 0


@dataclass(frozen=True)
class Means(_Settings):
    """Means over questions at every setting; nan without questions.

    ``found`` is the mean number of gold turns found. ``rendered`` tells that tokens are those of the rendered
    context, not the additive count.
    """

    axes: Axes
    questions: int
    recall: Grid
    any: Grid
    all: Grid
    found: Grid
    turns: Grid
    tokens: Grid
    tokens_p95: Grid
    rendered: bool = False

    def measure(self, name: Measure) -> Grid:
        """Recall, any or all, at every setting."""
        grid: Grid = getattr(self, name)
        return grid


@dataclass(frozen=True)
class Swept(_Settings):
    """Every question at every setting. Sweeps over the same knobs can be joined, also of other conversations."""

    axes: Axes
    asked: tuple[Asked, ...]
    found: npt.NDArray[np.uint8]  # (questions, settings): gold turns in the context
    turns: npt.NDArray[np.uint16]  # (questions, settings)
    tokens: npt.NDArray[np.int32]  # (questions, settings)
    rendered: bool = False

    @property
    def questions(self) -> int:
        """How many questions were asked."""
        return len(self.asked)

    def of(self, conversations: Collection[ConversationId]) -> Swept:
        """The questions of these conversations."""
        return self._some([it.conversation_id in conversations for it in self.asked])

    def in_category(self, category: str) -> Swept:
        """The questions of a category, by its label."""
        return self._some([it.category == category for it in self.asked])

    def at(self, setting: Mapping[str, Any]) -> Swept:
        """One setting alone. Raises BadSetting where the grid lacks it."""
        place = self.place(setting)
        if place is None:
            raise BadSetting(f"The sweep has no setting {dict(setting)}.")
        only = slice(place, place + 1)
        axes = {name: (value,) for name, value in self.setting(place).items()}
        return Swept(axes, self.asked, self.found[:, only], self.turns[:, only], self.tokens[:, only], self.rendered)

    def means(self) -> Means:
        """Means over the questions, at every setting."""
        gold = np.array([it.gold for it in self.asked], np.int64)
        if not len(gold):
            none = np.full(self.size, np.nan)
            return Means(self.axes, 0, none, none, none, none, none, none, none, self.rendered)
        full = self.found == gold[:, None]
        return Means(
            self.axes,
            len(gold),
            recall=np.where(full.all(axis=0), 1.0, (1 / gold) @ self.found / len(gold)),  # thirds add up to one
            any=(self.found > 0).mean(axis=0),
            all=full.mean(axis=0),
            found=self.found.mean(axis=0, dtype=float),
            turns=self.turns.mean(axis=0, dtype=float),
            tokens=self.tokens.mean(axis=0, dtype=float),
            tokens_p95=np.percentile(self.tokens, 95, axis=0),
            rendered=self.rendered,
        )

    def _some(self, wanted: Sequence[bool]) -> Swept:
        rows = np.flatnonzero(wanted)
        asked = tuple(self.asked[row] for row in rows.tolist())
        return Swept(self.axes, asked, self.found[rows], self.turns[rows], self.tokens[rows], self.rendered)


def joined(sweeps: Sequence[Swept]) -> Swept:
    """Sweeps of several conversations as one. Raises BadSetting where their knobs differ, or for none."""
    if len({tuple((name, tuple(values)) for name, values in it.axes.items()) for it in sweeps}) != 1:
        raise BadSetting("Only sweeps over the same knobs and values can be joined.")
    first = sweeps[0]
    return Swept(
        first.axes,
        tuple(asked for it in sweeps for asked in it.asked),
        np.concatenate([it.found for it in sweeps]),
        np.concatenate([it.turns for it in sweeps]),
        np.concatenate([it.tokens for it in sweeps]),
        first.rendered,
    )
