"""What cannot be swept at once, a budget or contexts that do not nest: settings are recalled in the background."""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any

import streamlit as st

from cuemem.evaluation.plain_sweep import combinations, recalled
from cuemem.evaluation.swept import Axes
from cuemem.jobs import Job
from cuemem.text import counted, duration
from cuemem.ui import cache, job_panel, markup, state
from cuemem.ui.markup import html
from cuemem.ui.sweep.group import Group, scorable_count
from cuemem.ui.sweep.measured import coarse_of, measured
from cuemem.workbench.sweeping import scorable_questions, sweep_details
from cuemem.workbench.tasks import TaskKind

KIND: TaskKind = "sweep"


def offer(group: Group, title: str, method: Any, budget: int | None, key: str) -> None:
    """How far the work is, or what it would take and the button that begins it."""
    axes = coarse_of(group, method)
    details = sweep_details(group.members, axes, budget)
    seen = job_panel.states()
    job = _job(details)
    if job is not None and job.state == "done" and measured(group, method, budget) is not None:
        state.redraw()  # it ended since the page had looked
    if job is not None and job.active:
        job_panel.polled(lambda: _follow(details), seen)
        return
    if job is not None and job.resumable:
        markup.notice(job_panel.stopped_because(job), "error" if job.state == "failed" else "info")
    settings = len(list(combinations(axes)))
    work = f"{counted(settings, 'setting')} × {counted(scorable_count(group), 'question')}"
    markup.show(
        html(
            '<p class="cm-quiet">{work}, about {time} in the background. What is measured is kept, question by '
            "question.</p>",
            work=work,
            time=duration(_seconds(group, axes, budget)),
        )
    )
    st.button(
        "Measure in the background" if job is None else "Go on",
        key=f"sweep.measure.{key}",
        icon=":material/play_arrow:",
        on_click=_begin,
        args=(title, details, job),
    )


def _begin(title: str, details: dict[str, Any], job: Job | None) -> None:
    state.touch()
    if job is not None and job.resumable:
        cache.jobs().resume(job.job_id)
    else:
        job_panel.start(KIND, title, details)


def _job(details: dict[str, Any]) -> Job | None:
    wanted = json.loads(json.dumps(details))
    return next((job for job in cache.jobs().jobs(KIND) if dict(job.details) == wanted), None)


def _follow(details: dict[str, Any]) -> None:
    job = _job(details)
    if job is None or not job.active:
        return
    markup.show(job_panel.bar(job))
    st.button("Cancel", key=f"sweep.cancel.{job.job_id}", on_click=cache.jobs().cancel, args=(job.job_id,))


def _seconds(group: Group, axes: Axes, budget: int | None) -> float:
    """What it will take by the pace of one question at a few settings."""
    member = next(it for it in group.members if scorable_questions(cache.workbench(), it))
    return _pace((*group.key, member.method.name, budget), member, axes, budget) * scorable_count(group)


@st.cache_data(show_spinner=False, max_entries=64)
def _pace(key: tuple[Any, ...], _member: Any, _axes: Axes, budget: int | None) -> float:
    bench = cache.workbench()
    memory = bench.memory(_member.conversation_id, _member.method)
    some = {name: tuple({values[0], values[-1]}) for name, values in _axes.items()}
    started = perf_counter()
    list(recalled(memory, _member.method, scorable_questions(bench, _member)[:1], some, budget))
    share = len(list(combinations(_axes))) / len(list(combinations(some)))
    return (perf_counter() - started) * share


def explain(group: Group, title: str, method: Any, budget: int | None) -> None:
    """In place of the page's charts: why it is not there yet, and both ways on."""
    if budget is None:
        markup.notice("The contexts of this method do not nest, so each setting has to be recalled by itself.")
    else:
        markup.notice(
            f"Under the budget of {budget:,} tokens each setting has to be recalled by itself. Without a budget all "
            "settings are swept at once, and recall is read against tokens."
        )
        st.button(
            "Sweep without the budget",
            key="sweep.uncapped",
            type="primary",
            icon=":material/all_inclusive:",
            on_click=state.change,
            kwargs={"budget": "off"},
        )
    offer(group, title, method, budget, "main")
