"""Asking the judge for more verdicts: what it takes, a cap, and the press that asks."""

from __future__ import annotations

import streamlit as st

from cuemem.adapters.store import default_store_path
from cuemem.errors import CueMemError
from cuemem.text import counted, duration, money
from cuemem.ui import cache, job_panel, markup, models
from cuemem.ui.judging.held import Pool
from cuemem.ui.markup import html
from cuemem.workbench.models import ModelSettings
from cuemem.workbench.rejudging import Asking, JudgingEstimate, estimate, judging_details
from cuemem.workbench.runs import Caps


def ask(of: Pool, asking: Asking, title: str) -> None:
    """Draw the estimate and the button, or why there is nothing to press."""
    if any(job.active and set(job.details["runs"]) & set(of.run_ids) for job in cache.jobs().jobs("judge")):
        st.caption("These answers are being judged; what has come so far is below.")
        return
    try:
        settings = _judge()
        told = None if settings is None else _told(asking, settings)
    except CueMemError as error:
        markup.notice(str(error), "warning")
        st.page_link("pages/models.py", label="Set the judge", icon=":material/smart_toy:")
        return
    if settings is None or told is None:
        markup.notice("No language model is set to judge. Name one, and verdicts can be asked for.")
        st.page_link("pages/models.py", label="Set the judge", icon=":material/smart_toy:")
        return
    if not told.calls and not told.kept:
        st.caption(f"All of these are judged already ({asking.protocol}); nothing needs to be asked.")
        return
    with st.container(border=True, key="cm-judge-ask"):
        markup.show(html('<p class="cm-text">{words}</p>', words=sentence(told, settings.name)))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.number_input(
                "Stop after so many calls", 1, None, None, 100, key="judge.calls", placeholder="no cap", width=190
            )
            if told.cost:
                st.number_input(
                    "Stop at so many US dollars",
                    0.0,
                    None,
                    None,
                    1.0,
                    key="judge.cost",
                    placeholder="no cap",
                    width=210,
                )
            st.button("Judge them", key="judge.ask", type="primary", on_click=_start, args=(asking, settings, title))
        st.caption("Every verdict is kept as it comes. A cap stops cleanly, and asking again goes on from there.")


def _judge() -> ModelSettings | None:
    return models.settings("judge") or models.settings("answer")


def _told(asking: Asking, settings: ModelSettings) -> JudgingEstimate:
    bench, prompts = cache.workbench(), models.prompts()
    key = (str(default_store_path()), bench.store.commits, asking, settings.line, str(prompts.own))
    return _estimated(key, asking, settings)


@st.cache_resource(show_spinner=False, max_entries=4)
def _estimated(key: tuple[object, ...], _asking: Asking, _settings: ModelSettings) -> JudgingEstimate:
    bench = cache.workbench()
    return estimate(bench.store, _asking, _settings, models.prompts(), bench.tokens.count)


def sentence(told: JudgingEstimate, model: str) -> str:
    """An estimate in words."""
    kept = f" {counted(told.kept, 'reply')} kept from before cost nothing." if told.kept else ""
    if not told.calls:
        return f"No call is needed.{kept}"
    if told.failed:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(told.failed.items()))
        kept += f" {counted(sum(told.failed.values()), 'call')} failed before ({kinds}) and will be made again."
    time = "the time is known after the first calls" if told.seconds is None else f"about {duration(told.seconds)}"
    price = "price not known" if told.cost is None else f"about {money(told.cost)}"
    return (
        f"To come: {counted(told.calls, 'verdict')} by {model}, about {told.tokens_in:,} tokens in and "
        f"{told.tokens_out:,} out, {price}, {time}.{kept}"
    )


def _start(asking: Asking, settings: ModelSettings, title: str) -> None:
    caps = Caps(st.session_state.get("judge.cost"), st.session_state.get("judge.calls"))
    job_panel.start("judge", title, judging_details(asking, settings, models.prompts(), caps))
