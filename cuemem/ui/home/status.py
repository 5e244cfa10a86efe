"""Does it work here? Store and models, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from cuemem.errors import CueMemError
from cuemem.text import counted, file_size
from cuemem.ui import cache, markup, models, state
from cuemem.workbench.models import ROLES, ModelRole

_FOR: Mapping[ModelRole, str] = {"extractor": "extraction", "answer": "answers", "judge": "judging"}
_LOOK_AGAIN = 1.0  # seconds, while the embedding model is on its way


@dataclass(frozen=True, slots=True)
class Status:
    """One thing that works, is on its way, does not work, or is not there. ``look`` is its CSS class."""

    name: str
    state: str
    look: str
    words: str


def status() -> None:
    """What is there and what it can do; looked at again while something is on its way."""
    warming = not (cache.model_ready() or cache.model_failure())

    def draw() -> None:
        markup.show(described((_store(), _embedding(), _language_model(), *_work())))
        if warming and (cache.model_ready() or cache.model_failure()):
            state.redraw()

    st.fragment(draw, run_every=_LOOK_AGAIN if warming else None)()
    st.page_link("pages/models.py", label="Go to Models", icon=":material/smart_toy:")


def described(rows: tuple[Status, ...]) -> markup.Html:
    """A list of states."""
    said = '<span class="cm-state {look}">{state}</span>{words}'
    return markup.facts(
        {row.name: markup.html(said, look=row.look, state=row.state, words=row.words) for row in rows}
    )


def _store() -> Status:
    info = cache.workbench().store.info()
    rows = info.rows
    held = ", ".join(
        counted(rows[table], noun)
        for table, noun in (
            ("conversations", "conversation"),
            ("questions", "question"),
            ("memories", "memory"),
        )
    )
    held = held if rows["conversations"] else "nothing in it yet"
    return Status("Store", "ready", "cm-good", f"{held} · {file_size(info.size)} · {info.path}")


def _embedding() -> Status:
    model = cache.workbench().model.name
    use = "turns cues and questions into vectors, on this machine"
    if cache.model_ready():
        return Status("Embedding model", "ready", "cm-good", f"{model} {use}.")
    if failure := cache.model_failure():
        return Status("Embedding model", "failed", "cm-bad", failure)
    return Status("Embedding model", "loading", "cm-busy", f"{model} {use}. It is there in about ten seconds.")


def _work() -> tuple[Status, ...]:
    """What goes on in the background, or was stopped in the middle; where nothing does, no word of it."""
    jobs = cache.jobs().jobs()
    active, stopped = sum(job.active for job in jobs), sum(job.state == "interrupted" for job in jobs)
    if active:
        return (Status("Background work", "running", "cm-busy", f"{counted(active, 'job')}; Data shows how far."),)
    if stopped:
        words = f"{counted(stopped, 'job')} stopped with the app; Data takes them up again."
        return (Status("Background work", "interrupted", "cm-busy", words),)
    return ()


def _language_model() -> Status:
    """Which models are set for what. That they answer is found out on the Models page, by asking."""
    name = "Language models"
    try:
        found = {role: models.settings(role) for role in ROLES}
    except CueMemError as error:
        return Status(name, "wrong", "cm-bad", str(error))
    if not any(found.values()):
        return Status(
            name,
            "not set",
            "cm-none",
            "Not needed for cues from sentences, files or observations, the turn graph, tracing and measuring, nor "
            "for answers that were recorded. Extraction by a model, new answers and verdicts need one: name one on "
            "the Models page, or bring the local one, which needs no key.",
        )
    said = [f"{_FOR[role]}: {each.line if each else 'none'}" for role, each in found.items()]
    one = found["answer"] if len({*found.values()}) == 1 else None
    words = f"{one.line} for every role" if one else "; ".join(said)
    return Status(name, "set", "cm-good", f"{words}. Whether it answers is tried on the Models page.")
