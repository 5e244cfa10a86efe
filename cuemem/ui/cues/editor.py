"""The cues of one turn as a form: correct a cue, take one out, add one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import streamlit as st

from cuemem.knobs import fingerprint
from cuemem.text import counted
from cuemem.types import Triple, Turn
from cuemem.ui import markup, state
from cuemem.ui.cues.book import Book
from cuemem.ui.cues.changes import correct
from cuemem.ui.cues.rows import listed

_PARTS = ("Subject", "Relation", "Object")
_WIDTHS = (3, 3, 4, 2)
_LINE = 70  # characters; a longer statement gets a field of several lines
_MANY, _TALLEST = 6, 430  # cues that are shown without scrolling, and pixels beyond that


def editor(book: Book, turn: Turn) -> None:
    """The form. What it holds belongs to the cues the turn has now: once these change, it begins anew."""
    contents = [cue.content for cue in book.of_turn.get(turn.turn_id, ())]
    key = f"cues.form.{turn.turn_id}.{fingerprint([listed(contents), len(contents)])}"
    with st.form(key, border=True, enter_to_submit=False):
        count = counted(len(contents), "cue") if contents else "no cue yet"
        markup.show(
            markup.html(
                '<p class="cm-label">The cues of <bdi>{turn}</bdi>: {count}</p>', turn=turn.turn_id, count=count
            )
        )
        with st.container(height=_TALLEST if len(contents) > _MANY else "content", border=False):
            kept = [_row(f"{key}.{place}", place, content) for place, content in enumerate(contents, 1)]
        added = _new(f"{key}.new", triple=book.triples or not book.statements)
        if st.form_submit_button("Save and rebuild", type="primary", on_click=state.touch):
            wanted = [content for content in (*kept, added) if content is not None]
            problem = incomplete(wanted)
            if problem:
                markup.notice(problem, "warning")
            else:
                correct(book, turn.turn_id, wanted)


def incomplete(contents: Iterable[Triple | str]) -> str:
    """What is wrong with a cue that was only begun, as a sentence; empty if nothing is."""
    for content in contents:
        parts = [content] if isinstance(content, str) else [content.subject, content.relation, content.object]
        if not all(part.strip() for part in parts):
            given = " · ".join(part.strip() or "…" for part in parts)
            return f"The cue “{given}” has an empty part. Fill it in, or tick Remove."
    return ""


def _row(key: str, number: int, content: Triple | str) -> Triple | str | None:
    """One cue to be corrected; None where it is to be removed."""
    if isinstance(content, Triple):
        *columns, last = st.columns(_WIDTHS, gap="small", vertical_alignment="center")
        values = (content.subject, content.relation, content.object)
        parts = [
            column.text_input(f"{name} of cue {number}", value, key=f"{key}.{name}", label_visibility="collapsed")
            for column, name, value in zip(columns, _PARTS, values, strict=True)
        ]
        written: Triple | str = Triple(*(part.strip() for part in parts))
    else:
        column, last = st.columns((10, 2), gap="small", vertical_alignment="center")
        one_line = len(content) <= _LINE and "\n" not in content
        field = column.text_input if one_line else partial(column.text_area, height="content")
        written = field(f"Cue {number}", content, key=f"{key}.text", label_visibility="collapsed").strip()
    removed = last.checkbox("Remove", key=f"{key}.removed")
    return None if removed else written


def _new(key: str, *, triple: bool) -> Triple | str | None:
    """A cue to be added; None where nothing was written."""
    if not triple:
        return st.text_input("Add a cue", key=f"{key}.text", placeholder="one statement").strip() or None
    columns = st.columns(_WIDTHS[:3], gap="small")
    examples = ("who or what", "does or is", "whom or what")
    parts = [
        column.text_input(f"Add a cue: {name.lower()}", key=f"{key}.{name}", placeholder=example).strip()
        for column, name, example in zip(columns, _PARTS, examples, strict=True)
    ]
    return Triple(*parts) if any(parts) else None
