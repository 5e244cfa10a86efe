"""Every setting at once: for each turn and each (w, k) the least m that brings it into E_q.

Inclusion is monotone in w, k and m (section 4.3), so this one table holds the contexts of all settings. It knows
no gold; what is found and what it costs is counted in evaluation.
"""

from __future__ import annotations

import numpy as np

from cuemem.knobs import knobs_of
from cuemem.methods.cuemem.reconstruction import Retrieval
from cuemem.methods.cuemem.settings import MOST_CUES, MOST_NEIGHBOURS, Settings
from cuemem.ports import NEVER, EntryTable

_WIDEST = next(knob.high or 0 for knob in knobs_of(Settings) if knob.name == "window")


def entry_table(retrieval: Retrieval, settings: Settings) -> EntryTable:
    """The least m of every turn at w = 0 … 6 and k = 0 … 10, under the options of ``settings``."""
    by_window = _by_window(retrieval, settings)  # (w, T)
    by_neighbours = _by_neighbours(retrieval, settings)  # (k, T)
    least = np.minimum(by_window[:, None, :], by_neighbours[None, :, :])  # (w, k, T)
    axes = {"window": tuple(range(_WIDEST + 1)), "neighbours": tuple(range(MOST_NEIGHBOURS + 1))}
    return EntryTable(axes, "top_cues", MOST_CUES, least)


def _by_window(retrieval: Retrieval, settings: Settings) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The least m at which a turn is an anchor or within w turns of one."""
    graph = retrieval.graph
    count = len(graph.turns)
    least = np.full((_WIDEST + 1, count), NEVER, np.uint8)
    for turn, rank in retrieval.first_rank.items():
        least[0, turn] = rank
    for window in range(1, _WIDEST + 1):
        least[window] = least[window - 1]
        if window < count:
            later, earlier = least[0, window:].copy(), least[0, :-window].copy()
            if settings.session_break:
                cut = graph.sessions[window:] != graph.sessions[:-window]
                later[cut] = earlier[cut] = NEVER
            np.minimum(least[window, :-window], later, out=least[window, :-window])
            np.minimum(least[window, window:], earlier, out=least[window, window:])
    return least


def _by_neighbours(retrieval: Retrieval, settings: Settings) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The least m at which a turn is reached by a semantic edge of neighbour rank at most k."""
    hops = retrieval.hops(settings)
    least = np.full((MOST_NEIGHBOURS + 1, len(retrieval.graph.turns)), NEVER, np.uint8)
    np.minimum.at(least, (hops.neighbour_rank, hops.target), hops.anchor_rank.astype(np.uint8))
    np.minimum.accumulate(least, axis=0, out=least)
    return least
