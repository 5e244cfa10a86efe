"""``retrieval``: how much of the gold is retrieved, at what cost in tokens; kept as a run in the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import typer

from cuemem.commands.desk import Desk
from cuemem.commands.display import literal, table
from cuemem.commands.options import Names
from cuemem.commands.recalling import open_memory, ready
from cuemem.commands.selection import Chosen, Selection, selecting
from cuemem.evaluation.metrics import CUT_OFFS, Summary, scored_apart
from cuemem.evaluation.retrieval import Scored, evaluate, summaries
from cuemem.evaluation.run import as_json
from cuemem.text import counted
from cuemem.workbench import Workbench
from cuemem.workbench.runs import Contender, Plan, Run, begin, go, opened


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured on the conversations of one dataset."""

    run: Run
    chosen: Sequence[Chosen]
    scored: Sequence[Scored]
    groups: Sequence[Summary]


@selecting()
def retrieval(ctx: typer.Context, selection: Selection, conversations: Names = None) -> None:
    """Measure retrieval over all questions of conversations."""
    desk: Desk = ctx.obj
    with desk.workbench() as workbench:
        chosen = selection.all_of(workbench, conversations)
        runs = _measured(desk, workbench, selection, chosen)
    measured = [_of_dataset(run, chosen) for run in runs]
    document = {
        "datasets": [
            {"dataset": it.run.card.dataset, "run_id": it.run.run_id, "groups": it.groups, "notes": _notes(it)}
            for it in measured
        ],
        "cards": {run.run_id: as_json(run.card) for run in runs},
    }
    kept = f"Kept as {', '.join(run.run_id for run in runs)}, with the card and the result of each question."
    desk.emit(document, *(part for it in measured for part in _drawn(it)), kept)


def _measured(desk: Desk, workbench: Workbench, selection: Selection, chosen: Sequence[Chosen]) -> list[Run]:
    """The runs, measured anew: that is quick, and the code may be another since."""
    contender = Contender(selection.method, selection.settings, selection.cues, selection.turns, selection.budget)
    for it in chosen:
        open_memory(desk, workbench, it)
    run_ids = begin(workbench, Plan([contender], [it.id for it in chosen]))
    for run_id in run_ids:
        workbench.store.clear_results(run_id)
    desk.kept = "What was measured so far is kept."
    with desk.progress("Measuring") as progress:
        go(workbench, run_ids, progress=progress)
    return [opened(workbench.store, run_id) for run_id in run_ids]


def measure(desk: Desk, workbench: Workbench, chosen: Chosen) -> list[Scored]:
    """Every question of a conversation recalled and scored."""
    memory = open_memory(desk, workbench, chosen)
    questions = workbench.store.questions(chosen.id)
    ready(desk, workbench, [question.text for question in questions])
    rows: list[Scored] = []
    with desk.progress(f"Recalling in {chosen.conversation.title}") as progress:
        for row in evaluate(memory, chosen.method, questions, chosen.budget):
            rows.append(row)
            progress("questions", len(rows), len(questions))
    return rows


def _of_dataset(run: Run, chosen: Sequence[Chosen]) -> Measured:
    """What a run measured: numbers of different datasets are never averaged, so there is one for each."""
    mine = [it for it in chosen if it.conversation.dataset == run.card.dataset]
    rows = [Scored(row.conversation_id, row.question, row.gold, row.retrieval) for row in run.rows]
    return Measured(run, mine, rows, summaries(rows))


def _notes(measured: Measured) -> list[str]:
    """What has to be known to read the numbers."""
    headline = [row for row in measured.scored if not scored_apart(row.question)]
    turns = sum(bool(row.gold.turns) for row in headline)
    by_session = sum(bool(row.gold.sessions) and not row.gold.turns for row in headline)
    without = len(headline) - turns - by_session
    notes = [f"{turns:,} of {counted(len(headline), 'answerable question')} can be scored on turns."]
    if by_session:
        notes.append(f"{by_session:,} more have gold by session only and count at session level.")
    if without:
        verb = "has" if without == 1 else "have"
        notes.append(f"{without:,} {verb} no evidence that could be resolved: left out, not counted as a miss.")
    if len(headline) < len(measured.scored):
        notes.append("Questions whose right reply is that it was not mentioned are shown apart.")
    if any(utterance.role == "assistant" for it in measured.chosen for utterance in it.conversation.utterances):
        notes.append(
            "User and assistant messages are both indexed; the official LongMemEval figures index users' only."
        )
    return notes


def _drawn(measured: Measured) -> list[Any]:
    """Three tables, so that each fits a narrow terminal. The JSON document has every cut-off."""
    groups = measured.groups
    lines = dict.fromkeys(it.line for it in measured.chosen)
    about = f"{measured.run.card.dataset}: {counted(len(measured.chosen), 'conversation')}, {' | '.join(lines)}"
    found = (
        (g.name, g.n, g.recall, g.any, g.all, _whole(g.turns), _whole(g.tokens), _whole(g.tokens_p95)) for g in groups
    )
    ranked = (
        (g.name, g.precision, g.anchor_recall, *(g.recall_at[k] for k in CUT_OFFS), g.ndcg_at[10]) for g in groups
    )
    sessions = ((g.name, g.n_session, g.session_recall, g.session_all) for g in groups)
    name = "questions"
    return [
        literal(about, "bold"),
        table(
            "Gold turns in the context, and its size",
            (name, "n>", "recall>", "any>", "all>", "turns>", "tokens>", "p95>"),
            found,
        ),
        table(
            "Precision and ranking", (name, "prec.>", "anchors>", *(f"R@{k}>" for k in CUT_OFFS), "nDCG@10>"), ranked
        ),
        table("Gold sessions in the context", (name, "n>", "recall>", "all>"), sessions),
        "\n".join(_notes(measured)),
    ]


def _whole(value: float | None) -> str | None:
    return None if value is None else f"{value:,.0f}"
