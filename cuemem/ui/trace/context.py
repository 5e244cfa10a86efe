"""The evidence context exactly as a model gets it, its turns as a table, and what the budget cut."""

from __future__ import annotations

from typing import Any

import streamlit as st

from cuemem.types import ContextItem
from cuemem.ui import state, tables
from cuemem.ui.markup import html, show
from cuemem.ui.trace.reading import Reading
from cuemem.viz.graph.marks import status_of

COLUMNS = ("turn", "session", "date", "why", "text", "gold", "tokens", "entry")
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
    rows = turn_rows(reading, items)
    st.dataframe(
        tables.frame(rows, COLUMNS),
        hide_index=True,
        height=tables.height(len(ids)),
        key=key,
        on_select=lambda: _pick(key, ids),
        selection_mode="single-row",
        selection_default={"selection": {"rows": at}},
        column_config={
            "date": st.column_config.DatetimeColumn(format="D MMM YYYY, HH:mm"),
            "why": st.column_config.TextColumn(width="medium"),
            "text": st.column_config.TextColumn(width="large"),
        },
    )
    stem = f"{reading.scene.summary.sample_id}-question-{reading.question.index}-{name}"
    tables.csv_button(rows, COLUMNS, stem, f"trace.{name}.csv")


def _pick(key: str, ids: list[str]) -> None:
    rows = st.session_state[key]["selection"]["rows"]
    state.change(turn=ids[rows[0]] if rows else None)


def turn_rows(reading: Reading, items: tuple[ContextItem, ...]) -> list[dict[str, Any]]:
    """Turns of a context with why they are there and what they cost."""
    marks = {mark.turn.turn_id: mark for mark in reading.marks}
    turns = reading.scene.turns
    return [
        {
            "turn": item.turn_id,
            "session": turns[item.turn_id].session,
            "date": turns[item.turn_id].time,
            "why": status_of(marks[item.turn_id]),
            "text": item.text,
            "gold": marks[item.turn_id].gold,
            "tokens": item.tokens,
            "entry": item.entry,
        }
        for item in items
    ]
