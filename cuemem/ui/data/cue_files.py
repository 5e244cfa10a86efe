"""Cues that were made elsewhere: the file or folder they come from, and whether it can serve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from cuemem.adapters.store import ConversationSummary
from cuemem.cues.imported import SHAPE
from cuemem.ui import cache, markup, uploads

FAULT = "data.cues.fault"
_ROUND = "data.cues.round"  # a fresh uploader once a file was taken


@dataclass(frozen=True, slots=True)
class CueFiles:
    """A file that was uploaded, or a path on this machine, or neither: then what the store holds already."""

    upload: UploadedFile | None = None
    path: Path | None = None


NONE = CueFiles()


def choose(conversations: int) -> CueFiles:
    """Where the cues are; a single conversation's may be uploaded."""
    markup.show(
        markup.html(
            '<p class="cm-quiet">A line for each turn, named by its id: <code>{shape}</code>. A cue is a triple or a '
            "sentence.</p>",
            shape=SHAPE,
        )
    )
    if fault := st.session_state.pop(FAULT, ""):
        markup.notice(fault, "error")
    upload = None
    if conversations == 1:
        key = f"data.cues.upload.{st.session_state.setdefault(_ROUND, 0)}"
        upload = st.file_uploader("Upload its file of cues", type=["jsonl", "json", "gz"], key=key)
    written = st.text_input(
        "Or a path on the machine that runs the app" if conversations == 1 else "Folder of the cue files",
        key="data.cues.path",
        placeholder="/home/me/cues",
        help="A folder with a file <conversation>.jsonl for each conversation, or one such file.",
        disabled=upload is not None,
    )
    path = Path(written.strip()).expanduser().absolute() if written and written.strip() else None
    return CueFiles(upload, None if upload else path)


def problem(chosen: Sequence[ConversationSummary], files: CueFiles) -> str:
    """Why these cannot serve, as a sentence, or empty."""
    if files.upload is not None:
        return ""
    if files.path is None:
        lacking = [row.sample_id for row in chosen if not _held(row)]
        return f"Say where the cues of {listed(lacking)} are: upload their file, or name a path." if lacking else ""
    if files.path.is_file():
        return "" if len(chosen) == 1 else f"{files.path} is one file. Name the folder that holds a file for each."
    if not files.path.is_dir():
        return f"There is no file or folder {files.path} on the machine that runs the app."
    missing = [f"{row.sample_id}.jsonl" for row in chosen if not (files.path / f"{row.sample_id}.jsonl").is_file()]
    return f"{files.path} lacks {listed(missing)}." if missing else ""


def _held(row: ConversationSummary) -> bool:
    sets = cache.workbench().store.cue_sets(row.conversation_id)
    return any(held.source == "imported" and held.complete for held in sets)


def listed(names: Sequence[str], most: int = 5) -> str:
    """Names in a row, not more than can be read."""
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def handed_over(files: CueFiles) -> Path | None:
    """The path for the job: an upload is kept beside the store until it is used. Raises BadInput."""
    if files.upload is None:
        return files.path
    path = uploads.received(files.upload)
    st.session_state[_ROUND] += 1
    return path
