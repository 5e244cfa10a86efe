"""The setting that is open: what it finds and costs, exactly and by category, and the way to Trace."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from cuemem.evaluation.frontier import fair
from cuemem.evaluation.retrieval import category_label
from cuemem.text import counted
from cuemem.ui import cache, links, markup, state, tables
from cuemem.ui.markup import Html, html
from cuemem.ui.sweep import words
from cuemem.ui.sweep.measured import Measured, Reading, rendered
from cuemem.ui.tiles import show_tiles, tile

_COLUMNS = ("category", "questions", "recall", "any", "all", "tokens", "anchors only", "their tokens")

_OF = {
    "recall": "of a question's gold turns",
    "any": "of the questions have one in the context",
    "all": "of the questions have all in the context",
}


def opened(reading: Reading) -> DeltaGenerator:
    """Tiles and the way to Trace. Gives the place for :func:`counting`, which takes longer than all the rest."""
    st.subheader("The open setting", anchor="setting")
    if reading.place is None:
        markup.notice(
            "The setting of the sidebar is not among those that were measured. Open one by a click in the chart."
        )
        return st.empty()
    show_tiles(_tiles(reading))
    st.page_link(
        "pages/trace.py",
        label=f"Trace a question at {reading.called(reading.place)}",
        icon=":material/account_tree:",
        query_params=links.trace(state.current()),
    )
    slot = st.empty()
    _say(slot, words.counting(reading, None))
    return slot


def counting(reading: Reading, slot: DeltaGenerator) -> None:
    """How tokens were counted, and the exact count of the open setting, into its place."""
    if reading.place is None or reading.means.rendered:
        return
    every = replace(reading, means=reading.it.means())  # of all categories, as the exact count is
    for exact in rendered(reading.it, reading.means.setting(reading.place)):
        _say(slot, words.counting(every, exact))  # also the moment at which a click meanwhile is heard


def _say(slot: DeltaGenerator, text: str) -> None:
    slot.html(html('<p class="cm-quiet">{text}</p>', text=text))


def _tiles(reading: Reading) -> list[Html]:
    means, place = reading.means, reading.place
    assert place is not None
    tiles = [
        tile(title, f"{means.measure(name)[place]:.1%}", _OF[name]) for name, (title, _) in words.MEASURES.items()
    ]
    turns = (
        f"{means.turns[place]:,.1f} turns; 95 % of the contexts have at most {means.tokens_p95[place]:,.0f} tokens"
    )
    tiles.append(tile("Context, mean", f"{means.tokens[place]:,.0f} tokens", turns))
    if (control := reading.control) is not None and place not in control:
        rival = fair(means, control, float(means.tokens[place]))
        if rival is not None:
            at, limited = rival
            grown = reading.called(at).rpartition(", ")[2]
            detail = f"{grown}{', the most there is' if limited else ''}: {means.tokens[at]:,.0f} tokens"
            tiles.append(tile("Anchors only, same tokens", f"{reading.found[at]:.1%}", detail))
    return tiles


def by_category(reading: Reading) -> None:
    """The open setting and the control at as many tokens, category by category."""
    if reading.place is None or len(reading.it.categories) < 2:
        return
    st.subheader("By category", anchor="categories")
    rows = [_row("all", reading, "")] + [_row(name, reading, name) for name in reading.it.categories]
    columns = [name for name in _COLUMNS if reading.control is not None or name not in _COLUMNS[-2:]]
    tables.show(rows, columns, "Recall and tokens of the open setting by category", decimals=3)
    tables.csv_button(rows, columns, "by category", "sweep.categories.csv")
    apart = _apart(reading.it)
    if apart:
        said = f"Not counted: {apart}, whose right reply is that it was not mentioned."
        markup.show(html('<p class="cm-quiet">{said}</p>', said=said))


def _row(name: str, reading: Reading, category: str) -> dict[str, object]:
    means, place = reading.it.means(category), reading.place
    assert place is not None
    row: dict[str, object] = {
        "category": name,
        "questions": means.questions,
        "recall": round(float(means.recall[place]), 4),
        "any": round(float(means.any[place]), 4),
        "all": round(float(means.all[place]), 4),
        "tokens": round(float(means.tokens[place])),
    }
    rival = fair(means, reading.control, float(means.tokens[place]))
    if rival is not None:
        row |= {
            "anchors only": round(float(means.measure(reading.measure)[rival[0]]), 4),
            "their tokens": round(float(means.tokens[rival[0]])),
        }
    return row


def _apart(it: Measured) -> str:
    """How many questions are scored apart, of the conversation that is looked at or of all."""
    if len(it.group.ids) > 1:
        return ""
    questions = [question for question in cache.questions(it.group.ids[0]) if question.unanswerable]
    names = sorted({category_label(question) for question in questions})
    return f"{counted(len(questions), 'question')} of {' and '.join(names)}" if questions else ""
