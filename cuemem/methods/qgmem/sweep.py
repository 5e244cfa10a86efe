"""Every setting at once: for each turn, at each entity threshold and pool size, the least k that brings it in.

A larger k only adds units, so the table holds the contexts of all k. It knows no gold.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cuemem.knobs import knobs_of, with_settings
from cuemem.methods.qgmem.activation import Asked
from cuemem.methods.qgmem.settings import MOST_UNITS, NO_RERANKER, TURNS, Settings
from cuemem.ports import NEVER, EntryTable
from cuemem.types import Indices

AXES = ("entity_threshold", "pool")


def entry_table(asked: Asked, settings: Settings, costs: npt.NDArray[np.float64]) -> EntryTable:
    """The least k of every turn, and of every piece of the serialised text where that is the context's form.

    ``costs`` are the tokens of each unit's lines and of each trace's headline. With a reranker whose scores are dear
    only the settings' own threshold and pool are looked at.
    """
    index = asked.index
    dear = settings.reranker != NO_RERANKER and asked.reranker(settings).dear
    axes = {name: (getattr(settings, name),) if dear else tried(settings, name) for name in AXES}
    units = np.full((*map(len, axes.values()), len(index.units)), NEVER, np.uint8)
    for row, threshold in enumerate(axes["entity_threshold"]):
        for column, pool in enumerate(axes["pool"]):
            here = with_settings(settings, {"entity_threshold": threshold, "pool": pool})
            ranked = asked.activate(here).ranked[:MOST_UNITS]
            units[row, column, ranked] = np.arange(1, len(ranked) + 1)
    turns = _least(units, index.turn_pairs, len(index.turns))
    if settings.context_form == TURNS:
        return EntryTable(axes, "working_memory", MOST_UNITS, turns)
    pieces = np.concatenate([units, _least(units, index.trace_pairs, len(index.traces))], axis=-1)
    return EntryTable(axes, "working_memory", MOST_UNITS, turns, pieces, costs)


def tried(settings: Settings, name: str) -> tuple[int, ...]:
    """The values that the knob declares for a grid, and the present one."""
    declared = next(knob for knob in knobs_of(settings) if knob.name == name)
    return tuple(sorted({*declared.tries, getattr(settings, name)}))


def _least(units: npt.NDArray[np.uint8], pairs: tuple[Indices, Indices], count: int) -> npt.NDArray[np.uint8]:
    """For each of ``count`` things, at every setting, the least k of the units that bring it in."""
    unit, thing = pairs
    flat = units.reshape(-1, units.shape[-1])
    least = np.full((len(flat), count), NEVER, np.uint8)
    for line in range(len(flat)):
        np.minimum.at(least[line], thing, flat[line, unit])
    return least.reshape(*units.shape[:-1], count)
