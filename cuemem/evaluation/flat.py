"""Results as flat rows, for tables and files that know no nesting."""

from __future__ import annotations

from typing import Any

from cuemem.evaluation.metrics import CUT_OFFS, Gold, Retrieval
from cuemem.evaluation.retrieval import category_label
from cuemem.evaluation.run import ResultRow
from cuemem.text import as_text
from cuemem.types import Usage


def flat_retrieval(gold: Gold, retrieval: Retrieval) -> dict[str, Any]:
    """What was measured of one recall."""
    got = retrieval
    return {
        "gold_turns": list(gold.turns),
        "gold_sessions": list(gold.sessions),
        "turn_recall": got.turn.recall,
        "turn_any": got.turn.any,
        "turn_all": got.turn.all,
        "turn_precision": got.turn.precision,
        "session_recall": got.session.recall,
        "session_any": got.session.any,
        "session_all": got.session.all,
        "anchor_recall": got.anchor_recall,
        **{f"recall_at_{k}": got.recall_at[k] for k in CUT_OFFS},
        **{f"ndcg_at_{k}": got.ndcg_at[k] for k in CUT_OFFS},
        "turns": got.turns,
        "tokens": got.tokens,
    }


def flat_row(row: ResultRow) -> dict[str, Any]:
    """One question's result. Every row has the same columns; what there is none of is None."""
    question, answer, verdict = row.question, row.answer, row.verdict
    return {
        "conversation_id": row.conversation_id,
        "conversation": row.conversation,
        "question_index": question.index,
        "category": category_label(question),
        "apart": question.unanswerable,
        "flag": row.flag or None,
        "question": question.text,
        "gold_answer": as_text(question.answer),
        **flat_retrieval(row.gold, row.retrieval),
        "lost": {turn_id: str(stage) for turn_id, stage in row.lost.items()},
        "reconstruction_seconds": row.reconstruction_seconds,
        "answer": answer.text if answer else None,
        "reasoning": answer.reasoning if answer else None,
        "note": answer.note if answer else None,
        "failure": str(answer.failure) if answer and answer.failure else None,
        "dropped": answer.dropped if answer else None,
        **_usage("answer", answer.usage if answer else None),
        "verdict": verdict.outcome if verdict else None,
        "verdict_reason": verdict.reason if verdict else None,
        **_usage("judge", verdict.usage if verdict else None),
        "official_f1": row.official_f1,
        "set_token_f1": row.set_token_f1,
        "request_key": row.request_key or None,
    }


def _usage(role: str, usage: Usage | None) -> dict[str, Any]:
    return {
        f"{role}_tokens_in": usage.tokens_in if usage else None,
        f"{role}_tokens_out": usage.tokens_out if usage else None,
        f"{role}_seconds": usage.seconds if usage and usage.seconds else None,
        f"{role}_cost": usage.cost if usage else None,
    }
