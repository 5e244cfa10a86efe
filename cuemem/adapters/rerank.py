"""Reranker(q, m): a CrossEncoder of sentence-transformers, or a chat model that judges one document at a time."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cuemem.errors import BadSetting, ChatFailure, CueMemError
from cuemem.parallel import in_order
from cuemem.ports import ChatModel
from cuemem.prompts import Prompts
from cuemem.types import ChatRequest, JsonSchema

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_MOST = 10  # the best mark of a chat model
SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {"relevance": {"type": "integer", "minimum": 0, "maximum": _MOST}},
    "required": ["relevance"],
    "additionalProperties": False,
}


class CrossEncoderReranker:
    """A CrossEncoder by name or folder. Loads at the first use."""

    dear = True

    def __init__(self, name: str) -> None:
        self._name = name
        self._model: CrossEncoder | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model's name, by which its scores are kept apart from others'."""
        return self._name

    def score(self, query: str, documents: Sequence[str]) -> Sequence[float]:
        """A score a document. One call at a time: the model is not thread-safe. Raises BadSetting."""
        with self._lock:
            if self._model is None:
                self._model = _load(self._name)
            scores = self._model.predict([(query, document) for document in documents], show_progress_bar=False)
        return [float(score) for score in scores]


def _load(name: str) -> CrossEncoder:
    from sentence_transformers import CrossEncoder

    try:
        made: CrossEncoder = CrossEncoder(name, device="cpu")
        return made
    except (OSError, ValueError) as error:
        raise BadSetting(
            f"The reranker {name!r} could not be loaded ({str(error).splitlines()[0]}). Set CUEMEM_RERANKER to a "
            "folder that holds a CrossEncoder, or use reranker=none."
        ) from error


@dataclass(frozen=True)
class ChatReranker:
    """A chat model as a pointwise judge: it marks each document from 0 to 10 on its own."""

    chat: ChatModel
    prompts: Prompts
    concurrency: int = 4
    dear: bool = True

    @property
    def name(self) -> str:
        """Model and prompt, by which the scores are kept apart from others'."""
        return f"{self.chat.name}, {self.prompts['qgmem_rerank'].version}"

    def score(self, query: str, documents: Sequence[str]) -> Sequence[float]:
        """A mark a document. Raises ChatFailure where one cannot be had: an order with gaps would be a guess.

        After a failure, or once nothing more may be spent, no further call begins; those under way come to their end
        first, so that none is paid in vain.
        """
        ends: list[CueMemError] = []

        def mark(document: str) -> float:
            if not ends:
                try:
                    return self._mark(query, document)
                except CueMemError as end:
                    ends.append(end)
            return 0.0

        marks = list(in_order(mark, documents, self.concurrency))
        if ends:
            raise ends[0]
        return marks

    def _mark(self, query: str, document: str) -> float:
        prompt = self.prompts["qgmem_rerank"]
        messages = prompt.fill(question=query, document=document)
        reply = self.chat.complete(ChatRequest(messages, prompt.version, SCHEMA, 256))
        mark = json.loads(reply.text)["relevance"]
        if not 0 <= mark <= _MOST:
            raise ChatFailure("schema broken", f"{self.chat.name}: a mark of {mark} is outside 0 to {_MOST}.")
        return float(mark)
