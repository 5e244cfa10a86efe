"""The three ways in."""

from __future__ import annotations

import streamlit as st

from cuemem.jobs import Job
from cuemem.types import ConversationId
from cuemem.ui import cache, job_panel, links, markup
from cuemem.workbench.samples import sample_to_open
from cuemem.workbench.tasks import TaskKind

SAMPLE: TaskKind = "sample"


def doors() -> None:
    """Try the sample, load data, learn."""
    sample, data, learn = st.columns(3, gap="medium")
    with sample.container(border=True, height="stretch", key="cm-door-sample"):
        _text(
            "Try the sample",
            "Two friends write to each other for eight months, and fifty-six questions ask what was said. "
            "It comes with the app: no key, no download.",
        )
        job_panel.polled(_sample)
    with data.container(border=True, height="stretch", key="cm-door-data"):
        _text(
            "Load data",
            "LoCoMo and LongMemEval as their authors publish them, or a chat of your own as a plain text file.",
        )
        st.page_link("pages/data.py", label="Go to Data", icon=":material/database:")
    with learn.container(border=True, height="stretch", key="cm-door-learn"):
        _text(
            "Learn",
            "How a question finds its way back to what was said: cues, anchors and the turn graph, in seven steps.",
        )
        _learn()


def _text(title: str, text: str) -> None:
    markup.show(markup.html('<div class="cm-door"><h3>{title}</h3><p>{text}</p></div>', title=title, text=text))


def _learn() -> None:
    st.page_link("pages/learn.py", label="Go step by step", icon=":material/school:")


def _sample() -> None:
    """The button that builds the sample, then how far that is, then the way to look at it."""
    ready = sample_to_open(cache.workbench())
    job = next(iter(cache.jobs().jobs(SAMPLE)), None)
    if ready is not None:
        with st.container(key="cm-primary"):
            # A link: a page changed by st.switch_page is emptied by the poll that is on its way from this one.
            st.page_link(
                "pages/trace.py",
                label="Open it in Trace",
                icon=":material/account_tree:",
                query_params=_first_look(ready),
            )
        if job is not None and job.active:
            markup.show(markup.html('<div class="cm-quiet">Ready. The other samples are still being built.</div>'))
            markup.show(job_panel.bar(job))
    elif job is not None and job.active:
        markup.show(job_panel.bar(job))
    else:
        offer_sample(job)


def _first_look(sample: ConversationId) -> dict[str, str]:
    """The sample's first memory and question; all else at its defaults."""
    record = cache.workbench().store.memories(sample)[0]
    return links.conversation(sample, record.cue_source, record.turn_unit, question=0)


def offer_sample(job: Job | None) -> None:
    """The button that loads and builds the bundled conversations, and why it has to be pressed again."""
    if job is not None and job.resumable:
        markup.notice(job_panel.stopped_because(job), "error" if job.state == "failed" else "info")
    st.button(
        "Load and build it",
        key="home.sample",
        type="primary",
        icon=":material/play_arrow:",
        on_click=job_panel.start,
        args=(SAMPLE, "The bundled samples", {}),
    )
    markup.show(markup.html('<div class="cm-quiet">Takes half a minute the first time.</div>'))
