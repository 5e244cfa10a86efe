"""How a comparison of answers looks: Table 3's columns, then what was answered and why it was judged so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group

from cuemem.commands.desk import Desk
from cuemem.commands.display import facts, literal, table
from cuemem.commands.selection import Chosen
from cuemem.evaluation.compare import Row, differences, has_gold
from cuemem.evaluation.f1 import SUBSTRING
from cuemem.evaluation.judge import reference
from cuemem.text import money
from cuemem.types import Query, Question


def report(desk: Desk, chosen: Sequence[Chosen], asked: Question | Query, rows: Sequence[Row]) -> None:
    """The comparison: Table 3's columns, then what was answered and why it was judged so."""
    unfair = differences(rows)
    gold = reference(asked) if isinstance(asked, Question) and has_gold(asked) else None
    document = {
        "conversation": chosen[0].conversation.title,
        "question": asked,
        "rows": [_document(row) for row in rows],
        "differences": unfair,
    }
    columns = ("method", "verdict", "tokens in>", "out>", "cost>", "recon. s>", "infer. s>", "F1>")
    first = rows[0].answer
    head = {
        "right answer": gold,
        "model": first.model,
        "prompt": str(first.prompt),
        "judge": next((f"{it.model}, {it.protocol}, {it.prompt}" for row in rows if (it := row.verdict)), None),
    }
    parts: list[Any] = [
        Group(literal(asked.text, "bold"), facts({name: value for name, value in head.items() if value})),
        table("Comparison", columns, map(_line, rows)),
        *(_said(row) for row in rows),
        *unfair,
    ]
    desk.emit(document, *parts)


def _line(row: Row) -> Sequence[object]:
    verdict = row.verdict.outcome if row.verdict else None
    cost = money(row.cost) if row.answer.usage else None
    recon = row.contestant.reconstruction_seconds
    return (
        row.contestant.name,
        verdict,
        row.tokens_in,
        row.tokens_out,
        cost,
        recon,
        None if row.inference_seconds is None else f"{row.inference_seconds:.1f}",
        row.official_f1 if row.official_f1 is not None else row.set_token_f1,
    )


def _said(row: Row) -> Any:
    """What was answered, how it was judged, and what is to be known of it."""
    answer = row.answer
    origin = "recorded elsewhere" if answer.recorded else "from the store, asked before" if answer.cached else ""
    lines = {
        "failed" if answer.failure else "answer": str(answer.failure) if answer.failure else answer.text,
        "reasoning": answer.reasoning,
        SUBSTRING: "" if row.substring_match is None else "yes" if row.substring_match else "no",
        "judged": f"{row.verdict.outcome}: {row.verdict.reason}" if row.verdict else "",
        "note": " ".join(filter(None, [answer.note, origin])),
    }
    return Group(literal(row.contestant.name, "bold"), facts({name: value for name, value in lines.items() if value}))


def _document(row: Row) -> dict[str, Any]:
    return {
        "method": row.contestant.name,
        "settings": row.contestant.recall.settings if row.contestant.recall else None,
        "context_turns": row.contestant.context.turn_ids,
        "context_tokens": row.contestant.context.tokens,
        "answer": row.answer,
        "verdict": row.verdict,
        "tokens_in": row.tokens_in,
        "tokens_out": row.tokens_out,
        "cost": row.cost,
        "reconstruction_seconds": row.contestant.reconstruction_seconds,
        "inference_seconds": row.inference_seconds,
        "official_f1": row.official_f1,
        "set_token_f1": row.set_token_f1,
        "substring_match": row.substring_match,
    }
