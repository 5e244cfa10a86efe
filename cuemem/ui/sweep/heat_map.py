"""A heat-map of two knobs: a click on a cell opens its setting."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from cuemem.evaluation.frontier import over_control
from cuemem.ui import controls, markup, state
from cuemem.ui.sweep.charts import CONFIG, open_setting
from cuemem.ui.sweep.measured import Reading
from cuemem.viz.sweep import Heat, heat

_SHOWN = {
    "found": "what is found",
    "over": "what is found beyond anchors only at as many tokens",
    "tokens": "tokens",
}


def heat_map(reading: Reading) -> None:
    """Two knobs against each other, the others where their sliders stand."""
    means, view = reading.means, state.current()
    names = [name for name, values in means.axes.items() if len(values) > 1]
    st.subheader("Two knobs at a time", anchor="heat-map")
    if len(names) < 2 or reading.place is None:
        markup.show(markup.html('<p class="cm-quiet">{text}</p>', text=_no_heat(names)))
        return
    down = view.extra("down") if view.extra("down") in names else names[0]
    across = view.extra("across") if view.extra("across") in names else names[1]
    if across == down:
        across = next(name for name in names if name != down)
    shown = view.extra("shown") if view.extra("shown") in _options(reading) else "found"
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        _pick(reading, "down", "Down", names, down)
        _pick(reading, "across", "Across", names, across)
        st.selectbox(
            "Colour",
            _options(reading),
            format_func=lambda name: _SHOWN[name],
            key=state.put("sweep.shown", shown),
            on_change=_note,
            args=("shown",),
            width=330,
        )
        for name in names:
            if name not in (down, across):
                _slider(reading, name)
    cells = _cells(reading, down, across, shown)
    st.plotly_chart(
        heat(cells, reading.place, reading.names),
        key="sweep.heat",
        on_select=partial(open_setting, "sweep.heat", means),
        selection_mode="points",
        config=CONFIG,
        alt=f"Heat-map of {_SHOWN[shown]} by {reading.letter(down)} and {reading.letter(across)}.",
    )
    dash = " A dash: anchors only cannot spend as many tokens." if np.isnan(cells.values).any() else ""
    unit = "tokens" if shown == "tokens" else "percentage points" if shown == "over" else "per cent"
    markup.show(
        markup.html(
            '<p class="cm-quiet">In {unit}. A click on a cell opens its setting.{dash}</p>', unit=unit, dash=dash
        )
    )


def _no_heat(names: list[str]) -> str:
    if len(names) < 2:
        return "This method has no two knobs to hold against each other."
    return "The setting of the sidebar is not in this grid; choose one by a click in the chart above."


def _options(reading: Reading) -> list[str]:
    return ["found", "tokens"] if reading.control is None else list(_SHOWN)


def _pick(reading: Reading, note: str, label: str, names: list[str], value: str) -> None:
    st.selectbox(
        label,
        names,
        format_func=lambda name: f"{reading.letter(name)} · {name.replace('_', ' ')}",
        key=state.put(f"sweep.{note}", value),
        on_change=_note,
        args=(note,),
        width=190,
    )


def _note(name: str) -> None:
    state.note(name, st.session_state[f"sweep.{name}"])


def _slider(reading: Reading, name: str) -> None:
    values = list(reading.means.axes[name])
    assert reading.place is not None
    key = state.put(f"sweep.at.{name}", reading.means.setting(reading.place)[name])
    st.select_slider(
        f"{reading.letter(name)} · {name.replace('_', ' ')}",
        values,
        key=key,
        on_change=_slide,
        args=(name, key),
        width=260,
    )


def _slide(name: str, key: str) -> None:
    controls.set_knob(name, st.session_state[key])


def _cells(reading: Reading, down: str, across: str, shown: str) -> Heat:
    means = reading.means
    assert reading.place is not None
    here = means.setting(reading.place)
    places = np.array(
        [
            [means.place(here | {down: row, across: column}) for column in means.axes[across]]
            for row in means.axes[down]
        ],
        np.int64,
    )
    if shown == "tokens":
        values = means.tokens[places]
    elif shown == "over":
        values = over_control(means, reading.control, reading.measure)[places]
    else:
        values = reading.found[places]
    title = {name: f"{reading.letter(name)} · {name.replace('_', ' ')}" for name in (down, across)}
    kind = {"found": "share", "over": "difference", "tokens": "tokens"}[shown]
    return Heat(
        (title[down], means.axes[down]),
        (title[across], means.axes[across]),
        values,
        places,
        kind,  # type: ignore[arg-type]
    )
