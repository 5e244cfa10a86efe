"""Recall against tokens for all settings: a click on a point opens its setting."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from cuemem.evaluation.swept import Means
from cuemem.ui import markup, state, tables
from cuemem.ui.sweep import words
from cuemem.ui.sweep.measured import Reading
from cuemem.viz.sweep import Kind, Marked, cloud

CONFIG = {"displayModeBar": False}


def open_setting(key: str, means: Means) -> None:
    """In a callback: the setting whose point was clicked becomes the one that every page looks at."""
    points = st.session_state[key]["selection"]["points"]
    data = points[0].get("customdata") if points else None
    place = data[0] if isinstance(data, list | tuple) else data
    if isinstance(place, int) and 0 <= place < means.size:
        view = state.current()
        for name, value in means.setting(place).items():
            view = view.with_setting(name, value)
        state.change(settings=view.settings)
    else:
        state.touch()


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
            "frontier, what no cheaper setting equals. Its best setting for a number of tokens was chosen on these "
            "very questions: it is tuned.</p>"
        )
    )
    _frontier(reading)


def kinds(reading: Reading) -> list[Kind]:
    """The settings by which edges they have, the many first; without a graph all are of one kind."""
    means = reading.means
    everything = np.arange(means.size)
    alone = reading.it.method.without_graph()
    if reading.control is None or alone is None:
        return [Kind("settings", everything)]
    edges = [name for name in list(means.axes)[:-1] if len(means.axes[name]) > 1]
    at = np.array(np.unravel_index(everything, means.shape))
    off = {name: list(means.axes[name]).index(getattr(alone, name)) for name in edges}
    on = {name: at[list(means.axes).index(name)] != off[name] for name in edges}
    count = np.sum(list(on.values()), axis=0)
    found = [Kind(" and ".join(f"{reading.letter(name)} > 0" for name in edges), everything[count == len(edges)])]
    if len(edges) > 1:
        found += [
            Kind(f"only {reading.letter(name)} > 0", everything[(count == 1) & on[name]]) for name in reversed(edges)
        ]
    return [kind for kind in found if len(kind.places)]


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
        tables.show(rows, columns, "The settings of the frontier with recall and tokens", decimals=3)
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
