"""Answers from a context, by one prompt for every method: what was found first, the question last."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from cuemem.context import keep_newest, said
from cuemem.errors import ChatFailure
from cuemem.evaluation.citing import CITED_SCHEMA, labelled, unknown
from cuemem.knobs import fingerprint
from cuemem.ports import ChatModel, TokenCounter
from cuemem.prompts import Prompts
from cuemem.types import (
    Answer,
    AnswerStyle,
    ChatReply,
    ChatRequest,
    EvidenceContext,
    PromptVersion,
    Query,
    Turn,
)

Yielded = TypeVar("Yielded")

NOTHING_FOUND = "(nothing was found)"
_MARGIN = 0.9  # a model's own tokenizer may count more than ours
_SHRINK = 0.75
_SLACK = 0.95  # the newest turns may be shorter than most, and have more labels to the token
_FITTINGS = 5
_ANSWER_LINE = re.compile(r"^[\s*_#>-]*(?:final\s+)?answer[*_]*\s*:[*_]*", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Answerer:
    """A model with the prompt, the style and the toggle by which it answers: held equal in any comparison."""

    chat: ChatModel
    prompts: Prompts
    tokens: TokenCounter
    style: AnswerStyle = "short"
    priority: bool = True
    max_tokens: int = 1024

    @property
    def prompt(self) -> PromptVersion:
        """The version of the prompt; with the priority instruction it is another one."""
        prompt = self.prompts[f"answer_{self.style}"].version
        if not self.priority:
            return prompt
        added = self.prompts["priority"].version
        return PromptVersion(
            f"{prompt.name}+priority", fingerprint(prompt.hash, added.hash)[:12], prompt.own or added.own
        )

    def request(self, query: Query, context: EvidenceContext, about: str = "") -> ChatRequest:
        """The exact prompt. What comes before the question is the same for every question on one context."""
        messages = self.prompts[f"answer_{self.style}"].fill(
            history=self._history(context) or NOTHING_FOUND,
            question_date=f"Date of the question: {said(query.time)}\n" if query.time else "",
            question=query.text,
            priority=self.prompts["priority"].fill()[0].text if self.priority else "",
        )
        schema = CITED_SCHEMA if self._cites else None
        return ChatRequest(messages, self.prompt, schema, self.max_tokens, about=about)

    @property
    def _cites(self) -> bool:
        return self.style == "cited"

    def _history(self, context: EvidenceContext) -> str:
        return labelled(context) if self._cites else context.text

    def _labels(self, context: EvidenceContext) -> int:
        """The tokens that the context grows by where its turns are labelled."""
        return self.tokens.count(labelled(context)) - context.tokens if self._cites else 0

    def answer(self, query: Query, context: EvidenceContext, turns: Sequence[Turn], about: str = "") -> Answer:
        """The model's answer; a failure is kept in it. ``turns`` are those that the context was chosen from."""
        return finished(self._answer(query, context, turns, about, streamed=False))

    def stream(
        self, query: Query, context: EvidenceContext, turns: Sequence[Turn], about: str = ""
    ) -> Generator[str, None, Answer]:
        """The same, with the words as they come."""
        return self._answer(query, context, turns, about, streamed=True)

    def fitted(self, query: Query, context: EvidenceContext, turns: Sequence[Turn]) -> EvidenceContext:
        """The context, cut at its oldest end where it exceeds the model's window. Raises ChatFailure."""
        return self._fitted(query, context, turns, self.chat.window)

    def room(self, query: Query, window: int) -> int:
        """The tokens that are left for the context in a window of this size."""
        return int((window - self.max_tokens) * _MARGIN) - self.around(query)

    def around(self, query: Query) -> int:
        """The tokens of the prompt without its context."""
        bare = self.request(query, EvidenceContext((), " ", 0))
        return sum(self.tokens.count(message.text) + 8 for message in bare.messages)

    def _answer(
        self, query: Query, context: EvidenceContext, turns: Sequence[Turn], about: str, *, streamed: bool
    ) -> Generator[str, None, Answer]:
        whole = context
        try:
            context = self.fitted(query, context, turns)
            for left in reversed(range(_FITTINGS)):
                request = self.request(query, context, about)
                try:
                    streams = streamed and request.schema is None
                    reply = (yield from self.chat.stream(request)) if streams else self.chat.complete(request)
                    return self._made(reply, context, *left_out(whole, context))
                except ChatFailure as failure:
                    if failure.kind != "context too long" or not left or not context.items:
                        raise
                    context = self._smaller(query, context, turns, failure.limit)
            raise AssertionError("the last fitting has either returned or raised")
        except ChatFailure as failure:
            dropped, _ = left_out(whole, context)
            return Answer(
                "", self.style, self.prompt, self.priority, self.chat.name, dropped=dropped, failure=failure.failure
            )

    def _smaller(
        self, query: Query, context: EvidenceContext, turns: Sequence[Turn], limit: int | None
    ) -> EvidenceContext:
        """The context once it has turned out to be too long: by the window that the model told, or by a quarter."""
        budget = int(context.tokens * _SHRINK)
        if limit and (allowed := self._share(context, self.room(query, limit))) > 0:
            budget = min(budget, allowed)
        return self._cut(context, turns, budget, "older than the model's window allows")

    def _fitted(
        self, query: Query, context: EvidenceContext, turns: Sequence[Turn], window: int | None
    ) -> EvidenceContext:
        if window is None:
            return context
        room = self.room(query, window)
        if context.tokens + self._labels(context) <= room:
            return context
        if room <= 0:
            raise ChatFailure(
                "context too long",
                f"{self.chat.name}: its window of {window:,} tokens has no room for a context beside a reply "
                f"of up to {self.max_tokens:,} tokens. Use a model with a longer window.",
            )
        reason = f"older than the model's window of {window:,} tokens allows"
        budget = self._share(context, room)
        cut = self._cut(context, turns, budget, reason)
        while cut.tokens + self._labels(cut) > room:
            budget = int(budget * _SLACK)
            cut = self._cut(context, turns, budget, reason)
        return cut

    def _share(self, context: EvidenceContext, room: int) -> int:
        """What of so many tokens is for the text, where the labels of what is kept take the rest."""
        return room * context.tokens // max(1, context.tokens + self._labels(context))

    def _cut(self, context: EvidenceContext, turns: Sequence[Turn], budget: int, reason: str) -> EvidenceContext:
        """The newest of it. Raises ChatFailure where nothing is left: then the model would be asked about nothing."""
        newest = keep_newest(context, turns, self.tokens, budget, reason)
        if context.items and not newest.items:
            raise ChatFailure(
                "context too long",
                f"{self.chat.name}: its window leaves {max(0, budget):,} tokens for the context, and not even the "
                "newest part of it is that short. Use a model with a longer window, or a budget.",
            )
        return newest

    def _made(self, reply: ChatReply, context: EvidenceContext, dropped: int, what: str) -> Answer:
        text, reasoning, note = reply.text.strip(), "", ""
        if self._cites:
            given = json.loads(reply.text)
            text, reasoning = given["answer"].strip(), given["reasoning_path"].strip()
            note = unknown(reasoning, context)
        if self.style == "reasoned":
            lines = list(_ANSWER_LINE.finditer(text))
            if not lines:
                note = "The reply has no line that begins with “Answer:”, so all of it counts as the answer."
            else:
                start, end = lines[-1].span()
                reasoning, text = text[:start].strip(), text[end:].strip(" \t\r\n*_")
        if dropped:
            were = f"oldest {what} was" if dropped == 1 else f"{dropped:,} oldest {what}s were"
            cut = f"The {were} left out: the whole exceeds the model's window."
            note = f"{cut} {note}".strip()
        return Answer(
            text,
            self.style,
            self.prompt,
            self.priority,
            reply.model,
            reasoning,
            reply.usage,
            reply.finish_reason,
            reply.cached,
            reply.recorded,
            dropped,
            note,
            asked_at=reply.asked_at,
        )


def left_out(whole: EvidenceContext, sent: EvidenceContext) -> tuple[int, str]:
    """How much of a context did not fit a window, and what it is counted in."""
    if whole.statements:
        return len(whole.statements) - len(sent.statements), "statement"
    return len(whole.items) - len(sent.items), "turn"


def finished(pieces: Generator[object, None, Yielded]) -> Yielded:
    """What a generator returns in the end, whatever it gives on the way."""
    while True:
        try:
            next(pieces)
        except StopIteration as end:
            value: Yielded = end.value
            return value
