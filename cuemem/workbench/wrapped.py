"""What models that stand before another one have in common."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from cuemem.ports import ChatModel
from cuemem.types import ChatReply, ChatRequest


@dataclass(frozen=True)
class Wrapped:
    """:class:`cuemem.ports.ChatModel` before another one, with its name, window and prices."""

    chat: ChatModel

    @property
    def name(self) -> str:
        """That of the model."""
        return self.chat.name

    @property
    def window(self) -> int | None:
        """That of the model."""
        return self.chat.window

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """That of the model."""
        return self.chat.cost(tokens_in, tokens_out)

    def complete(self, request: ChatRequest) -> ChatReply:
        """The model's reply. Raises ChatFailure."""
        return self.chat.complete(request)

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatReply]:
        """The same in one piece, for work whose words nobody watches coming."""
        reply = self.complete(request)
        yield reply.text
        return reply
