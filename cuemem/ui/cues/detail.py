"""The selected turn on the Cues page: what was said, its cues to be corrected, and what lies close to one of them."""

from __future__ import annotations

import streamlit as st

from cuemem.types import Cue, Turn
from cuemem.ui import markup, state, tables
from cuemem.ui.cues.book import Book
from cuemem.ui.cues.editor import editor
from cuemem.ui.cues.picking import pick_table
from cuemem.ui.cues.rows import COSINE, NEAREST_COLUMNS, RANK, nearest_row
from cuemem.ui.turn_panel import said_card
from cuemem.viz.graph.marks import clipped

NEAREST = 10
_COLUMNS = {
    "neighbour": st.column_config.NumberColumn("#", width=36, help="1 is the closest: with k = 1 its turn is linked"),
    COSINE: st.column_config.NumberColumn(format="%.3f", width=60),
    "cue": st.column_config.TextColumn(width=140),
    "turn": st.column_config.TextColumn(width=66),
    RANK: st.column_config.NumberColumn(width=50, help="Its own rank for the question"),
}


def detail(book: Book) -> None:
    """The selected turn with its editor; a sentence where none is selected."""
    turn = book.turn
    if turn is None:
        markup.notice("Select a row to see the turn behind it, what lies close to it, and to correct its cues.")
        return
    left, right = st.columns([5, 4], gap="medium")
    with left:
        said_card(book.scene, turn)
        editor(book, turn)
    with right:
        _nearest(book, turn)


def go_to_cue(cue: Cue, book: Book) -> None:
    """In a callback: select a cue and with it its turn."""
    place = book.of_turn[cue.turn_id].index(cue)
    state.change(turn=cue.turn_id, extras=state.current().with_extra("cue", str(place) if place else "").extras)


def _nearest(book: Book, turn: Turn) -> None:
    """The cues that are closest to the selected one."""
    cue = book.cue
    if cue is None:
        markup.notice(
            f"No cue points to {turn.turn_id}, so no question finds it by itself: only an edge from a turn close by "
            "can bring it in. Add a cue to change that."
        )
        return
    cues = book.of_turn[turn.turn_id]
    key = state.put("cues.near", cues.index(cue))
    st.selectbox(
        "Nearest cues of",
        range(len(cues)),
        format_func=lambda place: clipped(cues[place].text, 120) if place < len(cues) else "",
        key=key,
        on_change=lambda: go_to_cue(cues[st.session_state[key]], book),
    )
    markup.show(markup.html('<p class="cm-quiet">{rank}</p>', rank=rank_of(book, cue)))
    hits = book.desk.nearest_cues(*book.key, cue.index, NEAREST)
    rows = [nearest_row(book, hit) for hit in hits]
    columns = NEAREST_COLUMNS if book.hits else NEAREST_COLUMNS[:-1]
    pick_table(
        "cues.nearest",
        tables.frame(rows, columns),
        None,
        lambda row: None if row is None else go_to_cue(hits[row].cue, book),
        height=tables.height(len(rows)),
        alt=f"The cues nearest to a cue of {turn.turn_id}",
        columns=_COLUMNS,
    )
    tables.csv_button(rows, columns, f"{book.scene.summary.sample_id} nearest", "cues.nearest.csv")


def rank_of(book: Book, cue: Cue) -> str:
    """Where a cue stands for the question, in a sentence."""
    hit = book.hits.get(cue.index)
    if hit is None:
        return "The higher the cosine, the closer in meaning; 1 is the same."
    question = book.scene.question
    number = "" if question is None else f" for question {question.index}"
    verdict = "It was retrieved." if cue.index in book.retrieved else "It was not retrieved."
    return f"Rank {hit.rank:,} of {len(book.cues):,} cues{number}, cosine {hit.cosine:.3f}. {verdict}"
