"""All settings of a sweep against tokens: a point each, the frontier, the control, and the setting that is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cuemem.viz.sweep.frame import BLUE, GREEN, GREY, ORANGE, RED, layout, share_axis, token_axis

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Values = npt.NDArray[np.float64]
# Drawn from behind to the front: the many first.
_LOOKS = ((GREY, "circle", 4, 0.4), (GREEN, "diamond", 5, 0.7), (ORANGE, "triangle-up", 6, 0.8))


@dataclass(frozen=True, slots=True)
class Kind:
    """Settings that are drawn alike, by their places in the sweep."""

    name: str
    places: npt.NDArray[np.int64]


def with_edges(letters: Sequence[str], only: bool) -> str:
    """What settings with edges by these knobs are called: ``only w > 0``, ``w > 0 and k > 0``."""
    if not letters:
        return "settings"
    return f"{'only ' if only else ''}{' and '.join(f'{letter} > 0' for letter in letters)}"


@dataclass(frozen=True, slots=True)
class Marked:
    """The setting that is open."""

    name: str
    place: int


def cloud(
    tokens: Values,
    found: Values,
    names: Sequence[str],
    kinds: Sequence[Kind],
    frontier: Sequence[int],
    control: Kind | None,
    marked: Marked | None,
    title: str,
) -> Figure:
    """The chart. ``customdata`` of each point is its place, so that a click tells the setting."""
    from plotly.graph_objects import Figure

    figure = Figure()
    labels = np.array(names)

    def add(name: str, places: npt.NDArray[np.int64], **look: Any) -> None:
        figure.add_scatter(
            x=tokens[places],
            y=found[places],
            text=labels[places].tolist(),
            customdata=places.tolist(),
            name=name,
            hovertemplate="%{text}<br>%{x:,.0f} tokens, %{y:.1%}<extra></extra>",
            # A click selects a point; what is not selected must not fade.
            selected={"marker": {"opacity": look["marker"].get("opacity", 1)}},
            unselected={"marker": {"opacity": look["marker"].get("opacity", 1)}},
            **look,
        )

    for kind, (colour, symbol, size, opacity) in zip(kinds, cycle(_LOOKS), strict=False):
        marker = {"color": colour, "symbol": symbol, "size": size, "opacity": opacity, "line": {"width": 0}}
        add(kind.name, kind.places, mode="markers", marker=marker)
    if control is not None:
        line = {"color": BLUE, "width": 2.5}
        add(control.name, control.places, mode="lines+markers", line=line,
            marker={"color": BLUE, "symbol": "square", "size": 6})  # fmt: skip
    line = {"color": RED, "width": 1.5, "dash": "dot", "shape": "hv"}
    add("frontier", np.array(frontier, np.int64), mode="lines", line=line, marker={})
    figure.data[-1].hoverinfo, figure.data[-1].hovertemplate = "skip", None
    if marked is not None:
        ring = {"symbol": "circle-open", "size": 18, "color": RED, "line": {"width": 3}}
        add(marked.name, np.array([marked.place]), mode="markers", marker=ring)
    figure.update_layout(
        layout(
            480,
            xaxis=token_axis(float(tokens.min()), float(tokens.max())),
            yaxis=share_axis(title, float(found.min())),
        )
    )
    return figure
