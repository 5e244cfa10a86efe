"""What the answer of a row was asked with, so that all that failed of it can be asked again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cuemem.adapters.store import KeptReplies, Store
from cuemem.evaluation.answer import Answerer
from cuemem.evaluation.run import ResultRow
from cuemem.types import ChatReply, ChatRequest
from cuemem.workbench.runs.sources import Source
from cuemem.workbench.wrapped import Wrapped


@dataclass(frozen=True)
class _Noted(Wrapped):
    """A model that is asked nothing, and notes the keys of what it would be asked. What had failed fails again."""

    store: Store
    keys: list[str] = field(default_factory=list)

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply that is kept. Raises ChatFailure."""
        self.keys.append(request.key(self.name))
        return KeptReplies(self.store, self.name).complete(request)


def answer_keys(row: ResultRow, place: Source, answerer: Answerer, store: Store) -> list[str]:
    """What the prompts of a row's answer are kept under: the first, and each shortened one that came after."""
    noted = _Noted(answerer.chat, store)
    contestant, _ = place.contestant(row.question)
    replace(answerer, chat=noted).answer(
        row.question.query, contestant.context, contestant.turns, row.conversation_id
    )
    return [row.request_key, *noted.keys]
