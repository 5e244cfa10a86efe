"""The look of what :mod:`cuemem.ui.markup` puts on the page."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import streamlit as st


def icon() -> str:
    """Our own icon in the browser's tab: one of Streamlit's would be fetched from elsewhere."""
    return str(Path(__file__).with_name("icon.svg"))


@lru_cache(maxsize=1)
def _sheet() -> str:
    sheets = sorted(Path(__file__).parent.glob("*.css"))
    return "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


def apply() -> None:
    """Put our style sheets on the page."""
    st.html(f"<style>{_sheet()}</style>")
