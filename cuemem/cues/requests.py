"""How turns are put to a language model: one at a time or grouped, with the turns before them for reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from cuemem.context import said, session_header
from cuemem.ports import TokenCounter
from cuemem.prompts import Prompts
from cuemem.turns import cut_turns
from cuemem.types import ChatRequest, Conversation, JsonSchema, Turn

Group: TypeAlias = Sequence[Turn]

_CONTEXT_CAP = 400  # tokens of each turn before: enough to resolve a reference, and a long reply costs no fortune
_NONE = "(none)"


def groups_of(turns: Sequence[Turn], tokens: TokenCounter, limit: int) -> list[Group]:
    """Consecutive turns of one session, together at most ``limit`` tokens; each on its own where the limit is 0."""
    groups: list[list[Turn]] = []
    held = 0
    for turn in turns:
        count = tokens.count(turn.text)
        follows = bool(groups) and groups[-1][-1].index + 1 == turn.index and groups[-1][-1].session == turn.session
        if not follows or held + count > limit:
            groups.append([])
            held = 0
        groups[-1].append(turn)
        held += count
    return list(groups)


@dataclass(frozen=True)
class Requests:
    """The requests for turns of a conversation. Turns outside ``turns`` serve as context all the same."""

    conversation: Conversation
    turns: tuple[Turn, ...]
    prompts: Prompts
    tokens: TokenCounter
    context_turns: int

    def of_turn(self, turn: Turn, schema: JsonSchema) -> ChatRequest:
        """The request for one turn."""
        prompt = self.prompts["extraction"]
        messages = prompt.fill(
            speakers=self._speakers, date=said(turn.time), before=self._before(turn), turn=turn.text
        )
        about = self.conversation.conversation_id
        return ChatRequest(messages, prompt.version, schema, self._room([turn]), about=about)

    def of_group(self, group: Group, schema: JsonSchema) -> ChatRequest:
        """The request for several consecutive turns of a session, numbered from 1."""
        prompt = self.prompts["extraction_group"]
        numbered = "\n\n".join(f"{number}.\n{turn.text}" for number, turn in enumerate(group, 1))
        turns = f"{session_header(group[0])}\n\n{numbered}"
        messages = prompt.fill(speakers=self._speakers, before=self._before(group[0]), turns=turns)
        about = self.conversation.conversation_id
        return ChatRequest(messages, prompt.version, schema, self._room(group), about=about)

    def _room(self, group: Group) -> int:
        """The most tokens of a reply: three times those of a dense turn, and twice that in JSON that is indented."""
        return min(8192, 768 * len(group) + 6 * sum(self.tokens.count(turn.text) for turn in group))

    def _before(self, turn: Turn) -> str:
        """The turns before, whatever their session, since a new session may take up the last one's thread."""
        before = self._all[max(0, turn.index - self.context_turns) : turn.index]
        return "\n".join(self.tokens.shorten(earlier.text, _CONTEXT_CAP) for earlier in before) or _NONE

    @cached_property
    def _speakers(self) -> str:
        return ", ".join(self.conversation.speakers)

    @cached_property
    def _all(self) -> tuple[Turn, ...]:
        """All turns, in the unit of those asked about: a resumed extraction is given only the ones still to do."""
        if not self.turns:
            return ()
        for unit in ("utterance", "exchange"):
            every = cut_turns(self.conversation, unit)
            if all(turn.index < len(every) and every[turn.index] == turn for turn in self.turns):
                return every
        return self.turns
