"""The failures of a run as the page shows them: read anew once something was written, filtered by the address."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from cuemem.adapters.store import default_store_path
from cuemem.evaluation.failures import CLASSES
from cuemem.ui import cache, state
from cuemem.ui.runs import held
from cuemem.workbench.reviewing import Failure, proposed, reviewed

EVERY = ""
SHOWN = {
    EVERY: "all",
    "open": "not decided yet",
    "decided": "decided",
    "changed": "decided otherwise than proposed",
    "flagged": "gold flagged",
    "noted": "with a note",
}


def of(run_id: str) -> tuple[Failure, ...]:
    """The failures of a run so far."""
    return _of(str(default_store_path()), cache.workbench().store.commits_of("labels", "reviews"), run_id)


@st.cache_resource(show_spinner=False, max_entries=4)
def _of(path: str, commits: tuple[int, ...], run_id: str) -> tuple[Failure, ...]:
    found = _proposed(path, cache.workbench().store.commits_of("labels"), run_id)
    return reviewed(cache.workbench().store, found)


@st.cache_resource(show_spinner="Reading the failures …", max_entries=4)
def _proposed(path: str, commits: tuple[int, ...], run_id: str) -> tuple[Failure, ...]:
    return proposed(cache.workbench().store, held.run(run_id))


def chosen_run() -> str:
    """The run that is looked at: the one in the address, else the newest that was judged, else the newest."""
    runs = held.runs()
    named = state.current().extra("run")
    if any(run.run_id == named for run in runs):
        return named
    return next((run.run_id for run in runs if run.card.judging), runs[0].run_id)


def filtered(found: Sequence[Failure]) -> list[Failure]:
    """The failures that the filters of the address leave."""
    view = state.current()
    kind, category, shown = view.extra("class"), view.extra("category"), view.extra("show")
    return [
        it for it in found if kind in (EVERY, it.kind) and category in (EVERY, it.category) and _passes(it, shown)
    ]


def _passes(it: Failure, shown: str) -> bool:
    return {
        "open": it.decided is None,
        "decided": it.decided is not None,
        "changed": it.decided is not None and it.decided != it.proposal.kind,
        "flagged": it.flag,
        "noted": bool(it.note),
    }.get(shown, True)


def name(it: Failure) -> str:
    """What the address calls a failure."""
    return f"{it.row.conversation_id}:{it.row.question.index}"


def place(queue: Sequence[Failure]) -> int:
    """Which of the queue is looked at: the one in the address, else the first that is not decided, else the first."""
    names = [name(it) for it in queue]
    wanted = state.current().extra("item")
    if wanted in names:
        return names.index(wanted)
    return next((at for at, it in enumerate(queue) if it.decided is None), 0)


def classes(found: Sequence[Failure]) -> list[str]:
    """The classes that there are any of, in their order."""
    there = {it.kind for it in found}
    return [kind for kind in CLASSES if kind in there]
