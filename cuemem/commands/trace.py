"""``trace``: one question, stage by stage, and what became of its gold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.text import Text

from cuemem.commands.desk import Desk
from cuemem.commands.display import literal, table
from cuemem.commands.options import NO_TYPE, Name, Question
from cuemem.commands.recalling import head, open_memory, question_at, ready
from cuemem.commands.selection import Selection, selecting
from cuemem.evaluation.metrics import gold_of
from cuemem.evaluation.scoreboard import GoldTurn, evidence_recall, scoreboard
from cuemem.types import Change, Recall, Stage
from cuemem.types import Question as Asked

Items = Annotated[
    bool, typer.Option("--items", metavar=NO_TYPE, help="List what came out of each stage, not only how many.")
]
NoContext = Annotated[bool, typer.Option("--no-context", metavar=NO_TYPE, help="Leave the text of the context out.")]

_COLOURS = {"anchor": "green", "temporal": "cyan", "semantic": "magenta", "missed": "red"}


@selecting()
def trace(
    ctx: typer.Context,
    conversation: Name,
    question: Question,
    selection: Selection,
    items: Items = False,
    no_context: NoContext = False,
) -> None:
    """Trace one question from cues to anchors to context, and score it."""
    desk: Desk = ctx.obj
    with desk.workbench() as workbench:
        (chosen,) = selection.all_of(workbench, [conversation])
        asked = question_at(workbench, chosen, question)
        memory = open_memory(desk, workbench, chosen)
        fresh = ready(desk, workbench, [asked.text])
        recall = memory.recall(asked.query, chosen.method, chosen.budget)
        gold = gold_of(asked, memory.turns)
        rows = scoreboard(memory, chosen.method, asked, chosen.budget)
    document = {
        "conversation": {"conversation_id": chosen.id, "title": chosen.conversation.title},
        "question": asked,
        "method": {"name": chosen.method.name, "settings": recall.settings, "budget": chosen.budget},
        "gold": gold,
        "query_vector": "computed" if fresh else "stored",
        "evidence_recall": evidence_recall(rows),
        "scoreboard": [_row_document(row) for row in rows],
        "recall": recall,
    }
    parts: list[Any] = [head(chosen, asked), _stages(recall, fresh=fresh)]
    if items:
        parts += [_items(stage) for stage in recall.trace if stage.items]
    parts.append(_board(rows, asked))
    parts += [] if no_context else _context(recall)
    desk.emit(document, *parts)


def _stages(recall: Recall, *, fresh: bool) -> Any:
    kept = {} if fresh else {"query": "; its vector was in the store"}
    rows = (
        (
            stage.title,
            stage.summary + kept.get(stage.name, ""),
            len(stage.items) or None,
            f"{stage.seconds * 1e3:.2f}",
        )
        for stage in recall.trace
    )
    return table("Stages", ("stage!", "what happened", "items>", "ms>"), rows)


def _items(stage: Stage) -> Any:
    digits = {"tokens": 0, "cosine": 3}.get(stage.measure, 4)
    rows = (
        (
            item.rank,
            item.turn_id,
            item.label,
            None if item.score is None else f"{item.score:.{digits}f}",
            item.note or None,
        )
        for item in stage.items
    )
    columns = ("rank>", "turn!", "what", f"{stage.measure}>", "note")
    return table(f"{stage.title}: {stage.summary}", columns, rows)


def _board(rows: Sequence[GoldTurn], asked: Asked) -> Any:
    """The scoreboard of gold turns, or why there is none."""
    lost = sum(evidence.session is None for evidence in asked.evidence)
    beside = f" {lost} more could not be resolved and count for nothing." if lost else ""
    if not rows:
        why = "its gold is known by session only" if asked.gold_sessions else "it has no gold turn"
        return f"Retrieval of turns cannot be scored on this question: {why}.{beside}"
    recall = evidence_recall(rows)
    title = (
        f"Gold turns: {sum(row.found for row in rows)} of {len(rows)} in the context, evidence recall {recall:.3f}."
    )
    return table(
        title + beside,
        ("turn!", "role!", "best cue", "rank>", "cosine>", "stage!", "recovered by"),
        (_board_row(row) for row in rows),
    )


def _board_row(row: GoldTurn) -> Sequence[object]:
    explanation = row.explanation
    best = explanation.hits[0] if explanation.hits else None
    return (
        row.turn_id,
        Text(row.role, _COLOURS.get(row.role, "")),
        best.cue.text if best else None,
        explanation.rank,
        best.cosine if best else None,
        explanation.stage,
        None if row.found else _remedies(explanation.changes),
    )


def _remedies(changes: Sequence[Change]) -> str:
    return " or ".join(map(str, changes)) or "no single change"


def _row_document(row: GoldTurn) -> dict[str, Any]:
    best = row.explanation.hits[0] if row.explanation.hits else None
    return {
        "turn_id": row.turn_id,
        "role": row.role,
        "stage": row.explanation.stage,
        "best_cue": best.cue.text if best else None,
        "rank": row.explanation.rank,
        "cosine": best.cosine if best else None,
        "recovered_by": [] if row.found else row.explanation.changes,
        "explanation": row.explanation,
    }


def _context(recall: Recall) -> list[Any]:
    head = f"Context: {len(recall.context.items):,} turns, {recall.context.tokens:,} tokens"
    head += f" of {recall.context.budget:,}" if recall.context.budget else ""
    return [literal(head, "bold"), recall.context.text or "(empty)"]
