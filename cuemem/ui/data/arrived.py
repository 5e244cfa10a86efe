"""What came of a load: the format that was found, what is in the file, and whether it is sound."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from cuemem.adapters.download import Downloaded
from cuemem.adapters.store import ConversationSummary
from cuemem.datasets import DATASETS
from cuemem.jobs import Job
from cuemem.problems import INFORMATIONAL
from cuemem.text import counted, file_size
from cuemem.ui import cache, job_panel, markup
from cuemem.ui.data import parts
from cuemem.workbench import LoadReport
from cuemem.workbench.tasks import Fetched

_SHOWN = 4


def cards() -> None:
    """A card for each of the last loads, the newest first, until it is put away."""
    done = [job for job in cache.jobs().jobs() if job.state == "done" and _report(job) is not None]
    there = cache.summaries() if done else ()
    for job in done[:_SHOWN]:
        report = _report(job)
        assert report is not None
        with st.container(border=True, key=f"arrived.{job.job_id}"):
            rows = [row for row in there if row.file_sha256 == report.sha256]
            markup.show(card(report, rows, job.result.download if isinstance(job.result, Fetched) else None))
            _actions(job, report)


def _report(job: Job) -> LoadReport | None:
    result = job.result.report if isinstance(job.result, Fetched) else job.result
    return result if isinstance(result, LoadReport) else None


def card(report: LoadReport, rows: Sequence[ConversationSummary], download: Downloaded | None) -> markup.Html:
    """A load in words: format, counts by category, problems, checksum."""
    new = {len(report.conversations): "all new", 0: "all of them known already"}
    facts = {}
    if download is not None:
        checked = "as expected" if download.checked else "nothing to compare it with"
        facts["Download"] = f"{file_size(download.size)} from {download.address}; checksum: {checked}"
    facts |= {
        "Format": layout(report.dataset),
        "Known as": report.known_as or "",
        "Holds": f"{held(rows)}; {new.get(report.added, f'{report.added:,} of the conversations are new')}",
        "Questions": categories(report),
        "Soundness": soundness(report),
        "sha256": report.sha256,
    }
    head = markup.html('<div class="cm-name cm-arrived">{name}</div>', name=report.name)
    return markup.join([head, markup.facts({name: words for name, words in facts.items() if words})])


def categories(report: LoadReport) -> str:
    """Questions by category, each with its number and name."""
    total = sum(report.categories.values())
    listed = ", ".join(f"{label} ({count:,})" for label, count in report.categories.items())
    return f"{total:,}: {listed}" if listed else "none"


def layout(dataset: str) -> str:
    """The format that was found, in words."""
    return next((f"{dataset}: {known.layout}" for known in DATASETS if known.name == dataset), dataset)


def held(rows: Sequence[ConversationSummary]) -> str:
    """Conversations with all that was said in them."""
    sessions, messages = sum(row.sessions for row in rows), sum(row.utterances for row in rows)
    return ", ".join((counted(len(rows), "conversation"), counted(sessions, "session"), counted(messages, "message")))


def soundness(report: LoadReport) -> str:
    """How much was wrong, and how much is merely peculiar."""
    notes = sum(count for kind, count in report.problems.items() if kind in INFORMATIONAL)
    wrong = sum(report.problems.values()) - notes
    said = counted(wrong, "problem") if wrong else "no problems"
    return f"{said}, {counted(notes, 'note')} on peculiarities" if notes else said


def _actions(job: Job, report: LoadReport) -> None:
    with st.container(horizontal=True):
        st.button(
            "Build memories of it",
            key=f"arrived.build.{job.job_id}",
            type="primary",
            on_click=parts.to_build,
            args=(report.conversations,),
        )
        st.button(
            "See problems and notes",
            key=f"arrived.problems.{job.job_id}",
            disabled=not report.problems,
            on_click=parts.go,
            args=("problems",),
            kwargs={"file": report.sha256[:16]},
        )
        st.button("Dismiss", key=f"arrived.dismiss.{job.job_id}", on_click=job_panel.dismiss, args=([job],))
