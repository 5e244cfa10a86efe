"""Answers to questions, and what judges make of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from cuemem.types.chat import Failure, PromptVersion
from cuemem.types.recall import Usage

AnswerStyle = Literal["short", "reasoned", "cited"]
JudgeProtocol = Literal["strict", "generous", "longmemeval"]
# A failed call, a reply that cannot be read and an answer that never came count in the denominator and are shown.
VerdictOutcome = Literal["correct", "incorrect", "unparsed", "failed", "no answer"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered from a context. ``failure`` says why there is none; the text is then empty.

    ``reasoning`` is what came before the answer in the style ``reasoned``, in ``cited`` the reasoning path.
    ``dropped`` counts the oldest turns (of a context of statements: those) that were left out because the context
    exceeded the model's window; ``note`` says that and whatever else is to be known beside the answer. ``usage`` is
    None where no reply came. ``asked_at`` is aware and in UTC, and left out of comparisons.
    """

    text: str
    style: AnswerStyle
    prompt: PromptVersion
    priority: bool
    model: str
    reasoning: str = ""
    usage: Usage | None = None
    finish_reason: str = ""
    cached: bool = False
    recorded: bool = False
    dropped: int = 0
    note: str = ""
    failure: Failure | None = None
    asked_at: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of an answer. ``reply`` is the judge's own words, which a verdict is never guessed from."""

    outcome: VerdictOutcome
    reason: str
    protocol: JudgeProtocol
    model: str
    prompt: PromptVersion | None = None
    usage: Usage | None = None
    cached: bool = False
    recorded: bool = False
    reply: str = ""
    asked_at: datetime | None = field(default=None, compare=False)

    @property
    def correct(self) -> bool:
        """Whether the answer counts as right; anything but ``correct`` does not."""
        return self.outcome == "correct"
