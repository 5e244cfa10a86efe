"""A table of which a row can be chosen, kept in step with a selection that others change too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st


def pick_table(
    name: str,
    table: pd.DataFrame,
    at: int | None,
    on_pick: Callable[[int | None], None],
    *,
    height: int,
    alt: str,
    columns: dict[str, Any] | None = None,
) -> None:
    """Draw a table with row ``at`` chosen; ``on_pick`` is called with the row that a person chooses, or None.

    A table keeps its place and its own choice as long as that is ``at``; it is drawn anew only where the choice
    was made elsewhere, since a table cannot be told.
    """
    counter = f"{name}.drawn"
    key = f"{name}.{st.session_state.setdefault(counter, 0)}"
    rows = [] if at is None else [at]
    if key in st.session_state and list(st.session_state[key]["selection"]["rows"]) != rows:
        st.session_state[counter] += 1
        key = f"{name}.{st.session_state[counter]}"

    def picked() -> None:
        chosen: Sequence[int] = st.session_state[key]["selection"]["rows"]
        on_pick(chosen[0] if chosen else None)

    st.dataframe(
        table,
        hide_index=True,
        height=height,
        key=key,
        on_select=picked,
        selection_mode="single-row",
        selection_default={"selection": {"rows": rows}},
        column_config=columns,
        alt=alt,
    )
