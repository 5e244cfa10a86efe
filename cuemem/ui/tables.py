"""Tables of data on a page, and the same rows as CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

Rows = Sequence[Mapping[str, Any]]
_ROW, _HEAD = 35, 38  # pixels
_TALLEST = 14  # rows; more of them scroll


def frame(rows: Rows, columns: Sequence[str]) -> pd.DataFrame:
    """Rows as a table with exactly these columns."""
    return pd.DataFrame([[row.get(name) for name in columns] for row in rows], columns=list(columns))


def height(rows: int) -> int:
    """The height of a table that shows its rows without a gap, up to where it scrolls."""
    return _HEAD + _ROW * min(max(rows, 1), _TALLEST)


def show(rows: Rows, columns: Sequence[str], about: str, decimals: int | None = None, **options: Any) -> Any:
    """Draw rows with these columns; ``about`` says in words what the table holds.

    ``decimals`` is how many all fractions are shown with; ``options`` are st.dataframe's.
    """
    formats = number_formats(rows, columns, decimals)
    return st.dataframe(
        frame(rows, columns),
        hide_index=True,
        placeholder="",
        height=height(len(rows)),
        column_config=formats | options.pop("column_config", {}),
        alt=about,
        **options,
    )


def number_formats(rows: Rows, columns: Sequence[str], decimals: int | None = None) -> dict[str, Any]:
    """How the columns of numbers are shown."""
    formats: dict[str, Any] = {}
    for name in columns:
        values = [row.get(name) for row in rows]
        if any(isinstance(value, int) for value in values):
            formats[name] = st.column_config.NumberColumn(format="localized")
        if decimals and any(isinstance(value, float) for value in values):
            formats[name] = st.column_config.NumberColumn(format=f"%.{decimals}f")
    return formats


def csv_button(rows: Rows, columns: Sequence[str], name: str, key: str) -> None:
    """Download the rows as a CSV file; it is made when it is asked for."""
    st.download_button(
        "CSV",
        lambda: frame(rows, columns).to_csv(index=False).encode(),
        file_name=f"{name}.csv",
        mime="text/csv",
        key=key,
        icon=":material/download:",
        on_click="ignore",
        disabled=not rows,
    )
