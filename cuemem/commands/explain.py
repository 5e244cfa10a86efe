"""``explain``: why one turn is, or is not, in the context of a question."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Group

from cuemem import knobs
from cuemem.commands.desk import Desk
from cuemem.commands.display import literal, table
from cuemem.commands.options import Name, Question
from cuemem.commands.recalling import head, open_memory, question_at, ready
from cuemem.commands.selection import Selection, selecting
from cuemem.context import said
from cuemem.evaluation.metrics import gold_of
from cuemem.methods.lookup import find_turn
from cuemem.text import counted
from cuemem.types import Explanation

TurnName = Annotated[
    str, typer.Argument(metavar="TURN", help="A turn's id, or that of an utterance in it: D1:3, S20:4.")
]


@selecting()
def explain(ctx: typer.Context, conversation: Name, question: Question, turn: TurnName, selection: Selection) -> None:
    """Explain why a turn is, or is not, in the context of a question."""
    desk: Desk = ctx.obj
    with desk.workbench() as workbench:
        (chosen,) = selection.all_of(workbench, [conversation])
        asked = question_at(workbench, chosen, question)
        memory = open_memory(desk, workbench, chosen)
        place = find_turn(memory.turns, turn)
        ready(desk, workbench, [asked.text])
        explanation = memory.explain(asked.query, chosen.method, turn, chosen.budget)
        is_gold = explanation.turn_id in gold_of(asked, memory.turns).turns
    said_there = memory.turns[place]
    document = {
        "conversation": {"conversation_id": chosen.id, "title": chosen.conversation.title},
        "question": asked,
        "method": {"name": chosen.method.name, "settings": knobs.settings(chosen.method), "budget": chosen.budget},
        "turn": {"turn_id": said_there.turn_id, "text": said_there.text, "time": said_there.time, "gold": is_gold},
        "explanation": explanation,
    }
    gold = " · gold" if is_gold else ""
    title = f"{said_there.turn_id} · {said(said_there.time)}{gold}"
    parts: list[Any] = [literal(explanation.sentence, "bold"), head(chosen, asked)]
    parts.append(Group(literal(title, "bold"), literal(said_there.text)))
    desk.emit(document, *parts, *_reasons(explanation, memory.cue_count, chosen.method.noun))


def _reasons(explanation: Explanation, cue_count: int, noun: str) -> list[Any]:
    """Its cues by rank, how far they came, the edges that reach it, and the least value of each knob."""
    parts: list[Any] = [f"The turn has no {noun}." if cue_count else "Turns are not ranked by this method."]
    if explanation.hits:
        cues = ((hit.rank, hit.cosine, hit.cue.text) for hit in explanation.hits)
        its = "Its " + counted(len(explanation.hits), noun) + f", ranked among all {cue_count:,}"
        parts = [table(its if cue_count else "Its rank among the turns", ("rank>", "cosine>", "text"), cues)]
    if explanation.steps:
        came = ((it.title, it.rank, it.limit, "yes" if it.passed else "no") for it in explanation.steps)
        parts.append(table("How far its best one came", ("stage", "rank>", "passes up to>", "passed!"), came))
    if explanation.via:
        edges = ((edge.source, edge.kind, edge.rank, edge.cosine) for edge in explanation.via)
        parts.append(table("Reached by", ("from anchor!", "edge!", "distance or neighbour>", "cosine>"), edges))
    if explanation.changes:
        least = ((change.knob, change.symbol, change.value) for change in explanation.changes)
        inside = explanation.stage == "in context"
        title = "Could be lowered to, all else kept" if inside else "Would bring it in, each alone"
        parts.append(table(title, ("knob!", "letter!", "value>"), least))
    return parts
