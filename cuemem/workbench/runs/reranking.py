"""Reranking by a chat model within a run: what it asks is paid from the run's purse, or nothing is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cuemem.adapters.store import CachedChat
from cuemem.evaluation.run import RunCard, RunConversation
from cuemem.ports import ChatModel
from cuemem.unit_ports import Reranker
from cuemem.workbench.rerankers import CHAT, rerankers
from cuemem.workbench.runs.purse import Metered, Purse, Silent
from cuemem.workbench.workbench import Workbench

MARK = "qgmem_rerank"  # the prompt by which a chat model reranks


def may_ask(card: RunCard) -> bool:
    """Whether the run asks a model at all: not one of retrieval alone, nor one that waits for batch files."""
    return card.answering is not None and not card.waits


def asks_to_recall(card: RunCard) -> bool:
    """Whether contexts come only as the run asks: a chat model reranks, and its calls are those of the run."""
    return may_ask(card) and any(_by_chat(entry) for entry in card.conversations)


def most_marks(card: RunCard) -> int:
    """The most that a question of the run may ask of the reranker: n, the size of the pool."""
    return max((int(entry.settings["pool"]) for entry in card.conversations if _by_chat(entry)), default=0)


def run_rerankers(
    workbench: Workbench, card: RunCard, entry: RunConversation, purse: Purse | None
) -> Mapping[str, Reranker] | None:
    """The rerankers of a run in one conversation; None for the usual ones, where no chat model takes part.

    What a chat model is asked is paid from the purse. Without a purse only what is kept is used, and Unasked is
    raised for what is not.
    """
    if not _by_chat(entry):
        return None

    def asked_by(chat: CachedChat) -> ChatModel:
        assert chat.chat is not None
        behind = Silent(chat.chat, _why(card)) if purse is None else Metered(chat.chat, purse, workbench.tokens)
        return replace(chat, chat=behind)

    return rerankers(workbench.store, asked_by)


def _by_chat(entry: RunConversation) -> bool:
    return entry.settings.get("reranker") == CHAT


def _why(card: RunCard) -> str:
    said = f"{card.title} has reranker=chat, which asks a model, and not all of its marks are kept"
    others = "use reranker=cross-encoder or reranker=none"
    if may_ask(card):
        return (
            f"{said}; here none is asked. Let the run ask, where the calls are counted and capped: python -m cuemem "
            f"evaluate --resume {card.run_id}, or “Ask the model” on the Runs page; or {others}."
        )
    kind = "waits for batch files" if card.waits else "is of retrieval alone"
    return (
        f"{said}; the run {kind}, so none is asked. Run the same questions once with a model that answers at once "
        "(--model NAME, without --batch), where the calls are counted and capped: the marks are kept and serve here; "
        f"or {others}."
    )
