"""The conversations that were loaded or built last."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from cuemem.adapters.store import ConversationSummary, MemoryRecord
from cuemem.methods import method_named
from cuemem.text import counted
from cuemem.ui import cache, links, markup, state

_SHOWN = 4


def recent() -> None:
    """The newest few, each with its way into Trace, or to what is still missing for that."""
    store = cache.workbench().store
    rows = cache.summaries()
    if not rows:
        return
    loaded = {file.sha256: file.loaded_at for file in store.files()}
    memories: dict[str, list[MemoryRecord]] = {}
    for record in store.memories():
        memories.setdefault(record.conversation_id, []).append(record)
    st.subheader("Recent conversations", anchor=False)
    for row in newest(rows, memories, loaded)[:_SHOWN]:
        _row(row, memories.get(row.conversation_id, []))
    if len(rows) > _SHOWN:
        st.page_link("pages/data.py", label=f"All {len(rows):,} conversations", query_params=links.data("contents"))


def newest(
    rows: tuple[ConversationSummary, ...],
    memories: dict[str, list[MemoryRecord]],
    loaded: dict[str, datetime],
) -> list[ConversationSummary]:
    """First the one that is looked at, then by when a memory was built last or the file was loaded."""
    looked_at = state.current().conversation

    def touched(row: ConversationSummary) -> tuple[bool, datetime]:
        built = [record.built_at for record in memories.get(row.conversation_id, ())]
        return row.conversation_id == looked_at, max([loaded[row.file_sha256], *built])

    return sorted(rows, key=touched, reverse=True)


def _row(row: ConversationSummary, memories: list[MemoryRecord]) -> None:
    built = [it for it in memories if it.cue_source]
    by_method: dict[str, dict[str, None]] = {}
    for it in built:
        by_method.setdefault(method_named(it.method).title, {})[str(it.cue_source)] = None
    sources = "; ".join(f"{title}: {', '.join(names)}" for title, names in by_method.items())
    facts = (
        row.dataset,
        counted(row.sessions, "session"),
        counted(row.utterances, "message"),
        counted(row.questions, "question"),
        f"{counted(len(built), 'memory')} ({sources})" if built else "no memory yet",
    )
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"recent.{row.conversation_id}"):
        with st.container(width="stretch"):
            markup.show(
                markup.html(
                    '<div class="cm-name">{name}</div><div class="cm-quiet">{facts}</div>',
                    name=row.sample_id,
                    facts=" · ".join(facts),
                )
            )
        if built:
            st.page_link(
                "pages/trace.py",
                label="Trace",
                icon=":material/account_tree:",
                query_params=links.conversation(row.conversation_id),
            )
        else:
            st.page_link(
                "pages/data.py",
                label="Build a memory",
                icon=":material/construction:",
                query_params=links.data("build", row.conversation_id),
            )
