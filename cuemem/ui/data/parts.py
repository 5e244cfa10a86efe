"""The parts of the Data page, and what they share: which part is open and which file is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from cuemem.adapters.store import FileRecord
from cuemem.ui import cache, markup, state
from cuemem.ui.controls import put

EVERY_FILE = ""
_MOVES = "data.moves"


def tabs(parts: Mapping[str, tuple[str, Callable[[], None]]]) -> None:
    """Draw a row of tabs and the open one. A part is its name in the address, its title, and what draws it."""
    view = state.current()
    name = view.extra("part") if view.extra("part") in parts else next(iter(parts))
    titles = [title for title, _ in parts.values()]
    key = put(f"data.part.{st.session_state.get(_MOVES, 0)}", parts[name][0])
    names = {title: name for name, (title, _) in parts.items()}
    drawn = st.tabs(titles, key=key, on_change=_to_title, args=(key, names))
    with drawn[titles.index(parts[name][0])]:
        parts[name][1]()


def _to_title(key: str, names: Mapping[str, str]) -> None:
    state.note("part", names[st.session_state[key]])


def go(part: str, **notes: str) -> None:
    """In a callback: open another part of this page.

    The tabs are then other tabs: a run that the browser asked for before it knew would else bring back the old one.
    """
    st.session_state[_MOVES] = st.session_state.get(_MOVES, 0) + 1
    for name, value in {"part": part, **notes}.items():
        state.note(name, value)


def chosen_file(key: str) -> str:
    """The sha256 of the file that is looked at, chosen here from those loaded; empty means all of them."""
    files = {file.sha256: file for file in cache.workbench().store.files()}
    wanted = state.current().extra("file")
    sha256 = next((sha for sha in files if wanted and sha.startswith(wanted)), EVERY_FILE)
    if len(files) < 2:
        return EVERY_FILE
    st.selectbox(
        "File",
        [EVERY_FILE, *files],
        format_func=lambda sha: _name(files, sha),
        key=put(key, sha256),
        on_change=_to_file,
        args=(key,),
    )
    return sha256


def _name(files: Mapping[str, FileRecord], sha256: str) -> str:
    return files[sha256].name if sha256 in files else f"All {len(files)} files"


def _to_file(key: str) -> None:
    state.note("file", st.session_state[key][:16])


def nothing_loaded() -> None:
    """What a part says while the store is empty."""
    markup.notice("Nothing is loaded yet. Load a file first; it takes one step.")
    st.button("Load a file", key="data.to_load", on_click=go, args=("load",), type="primary")
