"""A heat-map of two knobs. A click on a cell tells its setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from cuemem.viz.sweep.frame import layout

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_WORDS_UP_TO = 16  # columns whose cells have room for a number
_SCALE = {"share": ".0%", "tokens": ",.0f", "difference": "+.0%"}
# Between blue and orange by way of grey, dark at both ends: more and less are told apart in grey by the sign.
_DIVERGING = [[0, "#0B4F8A"], [0.5, "#D9DCE0"], [1, "#B35900"]]


@dataclass(frozen=True, slots=True)
class Heat:
    """The cells: ``values`` (rows, columns) with nan where there is none, and the place of each in the sweep."""

    rows: tuple[str, Sequence[int]]
    columns: tuple[str, Sequence[int]]
    values: npt.NDArray[np.float64]
    places: npt.NDArray[np.int64]
    kind: Literal["share", "tokens", "difference"]


def heat(cells: Heat, marked: int | None, names: Sequence[str]) -> Figure:
    """The chart. ``names`` are the settings by place; ``marked`` is the place of the open one."""
    from plotly.graph_objects import Figure

    figure = Figure()
    y, x = (list(map(str, values)) for values in (cells.rows[1], cells.columns[1]))
    written = [_written(value, cells.kind) for value in cells.values.ravel().tolist()]
    low, high = _reach(cells)
    wide = len(x) > _WORDS_UP_TO
    figure.add_heatmap(
        z=cells.values, x=x, y=y, hoverinfo="skip", xgap=0 if wide else 2, ygap=2, zmin=low, zmax=high,
        colorscale=_DIVERGING if cells.kind == "difference" else "Cividis",
        showscale=wide, colorbar={"thickness": 10, "tickformat": _SCALE[cells.kind]},
    )  # fmt: skip
    # Plotly selects no cells of a heat-map, so unseen points lie on them and take the click.
    places = cells.places.ravel().tolist()
    figure.add_scatter(
        x=[column for _ in y for column in x],
        y=[row for row in y for _ in x],
        customdata=places,
        text=[f"{names[place]}: {value}" for place, value in zip(places, written, strict=True)],
        hovertemplate="%{text}<extra></extra>",
        mode="markers",
        marker={"opacity": 0, "size": 20, "symbol": "square"},
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
        showlegend=False,
    )
    here = np.argwhere(cells.places == marked)
    if len(here):
        row, column = here[0].tolist()
        box = {"x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
        figure.add_shape(type="rect", **box, line={"color": "#D55E00", "width": 4})
    figure.update_layout(
        layout(
            max(220, 46 * len(y) + 70),
            dragmode=False,
            annotations=[] if wide else _numbers(cells, written, low, high),
            xaxis={"title": cells.columns[0], "type": "category", "showgrid": False, "fixedrange": True},
            yaxis={"title": cells.rows[0], "type": "category", "showgrid": False, "fixedrange": True},
        )
    )
    return figure


def _reach(cells: Heat) -> tuple[float, float]:
    """The values at the ends of the colours; of differences the same on either side of zero."""
    there = cells.values[np.isfinite(cells.values)]
    low, high = (float(there.min()), float(there.max())) if there.size else (0.0, 1.0)
    if cells.kind == "difference":
        high = max(abs(low), abs(high), 0.01)
        return -high, high
    return low, high if high > low else low + 1


def _numbers(cells: Heat, written: Sequence[str], low: float, high: float) -> list[dict[str, object]]:
    """The numbers in the cells. As notes: text of points would fade when another cell is clicked."""
    inks = _ink(cells, low, high)
    columns = cells.values.shape[1]
    return [
        {
            "x": place % columns,
            "y": place // columns,
            "text": text,
            "showarrow": False,
            "font": {"color": ink, "size": 12},
        }
        for place, (text, ink) in enumerate(zip(written, inks, strict=True))
    ]


def _ink(cells: Heat, low: float, high: float) -> list[str]:
    """Black or white for each number: Cividis is dark at its low end, the other scale at both."""
    level = ((np.nan_to_num(cells.values, nan=low) - low) / (high - low)).ravel()
    dark = np.abs(level - 0.5) > 0.3 if cells.kind == "difference" else level < 0.45
    bare = np.isnan(cells.values).ravel()
    return ["#8A8F98" if none else "#FFFFFF" if deep else "#000000" for none, deep in zip(bare, dark, strict=True)]


def _written(value: float, kind: str) -> str:
    if np.isnan(value):
        return "–"
    if kind == "tokens":
        return f"{value:,.0f}"
    return f"{100 * value:+.1f}".replace("-", "−") if kind == "difference" else f"{100 * value:.1f}"
