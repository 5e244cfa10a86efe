"""The first and the last stage of a recall, the same for every method."""

from __future__ import annotations

from cuemem.types import EvidenceContext, Stage, StageItem


def query_stage(model: str | None, seconds: float) -> Stage:
    """q = Enc(q), or no encoding where the method needs none."""
    return Stage("query", "Query", f"encoded by {model}" if model else "not encoded", (), seconds)


def context_stage(context: EvidenceContext, seconds: float) -> Stage:
    """The context in chronological order, and what the budget cut."""
    cut = f", {len(context.cut)} cut by the budget of {context.budget:,}" if context.cut else ""
    items = tuple(
        StageItem(item.role, item.turn_id, item.entry, float(item.tokens), item.cut or "")
        for item in (*context.items, *context.cut)
    )
    summary = f"{len(context.items)} turns, {context.tokens:,} tokens{cut}"
    return Stage("context", "Evidence context", summary, items, seconds, measure="tokens")
