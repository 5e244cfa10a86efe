"""The corrections of a cue set, newest first, each with a way back."""

from __future__ import annotations

import streamlit as st

from cuemem.adapters.store import Correction
from cuemem.ui import markup, state, tables
from cuemem.ui.cues.book import Book
from cuemem.ui.cues.changes import undo
from cuemem.ui.cues.rows import CORRECTION_COLUMNS, correction_row, listed
from cuemem.ui.markup import Html, html, show

_SHOWN = 30
_STATES = {
    "applied": ("holds", "cm-good"),
    "undone": ("undone", "cm-none"),
    "dropped": ("dropped: the cues were made anew since", "cm-busy"),
}


def history(book: Book) -> None:
    """What was changed by hand."""
    made = book.corrections
    if not made:
        markup.notice(
            "Nothing was corrected in these cues. Select a turn to correct its cues; it can be undone here."
        )
        return
    for correction in list(reversed(made))[:_SHOWN]:
        with st.container(border=True, key=f"correction-{correction.number}", gap="small"):
            show(_card(correction))
            _buttons(book, correction)
    if len(made) > _SHOWN:
        show(html('<p class="cm-quiet">{more:,} older ones are in the CSV file.</p>', more=len(made) - _SHOWN))
    rows = [correction_row(correction) for correction in made]
    tables.csv_button(rows, CORRECTION_COLUMNS, f"{book.scene.summary.sample_id} corrections", "cues.history.csv")


def _card(correction: Correction) -> Html:
    words, tone = _STATES[correction.state]
    failure = correction.before_failure
    return html(
        '<p class="cm-change"><b>{number}. <bdi>{turn}</bdi></b> <span class="cm-state {tone}">{words}</span> '
        '<span class="cm-quiet">{at:%d %b %Y, %H:%M} UTC</span></p>'
        '<div class="cm-diff"><div><span class="cm-label">before</span><pre dir="auto">{before}</pre></div>'
        '<div><span class="cm-label">after</span><pre dir="auto">{after}</pre></div></div>',
        number=correction.number,
        turn=correction.turn_id,
        tone=tone,
        words=words,
        at=correction.corrected_at,
        before=listed(correction.before) or (f"none: extraction failed ({failure})" if failure else "no cue"),
        after=listed(correction.after) or "no cue",
    )


def _buttons(book: Book, correction: Correction) -> None:
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Show the turn",
            key=f"correction.show.{correction.number}",
            type="tertiary",
            on_click=state.change,
            kwargs={"turn": correction.turn_id},
        )
        if correction.state != "applied":
            return
        later = latest_on_turn(book, correction)
        if later is not correction:
            st.caption(f"Correction {later.number} changed the turn again; undo that one first.")
        elif st.button("Undo", key=f"correction.undo.{correction.number}", on_click=state.touch):
            undo(book, correction)


def latest_on_turn(book: Book, correction: Correction) -> Correction:
    """The last correction of the same turn that holds."""
    same = [it for it in book.corrections if it.turn_id == correction.turn_id and it.state == "applied"]
    return same[-1]
