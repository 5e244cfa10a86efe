"""The background work on a page: progress, time left, cancel, resume. Polled only while something is going on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from cuemem.errors import BadInput, UnknownName
from cuemem.jobs import Job
from cuemem.methods import method_named
from cuemem.ports import JobState
from cuemem.text import counted, duration, file_size, money
from cuemem.ui import cache, markup, state
from cuemem.workbench import incoming
from cuemem.workbench.extracting import extraction_spent
from cuemem.workbench.materials import material_of
from cuemem.workbench.rejudging import spent_judging
from cuemem.workbench.runs.going import spent_now
from cuemem.workbench.tasks import TaskKind, files_of

POLL = 1.0  # seconds between two looks at running jobs
PATIENCE = 0.8  # seconds for which a page waits for a load, since a small file is done by then
_SHOWN = 3  # of those that wait, and of those that stopped


def start(kind: TaskKind, title: str, details: dict[str, Any]) -> None:
    """In a callback: begin work in the background."""
    state.touch()
    cache.jobs().start(kind, title, details)


def await_loads() -> None:
    """Wait a moment for what was begun just now, so that a small file's load is never drawn half-way."""
    jobs = cache.jobs()
    for job in jobs.jobs("load"):
        patience = PATIENCE - (datetime.now(UTC) - job.created_at).total_seconds()
        if job.active and patience > 0:
            jobs.wait(job.job_id, patience)


def loading() -> bool:
    """Whether a file is on its way into the store: whatever else would write has to wait until it is in."""
    return any(job.active for kind in ("load", "download") for job in cache.jobs().jobs(kind))


def states() -> dict[str, JobState]:
    """The state of each job."""
    return {job.job_id: job.state for job in cache.jobs().jobs()}


def polled(draw: Callable[[], None], seen: dict[str, JobState] | None = None) -> None:
    """Draw a part of the page that follows the jobs; when one begins or ends, the whole page is drawn anew.

    ``seen`` is how the jobs stood when it was decided that there is something to follow, where that was before.
    """
    before = states() if seen is None else seen

    def follow() -> None:
        if before != states():
            state.redraw()
        draw()

    busy = any(it in ("queued", "running") for it in before.values())
    st.fragment(follow, run_every=POLL if busy else None)()


def work() -> None:
    """What runs, waits, was interrupted, cancelled or has failed; nothing where there is nothing."""
    await_loads()
    seen = states()
    if any(it != "done" for it in seen.values()):
        with st.container(border=True, key="cm-work"):
            polled(_work, seen)


def of_kind(kind: TaskKind, wanted: Callable[[Job], bool]) -> None:
    """The same for the jobs of one kind that a part of a page is about; nothing where there is none."""

    def found() -> list[Job]:
        return [job for job in cache.jobs().jobs(kind)[::-1] if job.state != "done" and wanted(job)]

    seen = states()
    if found():
        polled(lambda: _rows(found()), seen)


def _work() -> None:
    _rows(cache.jobs().jobs()[::-1])  # the oldest first


def _rows(jobs: Sequence[Job]) -> None:
    for job in jobs:
        if job.state == "running":
            _row(job, markup.html("{bar}{spent}", bar=bar(job), spent=_spent(job)))
    _waiting([job for job in jobs if job.state == "queued"])
    _stopped([job for job in jobs if job.resumable])


def _waiting(waiting: Sequence[Job]) -> None:
    for job in waiting[:_SHOWN]:
        _row(job, _quiet("waiting for its turn"))
    _more(len(waiting), "waiting")
    if len(waiting) > 1:
        st.button(
            f"Cancel all {len(waiting):,} that wait", key="job.cancel_waiting", on_click=_cancel, args=(waiting,)
        )


def _stopped(stopped: Sequence[Job]) -> None:
    for job in stopped[:_SHOWN]:
        _row(job, _quiet(stopped_because(job)))
    _more(len(stopped), "stopped")
    if len(stopped) > 1:
        with st.container(horizontal=True):
            resumable = [job for job in stopped if not lost_file(job)]
            st.button(
                f"Resume all {len(resumable):,}",
                key="job.resume_all",
                on_click=_resume,
                args=(resumable,),
                disabled=not resumable,
            )
            st.button(f"Dismiss all {len(stopped):,}", key="job.forget_all", on_click=dismiss, args=(stopped,))


def _quiet(text: str) -> markup.Html:
    return markup.html('<div class="cm-quiet">{text}</div>', text=text)


def _more(count: int, what: str) -> None:
    if count > _SHOWN:
        markup.show(_quiet(f"… and {count - _SHOWN:,} more {what}"))


def bar(job: Job) -> markup.Html:
    """How far a job is, as a bar and in words."""
    known = job.total > 0
    value = markup.html(' value="{done}" max="{total}"', done=job.done, total=job.total) if known else markup.Html()
    return markup.html(
        '<progress class="cm-bar" aria-label="{title}"{value}></progress><div class="cm-quiet">{words}</div>',
        title=job.title,
        value=value,
        words=progress_words(job),
    )


def _spent(job: Job) -> markup.Html:
    """What the calls of a job to a language model have cost so far; nothing for a job without any."""
    words = extraction_line(job) or evaluation_line(job)
    return _quiet(words) if words else markup.Html()


def evaluation_line(job: Job) -> str:
    """Calls and price of an evaluation, or of judging, so far; empty for other work."""
    purse = None
    if job.kind == "evaluate" and job.details["ask"]:
        purse = spent_now(job.details["runs"])
    elif job.kind == "judge":
        purse = spent_judging(job.details["runs"])
    if purse is None:
        return ""
    price = money(None if purse.unpriced else purse.cost)
    return f"{counted(purse.calls, 'call')} in this go so far, price {price}"


def extraction_line(job: Job) -> str:
    """Calls, tokens and price of an extraction so far; empty for other work."""
    if job.kind != "build" or "model" not in job.details:
        return ""
    model, conversation = job.details["model"]["name"], job.details["conversation_id"]
    material = material_of(method_named(job.details["method"]))
    spent = extraction_spent(cache.workbench().store, model, conversation, material.prompts if material else ())
    price = money(None if spent.unpriced else spent.cost)
    tokens = f"{spent.tokens_in:,} tokens in and {spent.tokens_out:,} out"
    return f"{counted(spent.requests, 'call')} for this conversation so far, {tokens}, price {price}"


def progress_words(job: Job) -> str:
    """The step a job is at, how far, and the time left by its pace so far."""
    if job.cancelling:
        return "stopping at the next step …"
    if not job.what:
        return "starting …" if job.state == "running" else "waiting for its turn"
    step = job.what[:1].upper() + job.what[1:]
    if job.total > 0:
        step += f": {_amount(job, job.done)} of {_amount(job, job.total)}"
    elif job.done:
        step += f": {_amount(job, job.done)} so far"
    return step if job.seconds_left is None else f"{step} · about {duration(job.seconds_left)} left"


def _amount(job: Job, count: int) -> str:
    """Steps are counted; what is downloaded has a size."""
    return file_size(count) if job.what.startswith("download") else f"{count:,}"


def stopped_because(job: Job) -> str:
    """Why a job is not going on, and what can be done."""
    gone = " Its file is no longer here: hand it in again." if lost_file(job) else ""
    if job.state == "failed":
        return f"Failed: {job.message}{'' if job.message.endswith('again.') else gone}"
    way = f" at {_amount(job, job.done)} of {_amount(job, job.total)}" if job.total else ""
    if job.message:  # it came to a limit that was set for it
        return job.message
    because = "The app was stopped" if job.state == "interrupted" else "Cancelled"
    return f"{because}{way}. {gone.strip() or 'What was done is kept; it goes on from there.'}"


def lost_file(job: Job) -> bool:
    """Whether a file that the job reads is not there any more."""
    return any(not path.exists() for path in files_of([job]))


def _row(job: Job, below: markup.Html) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            markup.show(markup.html('<div class="cm-job"><b>{title}</b>{below}</div>', title=job.title, below=below))
        if job.active:
            label = "Stopping" if job.cancelling else "Cancel"
            st.button(label, key=f"job.cancel.{job.job_id}", on_click=_cancel, args=([job],), disabled=job.cancelling)
        else:
            if not lost_file(job):
                st.button("Resume", key=f"job.resume.{job.job_id}", on_click=_resume, args=([job],))
            st.button("Dismiss", key=f"job.forget.{job.job_id}", on_click=dismiss, args=([job],))


def _cancel(jobs: Collection[Job]) -> None:
    for job in jobs:
        with _as_it_is_now():
            cache.jobs().cancel(job.job_id)


def _resume(jobs: Collection[Job]) -> None:
    for job in jobs:
        with _as_it_is_now():
            cache.jobs().resume(job.job_id)


def dismiss(jobs: Collection[Job]) -> None:
    """In a callback: take ended jobs off the list, and delete what was handed in for them."""
    for job in jobs:
        with _as_it_is_now():
            cache.jobs().forget(job.job_id)
            for path in files_of([job]):
                incoming.discard(cache.workbench().store, path)


def _as_it_is_now() -> contextlib.AbstractContextManager[None]:
    """A job may have gone on, or be off the list, since its button was drawn; the page then shows what it is now."""
    return contextlib.suppress(BadInput, UnknownName)
