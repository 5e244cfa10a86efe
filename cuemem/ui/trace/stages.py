"""The recall step by step, as the method tells it: what came out of each stage and how long it took."""

from __future__ import annotations

from collections.abc import Sequence

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
        together = _together(with_rows)
        names = [" · ".join(stage.title for stage in group) for group in together]
        tabs = st.tabs(names, on_change=state.touch, key="trace.stage")
        for tab, group in zip(tabs, together, strict=True):
            if tab.open:
                with tab:
                    _tables(group)


def _together(trace: Sequence[Stage]) -> list[list[Stage]]:
    """The stages, those that ran side by side in one."""
    groups: list[list[Stage]] = []
    for stage in trace:
        if groups and stage.group and groups[-1][0].group == stage.group:
            groups[-1].append(stage)
        else:
            groups.append([stage])
    return groups


def _tables(group: Sequence[Stage]) -> None:
    """The rows of stages, side by side where there are several."""
    if len(group) == 1:
        st.dataframe(_rows(group[0]), hide_index=True, height=320)
        return
    for column, stage in zip(st.columns(len(group), gap="small"), group, strict=True):
        with column:
            show(html('<p class="cm-label">{title}</p>', title=stage.title))
            st.dataframe(_rows(stage), hide_index=True, height=420)


def _step(stage: Stage) -> Html:
    return html(
        '<li><p class="cm-label">{title}</p><p>{summary}</p><p class="cm-quiet">{time:.1f} ms</p></li>',
        title=stage.title,
        summary=stage.summary,
        time=1000 * stage.seconds,
    )


def _rows(stage: Stage) -> pd.DataFrame:
    rows = [(item.rank, item.label, item.turn_id, item.score, item.note or None) for item in stage.items]
    table = pd.DataFrame(rows, columns=["rank", "what", "turn", stage.measure or "score", "note"])
    return table.dropna(axis="columns", how="all")
