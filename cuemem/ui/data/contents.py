"""Contents: what is loaded, file by file and conversation by conversation, and taking it out again."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from cuemem.adapters.store import ConversationSummary, FileRecord, MemoryRecord
from cuemem.errors import UnknownName
from cuemem.methods import method_named
from cuemem.text import counted, file_size
from cuemem.types import ConversationId
from cuemem.ui import cache, job_panel, links, markup, state, tables
from cuemem.ui.data import arrived, parts
from cuemem.workbench.loading import report_on

_COLUMNS = (
    "conversation",
    "dataset",
    "file",
    "sessions",
    "messages",
    "questions",
    "problems and notes",
    "cues",
    "memories",
)
_REMOVED = "data.removed"


def contents() -> None:
    """The files, one file's counts, and the conversations."""
    store = cache.workbench().store
    if removed := st.session_state.pop(_REMOVED, ""):
        markup.notice(removed)
    files = store.files()
    if not files:
        parts.nothing_loaded()
        return
    chosen = parts.chosen_file("contents.file")
    shown = [file for file in files if chosen in (parts.EVERY_FILE, file.sha256)]
    for file in shown if len(shown) == 1 else ():
        _file(file)
    if len(shown) > 1:
        _files(shown, cache.summaries())
    names = {file.sha256 for file in shown}
    _conversations([row for row in cache.summaries() if row.file_sha256 in names])


def _file(file: FileRecord) -> None:
    store = cache.workbench().store
    report = report_on(store, file.sha256)
    known = f"byte for byte {file.known_as}" if file.known_as else f"loaded {file.loaded_at:%Y-%m-%d %H:%M} UTC"
    facts = {
        "File": f"{file.name} · {file_size(file.size)} · {known}",
        "Format": arrived.layout(file.dataset),
        "Holds": _held(file, [row for row in cache.summaries() if row.file_sha256 == file.sha256]),
        "Questions": arrived.categories(report),
        "Soundness": arrived.soundness(report),
        "sha256": file.sha256,
    }
    markup.show(markup.facts(facts))


def _held(file: FileRecord, rows: Sequence[ConversationSummary]) -> str:
    missing = (file.conversations or 0) - len(rows)
    again = f"; {missing:,} more were removed, and loading the file again brings them back" if missing > 0 else ""
    return f"{arrived.held(rows)}{again}"


def _of_file(file: FileRecord, rows: Sequence[ConversationSummary]) -> str:
    there = sum(row.file_sha256 == file.sha256 for row in rows)
    return f"{there:,}" if file.conversations in (None, there) else f"{there:,} of {file.conversations:,}"


def _files(files: Sequence[FileRecord], rows: Sequence[ConversationSummary]) -> None:
    table = [
        {
            "file": file.name,
            "dataset": file.dataset,
            "size": file_size(file.size),
            "conversations": _of_file(file, rows),
            "loaded (UTC)": f"{file.loaded_at:%Y-%m-%d %H:%M}",
            "known as": file.known_as or "",
        }
        for file in files
    ]
    tables.show(table, list(table[0]), "The loaded files with their dataset, size and number of conversations")


def _conversations(rows: Sequence[ConversationSummary]) -> None:
    st.subheader(counted(len(rows), "conversation"), anchor=False)
    memories: dict[ConversationId, list[MemoryRecord]] = {}
    for record in cache.workbench().store.memories():
        memories.setdefault(record.conversation_id, []).append(record)
    table = [_row(row, memories.get(row.conversation_id, ())) for row in rows]
    key = f"contents.table.{st.session_state.setdefault('contents.round', 0)}"
    about = "The loaded conversations with their counts and memories"
    widths = {"file": st.column_config.TextColumn(width="medium")}
    chosen = tables.show(
        table, _COLUMNS, about, key=key, on_select="rerun", selection_mode="multi-row", column_config=widths
    )
    places = [place for place in chosen["selection"]["rows"] if place < len(rows)]
    _actions([rows[place] for place in places], table)


def _row(row: ConversationSummary, memories: Sequence[MemoryRecord]) -> dict[str, object]:
    return {
        "conversation": row.sample_id,
        "dataset": row.dataset,
        "file": row.file,
        "sessions": row.sessions,
        "messages": row.utterances,
        "questions": row.questions,
        "problems and notes": row.problems,
        "cues": row.cues,
        "memories": ", ".join(map(_memory, memories)),
    }


def _memory(it: MemoryRecord) -> str:
    return f"{method_named(it.method).title} {it.cue_source or ''} ({it.turn_unit})"


def _actions(chosen: Sequence[ConversationSummary], table: Sequence[dict[str, object]]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(chosen) == 1:
            st.page_link(
                "pages/trace.py",
                label="Open in Trace",
                icon=":material/account_tree:",
                query_params=links.conversation(chosen[0].conversation_id),
            )
        st.button(
            "Build memories",
            key="contents.build",
            disabled=not chosen,
            on_click=parts.to_build,
            args=([row.conversation_id for row in chosen],),
        )
        loading = job_panel.loading()
        if st.button("Remove …", key="contents.remove", disabled=not chosen or loading):
            _confirm([row.conversation_id for row in chosen])
        tables.csv_button(table, _COLUMNS, "conversations", "contents.csv")
    if not chosen:
        st.caption("Tick conversations at the left of the table to build memories of them or to remove them.")
    elif loading:
        st.caption("Nothing can be removed while a file is being loaded.")


@st.dialog("Remove from the store?")
def _confirm(chosen: Sequence[ConversationId]) -> None:
    rows = [row for row in cache.summaries() if row.conversation_id in set(chosen)]
    named = ", ".join(row.sample_id for row in rows[:8]) + (f" and {len(rows) - 8:,} more" if len(rows) > 8 else "")
    markup.show(
        markup.html(
            "<p><bdi>{named}</bdi>: with questions, cues, corrections, memories and results. The file it came from "
            "is not touched; loading it again brings the data back, but not what was corrected by hand.</p>",
            named=named,
        )
    )
    with st.container(horizontal=True):
        if st.button(f"Remove {counted(len(rows), 'conversation')}", key="contents.remove.yes", type="primary"):
            _remove(rows)
            state.redraw()
        if st.button("Keep", key="contents.remove.no"):
            state.redraw()


def _remove(rows: Sequence[ConversationSummary]) -> None:
    for row in rows:
        try:
            cache.workbench().store.remove(row.conversation_id)
        except UnknownName:  # another tab was quicker
            continue
    cache.forget_conversations()
    st.session_state["contents.round"] += 1  # a fresh table, without the ticks
    st.session_state[_REMOVED] = f"Removed {counted(len(rows), 'conversation')}."
    if state.current().conversation in {row.conversation_id for row in rows}:
        state.change(conversation=None, question=None, cues=None, turns=None, turn=None)
