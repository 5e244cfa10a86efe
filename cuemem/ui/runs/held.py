"""Runs as the page shows them: read anew once something was written, and which of them the address names."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from cuemem.adapters.store import default_store_path
from cuemem.evaluation.tables import Shown, labels
from cuemem.ui import cache, state
from cuemem.workbench.runs import Run, listed, opened
from cuemem.workbench.runs.reading import Listed
from cuemem.workbench.runs.showing import shown

_SEPARATOR = ","
_MOST = 12  # runs beside each other; their ids have to fit the address


def runs() -> tuple[Listed, ...]:
    """All runs, the newest first."""
    return _runs(str(default_store_path()), cache.workbench().store.commits)


@st.cache_resource(show_spinner=False, max_entries=2)
def _runs(path: str, commits: int) -> tuple[Listed, ...]:
    return listed(cache.workbench().store)


def names() -> dict[str, str]:
    """What each run is called, by id, so that all are told apart."""
    found = runs()
    return {run.run_id: name for run, name in zip(found, labels([run.card for run in found]), strict=True)}


def run(run_id: str) -> Run:
    """A run with its rows."""
    return _run(str(default_store_path()), cache.workbench().store.commits, run_id)


@st.cache_resource(show_spinner=False, max_entries=12)
def _run(path: str, commits: int, run_id: str) -> Run:
    return opened(cache.workbench().store, run_id)


def figures(run_ids: tuple[str, ...]) -> list[Shown]:
    """The figures of these runs, named so that they can stand beside each other."""
    return _figures(str(default_store_path()), cache.workbench().store.commits, run_ids)


@st.cache_resource(show_spinner=False, max_entries=8)
def _figures(path: str, commits: int, run_ids: tuple[str, ...]) -> list[Shown]:
    return shown(cache.workbench().store, [run(run_id) for run_id in run_ids])


def chosen() -> tuple[str, ...]:
    """The runs that are looked at: those in the address that there are, else the group that was begun last."""
    found = runs()
    known = {run.run_id for run in found}
    named = [name for name in state.current().extra("runs").split(_SEPARATOR) if name in known]
    if named or not found:
        return tuple(named)
    newest = found[0].card.groups
    return tuple(run.run_id for run in reversed(found) if set(run.card.groups) & set(newest))[:_MOST] or (
        found[0].run_id,
    )


def choose(run_ids: Sequence[str]) -> None:
    """In a callback: look at these runs."""
    state.note("runs", _SEPARATOR.join(run_ids[:_MOST]))


def missing() -> tuple[str, ...]:
    """Runs that the address names and the store does not hold."""
    known = {run.run_id for run in runs()}
    return tuple(name for name in state.current().extra("runs").split(_SEPARATOR) if name and name not in known)
