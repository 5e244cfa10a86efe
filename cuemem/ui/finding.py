"""How a table of what a memory holds is narrowed down: words to find, and which kind to show; both in the address."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from cuemem.ui import state

EVERYTHING = "all"


def search_box(label: str, key: str) -> None:
    """A search that is noted in the view as ``find`` while it is typed."""
    # Only put when the view says otherwise: a value put in every run would overwrite what is being typed.
    text = state.current().extra("find")
    if st.session_state.get(key, "") != text:
        st.session_state[key] = text
    st.text_input(
        label,
        type="search",
        live="300ms",
        key=key,
        max_chars=200,
        on_change=lambda: state.note("find", st.session_state[key]),
    )


def shown(names: Mapping[str, object]) -> str:
    """Which of these the view shows; everything, where it says nothing that is there."""
    noted = state.current().extra("show")
    return noted if noted in names else EVERYTHING


def kinds(key: str, labels: Mapping[str, str], counts: Mapping[str, int]) -> None:
    """Buttons for what can be shown, with how many there are of each; the choice is noted in the view as ``show``."""
    st.pills(
        "Show",
        list(labels),
        format_func=lambda name: f"{labels[name]} · {counts[name]:,}",
        required=True,
        key=state.put(key, shown(labels)),
        on_change=lambda: state.note("show", "" if st.session_state[key] == EVERYTHING else st.session_state[key]),
        label_visibility="collapsed",
        wrap=True,
    )
