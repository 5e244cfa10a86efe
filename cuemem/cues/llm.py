"""Section 4.1 as in the paper: a language model extracts the triples of each turn. The cue source ``llm``.

Each turn is put with the turns before it as read-only context, the date of its session and the speakers' names.
What cannot be used is a failure, never an empty success; it is kept, counted, and asked again on request.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cuemem.cues.facts import GROUP_SCHEMA, TURN_SCHEMA, contents_of
from cuemem.cues.requests import Group, Requests, groups_of
from cuemem.errors import Awaited, ChatFailure
from cuemem.parallel import in_order
from cuemem.patience import PASSING, STOPPING, Patience
from cuemem.ports import ChatModel, Extraction, TokenCounter
from cuemem.prompts import Prompts
from cuemem.types import ChatRequest, Conversation, Turn

NAME = "llm"


@dataclass(frozen=True)
class LlmCues:
    """Triples by a model. ``group_tokens`` 0 is one call a turn; above, turns share a call up to so many tokens."""

    chat: ChatModel
    prompts: Prompts
    tokens: TokenCounter
    concurrency: int = 1
    context_turns: int = 2
    group_tokens: int = 0

    @property
    def name(self) -> str:
        return NAME

    @property
    def provenance(self) -> Mapping[str, str]:
        """What the cues depend on. With another model or prompt they are extracted anew."""
        names = ("extraction", "extraction_group") if self.group_tokens else ("extraction",)
        versions = [self.prompts[name].version for name in names]
        return {
            "source": self.name,
            "model": self.chat.name,
            "prompt": ", ".join(version.name for version in versions),
            "prompt_hash": ", ".join(version.hash for version in versions),
            "own_prompt": "yes" if any(version.own for version in versions) else "no",
            "context_turns": str(self.context_turns),
            "group_tokens": str(self.group_tokens),
            "temperature": "0",
        }

    def extract(self, conversation: Conversation, turns: Sequence[Turn]) -> Iterator[Extraction]:
        """Each turn with its triples, or with why there are none.

        Raises ChatFailure when no turn can succeed: a bad key, an unknown model, a server that is gone. What was
        given out before is not touched by that.
        """
        requests = self.requests(conversation, turns)
        patience = Patience()
        groups = groups_of(turns, self.tokens, self.group_tokens)
        for results in in_order(lambda group: self._group(requests, group), groups, self.concurrency):
            counted: ChatFailure | None = None  # turns that share a call share its failure
            for turn, result in results:
                if not isinstance(result, ChatFailure):
                    patience.ends(None)
                    yield Extraction(turn.turn_id, result)
                    continue
                if result is not counted and patience.ends(result.failure):
                    raise result
                counted = result
                yield Extraction(turn.turn_id, (), str(result.failure))

    def awaited(self, conversation: Conversation, turns: Sequence[Turn]) -> Iterator[ChatRequest]:
        """The requests that have no reply yet, where replies come from batch files."""
        requests = self.requests(conversation, turns)
        for group in groups_of(turns, self.tokens, self.group_tokens):
            try:
                self._group(requests, group)
            except Awaited as awaited:
                yield awaited.request

    def requests(self, conversation: Conversation, turns: Sequence[Turn]) -> Requests:
        """How these turns are asked about."""
        return Requests(conversation, tuple(turns), self.prompts, self.tokens, self.context_turns)

    def _group(self, requests: Requests, group: Group) -> list[tuple[Turn, tuple[Any, ...] | ChatFailure]]:
        """The turns of one call, each with its contents or its failure.

        A group whose reply is unusable is asked about turn by turn, so that one bad turn costs no other its cues.
        """
        if len(group) == 1:
            return [(group[0], self._turn(requests, group[0]))]
        try:
            found = json.loads(self._text(requests.of_group(group, GROUP_SCHEMA)))["turns"]
        except ChatFailure as failure:
            if failure.kind in STOPPING | PASSING:
                return [(turn, failure) for turn in group]
            found = []
        by_number = {entry["number"]: entry["facts"] for entry in found}
        if len(found) != len(group) or by_number.keys() != set(range(1, len(group) + 1)):
            return [(turn, self._turn(requests, turn)) for turn in group]
        return [(turn, contents_of(by_number[number])) for number, turn in enumerate(group, 1)]

    def _turn(self, requests: Requests, turn: Turn) -> tuple[Any, ...] | ChatFailure:
        """The contents of one turn. A turn without any text or caption is not asked about: there is nothing in it."""
        if not any(utterance.text.strip() or utterance.caption for utterance in turn.utterances):
            return ()
        try:
            return contents_of(json.loads(self._text(requests.of_turn(turn, TURN_SCHEMA)))["facts"])
        except ChatFailure as failure:
            return failure

    def _text(self, request: ChatRequest) -> str:
        """The model's JSON. A reply that was cut off is asked for once more with twice the room."""
        try:
            return self.chat.complete(request).text
        except ChatFailure as failure:
            if failure.kind != "truncated":
                raise
            return self.chat.complete(replace(request, max_tokens=2 * request.max_tokens)).text
