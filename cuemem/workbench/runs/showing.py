"""Runs made ready to be shown: figures with the flags of today, names that tell them apart, tables."""

from __future__ import annotations

from collections.abc import Sequence

from cuemem.adapters.store import Store
from cuemem.evaluation.overlay import QuestionKey
from cuemem.evaluation.summary import summarise_run
from cuemem.evaluation.tables import (
    Shown,
    Table,
    answers_overview,
    by_category,
    efficiency,
    evidence,
    evidence_overview,
    labels,
    paper,
    side_by_side,
)
from cuemem.workbench.runs.reading import Run, one_listed


def doubted(store: Store, run: Run) -> set[QuestionKey]:
    """The questions of a run whose gold is doubted: by today's lists where the conversation is here."""
    here = {row.conversation_id for row in store.conversations()}
    flagged = {key: store.flagged(key) for key in {row.conversation_id for row in run.rows} & here}
    return {
        row.key
        for row in run.rows
        if (row.question.index in flagged[row.conversation_id] if row.conversation_id in here else row.flag)
    }


def shown(store: Store, runs: Sequence[Run]) -> list[Shown]:
    """The runs with their figures, named so that they can stand beside each other."""
    names = labels([run.card for run in runs])
    return [
        Shown(
            name,
            run.run_id,
            run.card,
            summarise_run(run.rows, doubted(store, run)),
            one_listed(store, run.run_id).state_words,
        )
        for name, run in zip(names, runs, strict=True)
    ]


def tables(runs: Sequence[Shown], *, lettered: bool = False) -> list[Table]:
    """All tables of runs over one dataset, those of several datasets one after the other; ``lettered`` as there."""
    made: list[Table] = []
    for dataset in dict.fromkeys(run.card.dataset for run in runs):
        mine = [run for run in runs if run.card.dataset == dataset]
        answered = any(run.card.answering for run in mine)
        for unflagged in (False, True) if any(run.summary.flagged for run in mine) else (False,):
            if answered:
                made.append(answers_overview(mine, unflagged=unflagged))
            made.append(evidence_overview(mine, unflagged=unflagged))
        if len(mine) > 1:
            made.append(side_by_side(mine, lettered=lettered))
        for run in mine:
            if run.card.answering:
                made.append(by_category(run))
            made.append(evidence(run))
        if answered:
            made.append(efficiency(mine))
            if (stated := paper(dataset)) is not None:
                made.append(stated)
    return made
