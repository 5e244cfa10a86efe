"""What was made elsewhere (cues, memory units): the files or the folder it comes in, and whether they can serve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from cuemem.adapters.store import ConversationSummary
from cuemem.errors import BadInput
from cuemem.ui import cache, markup, uploads
from cuemem.workbench.materials import Material

FAULT = "data.made.fault"
_ROUND = "data.made.round"  # a fresh uploader once a file was taken


@dataclass(frozen=True, slots=True)
class MadeFiles:
    """Files that were uploaded, or a path on this machine, or neither: then what the store holds already."""

    uploads: tuple[UploadedFile, ...] = ()
    path: Path | None = None


NONE = MadeFiles()


def choose(method: Any, material: Material, conversations: int) -> MadeFiles:
    """Where they are; a single conversation's may be uploaded."""
    markup.show(
        markup.html(
            '<p class="cm-quiet">A line each: <code>{shape}</code>. {beside}</p>',
            shape=material.shape,
            beside=material.beside,
        )
    )
    if fault := st.session_state.pop(FAULT, ""):
        markup.notice(fault, "error")
    noun, single = f"{method.noun}s", conversations == 1
    found: list[UploadedFile] = []
    if single:
        key = f"data.made.upload.{method.name}.{st.session_state.setdefault(_ROUND, 0)}"
        label = f"Upload its file of {noun}"
        found = st.file_uploader(label, type=["jsonl", "json", "gz"], key=key, accept_multiple_files=True)
    written = st.text_input(
        "Or a path on the machine that runs the app" if single else f"Folder of the files of {noun}",
        key=f"data.made.path.{method.name}",
        placeholder=f"/home/me/{noun}",
        help=f"A folder with a file <conversation>{material.ending} for each conversation, or one such file.",
        disabled=bool(found),
    )
    path = Path(written.strip()).expanduser().absolute() if written and written.strip() else None
    return MadeFiles(tuple(found), None if found else path)


def problem(method: Any, material: Material, chosen: Sequence[ConversationSummary], files: MadeFiles) -> str:
    """Why these cannot serve, as a sentence, or empty."""
    if files.uploads:
        try:
            material.received([file.name for file in files.uploads])
        except BadInput as error:
            return str(error)
        return ""
    store = cache.workbench().store
    if files.path is None:
        lacking = [row.sample_id for row in chosen if not material.imported(store, row.conversation_id)]
        where = "upload their file, or name a path."
        return f"Say where the {method.noun}s of {listed(lacking)} are: {where}" if lacking else ""
    if files.path.is_file():
        return "" if len(chosen) == 1 else f"{files.path} is one file. Name the folder that holds a file for each."
    if not files.path.is_dir():
        return f"There is no file or folder {files.path} on the machine that runs the app."
    wanted = [f"{row.sample_id}{material.ending}" for row in chosen]
    missing = [name for name in wanted if not (files.path / name).is_file()]
    return f"{files.path} lacks {listed(missing)}." if missing else ""


def listed(names: Sequence[str], most: int = 5) -> str:
    """Names in a row, not more than can be read."""
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def handed_over(material: Material, files: MadeFiles) -> Path | None:
    """The path for the job: uploads are kept beside the store until they are used. Raises BadInput."""
    if not files.uploads:
        return files.path
    names = material.received([file.name for file in files.uploads])
    paths = uploads.received_together(list(zip(files.uploads, names, strict=True)))
    st.session_state[_ROUND] += 1
    return next((path for path in paths if path.name.endswith(material.ending)), paths[0])
