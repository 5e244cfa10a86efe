"""Judges: a language model that says whether an answer is right, and the strict reading of what it says.

A judge sees question, gold and reply, never which method was at work. What cannot be parsed is ``unparsed``: counted
and shown, never guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from cuemem.errors import BadInput, ChatFailure
from cuemem.ports import ChatModel
from cuemem.prompts import Prompts
from cuemem.text import as_text, named_once
from cuemem.types import (
    Answer,
    ChatReply,
    ChatRequest,
    FailureKind,
    JsonSchema,
    JudgeProtocol,
    Question,
    Verdict,
    VerdictOutcome,
)

PROTOCOLS: Mapping[JudgeProtocol, str] = {
    "strict": "LoCoMo, by the criteria in the appendix of QGMem",
    "generous": "LoCoMo, lenient on wording and dates, near to published numbers",
    "longmemeval": "LongMemEval's official criteria, by question type",
}
NOT_MENTIONED = "It was not mentioned in the conversation."
SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {
        "judgment": {"type": "string", "enum": ["correct", "incorrect"]},
        "reason": {"type": "string"},
    },
    "required": ["judgment", "reason"],
    "additionalProperties": False,
}
_BY_TYPE = {
    "temporal-reasoning": "temporal",
    "knowledge-update": "update",
    "single-session-preference": "preference",
}
_UNREADABLE: frozenset[FailureKind] = frozenset({"not JSON", "schema broken", "truncated", "empty"})
# The reply's first word, whatever signs stand around it; "yes or no" repeats the question.
_YES_NO = re.compile(r"\W*(yes|no)(?![\w-]|['’]\w)(?!\W*(?:or|/)\W*(?:yes|no)\b)", re.IGNORECASE)


def suited_protocol(dataset: str) -> JudgeProtocol:
    """The protocol that a dataset's published numbers are nearest to."""
    return "longmemeval" if dataset == "longmemeval" else "strict"


@dataclass(frozen=True)
class Judge:
    """A model with the protocol by which it judges. ``repeat`` above 0 judges anew what it has judged already."""

    chat: ChatModel
    prompts: Prompts
    protocol: JudgeProtocol = "strict"
    max_tokens: int = 1024
    repeat: int = 0

    def template(self, question: Question) -> str:
        """The prompt's name. For LongMemEval by question type, but an unanswerable question has its own."""
        if self.protocol != "longmemeval":
            return f"judge_{self.protocol}"
        kind = "abstention" if question.unanswerable else _BY_TYPE.get(question.category, "default")
        return f"judge_longmemeval_{kind}"

    def request(self, question: Question, reply: str, about: str = "") -> ChatRequest:
        """What the judge is asked. Raises BadInput for a question without gold: there is nothing to judge by."""
        prompt = self.prompts[self.template(question)]
        messages = prompt.fill(question=question.text, reference=reference(question), reply=reply)
        schema = None if self.protocol == "longmemeval" else SCHEMA
        return ChatRequest(messages, prompt.version, schema, self.max_tokens, about=about, repeat=self.repeat)

    def judge(self, question: Question, answer: Answer, about: str = "") -> Verdict:
        """The verdict. An answer that failed or is empty is not put to the judge, and is not correct."""
        version = self.prompts[self.template(question)].version
        if answer.failure or not answer.text.strip():
            why = str(answer.failure) if answer.failure else "The answer is empty."
            return Verdict("no answer", why, self.protocol, self.chat.name, version)
        request = self.request(question, answer.text, about)
        try:
            reply = self.chat.complete(request)
        except ChatFailure as failure:
            return self._failed(failure, replace(_EMPTY, prompt=version, protocol=self.protocol))
        return self._read(reply, replace(_EMPTY, prompt=version, protocol=self.protocol))

    def _read(self, reply: ChatReply, verdict: Verdict) -> Verdict:
        outcome, reason = (parse_yes_no if self.protocol == "longmemeval" else parse_judgment)(reply.text)
        return replace(
            verdict,
            outcome=outcome,
            reason=reason,
            model=reply.model,
            usage=reply.usage,
            cached=reply.cached,
            recorded=reply.recorded,
            reply=reply.text,
            asked_at=reply.asked_at,
        )

    def _failed(self, failure: ChatFailure, verdict: Verdict) -> Verdict:
        """A reply of another form than asked for is unparsed, unless it says plainly enough what it says."""
        outcome: VerdictOutcome = "failed"
        reason = str(failure.failure)
        if failure.kind in _UNREADABLE and failure.text:
            outcome, found = ("unparsed", "") if self.protocol == "longmemeval" else parse_judgment(failure.text)
            reason = reason if outcome == "unparsed" else found
        return replace(verdict, outcome=outcome, reason=reason, model=self.chat.name, reply=failure.text)


_EMPTY = Verdict("failed", "", "strict", "")


def reference(question: Question) -> str:
    """The gold as text, whatever JSON type it has; for LoCoMo's category 5 that it was not mentioned, never the trap.

    Raises BadInput where there is none.
    """
    if question.category_number == 5:
        return NOT_MENTIONED
    if gold := " or ".join(accepted(question)):
        return gold
    if question.unanswerable:
        return NOT_MENTIONED
    raise BadInput(f"Question {question.index} has no gold answer to be judged by: {question.text}")


def accepted(question: Question) -> tuple[str, ...]:
    """The texts that each are the gold: of a list of texts every one, else the one that there is."""
    answer = question.answer
    several = isinstance(answer, list) and all(isinstance(it, str) for it in answer)
    return tuple(filter(None, (it.strip() for it in (answer if several else [as_text(answer)]))))


def parse_judgment(text: str) -> tuple[VerdictOutcome, str]:
    """Outcome and reason of ``{"judgment": "correct" or "incorrect", "reason": …}``; anything else is unparsed."""
    try:
        value = json.loads(text, object_pairs_hook=named_once)
    except ValueError:
        value = None
    said = value.get("judgment") if isinstance(value, dict) else None
    reason = as_text(value.get("reason")) if isinstance(value, dict) else ""
    word = said.strip().casefold() if isinstance(said, str) else ""
    if word == "correct":
        return "correct", reason
    if word == "incorrect":
        return "incorrect", reason
    return "unparsed", "The judge's reply is not the JSON that it was asked for."


def parse_yes_no(text: str) -> tuple[VerdictOutcome, str]:
    """Outcome of a reply whose first word is yes or no, with what follows as the reason; else unparsed."""
    match = _YES_NO.match(text)
    if match is None:
        return "unparsed", "The judge's reply begins with neither yes nor no."
    reason = text[match.end() :].strip(" \t\r\n.,:;*_-–—\"'")
    return ("correct" if match[1].lower() == "yes" else "incorrect"), reason
