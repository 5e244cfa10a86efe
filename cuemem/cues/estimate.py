"""What an extraction by a language model will take, told before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cuemem.cues.facts import GROUP_SCHEMA, TURN_SCHEMA
from cuemem.cues.llm import LlmCues
from cuemem.cues.requests import groups_of
from cuemem.ports import TokenCounter
from cuemem.types import Conversation, Turn


@dataclass(frozen=True, slots=True)
class Pace:
    """How quick a model has been so far: seconds and tokens of all its calls."""

    seconds: float
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls and tokens of an extraction; ``cost`` in US dollars and ``seconds`` are None where not known.

    Prompt tokens are counted on the very prompts, by the fixed tokenizer; reply tokens are guessed.
    """

    turns: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    seconds: float | None


def estimate(
    source: LlmCues, conversation: Conversation, turns: Sequence[Turn], pace: Pace | None = None
) -> Estimate:
    """What the extraction of these turns will take, if every call succeeds at once and none was made before."""
    requests = source.requests(conversation, turns)
    groups = [group for group in groups_of(turns, source.tokens, source.group_tokens) if any(map(_asked, group))]
    prompts = [
        requests.of_turn(group[0], TURN_SCHEMA) if len(group) == 1 else requests.of_group(group, GROUP_SCHEMA)
        for group in groups
    ]
    tokens_in = sum(source.tokens.count(message.text) for prompt in prompts for message in prompt.messages)
    tokens_out = sum(_reply_tokens(turn, source.tokens) for group in groups for turn in group)
    seconds = None
    if pace and (work := _work(pace.tokens_in, pace.tokens_out)):
        seconds = pace.seconds * _work(tokens_in, tokens_out) / work / min(source.concurrency, len(groups) or 1)
    return Estimate(len(turns), len(groups), tokens_in, tokens_out, source.chat.cost(tokens_in, tokens_out), seconds)


def _asked(turn: Turn) -> bool:
    return any(utterance.text.strip() or utterance.caption for utterance in turn.utterances)


def _reply_tokens(turn: Turn, tokens: TokenCounter) -> int:
    """The tokens of a turn's facts as JSON: about 1.5 a token of a short message, far fewer of a long reply.

    Fitted to triples that a strong model made of 3,444 LoCoMo utterances (mean 45 tokens) and 727 LongMemEval
    exchanges (mean 108).
    """
    count = tokens.count(turn.text)
    return round(min(1.5 * count + 5, 68 + 0.095 * count))


def _work(tokens_in: int, tokens_out: int) -> float:
    """Tokens weighted by their time: a token read takes about a third of one written."""
    return tokens_in / 3 + tokens_out
