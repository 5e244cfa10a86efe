"""Before the first lesson: the bundled conversation is not there yet, nor any other that could be looked at."""

from __future__ import annotations

from cuemem.ui import cache, job_panel, state
from cuemem.ui.home.doors import SAMPLE, offer_sample
from cuemem.ui.learn.lecture import story
from cuemem.ui.learn.lessons import LESSONS
from cuemem.ui.learn.pieces import paragraph
from cuemem.ui.markup import html, join, show


def needed() -> bool:
    """Whether nothing was built that a lesson could be told on."""
    return state.current().conversation is None and not any(
        it.memories for it in cache.workbench().store.conversations()
    )


def begin() -> None:
    """What will be learnt, and the button that loads the conversation it is told on."""
    show(html('<h1 class="cml-title">Step by step</h1>'))
    show(
        paragraph(
            "How a question finds its way back to what was said, in seven steps on one question and one conversation "
            "of two friends. The conversation comes with the app; it has to be loaded once."
        )
    )
    show(
        html(
            '<ol class="cml-contents">{items}</ol>',
            items=join([html("<li>{it}</li>", it=it.title) for it in LESSONS]),
        )
    )
    job_panel.polled(_load)


def _load() -> None:
    """The button, then how far it is; then the page is drawn anew and begins."""
    if story() is not None:
        state.redraw()
    job = next(iter(cache.jobs().jobs(SAMPLE)), None)
    if job is not None and job.active:
        show(job_panel.bar(job))
    else:
        offer_sample(job)
