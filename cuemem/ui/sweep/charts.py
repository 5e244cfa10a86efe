"""Recall against tokens for all settings: a click on a point opens its setting."""

from __future__ import annotations

from functools import partial

import streamlit as st

from cuemem.evaluation.frontier import by_edges
from cuemem.evaluation.swept import Means
from cuemem.ui import markup, state, tables
from cuemem.ui.cues.picking import pick_table
from cuemem.ui.sweep import words
from cuemem.ui.sweep.measured import Reading
from cuemem.viz.sweep import Kind, Marked, cloud, with_edges

CONFIG = {"displayModeBar": False}


def open_setting(key: str, means: Means) -> None:
    """In a callback: the setting whose point was clicked becomes the one that every page looks at."""
    points = st.session_state[key]["selection"]["points"]
    data = points[0].get("customdata") if points else None
    place = data[0] if isinstance(data, list | tuple) else data
    if isinstance(place, int) and 0 <= place < means.size:
        _open(means, place)
    else:
        state.touch()


def _to_frontier(means: Means, places: list[int], row: int | None) -> None:
    if row is None:
        state.touch()
    else:
        _open(means, places[row])


def _open(means: Means, place: int) -> None:
    view = state.current()
    for name, value in means.setting(place).items():
        view = view.with_setting(name, value)
    state.change(settings=view.settings)


def all_settings(reading: Reading) -> None:
    """Recall against tokens for every setting, the frontier, and the control."""
    means, control = reading.means, reading.control
    names = reading.names
    figure = cloud(
        means.tokens,
        reading.found,
        names,
        kinds(reading),
        reading.frontier,
        None if control is None else Kind("anchors only", control),
        None if reading.place is None else Marked(names[reading.place], reading.place),
        words.MEASURES[reading.measure][1],
    )
    said = words.headline(reading)
    st.plotly_chart(
        figure,
        key="sweep.cloud",
        on_select=partial(open_setting, "sweep.cloud", means),
        selection_mode="points",
        config=CONFIG,
        alt=f"Recall against tokens for {means.size:,} settings. {said}",
    )
    markup.show(
        markup.html(
            '<p class="cm-quiet">A point is a setting; a click opens it, here and on the Trace page. Dotted: the '
            "frontier, what no cheaper setting equals. It is chosen on the very questions that it is drawn over, so "
            "a setting from it is tuned.</p>"
        )
    )
    _frontier(reading)


def kinds(reading: Reading) -> list[Kind]:
    """The settings by which edges they have, the many first; without a graph all are of one kind."""
    return [
        Kind(with_edges([reading.letter(name) for name in names], len(names) == 1 and several), places)
        for names, places, several in by_edges(reading.means, reading.it.method)
    ]


def _frontier(reading: Reading) -> None:
    means = reading.means
    letters = {name: reading.letter(name) for name in means.axes}

    def row(place: int) -> dict[str, object]:
        return {
            **{letters[name]: value for name, value in means.setting(place).items()},
            **{name: round(float(means.measure(name)[place]), 4) for name in words.MEASURES},
            "tokens": round(float(means.tokens[place])),
            "tokens, 95th percentile": round(float(means.tokens_p95[place])),
            "turns": round(float(means.turns[place]), 1),
        }

    columns = [*letters.values(), *words.MEASURES, "tokens", "tokens, 95th percentile", "turns"]
    with st.expander(f"The frontier: {len(reading.frontier):,} of {means.size:,} settings"):
        rows = [row(place) for place in reading.frontier]
        here = reading.frontier.index(reading.place) if reading.place in reading.frontier else None
        pick_table(
            "sweep.frontier",
            tables.frame(rows, columns),
            here,
            partial(_to_frontier, means, reading.frontier),
            height=tables.height(len(rows)),
            alt="The settings of the frontier with recall and tokens; a row that is chosen is opened",
            columns=tables.number_formats(rows, columns, decimals=3),
        )
        with st.container(horizontal=True):
            tables.csv_button(rows, columns, "frontier", "sweep.frontier.csv")
            st.download_button(
                "CSV of all settings",
                lambda: tables.frame([row(it) for it in range(means.size)], columns).to_csv(index=False).encode(),
                file_name="sweep.csv",
                mime="text/csv",
                key="sweep.all.csv",
                icon=":material/download:",
                on_click="ignore",
            )
