"""The tables of the Cues page, one a tab: all cues, turns without any, duplicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from cuemem.methods.cuemem.inspect import NearDuplicates
from cuemem.types import Cue, Turn
from cuemem.ui import finding, markup, state, tables
from cuemem.ui.cues.book import Book
from cuemem.ui.cues.detail import go_to_cue
from cuemem.ui.cues.picking import pick_table
from cuemem.ui.cues.rows import (
    BARE_COLUMNS,
    COPIES_COLUMNS,
    COSINE,
    FAILURE,
    PAIR_COLUMNS,
    RANK,
    Row,
    bare_rows,
    copies_row,
    cue_columns,
    cue_row,
    pair_row,
)

CLOSE, CLOSEST, CLOSE_STEP, LEAST_CLOSE = 0.95, 0.99, 0.01, 0.8
_ROWS = 9  # of a table before it scrolls, so that what is selected stands below it on the same screen
_SHOWN: Mapping[str, tuple[str, Callable[[Book, Cue], bool]]] = {
    "all": ("All", lambda book, cue: True),
    "retrieved": ("Retrieved for the question", lambda book, cue: cue.index in book.retrieved),
    "gold": ("Of its gold turns", lambda book, cue: cue.turn_id in book.scene.gold.turns),
}


def all_cues(book: Book) -> None:
    """Every cue with its source turn, by rank for the question where there is one."""
    view = book.scene.view
    chosen = finding.shown(_SHOWN)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        finding.search_box("Find a cue by its words, or by its turn", "cues.find")
        if book.hits:
            _show(book)
    wanted = view.extra("find").strip().casefold()
    cues = [
        cue
        for cue in book.cues
        if _SHOWN[chosen][1](book, cue) and (wanted in cue.text.casefold() or wanted == cue.turn_id.casefold())
    ]
    if book.hits and chosen != finding.EVERYTHING:
        cues.sort(key=lambda cue: book.hits[cue.index].rank)
    rows = [cue_row(book, cue) for cue in cues]
    _table(book, "all", rows, cue_columns(book), _place(cues, book.cue), lambda row: go_to_cue(cues[row], book))


def _show(book: Book) -> None:
    counts = {name: sum(holds(book, cue) for cue in book.cues) for name, (_, holds) in _SHOWN.items()}
    finding.kinds("cues.show", {name: label for name, (label, _) in _SHOWN.items()}, counts)


def bare_turns(book: Book) -> None:
    """The turns that no cue points to, and whether they hold evidence."""
    if not book.bare:
        markup.notice("Every turn has a cue.")
        return
    gold = sum(turn.turn_id in book.gold_of for turn in book.bare)
    markup.show(
        markup.html(
            '<p class="cm-quiet">{some} of them {hold} gold evidence: such a turn is found only through an edge from '
            "a turn close by. Select one to give it a cue.</p>",
            some=gold or "None",
            hold="holds" if gold == 1 else "hold",
        )
    )
    failures = {it.turn_id: it.failure for it in _extractions(book) if it.failure}
    rows, columns = bare_rows(book, failures), (*BARE_COLUMNS, *([FAILURE] if failures else []))
    _table(book, "bare", rows, columns, _place(book.bare, book.turn), lambda row: _to_turn(book.bare[row]))


def _extractions(book: Book) -> Sequence[Any]:
    held = book.held
    return book.desk.store.extractions(held.conversation_id, held.source, held.turn_unit)


def _to_turn(turn: Turn) -> None:
    state.change(turn=turn.turn_id)


def duplicates(book: Book) -> None:
    """Cues of the same text, and pairs that say nearly the same."""
    groups = book.desk.exact_duplicates(*book.key)
    _title("The very same text")
    if groups:
        rows = [copies_row(group) for group in groups]
        _table(book, "copies", rows, COPIES_COLUMNS, None, lambda row: go_to_cue(groups[row][0], book))
    else:
        markup.show(markup.html('<p class="cm-quiet">No two cues are the same.</p>'))
    _title("Nearly the same")
    close = _close(book)
    record = book.scene.choice.record if book.scene.choice else None
    found = _near(record.memory_id if record else "", book.held.content_hash or "", close, book)
    more = found.total - len(found.pairs)
    markup.show(
        markup.html(
            '<p class="cm-quiet">{count:,} pairs of different text have a cosine of {close:.2f} or more.{more}</p>',
            count=found.total,
            close=close,
            more=f" The {len(found.pairs):,} closest are listed." if more else "",
        )
    )
    if found.pairs:
        rows = [pair_row(pair) for pair in found.pairs]
        _table(book, "pairs", rows, PAIR_COLUMNS, None, lambda row: go_to_cue(found.pairs[row].one, book))


@st.cache_resource(show_spinner=False, max_entries=8)
def _near(memory_id: str, content_hash: str, close: float, _book: Book) -> NearDuplicates:
    """Looked for once: the two names tell a memory and the cues in it."""
    return _book.desk.near_duplicates(*_book.key, close)


def _title(text: str) -> None:
    markup.show(markup.html('<h3 class="cm-head">{text}</h3>', text=text))


def _close(book: Book) -> float:
    """The cosine from which on two cues count as nearly the same."""
    noted = book.scene.view.extra("close")
    steps = [
        round(LEAST_CLOSE + CLOSE_STEP * step, 2) for step in range(round((CLOSEST - LEAST_CLOSE) / CLOSE_STEP) + 1)
    ]
    chosen = next((step for step in steps if f"{step:.2f}" == noted), CLOSE)
    key = state.put("cues.close", chosen)
    st.select_slider(
        "Cosine of at least",
        steps,
        key=key,
        on_change=lambda: state.note("close", f"{st.session_state[key]:.2f}"),
        width=360,
    )
    return chosen


def _place(things: Sequence[Any], wanted: Any) -> int | None:
    return things.index(wanted) if wanted is not None and wanted in things else None


def _table(
    book: Book, name: str, rows: list[Row], columns: Sequence[str], at: int | None, go: Callable[[int], None]
) -> None:
    """A table whose rows select, with its CSV file."""
    pick_table(
        f"cues.{name}",
        tables.frame(rows, columns),
        at,
        lambda row: state.change(turn=None) if row is None else go(row),
        height=tables.height(min(len(rows), _ROWS)),
        alt=f"Cues of {book.scene.summary.sample_id}: {name}",
        columns={
            RANK: st.column_config.NumberColumn(help="Rank among all cues for the question", width="small"),
            COSINE: st.column_config.NumberColumn(format="%.3f", width="small"),
            "session": st.column_config.NumberColumn(width="small"),
            "date": st.column_config.DatetimeColumn(format="D MMM YYYY"),
            "gold for": st.column_config.TextColumn(help="The questions, by number, that this turn is gold for"),
            "text": st.column_config.TextColumn(width="large"),
        },
    )
    tables.csv_button(rows, columns, f"{book.scene.summary.sample_id} {name}", f"cues.{name}.csv")
