"""Batch files: prompts out, replies back."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import get_args

import streamlit as st

from cuemem.jobs import Job
from cuemem.text import counted
from cuemem.ui import cache, job_panel, markup, models, tables, uploads
from cuemem.ui.data import parts
from cuemem.ui.runs import held
from cuemem.workbench.runs.batches import Arrived, RunPart, run_batch
from cuemem.workbench.runs.reading import Listed
from cuemem.workbench.runs.work import replies_details

_ABOUT = (
    "A batch service asks at half the price, and a model that cannot be reached from here can be asked elsewhere: "
    "the prompts of a run go out as a file of OpenAI batch lines, and the replies come back from such a file, in any "
    "order."
)
_COLUMNS = ("kind", "place", "detail")
_SHOWN = 3


def batches() -> None:
    """The runs that have prompts without a reply, the way out and the way back."""
    markup.show(markup.html('<p class="cm-text">{about}</p>', about=_ABOUT))
    for job in _arrived()[:_SHOWN]:
        _card(job, job.result)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Prompts out", anchor=False)
        _out()
    with right:
        st.subheader("Replies back", anchor=False)
        if job_panel.loading():
            st.caption("Replies can be taken in once the file that is being loaded is in.")
        else:
            uploads.uploader(
                "A file of replies", ("jsonl", "gz"), "runs.replies", _uploaded, "As the service gives it."
            )
        st.caption("Extraction by batch file works on the command line:")
        st.code("python -m cuemem batch --help", language=None)


def _out() -> None:
    open_ = [run for run in held.runs() if run.card.answering and run.state != "done" and not run.missing]
    if not open_:
        markup.notice("No run has a prompt without a reply. Start one for batch files, or one that is asked in part.")
        st.button("Start a run", key="runs.batch.start", on_click=parts.go, args=("start",))
        return
    names = held.names()
    by_id = {run.run_id: run for run in open_}
    chosen = st.selectbox(
        "Run", list(by_id), format_func=lambda it: f"{names[it]} · {by_id[it].state_words}", key="runs.batch.run"
    )
    run = by_id[chosen]
    part: RunPart = "answers" if run.open_answers else "judging"
    st.segmented_control(
        "Part",
        get_args(RunPart),
        default=part,
        required=True,
        format_func=str.capitalize,
        key=f"runs.batch.part.{chosen}.{part}",
        disabled=True,
        help="Answers go out first; what is judged is the answers that came back.",
    )
    _file(run, part)


def _file(run: Listed, part: RunPart) -> None:
    prompts = models.prompts()
    count = run.open_answers if part == "answers" else run.open_verdicts
    st.download_button(
        f"Write {counted(count, 'prompt')}",
        lambda: _zipped(run_batch(cache.workbench(), run.run_id, part, prompts).files, f"{run.run_id}-{part}"),
        file_name=f"{run.run_id}-{part}.zip",
        mime="application/zip",
        key=f"runs.batch.file.{run.run_id}.{part}",
        icon=":material/download:",
        on_click="ignore",
        help="A zip archive with one .jsonl file, or several where the service's limits ask for it.",
    )


def _zipped(files: tuple[bytes, ...], stem: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, content in enumerate(files, 1):
            archive.writestr(f"{stem}{'' if number == 1 else f'.{number}'}.jsonl", content)
    return out.getvalue()


def _uploaded(path: Path) -> None:
    job_panel.start("replies", f"Taking in {path.name}", replies_details(path, models.prompts()))


def _arrived() -> list[Job]:
    return [job for job in cache.jobs().jobs("replies") if job.state == "done" and isinstance(job.result, Arrived)]


def _card(job: Job, it: Arrived) -> None:
    with st.container(border=True, key=f"cm-runs-arrived-{job.job_id}"):
        counts = (
            f"{counted(it.replies, 'reply')} taken in, {it.known:,} known already, {it.failed:,} failed, "
            f"{it.unknown:,} unknown; {it.missing:,} still missing."
        )
        went = f" Went on: {', '.join(it.resumed)}." if it.resumed else ""
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(width="stretch"):
                markup.show(
                    markup.html(
                        '<div class="cm-name">{title}</div><div class="cm-quiet">{words}</div>',
                        title=job.title,
                        words=counts + went,
                    )
                )
            st.button("Dismiss", key=f"runs.arrived.{job.job_id}", on_click=job_panel.dismiss, args=([job],))
        if it.problems:
            rows = [{"kind": one.kind, "place": one.place, "detail": one.detail} for one in it.problems]
            with st.expander(counted(len(rows), "line") + " that brought no reply"):
                tables.show(rows, _COLUMNS, "Lines that brought no reply, with the reason")
                tables.csv_button(rows, _COLUMNS, "batch problems", f"runs.arrived.csv.{job.job_id}")
