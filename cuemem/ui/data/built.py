"""What was built: the last builds with what was wrong in their cue files, and all memories there are."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from cuemem.adapters.store import ConversationSummary, MemoryRecord
from cuemem.jobs import Job
from cuemem.methods import METHODS, method_named
from cuemem.text import counted
from cuemem.types import ConversationId
from cuemem.ui import cache, job_panel, links, markup, tables
from cuemem.ui.data.problems import row_of
from cuemem.workbench.tasks import Built

_SHOWN = 4
_COLUMNS = ("conversation", "method", "made from", "turn", "turns", "holds", "built (UTC)")
_PROBLEM_COLUMNS = ("kind", "place", "detail")
_FAILED_COLUMNS = ("where", "why")


def cards() -> None:
    """The last builds, the newest first, until they are put away."""
    done = [job for job in cache.jobs().jobs("build") if job.state == "done" and isinstance(job.result, Built)]
    for job in done[:_SHOWN]:
        _card(job, job.result)
    if len(done) > 1:
        st.button(f"Dismiss all {len(done):,}", key="built.dismiss_all", on_click=job_panel.dismiss, args=(done,))


def _card(job: Job, result: Built) -> None:
    memory = result.memory
    with st.container(border=True, key=f"built.{job.job_id}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(width="stretch"):
                markup.show(
                    markup.html(
                        '<div class="cm-name">{title}</div><div class="cm-quiet">{words}</div>',
                        title=job.title.replace("Building", "Built", 1),
                        words=f"{_holds(memory)} from {counted(memory.turn_count, 'turn')}, "
                        f"a turn is an {memory.turn_unit}",
                    )
                )
            st.page_link(
                "pages/trace.py",
                label="Open in Trace",
                icon=":material/account_tree:",
                query_params=links.conversation(
                    memory.conversation_id, memory.cue_source, memory.turn_unit, method=memory.method
                ),
            )
            st.button("Dismiss", key=f"built.dismiss.{job.job_id}", on_click=job_panel.dismiss, args=([job],))
        if result.problems:
            _problems(job, result)
        if result.failed:
            _failed(job, result)


def _problems(job: Job, result: Built) -> None:
    rows = [row_of("", problem) for problem in result.problems]
    with st.expander(f"{counted(len(rows), 'problem')} in what it was made from"):
        tables.show(rows, _PROBLEM_COLUMNS, "What was wrong with what it was made from")
        tables.csv_button(rows, _PROBLEM_COLUMNS, "build problems", f"built.csv.{job.job_id}")


def _failed(job: Job, result: Built) -> None:
    """What the model gave nothing usable for: listed, and asked again on request."""
    rows = [{"where": where, "why": why} for where, why in result.failed]
    with st.expander(f"{counted(len(rows), 'failure')} of the model: what it should have given is missing"):
        tables.show(rows, _FAILED_COLUMNS, "What the model failed at, with the reason")
        with st.container(horizontal=True):
            st.button(
                "Ask about them again",
                key=f"built.retry.{job.job_id}",
                icon=":material/refresh:",
                on_click=_again,
                args=(job,),
            )
            tables.csv_button(rows, _FAILED_COLUMNS, "failures", f"built.failed.csv.{job.job_id}")


def _again(job: Job) -> None:
    job_panel.dismiss([job])
    job_panel.start("build", job.title, {**job.details, "retry_failed": True})


def _holds(memory: MemoryRecord) -> str:
    return counted(memory.cue_count, method_named(memory.method).noun)


def memories(rows: Mapping[ConversationId, ConversationSummary]) -> None:
    """All built memories, the newest first."""
    records = [it for it in reversed(cache.workbench().store.memories()) if it.conversation_id in rows]
    st.subheader(f"{counted(len(records), 'memory')} built" if records else "No memory is built yet", anchor=False)
    if not records:
        return
    titles = {method.name: method.title for method in METHODS}
    table = [
        {
            "conversation": rows[it.conversation_id].sample_id,
            "method": titles[it.method],
            "made from": it.cue_source or "",
            "turn": it.turn_unit,
            "turns": it.turn_count,
            "holds": _holds(it),
            "built (UTC)": f"{it.built_at:%Y-%m-%d %H:%M}",
        }
        for it in records
    ]
    tables.show(table, _COLUMNS, "The built memories with their source, turn unit and counts")
    tables.csv_button(table, _COLUMNS, "memories", "built.csv")
