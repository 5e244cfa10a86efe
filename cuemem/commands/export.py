"""``export``: cues, contexts or metrics as a CSV or JSON-lines file, with a run card beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from cuemem.commands.desk import Desk
from cuemem.commands.display import as_json
from cuemem.commands.measure import measure
from cuemem.commands.recalling import open_memory, ready
from cuemem.commands.selection import Chosen, Selection, selecting
from cuemem.commands.writing import write_csv, write_jsonl, write_text
from cuemem.errors import BadInput, BadSetting
from cuemem.evaluation.flat import flat_retrieval
from cuemem.evaluation.metrics import gold_of
from cuemem.evaluation.retrieval import category_label
from cuemem.text import counted
from cuemem.turns import resolve_unit
from cuemem.types import Question, Triple
from cuemem.workbench import Workbench
from cuemem.workbench.cards import run_card

Row = dict[str, Any]
What = Annotated[
    Literal["cues", "contexts", "metrics"], typer.Argument(metavar="WHAT", help="cues, contexts or metrics.")
]
Whose = Annotated[
    list[str], typer.Argument(metavar="CONVERSATION", help="Any unambiguous end of a name that `list` shows.")
]
Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="A name that ends in .csv or .jsonl.")]


@selecting()
def export(ctx: typer.Context, what: What, conversations: Whose, out: Out, selection: Selection) -> None:
    """Write cues, contexts or metrics to a file."""
    desk: Desk = ctx.obj
    if out.suffix not in (".csv", ".jsonl"):
        raise typer.BadParameter(f"{out.name} ends in neither .csv nor .jsonl.", param_hint="--out")
    desk.kept = "Nothing was written."
    lines = out.suffix == ".jsonl"
    with desk.workbench() as workbench:
        chosen = selection.all_of(workbench, conversations)
        make: Callable[[Desk, Workbench, Chosen], Iterator[Row]] = {
            "cues": _cues_by_turn if lines else _cues,
            "contexts": _contexts,
            "metrics": _metrics,
        }[what]
        rows = [row for it in chosen for row in make(desk, workbench, it)]
        card = run_card(workbench, f"export {what}", [(it.conversation, it.method, it.budget) for it in chosen])
    if not rows:
        raise BadInput(f"There are no {what} to export from {', '.join(conversations)}.")
    if lines:
        write_jsonl(out, rows)
    else:
        write_csv(out, rows, list(rows[0]))
    card_file = out.with_name(f"{out.name}.card.json")
    write_text(card_file, as_json(card) + "\n")
    desk.emit(
        {"what": what, "rows": len(rows), "out": out, "card_file": card_file, "card": card},
        f"{counted(len(rows), 'row')} of {what} written to {out}, the run card to {card_file}.",
    )


def _named(chosen: Chosen) -> Row:
    return {"sample_id": chosen.conversation.sample_id, "conversation_id": chosen.id}


def _asked(question: Question) -> Row:
    return {"question_index": question.index, "category": category_label(question), "question": question.text}


def _cues(_desk: Desk, workbench: Workbench, chosen: Chosen) -> Iterator[Row]:
    """A row a cue."""
    source, unit = _cue_set(chosen)
    for cue in workbench.store.cues(chosen.id, source, unit):
        triple = cue.content if isinstance(cue.content, Triple) else None
        yield _named(chosen) | {
            "source": source,
            "turn_unit": unit,
            "cue": cue.index,
            "turn_id": cue.turn_id,
            "subject": triple.subject if triple else None,
            "relation": triple.relation if triple else None,
            "object": triple.object if triple else None,
            "text": cue.text,
        }


def _cues_by_turn(_desk: Desk, workbench: Workbench, chosen: Chosen) -> Iterator[Row]:
    """A row a turn, in the form that ``build --cues imported`` reads."""
    source, unit = _cue_set(chosen)
    by_turn: dict[str, list[Any]] = {}
    for cue in workbench.store.cues(chosen.id, source, unit):
        content = cue.content
        written = content if isinstance(content, str) else [content.subject, content.relation, content.object]
        by_turn.setdefault(cue.turn_id, []).append(written)
    for turn_id, contents in by_turn.items():
        yield {"turn_id": turn_id, "cues": contents} | _named(chosen) | {"source": source, "turn_unit": unit}


def _cue_set(chosen: Chosen) -> tuple[str, Any]:
    source = getattr(chosen.method, "cue_source", None)
    if source is None:
        raise BadSetting(f"{chosen.method.name} has no cues to export.")
    return source, resolve_unit(chosen.conversation, chosen.method.turn_unit)


def _contexts(desk: Desk, workbench: Workbench, chosen: Chosen) -> Iterator[Row]:
    """A row a question, with the context that a model would be given."""
    memory = open_memory(desk, workbench, chosen)
    questions = workbench.store.questions(chosen.id)
    ready(desk, workbench, [question.text for question in questions])
    for question in questions:
        context = memory.recall(question.query, chosen.method, chosen.budget).context
        yield (
            _named(chosen)
            | _asked(question)
            | {
                "asked_on": question.time.isoformat() if question.time else None,
                "answer": question.answer,
                "gold_turns": list(gold_of(question, memory.turns).turns),
                "turns": list(context.turn_ids),
                "roles": [item.role for item in context.items],
                "cut": [item.turn_id for item in context.cut],
                "tokens": context.tokens,
                "context": context.text,
            }
        )


def _metrics(desk: Desk, workbench: Workbench, chosen: Chosen) -> Iterator[Row]:
    """A row a question, with what was measured on it."""
    for row in measure(desk, workbench, chosen):
        yield (
            _named(chosen)
            | _asked(row.question)
            | {"apart": row.question.unanswerable}
            | flat_retrieval(row.gold, row.retrieval)
        )
