"""Along one knob, the mean recall against the mean tokens: for comparing ways of choosing turns at equal tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cuemem.errors import BadSetting
from cuemem.evaluation.sweep import Swept


@dataclass(frozen=True, slots=True)
class Point:
    """One setting over the questions of a conversation: the value of the knob, mean tokens, recall, all evidence."""

    value: int
    tokens: float
    recall: float
    all: float


def curve(swept: Swept, fixed: Mapping[str, int]) -> tuple[Point, ...]:
    """Recall and tokens along the one knob that is not fixed, in the order of its values."""
    free = [name for name in swept.axes if name not in fixed]
    if len(free) != 1 or swept.questions == 0:
        raise BadSetting(
            f"A curve leaves one knob free, not {free}, and needs questions; there are {swept.questions}."
        )
    at = tuple(slice(None) if name in free else values.index(fixed[name]) for name, values in swept.axes.items())
    rows = zip(
        swept.axes[free[0]],
        swept.mean("tokens")[at].tolist(),
        swept.mean("recall")[at].tolist(),
        swept.mean("all")[at].tolist(),
        strict=True,
    )
    return tuple(Point(*row) for row in rows)


def within(points: tuple[Point, ...], tokens: float) -> Point | None:
    """The last point that spends at most so many tokens; None where even the first spends more."""
    return max((point for point in points if point.tokens <= tokens), key=lambda point: point.value, default=None)
