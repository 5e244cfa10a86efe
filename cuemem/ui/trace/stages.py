"""The recall step by step, as the method tells it: what came out of each stage and how long it took."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from cuemem.types import Stage
from cuemem.ui import state
from cuemem.ui.markup import Html, html, join, show
from cuemem.ui.trace.reading import Reading


def stages(reading: Reading) -> None:
    """The stages in a line; their rows on request."""
    st.subheader("Stages", anchor="stages")
    trace = reading.recall.trace
    show(html('<ol class="cmt-stages">{steps}</ol>', steps=join([_step(stage) for stage in trace])))
    with_rows = [stage for stage in trace if stage.items]
    fold = st.expander("Rows of each stage", on_change=state.touch, key="trace.stages")
    if not fold.open:
        return
    with fold:
        tabs = st.tabs([stage.title for stage in with_rows], on_change=state.touch, key="trace.stage")
        for tab, stage in zip(tabs, with_rows, strict=True):
            if tab.open:
                tab.dataframe(_rows(stage), hide_index=True, height=320)


def _step(stage: Stage) -> Html:
    return html(
        '<li><p class="cm-label">{title}</p><p>{summary}</p><p class="cm-quiet">{time:.1f} ms</p></li>',
        title=stage.title,
        summary=stage.summary,
        time=1000 * stage.seconds,
    )


def _rows(stage: Stage) -> pd.DataFrame:
    rows = [(item.rank, item.label, item.turn_id, item.score, item.note or None) for item in stage.items]
    table = pd.DataFrame(rows, columns=["rank", "what", "turn", "score", "note"])
    return table.dropna(axis="columns", how="all")
