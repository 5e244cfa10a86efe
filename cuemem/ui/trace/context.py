"""The evidence context exactly as a model gets it, its turns as a table, and what the budget cut."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from cuemem.types import ContextItem
from cuemem.ui import state
from cuemem.ui.markup import html, show
from cuemem.ui.trace.reading import Reading
from cuemem.viz.graph.marks import Mark, status_of

TEXT, TURNS, CUT = "Text", "Turns", "Cut by the budget"


def context(reading: Reading) -> None:
    """The context in the shape that is asked for."""
    found = reading.recall.context
    st.subheader("Context", anchor="context")
    names = [TEXT, TURNS, *([CUT] if found.cut else [])]
    tabs = dict(zip(names, st.tabs(names, on_change=state.touch, key="trace.context"), strict=True))
    if tabs[TEXT].open:
        budget = "no budget" if found.budget is None else f"of a budget of {found.budget:,}"
        with tabs[TEXT]:
            show(html('<p class="cm-quiet">{count:,} tokens, {budget}</p>', count=found.tokens, budget=budget))
            st.code(found.text or "(empty)", language=None, wrap_lines=True, height=480)
    if tabs[TURNS].open:
        with tabs[TURNS]:
            _table(reading, found.items, "context")
    if CUT in tabs and tabs[CUT].open:
        with tabs[CUT]:
            show(
                html(
                    '<p class="cm-quiet">In the order in which they would have entered. {reason}</p>',
                    reason=f"{found.cut[0].turn_id} {found.cut[0].cut}.",
                )
            )
            _table(reading, found.cut, "cut")


def _table(reading: Reading, items: tuple[ContextItem, ...], name: str) -> None:
    """A table of turns; choosing a row selects the turn everywhere."""
    ids = [item.turn_id for item in items]
    selected = reading.scene.turn
    at = [ids.index(selected)] if selected in ids else []
    key = f"trace.{name}.{selected}"  # a new table when another turn is selected, so that it shows that row
    table = turn_table(reading, items)
    st.dataframe(
        table,
        hide_index=True,
        height=min(520, 38 + 35 * len(ids)),
        key=key,
        on_select=lambda: _pick(key, ids),
        selection_mode="single-row",
        selection_default={"selection": {"rows": at}},
        column_config={"text": st.column_config.TextColumn(width="large")},
    )
    st.download_button(
        "Save as CSV",
        lambda: table.to_csv(index=False),
        file_name=f"{reading.scene.summary.sample_id}-question-{reading.question.index}-{name}.csv",
        mime="text/csv",
        key=f"trace.{name}.csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _pick(key: str, ids: list[str]) -> None:
    rows = st.session_state[key]["selection"]["rows"]
    state.change(turn=ids[rows[0]] if rows else None)


def turn_table(reading: Reading, items: tuple[ContextItem, ...]) -> pd.DataFrame:
    """Turns of a context with why they are there and what they cost."""
    marks: dict[str, Mark] = {mark.turn.turn_id: mark for mark in reading.marks}
    turns = reading.scene.turns
    return pd.DataFrame(
        {
            "turn": [item.turn_id for item in items],
            "session": [turns[item.turn_id].session for item in items],
            "date": [turns[item.turn_id].time for item in items],
            "why": [status_of(marks[item.turn_id]) for item in items],
            "gold": [marks[item.turn_id].gold for item in items],
            "order of entry": [item.entry for item in items],
            "tokens": [item.tokens for item in items],
            "text": [item.text for item in items],
        }
    )
