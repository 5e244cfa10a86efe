"""Along one knob, the mean recall against the mean tokens: for comparing ways of choosing turns at equal tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cuemem.errors import BadSetting
from cuemem.evaluation.swept import Means


@dataclass(frozen=True, slots=True)
class Point:
    """One setting over the questions of a conversation: the value of the knob, mean tokens, recall, all evidence."""

    value: int
    tokens: float
    recall: float
    all: float


def curve(means: Means, fixed: Mapping[str, int]) -> tuple[Point, ...]:
    """Recall and tokens along the one knob that is not fixed, in the order of its values."""
    free = [name for name in means.axes if name not in fixed]
    if len(free) != 1 or means.questions == 0:
        raise BadSetting(
            f"A curve leaves one knob free, not {free}, and needs questions; there are {means.questions}."
        )
    values = means.axes[free[0]]
    places = [place for value in values if (place := means.place({**fixed, free[0]: value})) is not None]
    if len(places) < len(values):
        raise BadSetting(f"The sweep has no settings with {dict(fixed)}.")
    grids = (grid[places].tolist() for grid in (means.tokens, means.recall, means.all))
    return tuple(Point(*row) for row in zip(values, *grids, strict=True))


def within(points: tuple[Point, ...], tokens: float) -> Point | None:
    """The last point that spends at most so many tokens; None where even the first spends more."""
    return max((point for point in points if point.tokens <= tokens), key=lambda point: point.value, default=None)
