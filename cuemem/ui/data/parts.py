"""The parts of the Data page, and what they share: which part is open and which file is looked at."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Mapping, Sequence

import streamlit as st

from cuemem.adapters.store import FileRecord
from cuemem.errors import UnknownName
from cuemem.types import ConversationId
from cuemem.ui import cache, markup, state
from cuemem.ui.controls import put

EVERY_FILE = ""
CHOSEN = "data.build.conversations"  # for building; kept while other pages are looked at
_CHOSEN_AT = "data.build.looked_at"
_MOVES = "data.moves"


def tabs(parts: Mapping[str, tuple[str, Callable[[], None]]]) -> None:
    """Draw a row of tabs and the open one. A part is its name in the address, its title, and what draws it."""
    view = state.current()
    name = view.extra("part") if view.extra("part") in parts else next(iter(parts))
    titles = [title for title, _ in parts.values()]
    key = put(_tabs_key(), parts[name][0])
    names = {title: name for name, (title, _) in parts.items()}
    drawn = st.tabs(titles, key=key, on_change=_to_title, args=(key, names))
    with drawn[titles.index(parts[name][0])]:
        parts[name][1]()


def _tabs_key() -> str:
    return f"{state.current().page}.part.{st.session_state.get(_MOVES, 0)}"


def _to_title(key: str, names: Mapping[str, str]) -> None:
    """Open a part. Tabs that are gone are reported, and so call this, until the browser has drawn the page."""
    if key == _tabs_key():
        state.note("part", names[st.session_state[key]])


def go(part: str, **notes: str) -> None:
    """In a callback: open another part of this page.

    The tabs are then other tabs: a run that the browser asked for before it knew would else bring back the old one.
    """
    st.session_state[_MOVES] = st.session_state.get(_MOVES, 0) + 1
    for name, value in {"part": part, **notes}.items():
        state.note(name, value)


def to_build(conversations: Sequence[ConversationId]) -> None:
    """In a callback: choose these conversations for building."""
    st.session_state[CHOSEN], st.session_state[_CHOSEN_AT] = list(conversations), state.current().conversation
    go("build")


def start_choice(rows: Container[ConversationId]) -> None:
    """Before the choice is drawn: what was chosen here, or the conversation that a link leads to."""
    looked_at = state.current().conversation
    if CHOSEN not in st.session_state or looked_at != st.session_state.get(_CHOSEN_AT):
        st.session_state[CHOSEN], st.session_state[_CHOSEN_AT] = [_resolved(looked_at)], looked_at
    st.session_state[CHOSEN] = [name for name in st.session_state[CHOSEN] if name in rows]


def _resolved(name: str | None) -> ConversationId | None:
    with contextlib.suppress(UnknownName):  # a stale link chooses nothing
        return cache.workbench().store.resolve(name) if name else None
    return None


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
