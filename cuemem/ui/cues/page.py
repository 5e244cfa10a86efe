"""The Cues page, put together."""

from __future__ import annotations

import streamlit as st

from cuemem.errors import CueMemError
from cuemem.text import counted
from cuemem.ui import empty, links, markup
from cuemem.ui.cues.book import Book
from cuemem.ui.cues.changes import effect
from cuemem.ui.cues.detail import detail
from cuemem.ui.cues.history import history
from cuemem.ui.cues.parts import all_cues, bare_turns, duplicates
from cuemem.ui.data.parts import tabs
from cuemem.ui.markup import Html, html
from cuemem.ui.scene import Scene
from cuemem.viz.graph.marks import clipped
from cuemem.workbench.sources import ABOUT


def draw(scene: Scene) -> None:
    """The cues of a scene's memory, or a sentence where it has none."""
    memory = empty.require_memory(scene)
    if memory.catalogue is not None:
        markup.notice(f"{scene.method.title} is made of memory units in place of cues: they are on the Units page.")
        there = links.trace(scene.view)
        st.page_link("pages/units.py", label="Units", icon=":material/event_note:", query_params=there)
        return
    if scene.choice is None or scene.choice.cues is None:
        markup.notice(
            f"{scene.method.title} works without cues, so there is nothing to look into here. Choose a method with "
            "cues in the sidebar."
        )
        return
    if scene.question is not None:
        empty.await_model(scene.question)
    try:
        book = Book.of(scene, memory)
    except CueMemError as error:  # the cues were removed, and the memory is still open
        markup.notice(str(error), "error")
        return
    markup.show(heading(book))
    with st.expander("Where these cues come from"):
        markup.show(origin(book))
    effect(book)
    tabs(
        {
            "all": (f"All cues · {len(book.cues):,}", lambda: all_cues(book)),
            "bare": (f"Turns without cues · {len(book.bare):,}", lambda: bare_turns(book)),
            "duplicates": ("Duplicates", lambda: duplicates(book)),
            "corrections": (f"Corrections · {len(book.corrections):,}", lambda: history(book)),
        }
    )
    detail(book)


def heading(book: Book) -> Html:
    """How many cues there are of how many turns."""
    turns = len(book.memory.turns)
    failed = f", extraction failed for {book.held.failed:,}" if book.held.failed else ""
    return html(
        '<div class="cm-page"><h1>Cues</h1><p class="cm-quiet">{cues} from {held:,} of {turns}, '
        "{mean:.1f} a turn{failed} · source: {source}</p></div>",
        source=book.held.source,
        cues=counted(len(book.cues), "cue"),
        held=turns - len(book.bare),
        turns=counted(turns, "turn"),
        mean=len(book.cues) / turns if turns else 0,
        failed=failed,
    )


def origin(book: Book) -> Html:
    """Source, file or model, hashes and times."""
    held, scene = book.held, book.scene
    record = scene.choice.record if scene.choice else None
    pairs = {"Source": f"{held.source}: {ABOUT.get(held.source, 'a source of its own')}"}
    pairs |= {name.capitalize(): clipped(value, 300) for name, value in held.provenance.items() if name != "source"}
    pairs["Extracted"] = f"{held.created_at:%d %b %Y, %H:%M} UTC"
    pairs["A turn is"] = f"one {held.turn_unit}"
    if record:
        pairs["Memory built"] = f"{record.built_at:%d %b %Y, %H:%M} UTC with vectors of {record.embedding_model}"
    pairs["Corrections"] = f"{held.corrections:,} hold" + (f", {held.dropped:,} were dropped" if held.dropped else "")
    pairs["Fingerprint of the cues"] = held.content_hash or "none yet"
    return markup.facts(pairs)
