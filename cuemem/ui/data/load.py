"""Load: by upload, from a path, from the web; and how a chat of one's own has to look."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from cuemem.adapters.download import shown
from cuemem.datasets.own_chat import EXAMPLE
from cuemem.datasets.published import PUBLISHED, PublishedFile
from cuemem.ui import job_panel, markup, uploads
from cuemem.ui.data import arrived
from cuemem.workbench.tasks import download_details, load_details

_FORMATS = (
    "LoCoMo or LongMemEval as JSON, or a chat of your own as JSON lines; each may be gzipped. The format is told "
    "from the content."
)


def load() -> None:
    """Three ways to hand a file in, and what came of the last ones."""
    arrived.cards()
    here, web = st.columns(2, gap="large")
    with here:
        st.subheader("From this computer", anchor=False)
        uploads.uploader("Upload files", ("json", "jsonl", "gz"), "data.upload", _uploaded, _FORMATS)
        _path()
        _own_chat()
    with web:
        st.subheader("From the web", anchor=False)
        for place, file in enumerate(PUBLISHED):
            _published(place, file)
        _address()


def _uploaded(path: Path) -> None:
    job_panel.start("load", f"Loading {path.name}", load_details(path))


def _path() -> None:
    with st.form("data.path.form", border=False):
        st.text_input(
            "Or a path on the machine that runs the app",
            key="data.path",
            placeholder="/home/me/locomo10.json",
            help="For large files: nothing is copied.",
        )
        st.form_submit_button("Load from the path", key="data.path.load", on_click=_from_path)


def _from_path() -> None:
    written = st.session_state["data.path"].strip().strip("\"'")
    if written:
        path = Path(written).expanduser().absolute()
        job_panel.start("load", f"Loading {path.name}", load_details(path))


def _published(place: int, file: PublishedFile) -> None:
    known = "Checked by size and checksum" if file.sha256 else "No checksum is known to compare it with"
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            markup.show(
                markup.html(
                    '<div class="cm-name">{title}</div><div class="cm-quiet">{known}. Licence: {licence}.</div>',
                    title=file.title,
                    known=known,
                    licence=file.licence,
                )
            )
        st.button("Download", key=f"data.published.{place}", on_click=_fetch, args=(file.address, file))


def _address() -> None:
    with st.form("data.address.form", border=False):
        st.text_input(
            "Or another address",
            key="data.address",
            placeholder="https://example.org/chats.json.gz",
            help="A public file over http or https, up to 600 MB. The address is kept in the store with the job.",
        )
        st.form_submit_button("Download and load", key="data.address.load", on_click=_from_address)


def _from_address() -> None:
    if address := st.session_state["data.address"].strip():
        _fetch(address, None)


def _fetch(address: str, file: PublishedFile | None) -> None:
    title = f"Downloading {file.name if file else shown(address)}"
    job_panel.start("download", title, download_details(address, file))


def _own_chat() -> None:
    with st.expander("A chat of your own: how the file has to look"):
        markup.show(
            markup.html(
                "<p>A text file with one JSON object on each line. A message has a <code>speaker</code>, a "
                "<code>text</code> and, if it is known, a <code>time</code>; a <code>caption</code> says what a "
                "picture shows, and a <code>session</code> number says where a sitting begins (otherwise another day "
                "or six hours of silence begin one).</p><p>Questions are optional, below the messages. Their "
                "<code>evidence</code> names the lines, counted from 1, that hold the answer: with it the app can "
                "tell which of them a memory finds.</p>"
            )
        )
        st.code(EXAMPLE, language=None, wrap_lines=True)
        st.download_button(
            "Download the example",
            lambda: EXAMPLE,  # a file made beforehand is gone from the server after a quick second run: 404
            file_name="my_chat.jsonl",
            mime="application/jsonl",
            key="data.example",
            icon=":material/download:",
            on_click="ignore",
        )
