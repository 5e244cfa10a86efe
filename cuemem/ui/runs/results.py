"""Runs and their results: the list, what the chosen ones came to, what is still to be asked, exports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from cuemem.errors import CueMemError
from cuemem.evaluation.tables import Shown
from cuemem.text import counted
from cuemem.ui import cache, job_panel, markup, tables, uploads
from cuemem.ui.data import parts
from cuemem.ui.runs import asking, held, tabled
from cuemem.ui.runs.about import card_facts
from cuemem.workbench import incoming
from cuemem.workbench.runs.files import cards_file, import_runs, rows_file, tables_file
from cuemem.workbench.runs.reading import Listed
from cuemem.workbench.runs.showing import tables as result_tables

_COLUMNS = ("run", "questions", "dataset", "state", "model", "begun (UTC)", "id")
_SAID = "runs.said"
_KINDS = {
    "jsonl": ("Whole runs (JSONL)", "application/jsonl", "Every result with its card; can be imported elsewhere."),
    "csv": ("Rows (CSV)", "text/csv", "A row a question. Its card is a file of its own."),
    "parquet": ("Rows (Parquet)", "application/vnd.apache.parquet", "A row a question, the cards in the file."),
    "md": ("Tables (Markdown)", "text/markdown", "The tables below, for an issue or a page."),
    "tex": ("Tables (LaTeX)", "text/x-tex", "The tables below, for a paper; they need booktabs."),
    "card.json": ("Run cards", "application/json", "All that is needed to repeat the runs."),
}


def results() -> None:
    """The list of runs, and what those that are chosen came to."""
    if said := st.session_state.pop(_SAID, ""):
        markup.notice(said)
    found = held.runs()
    if not found:
        markup.notice(
            "Nothing has been run yet. A run measures what a method finds for every question and, with a language "
            "model, how its answers are judged. Measuring what is found needs no model."
        )
        st.button("Start a run", key="runs.to_start", on_click=parts.go, args=("start",), type="primary")
        _import()
        return
    if gone := held.missing():
        markup.notice(f"There is no run {', '.join(gone)} in this store; it may have been removed.", "warning")
    run_ids = held.chosen()
    _list(found, run_ids)
    if not run_ids:
        markup.notice("Choose one or more runs in the list to see what they came to.")
        _import()
        return
    asking.go_on([run for run in found if run.run_id in run_ids])
    shown = held.figures(run_ids)
    _actions(run_ids, shown)
    tabled.tables(shown)
    with st.expander("Run cards: all that is needed to repeat them"):
        for run in shown:
            markup.show(card_facts(run))
    _import()


def _list(found: Sequence[Listed], run_ids: Sequence[str]) -> None:
    """All runs; the chosen ones are marked, and choosing others is kept in the address."""
    names = held.names()
    rows: list[dict[str, Any]] = [
        {
            "run": names[run.run_id] + (" (tuned)" if run.card.tuned else ""),
            "questions": run.card.questions.count,
            "dataset": run.card.dataset,
            "state": run.state_words,
            "model": run.card.answering.model if run.card.answering else "retrieval alone",
            "begun (UTC)": f"{run.begun:%Y-%m-%d %H:%M}",
            "id": run.run_id,
        }
        for run in found
    ]
    ids = [run.run_id for run in found]
    key = f"runs.list.{len(ids)}.{'-'.join(run_ids)}"
    tables.show(
        rows,
        _COLUMNS,
        "The runs, the newest first; the chosen ones are shown below",
        key=key,
        on_select=lambda: _chosen(key, ids),
        selection_mode="multi-row",
        selection_default={"selection": {"rows": [ids.index(it) for it in run_ids]}},
        column_config={"run": st.column_config.TextColumn(width="large")},
    )


def _chosen(key: str, ids: Sequence[str]) -> None:
    rows = st.session_state[key]["selection"]["rows"]
    held.choose([ids[row] for row in sorted(rows, reverse=True)])


def _actions(run_ids: tuple[str, ...], shown: Sequence[Shown]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover("Export", icon=":material/download:"):
            for ending, (label, mime, about) in _KINDS.items():
                _download(run_ids, shown, ending, label, mime, about)
        if len(run_ids) == 2:
            st.button("Compare these two", key="runs.to_compare", on_click=_compare, args=(run_ids,))
        there = {"page.run": run_ids[0]}
        st.page_link("pages/failures.py", label="Failures", icon=":material/rule:", query_params=there)
        with st.popover("Remove", icon=":material/delete:", disabled=job_panel.loading()):
            st.caption(
                "Their results, and what was decided of their failures, are forgotten. Replies of models stay, so "
                "running them again costs nothing."
            )
            st.button(f"Remove {counted(len(run_ids), 'run')}", key="runs.remove", on_click=_remove, args=(run_ids,))


def _download(
    run_ids: tuple[str, ...], shown: Sequence[Shown], ending: str, label: str, mime: str, about: str
) -> None:
    def make() -> bytes:
        found = [held.run(run_id) for run_id in run_ids]
        if ending == "card.json":
            return cards_file(found)
        if ending in ("md", "tex"):
            return tables_file(result_tables(shown), found, ending)  # type: ignore[arg-type]
        return rows_file(found, ending)  # type: ignore[arg-type]

    name = run_ids[0] if len(run_ids) == 1 else f"{len(run_ids)}-runs"
    st.download_button(
        label,
        make,
        file_name=f"{name}.{ending}",
        mime=mime,
        key=f"runs.export.{ending}",
        help=about,
        on_click="ignore",
    )


def _compare(run_ids: Sequence[str]) -> None:
    parts.go("compare", a=run_ids[0], b=run_ids[1])


def _remove(run_ids: Sequence[str]) -> None:
    for run_id in run_ids:
        cache.workbench().store.remove_run(run_id)
    held.choose(())
    st.session_state[_SAID] = f"{counted(len(run_ids), 'run')} removed."


def _import() -> None:
    with st.expander("Import runs from another machine"):
        if job_panel.loading():
            st.caption("Runs can be imported once the file that is being loaded is in.")
            return
        uploads.uploader(
            "A .jsonl file of whole runs",
            ("jsonl", "gz"),
            "runs.import",
            _imported,
            "Made by Export, or runs export.",
        )


def _imported(path: Path) -> None:
    store = cache.workbench().store
    try:
        done = import_runs(store, path)
    except CueMemError as error:
        st.session_state[_SAID] = str(error)
        return
    finally:
        incoming.discard(store, path)
    held.choose([run.run_id for run in done])
    known = sum(run.known for run in done)
    st.session_state[_SAID] = f"{counted(len(done), 'run')} imported" + (
        f", {known:,} of them here already." if known else "."
    )
