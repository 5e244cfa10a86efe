"""What is still to be asked for the chosen runs: what it takes, the caps, and the button that asks."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from cuemem.errors import CueMemError
from cuemem.text import counted, duration, money
from cuemem.ui import cache, job_panel, markup, models
from cuemem.ui.runs import held
from cuemem.workbench.models import ModelRole, ModelSettings
from cuemem.workbench.runs import Caps
from cuemem.workbench.runs.estimate import RunEstimate, estimate
from cuemem.workbench.runs.reading import Listed
from cuemem.workbench.runs.reranking import asks_to_recall
from cuemem.workbench.runs.work import LentModels, evaluate_details

_CALLS, _COST = "runs.max_calls", "runs.max_cost"


def go_on(chosen: Sequence[Listed]) -> None:
    """For runs that are not at their end: what is to come, and the way on; for failures the way to ask again."""
    if _busy(chosen):
        st.caption("These runs are going on; what they came to so far is below.")
        return
    waiting = [run for run in chosen if run.state == "waiting"]
    if waiting:
        names = ", ".join(run.run_id for run in waiting)
        markup.notice(
            f"{names}: {waiting[0].state_words}. Their prompts go out, and the replies come back, under Batch files."
        )
    unfinished = [run for run in chosen if run.state == "open"]
    if unfinished:
        _rest(unfinished)
    failed = _failed(chosen)
    if failed and not unfinished:
        _retry(chosen, failed)


def _busy(chosen: Sequence[Listed]) -> bool:
    wanted = {run.run_id for run in chosen}
    return any(job.active and wanted & set(job.details["runs"]) for job in cache.jobs().jobs("evaluate"))


def _rest(unfinished: Sequence[Listed]) -> None:
    with st.container(border=True, key="cm-runs-rest"):
        unasked = [
            run for run in unfinished if run.card.answering is None or (run.missing and not asks_to_recall(run.card))
        ]
        if unasked:
            markup.show(
                markup.html(
                    '<p class="cm-text">{count} not measured yet.</p>',
                    count=counted(sum(run.missing for run in unasked), "question"),
                )
            )
            st.button(
                "Go on", key="runs.measure", type="primary", on_click=_start, args=(unasked,), kwargs={"ask": False}
            )
            return
        told = _told(unfinished)
        if told is None:
            return
        markup.show(markup.html('<p class="cm-text">{words}</p>', words=sentence(told)))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.number_input(
                "Stop after so many calls", 1, None, None, 100, key=_CALLS, placeholder="no cap", width=190
            )
            if told.cost:
                st.number_input(
                    "Stop at so many US dollars", 0.0, None, None, 1.0, key=_COST, placeholder="no cap", width=210
                )
            st.button(
                "Ask the model",
                key="runs.ask",
                type="primary",
                on_click=_start,
                args=(unfinished,),
                kwargs={"ask": True},
            )
        st.caption("Every question is kept as it is done. A cap stops cleanly, and asking again goes on from there.")


def _told(unfinished: Sequence[Listed]) -> RunEstimate | None:
    """What it will take; None, and why, where the models are not those that the runs were begun with."""
    lent = _models()
    if lent is None:
        return None
    try:
        return estimate(cache.workbench().store, [held.run(run.run_id) for run in unfinished], lent)
    except CueMemError as error:
        markup.notice(str(error), "warning")
        st.page_link("pages/models.py", label="Set a model", icon=":material/smart_toy:")
        return None


def _models() -> LentModels | None:
    try:
        answering = settings("answer")
        return LentModels.of(answering, settings("judge") or answering)
    except CueMemError as error:
        markup.notice(str(error), "error")
        return None


def settings(role: ModelRole) -> ModelSettings | None:
    """The model of a role in this session. Raises BadSetting."""
    return models.settings(role)


def sentence(told: RunEstimate) -> str:
    """An estimate in words."""
    kept = f" {counted(told.kept, 'reply')} kept from before cost nothing." if told.kept else ""
    if told.calls == 0:
        return f"No call is needed.{kept}"
    time = "the time is known after the first calls" if told.seconds is None else f"about {duration(told.seconds)}"
    verdicts = f" and at most {counted(told.verdicts, 'verdict')}" if told.verdicts else ""
    price = "price not known" if told.cost is None else f"about {money(told.cost)}"
    marks = f"at most {counted(told.marks, 'mark')} by the reranker, " if told.marks else ""
    return (
        f"To come: {marks}{counted(told.answers, 'answer')}{verdicts}, about {told.tokens_in:,} tokens in and "
        f"{told.tokens_out:,} out, {price}, {time}.{kept}"
    )


def _failed(chosen: Sequence[Listed]) -> int:
    return sum(row.failed for run in chosen if run.card.answering for row in held.run(run.run_id).rows)


def _retry(chosen: Sequence[Listed], failed: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        markup.show(markup.html('<p class="cm-text">{count} failed.</p>', count=counted(failed, "call")))
        st.button("Ask again", key="runs.retry", on_click=_start, args=(chosen,), kwargs={"ask": True, "again": True})


def _start(chosen: Sequence[Listed], *, ask: bool, again: bool = False) -> None:
    lent = _models()
    if lent is None:
        return
    caps = Caps(st.session_state.get(_COST), st.session_state.get(_CALLS))
    ids = [run.run_id for run in reversed(chosen)]
    start([*ids], lent, caps, ask=ask, again=again)


def start(run_ids: Sequence[str], lent: LentModels, caps: Caps, *, ask: bool, again: bool = False) -> None:
    """In a callback: let runs go on in the background."""
    title = held.names()[run_ids[0]] if len(run_ids) == 1 else counted(len(run_ids), "run")
    verb = "Asking for" if ask else "Measuring"
    details = evaluate_details(run_ids, lent, models.prompts(), caps, ask=ask, retry_failed=again)
    job_panel.start("evaluate", f"{verb} {title}", details)
