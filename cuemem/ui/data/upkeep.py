"""Store: where it lies, how large it is, what is in it, and making it smaller."""

from __future__ import annotations

import shutil
from pathlib import Path

import streamlit as st

from cuemem.adapters.store import Compacted
from cuemem.text import counted, file_size
from cuemem.ui import cache, markup, tables
from cuemem.workbench.tasks import downloads

_SAID = "data.store.said"


def upkeep() -> None:
    """Facts, compaction, downloaded files, rows by table."""
    if said := st.session_state.pop(_SAID, ""):
        markup.notice(said)
    info = cache.workbench().store.info()
    vectors = ", ".join(f"{count:,} of {model}" for model, count in info.vector_models.items())
    fetched = _size(downloads())
    facts = {
        "Place": str(info.path),
        "Size": file_size(info.size),
        "Vectors": vectors or "none yet",
        "Schema": f"version {info.schema_version}, made by {info.created_by}",
        "Downloads": f"{file_size(fetched)} in {downloads()}" if fetched else "none kept",
    }
    markup.show(markup.facts(facts))
    busy = any(job.active for job in cache.jobs().jobs())
    with st.container(horizontal=True):
        st.button(
            "Compact",
            key="data.compact",
            on_click=_compact,
            disabled=busy,
            help="Drops vectors and arrays that nothing refers to any more, and shrinks the file. They are computed "
            "again when they are needed.",
        )
        st.button("Delete the downloads", key="data.downloads", on_click=_delete, disabled=busy or not fetched)
    if busy:
        st.caption("Both wait until nothing is running in the background.")
    with st.expander("Rows by table"):
        rows = [{"table": name, "rows": count} for name, count in info.rows.items()]
        tables.show(rows, ("table", "rows"), "Rows by table")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _compact() -> None:
    st.session_state[_SAID] = compacted(cache.workbench().store.compact())


def compacted(done: Compacted) -> str:
    """What a compaction did, in a sentence."""
    if not (done.vectors or done.arrays) and done.size_after >= done.size_before:
        return f"There was nothing to drop: {file_size(done.size_after)}."
    dropped = f"{counted(done.vectors, 'vector')} and {counted(done.arrays, 'array')}"
    return f"Dropped {dropped}. The file went from {file_size(done.size_before)} to {file_size(done.size_after)}."


def _delete() -> None:
    freed = _size(downloads())
    shutil.rmtree(downloads(), ignore_errors=True)
    st.session_state[_SAID] = f"Deleted {file_size(freed)} of downloaded files. What was loaded from them stays."
