"""Changing the cues: the memory is built anew, and the page says what that did to the question at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from cuemem.adapters.store import Correction
from cuemem.errors import CueMemError
from cuemem.types import Triple, TurnId
from cuemem.ui import cache, markup, state
from cuemem.ui.cues.book import Book
from cuemem.ui.cues.effect import Before, sentence

_EFFECT = "cues.effect"


def correct(book: Book, turn_id: TurnId, contents: Sequence[Triple | str]) -> None:
    """Give a turn these cues. Ends the run unless that is refused, which is said, or changes nothing."""
    if tuple(contents) == tuple(cue.content for cue in book.of_turn.get(turn_id, ())):
        markup.notice(f"{turn_id} has these very cues already, so nothing was changed.")
        return
    words = f"The cues of {turn_id} are corrected."
    _change(book, turn_id, words, lambda: book.desk.correct_cues(*book.key, turn_id, contents))


def undo(book: Book, correction: Correction) -> None:
    """Take a correction back. Ends the run unless that is refused, which is said."""
    words = f"Correction {correction.number} is undone: {correction.turn_id} has its former cues again."
    _change(book, correction.turn_id, words, lambda: book.desk.undo_correction(*book.key, correction.number))


def _change(book: Book, turn_id: TurnId, words: str, act: Callable[[], object]) -> None:
    before = _before(book, turn_id, words)
    waiting = "" if cache.model_ready() else " The embedding model is loading, which takes some seconds."
    with st.spinner(f"Embedding the cues and linking them anew …{waiting}"):
        try:
            act()
        except CueMemError as error:
            markup.notice(str(error), "error")
            return
    st.session_state[_EFFECT] = before
    state.redraw()


def _before(book: Book, turn_id: TurnId, words: str) -> Before | str:
    """What to compare with afterwards; without a question only the words."""
    scene = book.scene
    if scene.question is None:
        return words
    context = scene.recall.context
    found = len(set(scene.gold.turns) & set(context.turn_ids))
    recalled = (context.turn_ids, context.tokens, found)
    return Before(words, scene.question.index, _asked(book), *recalled, turn_id, _best_rank(book, turn_id))


def _best_rank(book: Book, turn_id: TurnId) -> int | None:
    """The rank of a turn's best cue for the question."""
    return min((book.hits[cue.index].rank for cue in book.of_turn.get(turn_id, ())), default=None)


def _asked(book: Book) -> tuple[Any, ...]:
    return (*book.key, book.scene.budget)


def effect(book: Book) -> None:
    """Say what the last change did, until another question or another setting is looked at."""
    before: Before | str | None = st.session_state.get(_EFFECT)
    scene = book.scene
    if before is None:
        return
    if isinstance(before, str):
        markup.notice(before)
    elif scene.question is None or (before.question, before.asked) != (scene.question.index, _asked(book)):
        del st.session_state[_EFFECT]
        return
    else:
        markup.notice(sentence(before, scene.recall, scene.gold.turns, _best_rank(book, before.turn)))
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.page_link("pages/trace.py", label="See it in Trace", icon=":material/account_tree:")
        st.button(
            "Dismiss", key="cues.effect.dismiss", type="tertiary", on_click=st.session_state.pop, args=(_EFFECT,)
        )
