"""The turn graph of the recall, its legend, and the graph as a file."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from cuemem.ui import state
from cuemem.ui.graph_component import fitting_width, turn_graph
from cuemem.ui.markup import html, show
from cuemem.ui.trace.reading import Reading
from cuemem.ui.trace.report import report
from cuemem.ui.trace.signs import legend
from cuemem.viz.graph import Picture, draw, payload
from cuemem.viz.graph.export import graphml, standalone_html

QUESTION, WHOLE = "This question", "Whole conversation"


def graph(reading: Reading) -> None:
    """The picture; a click selects a turn."""
    st.subheader("Turn graph", anchor="turn-graph")
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        extent = st.segmented_control(
            "Turns shown",
            [QUESTION, WHOLE],
            default=QUESTION,
            required=True,
            key="trace.extent",
            label_visibility="collapsed",
            on_change=state.touch,
            persist_state="session",
        )
        cosines = st.toggle("Show cosines", key="trace.cosines", on_change=state.touch, persist_state="session")
        picture = _picture(reading, whole=extent == WHOLE, cosines=cosines)
        _files(reading, picture)
    turn_graph(payload(picture), reading.shown.turn_id if reading.shown else None, _select)
    signs = legend(reading.noun, with_graph=reading.with_graph)
    show(html('<p class="cmt-alt">{sentence}</p>{legend}', sentence=picture.sentence, legend=signs))


def _picture(reading: Reading, *, whole: bool, cosines: bool) -> Picture:
    scene = reading.scene
    return draw(
        reading.recall,
        scene.gold.turns,
        scene.turns,
        reading.explanations,
        width=fitting_width(),
        everything=whole,
        cosines=cosines,
    )


def _select(turn_id: str) -> None:
    state.change(turn=turn_id)


def _files(reading: Reading, picture: Picture) -> None:
    """What can be taken along; each file is made when it is asked for."""
    scene, question = reading.scene, reading.question
    stem = f"{scene.summary.sample_id}-question-{question.index}"
    gold, turns, explanations = scene.gold.turns, scene.turns, reading.explanations
    files: list[tuple[str, str, str, Callable[[], str]]] = [
        ("Picture (HTML)", "html", "text/html", lambda: standalone_html(picture, question.text, reading.marks)),
        ("Graph (GraphML)", "graphml", "application/xml", lambda: graphml(reading.recall, gold, turns, explanations)),
        ("Report (Markdown)", "md", "text/markdown", lambda: report(reading)),
    ]
    with st.popover("Save", icon=":material/download:"):
        for label, ending, mime, make in files:
            st.download_button(
                label,
                make,
                file_name=f"{stem}.{ending}",
                mime=mime,
                key=f"trace.save.{ending}",
                on_click="ignore",
                width="stretch",
            )
