"""The result tables of the chosen runs: the headline beside what it costs, then by category, then run by run."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from cuemem.evaluation.tables import (
    Shown,
    answers_overview,
    by_category,
    efficiency,
    evidence,
    evidence_overview,
    paper,
    side_by_side,
)
from cuemem.ui.runs import drawn

_WITHOUT = "runs.unflagged"


def tables(shown: Sequence[Shown]) -> None:
    """The tables of each dataset: numbers of different datasets never stand in one."""
    datasets = list(dict.fromkeys(run.card.dataset for run in shown))
    flagged = max(run.summary.flagged for run in shown)
    unflagged = bool(
        flagged
        and st.toggle(
            f"Without the {flagged:,} questions whose gold is doubted", key=_WITHOUT, persist_state="session"
        )
    )
    for dataset in datasets:
        mine = [run for run in shown if run.card.dataset == dataset]
        if len(datasets) > 1:
            st.subheader(dataset, anchor=False)
        _of_dataset(mine, unflagged=unflagged)


def _of_dataset(mine: Sequence[Shown], *, unflagged: bool) -> None:
    if not any(run.summary.everything for run in mine):
        st.caption("Nothing is measured yet.")
        return
    answered = any(run.card.answering for run in mine)
    left, right = st.columns(2, gap="large")
    with left:
        if answered:
            drawn.ranges(mine, unflagged=unflagged)
            drawn.table(answers_overview(mine, unflagged=unflagged))
        else:
            drawn.table(evidence_overview(mine, unflagged=unflagged))
    with right:
        if answered:
            drawn.table(evidence_overview(mine, unflagged=unflagged))
        if len(mine) > 1:
            drawn.table(side_by_side(mine, unflagged=unflagged))
    if answered:
        costs, stated = st.columns([3, 2], gap="large")
        with costs:
            drawn.table(efficiency(mine))
        with stated:
            if (table := paper(mine[0].card.dataset)) is not None:
                drawn.table(table)
    for run in mine:
        if not run.summary.everything:
            continue
        with st.expander(f"{run.card.title} by category · {run.run_id}", expanded=len(mine) == 1):
            if run.card.answering:
                drawn.table(by_category(run, unflagged=unflagged))
            drawn.table(evidence(run, unflagged=unflagged))
