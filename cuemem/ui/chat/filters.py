"""The filters above the chat: kept in the view, so that a link gives them back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from cuemem.types import Turn
from cuemem.ui import state
from cuemem.ui.chat.marks import EVERYTHING, Wanted, named_turn
from cuemem.ui.chat.text import day

_FIND = "conversation.find"
_NARROW = 166  # pixels: two beside each other on a phone


def draw_filters(turns: Sequence[Turn], wanted: Wanted, roles: Mapping[str, tuple[str, int]]) -> None:
    """Search, speaker, session, and the role in the context."""
    with st.container(horizontal=True, gap="small"):
        _search(turns, wanted.find)
        # Together, so that on a phone they stand in a row of their own.
        with st.container(horizontal=True, gap="small", width=2 * _NARROW + 20):
            _choice("Speaker", "speaker", _speakers(turns), wanted.speaker)
            _choice("Session", "session", _sessions(turns), wanted.session)
    key = state.put("conversation.show", wanted.role)
    st.pills(
        "Show",
        list(roles),
        format_func=lambda name: f"{roles[name][0]} · {roles[name][1]:,}" if name in roles else name,
        required=True,
        key=key,
        on_change=_to_role,
        args=(key,),
        label_visibility="collapsed",
        wrap=True,
    )


def _search(turns: Sequence[Turn], text: str) -> None:
    # Only put when the view says otherwise: a value put in every run would overwrite what is being typed.
    if st.session_state.get(_FIND, "") != text:
        st.session_state[_FIND] = text
    st.text_input(
        "Find a text, or a turn by its id",
        type="search",
        live="300ms",
        key=_FIND,
        max_chars=200,
        placeholder=f"a word, or {turns[len(turns) // 2].turn_id[:20]}" if turns else None,
        on_change=_to_text,
        args=(turns,),
    )


def _to_text(turns: Sequence[Turn]) -> None:
    text = st.session_state[_FIND]
    turn = named_turn(turns, text)
    state.note("find", text)
    if turn is not None:
        state.change(turn=turn.turn_id)


def _choice(label: str, name: str, options: Mapping[int, str], chosen: int | None) -> None:
    """A select box over numbers with their names; the first entry, an empty one, is no choice."""
    named = {"": f"All {label.lower()}s"} | {str(number): text for number, text in options.items()}
    key = state.put(f"conversation.{name}", "" if chosen not in options else str(chosen))
    st.selectbox(
        label,
        list(named),
        format_func=lambda number: named.get(number, number),
        key=key,
        on_change=_to_choice,
        args=(name, key),
        width=_NARROW,
    )


def _speakers(turns: Sequence[Turn]) -> dict[int, str]:
    names = dict.fromkeys(utterance.speaker for turn in turns for utterance in turn.utterances)
    return dict(enumerate(names))


def _sessions(turns: Sequence[Turn]) -> dict[int, str]:
    opening = {turn.session: turn.time for turn in reversed(turns)}
    return {number: f"{number} · {day(opening[number])}" for number in sorted(opening)}


def _to_choice(name: str, key: str) -> None:
    state.note(name, st.session_state[key])


def _to_role(key: str) -> None:
    role = st.session_state[key]
    state.note("show", "" if role == EVERYTHING else role)
