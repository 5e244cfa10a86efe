"""Cue sources and methods on one chart, so that the effect of the cues and of the graph can be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from cuemem import knobs
from cuemem.evaluation.frontier import Places, along, frontier, without_graph
from cuemem.evaluation.swept import Means
from cuemem.methods import method_named
from cuemem.text import counted
from cuemem.types import ConversationId
from cuemem.ui import cache, job_panel, markup, state, tables
from cuemem.ui.markup import html
from cuemem.ui.scene import Scene
from cuemem.ui.sweep import plainly, words
from cuemem.ui.sweep.families import Family, families, lacking
from cuemem.ui.sweep.group import Group
from cuemem.ui.sweep.measured import Reading, means_by_category
from cuemem.viz.sweep import Way, lines
from cuemem.workbench.tasks import build_details

_LIMITS = (500, 1000, 2000, 3000)
_MARKED = (1, 2, 3, 5, 8, 10, 15, 20, 25, 30, 40, 50, 60)
_COLUMNS = ("way", "graph", *(f"at {limit:,} tokens" for limit in _LIMITS), "largest", "its tokens")


def ways(reading: Reading, scene: Scene) -> None:
    """The chart on request, since it opens every memory of the conversations."""
    st.subheader("Cues and methods on one chart", anchor="ways")
    group = reading.it.group
    if state.current().extra("ways") == "":
        _say("Every source of cues that is built here, and whole turns without cues, by recall against tokens.")
        st.button(
            "Compare",
            key="sweep.ways",
            type="primary",
            icon=":material/query_stats:",
            on_click=state.note,
            args=("ways", "all"),
        )
        return
    missing = lacking(scene, group)
    chosen = _choice(families(scene, group))
    common = [name for name in group.ids if all(name in family.memories for family in chosen)]
    if not chosen or not common:
        _say("No conversation has all of these memories. Choose fewer of them, or build them for the same ones.")
        return
    drawn, pending = _measured(chosen, common, scene, reading)
    if drawn:
        _draw([way for way, _ in drawn], [row for _, row in drawn], common, reading)
    _wanting(pending, missing, scene.choice.turns if scene.choice else "auto")
    if lacking(scene, group) != missing:
        state.redraw()  # some were prepared since the page had looked


def _say(text: str) -> None:
    markup.show(html('<p class="cm-quiet">{text}</p>', text=text))


def _choice(there: Sequence[Family]) -> list[Family]:
    """The families that are compared: those that the address names, else all."""
    names = {family.name: family for family in there}
    noted = state.current().extra("ways").split(",")
    chosen = [name for name in names if name in noted] or list(names)
    if len(names) > 1:
        st.pills(
            "Compared",
            list(names),
            selection_mode="multi",
            format_func=lambda name: names[name].title,
            key=state.put("sweep.ways.chosen", chosen),
            on_change=_to_chosen,
        )
    return [names[name] for name in chosen]


def _to_chosen() -> None:
    state.note("ways", ",".join(st.session_state["sweep.ways.chosen"]) or "all")


def _measured(
    chosen: Sequence[Family], common: Sequence[ConversationId], scene: Scene, reading: Reading
) -> tuple[list[tuple[Way, dict[str, Any]]], list[tuple[Family, Group, Any]]]:
    """The lines of what was measured with their rows, and what is still to be measured setting by setting."""
    drawn, pending = [], []
    with st.spinner("Sweeping every memory of these conversations …", show_time=True):
        for family in chosen:
            group, method = family.group(common, scene)
            found = means_by_category(group, method)
            if found is None:
                pending.append((family, group, method))
            elif reading.category in found:
                drawn += _lines(family, method, found[reading.category], reading)
    return drawn, pending


def _lines(family: Family, method: Any, means: Means, reading: Reading) -> list[tuple[Way, dict[str, Any]]]:
    """One line along the last knob without a graph and one with; what was measured one by one by its frontier."""
    if means.rendered or not means.axes:
        at = means.measure(reading.measure)
        return [_line(family, method, means, np.array(frontier(means.tokens, at), np.int64), "", reading)]
    alone = without_graph(means, method)
    here = along(means, knobs.settings(method))
    found = []
    if alone is not None:
        found.append(_line(family, method, means, alone, "no", reading))
    if here is not None and (alone is None or here.tolist() != alone.tolist()):
        found.append(_line(family, method, means, here, "" if alone is None else "yes", reading))
    return found


def _line(
    family: Family, method: Any, means: Means, places: Places, graph: str, reading: Reading
) -> tuple[Way, dict[str, Any]]:
    """A line, and what it reaches within some numbers of tokens."""
    letters = {knob.name: knob.symbol or knob.name for knob in knobs.knobs_of(method)}
    settings = [means.setting(place) for place in places.tolist()]
    edges = list(means.axes)[:-1]
    at = ", ".join(f"{letters[name]} = {settings[0][name]}" for name in edges) if settings and edges else ""
    name = family.title + {"": "", "no": ", anchors only", "yes": f", graph ({at})"}[graph]
    found, tokens = means.measure(reading.measure)[places], means.tokens[places]
    points = [
        (float(tokens[line]), float(found[line]), f"{name}: {_called(setting, letters)}")
        for line, setting in enumerate(settings)
        if len(settings) <= len(_MARKED) or next(reversed(setting.values()), 0) in _MARKED
    ]
    inside = [(limit, np.flatnonzero(tokens <= limit)) for limit in _LIMITS]
    row = {
        "way": family.title,
        "graph": {"": "–", "no": "anchors only", "yes": at}[graph],
        **{
            f"at {limit:,} tokens": round(float(found[rows].max()), 4) if len(rows) else None
            for limit, rows in inside
        },
        "largest": round(float(found[-1]), 4),
        "its tokens": round(float(tokens[-1])),
    }
    return Way(name, family.name, graph == "yes", points), row


def _called(setting: dict[str, int], letters: dict[str, str]) -> str:
    return ", ".join(f"{letters[name]} = {value}" for name, value in setting.items()) or "everything"


def _draw(drawn: Sequence[Way], rows: Sequence[dict[str, Any]], common: Sequence[str], reading: Reading) -> None:
    """The chart, and the table beneath it."""
    title = words.MEASURES[reading.measure][1]
    st.plotly_chart(
        lines(drawn, title),
        key="sweep.ways.chart",
        config={"displayModeBar": False},
        alt=f"{title} against tokens for {len(drawn)} ways of choosing turns; the table beneath has the values.",
    )
    every = len(common) == len(reading.it.group.ids)
    where = f"the {counted(len(common), 'conversation')}{'' if every else ' that have all of these memories'}"
    _say(
        f"On {where}. Solid: no graph, more and more is retrieved; the way from whole turns to cues is what cues are "
        "worth. Dashed: the same with the graph. The table has the best of each line within a number of tokens."
    )
    tables.show(rows, _COLUMNS, "What each way of choosing turns finds within a number of tokens", decimals=3)
    tables.csv_button(rows, _COLUMNS, "cues and methods", "sweep.ways.csv")


def _wanting(
    pending: Sequence[tuple[Family, Group, Any]], missing: Sequence[tuple[str, ConversationId]], turns: str
) -> None:
    """What is not on the chart yet, and the button that brings it there."""
    for family, group, method in pending:
        _say(f"{family.title} is not on the chart: its settings have to be measured one by one.")
        title = f"Sweep of {family.title}, {counted(len(group.ids), 'conversation')}"
        plainly.offer(group, title, method, None, family.name)
    if missing:
        names = " and ".join(dict.fromkeys(method_named(name).title for name, _ in missing))
        count = len({key for _, key in missing})
        _say(f"{names}: not prepared for {counted(count, 'conversation')}, so that there is no line.")
        st.button(
            f"Prepare {names}",
            key="sweep.ways.prepare",
            icon=":material/build:",
            on_click=_prepare,
            args=(tuple(missing), turns),
        )
        job_panel.polled(_preparing)


def _prepare(missing: Sequence[tuple[str, ConversationId]], turns: str) -> None:
    state.touch()
    for name, key in missing:
        method = knobs.with_settings(method_named(name), {"turn_unit": turns})
        job_panel.start("build", f"Preparing {method.title}", build_details(key, method, None))


def _preparing() -> None:
    for job in cache.jobs().jobs("build"):
        if job.state == "running":
            markup.show(job_panel.bar(job))
