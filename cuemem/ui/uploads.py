"""Files that were uploaded: put beside the store piece by piece, and out of the server's memory at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from cuemem.errors import CueMemError
from cuemem.ui import cache, markup
from cuemem.workbench import incoming


def uploader(label: str, types: Sequence[str], key: str, take: Callable[[Path], None], about: str = "") -> None:
    """Upload files, each handed to ``take`` as a copy beside the store, which it has to discard.

    A file that cannot be taken is refused in a sentence.
    """
    number = st.session_state.setdefault(f"{key}.round", 0)
    st.file_uploader(
        label,
        type=list(types),
        accept_multiple_files=True,
        key=f"{key}.{number}",
        on_change=_uploaded,
        args=(key, number, take),
        help=about or None,
    )
    for fault in st.session_state.pop(f"{key}.faults", ()):
        markup.notice(fault, "error")


def _uploaded(key: str, number: int, take: Callable[[Path], None]) -> None:
    if number != st.session_state[f"{key}.round"]:
        return  # of an uploader that is gone, which the browser reports until it has drawn the fresh one
    for file in st.session_state[f"{key}.{number}"]:
        try:
            take(received(file))
        except CueMemError as error:
            st.session_state.setdefault(f"{key}.faults", []).append(str(error))
    st.session_state[f"{key}.round"] = number + 1  # a fresh uploader


def received(file: UploadedFile) -> Path:
    """A copy of an uploaded file beside the store. Raises BadInput."""
    return received_together([(file, file.name)])[0]


def received_together(files: Sequence[tuple[UploadedFile, str]]) -> tuple[Path, ...]:
    """Copies of uploaded files in one folder beside the store, under these names. Raises BadInput."""
    paths = incoming.receive_all(cache.workbench().store, files)
    for file, _ in files:
        _release(file)
    return paths


def _release(file: UploadedFile) -> None:
    """Streamlit would keep the bytes until the tab is closed; for its own chat input it does as is done here."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
