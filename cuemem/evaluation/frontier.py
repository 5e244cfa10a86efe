"""Settings against tokens: the frontier, the best within a limit, and the control without a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from cuemem.evaluation.swept import Axes, Grid, Means, Measure

Places = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]


def frontier(tokens: Grid, found: Grid) -> list[int]:
    """The places of the settings that no setting of as few tokens equals or beats, by tokens ascending.

    Of settings that are alike in both, the first.
    """
    order = np.lexsort((np.arange(len(tokens)), -found, tokens))
    best = np.concatenate([[-np.inf], np.maximum.accumulate(found[order])[:-1]])
    places: list[int] = order[found[order] > best].tolist()
    return places


def best_within(means: Means, measure: Measure, tokens: float, places: Places | None = None) -> int | None:
    """The setting that finds most for at most so many tokens, ties to fewer tokens, then to the first.

    ``places`` limits the choice. None where even the cheapest setting costs more.
    """
    allowed = np.arange(means.size) if places is None else places
    allowed = allowed[means.tokens[allowed] <= tokens]
    if not len(allowed):
        return None
    found = means.measure(measure)
    order = np.lexsort((allowed, means.tokens[allowed], -found[allowed]))
    return int(allowed[order[0]])


def last_knob(axes: Axes) -> str:
    """The knob that a control may grow: the one that runs fastest, which counts what is retrieved."""
    return list(axes)[-1]


def along(means: Means, fixed: Mapping[str, Any]) -> Places | None:
    """The places at every value of the last knob, the others as ``fixed`` says; None where the grid lacks them."""
    if not means.axes:
        return None
    grown = last_knob(means.axes)
    places = [means.place({**fixed, grown: value}) for value in means.axes[grown]]
    return None if None in places else np.array(places, np.int64)


def without_graph(means: Means, method: Any) -> Places | None:
    """The places of the settings without a graph, by the last knob; None where the method has none, or the grid."""
    alone = method.without_graph()
    return None if alone is None else along(means, {name: getattr(alone, name) for name in means.axes})


def by_edges(means: Means, method: Any) -> list[tuple[tuple[str, ...], Places, bool]]:
    """The settings with edges by the knobs that make them: all knobs together first, then fewer, then each alone.

    Each with whether there are several such knobs. Where there is no graph, all settings, with no knob.
    """
    places, alone = np.arange(means.size), method.without_graph()
    if alone is None or without_graph(means, method) is None:
        return [((), places, False)]
    names = [name for name in list(means.axes)[:-1] if len(means.axes[name]) > 1]
    at = dict(zip(means.axes, np.unravel_index(places, means.shape), strict=True))
    on = {name: at[name] != list(means.axes[name]).index(getattr(alone, name)) for name in names}
    groups = [group for size in range(len(names), 0, -1) for group in reversed(list(combinations(names, size)))]
    found = []
    for group in groups:
        wanted = np.all([on[name] == (name in group) for name in names], axis=0)
        found.append((group, places[wanted], len(names) > 1))
    return [(group, there, several) for group, there, several in found if len(there)]


_NEARLY = 0.95  # of the tokens: a control that could not spend as many is no control


def fair_places(means: Means, control: Places, tokens: Grid) -> tuple[Places, Truths]:
    """For each number of tokens the largest setting of the control that costs no more, and whether it was limited.

    Limited: the knob's range ended before the tokens did. The place is -1 where the smallest costs more already.
    """
    costs = np.maximum.accumulate(means.tokens[control])  # under a budget more cues may cost a token less
    last = np.searchsorted(costs, tokens, side="right") - 1
    limited = (last == len(control) - 1) & (costs[last] < _NEARLY * tokens)
    return np.where(last < 0, -1, control[last]), limited


def fair(means: Means, control: Places | None, tokens: float) -> tuple[int, bool] | None:
    """The control at equal tokens: its place, and whether it was limited. None where there is none."""
    if control is None:
        return None
    places, limited = fair_places(means, control, np.array([tokens]))
    return None if places[0] < 0 else (int(places[0]), bool(limited[0]))


def over_control(means: Means, control: Places, measure: Measure) -> Grid:
    """How much more each setting finds than the control at the same tokens; nan where there is no such control."""
    found = means.measure(measure)
    places, limited = fair_places(means, control, means.tokens)
    return np.where((places < 0) | limited, np.nan, found - found[places])


_A_TURN = 10  # tokens


@dataclass(frozen=True, slots=True)
class Gain:
    """What one step of the way to a setting brings and costs, a question: gold turns and tokens."""

    step: str
    knob: str
    value: int
    gold: float
    tokens: float

    @property
    def per_hundred(self) -> float | None:
        """Gold turns for each 100 tokens; None where less than a turn's worth was spent, as under a budget."""
        return 100 * self.gold / self.tokens if self.tokens >= _A_TURN else None


def contributions(means: Means, method: Any, setting: Mapping[str, int]) -> tuple[Gain, ...]:
    """What each kind of edge adds to anchors only, what it adds last, and what more cues add for as many tokens.

    Steps are ``alone`` (added to anchors only), ``last`` (added to all others) and ``instead``. Empty where the
    method has no graph, or the setting has no edges.
    """
    control, here = without_graph(means, method), means.place(setting)
    if control is None or here is None:
        return ()
    grown = last_knob(means.axes)
    alone = {name: getattr(method.without_graph(), name) for name in means.axes if name != grown}
    bare = alone | {grown: setting[grown]}
    edges = [name for name in alone if setting[name] != alone[name]]
    gains = []
    for name in edges:
        gains.append(_gain(means, "alone", name, bare, bare | {name: setting[name]}))
        if len(edges) > 1:
            gains.append(_gain(means, "last", name, dict(setting) | {name: alone[name]}, setting))
    rival = fair(means, control, means.tokens[here]) if edges else None
    if rival is not None and (more := means.setting(rival[0])) != bare:
        gains.append(_gain(means, "instead", grown, bare, more))
    return tuple(gains)


def _gain(means: Means, step: str, knob: str, before: Mapping[str, int], after: Mapping[str, int]) -> Gain:
    start, end = means.place(before), means.place(after)
    assert start is not None
    assert end is not None
    gold, tokens = (float(grid[end] - grid[start]) for grid in (means.found, means.tokens))
    return Gain(step, knob, after[knob], gold, tokens)
