"""Judges: which prompt, what it is shown, and the strict reading of what it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from cuemem.adapters.chat import CallLimits, LiteLlmChat
from cuemem.errors import BadInput
from cuemem.evaluation.judge import NOT_MENTIONED, Judge, parse_judgment, parse_yes_no, reference, suited_protocol
from cuemem.prompts import Prompts
from cuemem.types import Answer, Failure, PromptVersion, Question
from tests import openai_server as openai
from tests.fakes import WordTokens
from tests.openai_server import Act, OpenAIServer

PROMPT = PromptVersion("answer_short", "0")


def asked(answer: Any = "a nurse", category: str = "single-hop", number: int | None = 4, **more: Any) -> Question:
    return Question(3, "What is Ann?", answer, category, number, **more)


def said(text: str, failure: Failure | None = None) -> Answer:
    return Answer(text, "short", PROMPT, True, "openai/test", failure=failure)


@pytest.fixture(scope="module")
def running() -> Iterator[OpenAIServer]:
    with OpenAIServer('{"judgment": "correct", "reason": "The same."}') as server:
        yield server


@pytest.fixture
def server(running: OpenAIServer) -> OpenAIServer:
    return running.fresh()


def judge(server: OpenAIServer, protocol: Any = "strict") -> Judge:
    limits = CallLimits(timeout=20, tries=2, backoff=0.01)
    return Judge(LiteLlmChat("openai/test", WordTokens(), server.base, limits=limits), Prompts(), protocol)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ('{"judgment": "correct", "reason": "r"}', "correct"),
        ('{"judgment": "incorrect", "reason": "r"}', "incorrect"),
        ('{"judgment": " Incorrect ", "reason": "r"}', "incorrect"),
        ('{"judgment": "CORRECT"}', "correct"),
        ('{"judgment": "partially correct", "reason": "r"}', "unparsed"),
        ('{"judgment": "not correct", "reason": "r"}', "unparsed"),
        ('{"judgment": true, "reason": "r"}', "unparsed"),
        ('{"judgment": null}', "unparsed"),
        ('{"judgment": ["correct"]}', "unparsed"),
        ('{"verdict": "correct"}', "unparsed"),
        ('{"judgment": "correct", "reason": "r", "judgment": "incorrect"}', "unparsed"),
        ('["correct"]', "unparsed"),
        ('"correct"', "unparsed"),
        ("correct", "unparsed"),
        ("The answer is correct", "unparsed"),
        ("incorrect", "unparsed"),
        ("", "unparsed"),
    ],
)
def test_a_judgment_is_parsed_strictly(text: str, outcome: str) -> None:
    assert parse_judgment(text)[0] == outcome


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("yes", "correct"),
        ("Yes.", "correct"),
        ("YES, it names her job.", "correct"),
        ("**Yes**", "correct"),
        ('"Yes"', "correct"),
        ("no", "incorrect"),
        ("No, the answer is yes-like only.", "incorrect"),
        ("no yes", "incorrect"),
        ("Yesterday she said so", "unparsed"),
        ("Not mentioned", "unparsed"),
        ("None", "unparsed"),
        ("No-one knows", "unparsed"),
        ("The answer is yes", "unparsed"),
        ("I would say no.", "unparsed"),
        ("Yes or no? It depends.", "unparsed"),
        ("yes/no", "unparsed"),
        ("correct", "unparsed"),
        ("", "unparsed"),
    ],
)
def test_yes_counts_as_the_first_word_only(text: str, outcome: str) -> None:
    assert parse_yes_no(text)[0] == outcome


def test_the_reason_is_kept() -> None:
    assert parse_judgment('{"judgment": "incorrect", "reason": "Another job."}')[1] == "Another job."
    assert parse_yes_no("No, another job.")[1] == "another job"


@pytest.mark.parametrize(
    ("category", "abstention", "template"),
    [
        ("single-session-user", False, "default"),
        ("single-session-assistant", False, "default"),
        ("multi-session", False, "default"),
        ("temporal-reasoning", False, "temporal"),
        ("knowledge-update", False, "update"),
        ("single-session-preference", False, "preference"),
        # the type stays what it is when the id ends in _abs; the prompt does not
        ("single-session-user", True, "abstention"),
        ("temporal-reasoning", True, "abstention"),
    ],
)
def test_longmemevals_prompt_goes_by_type_and_abstention(category: str, abstention: bool, template: str) -> None:
    question = asked("gold", category, None, abstention=abstention)
    long_judge = Judge(None, Prompts(), "longmemeval")  # type: ignore[arg-type]
    assert long_judge.template(question) == f"judge_longmemeval_{template}"
    request = long_judge.request(question, "She is a nurse.")
    assert request.schema is None
    assert request.messages[-1].text.endswith("yes or no only.")


def test_the_gold_of_any_json_type_and_of_the_unanswerable() -> None:
    assert reference(asked(4)) == "4"
    assert reference(asked(["a", 1])) == '["a", 1]'
    assert reference(asked("trap", number=5, adversarial_answer="trap")) == NOT_MENTIONED
    assert reference(asked(None, number=None, abstention=True)) == NOT_MENTIONED
    assert reference(asked("It was about Ben.", number=None, abstention=True)) == "It was about Ben."
    for nothing in (None, "", "  "):
        with pytest.raises(BadInput, match="Question 3 has no gold"):
            reference(asked(nothing))
    assert (suited_protocol("longmemeval"), suited_protocol("locomo")) == ("longmemeval", "strict")


def test_a_verdict_carries_reason_model_prompt_and_usage(server: OpenAIServer) -> None:
    verdict = judge(server).judge(asked(), said("She is a nurse."))
    assert (verdict.outcome, verdict.reason, verdict.protocol) == ("correct", "The same.", "strict")
    assert verdict.correct
    assert verdict.model == "openai/test"
    assert verdict.prompt == Prompts()["judge_strict"].version
    assert verdict.usage is not None
    (request,) = server.log
    assert request.mode == "json_schema"
    for shown in ("What is Ann?", "Reference answer: a nurse", "Model prediction: She is a nurse."):
        assert shown in request.prompt
    assert not any(method in request.prompt.lower() for method in ("cuemem", "rag", "history", "oracle"))


@pytest.mark.parametrize("protocol", ["strict", "generous", "longmemeval"])
@pytest.mark.parametrize(
    ("act", "outcome", "calls"),
    [
        (openai.SERVER_ERROR, "failed", 2),
        (openai.RATE_LIMITED, "failed", 2),
        (openai.error(408, "late"), "failed", 2),
        (Act("x", drop="before"), "failed", 2),
        (Act("x", drop="amid"), "failed", 2),
        (openai.BAD_KEY, "failed", 1),
        (openai.UNKNOWN_MODEL, "failed", 1),
        (openai.TOO_LONG, "failed", 1),
        (Act(None, refusal="No."), "failed", 1),
        (Act(""), "failed", 2),
        (Act('{"judgment": "correct', finish="length"), "unparsed", 1),
    ],
)
def test_a_fault_is_never_a_verdict(server: OpenAIServer, protocol: Any, act: Act, outcome: str, calls: int) -> None:
    server.then(*[act] * 3)
    verdict = judge(server, protocol).judge(asked(), said("a nurse"))
    assert (verdict.outcome, len(server.log)) == (outcome, calls)
    assert not verdict.correct
    assert verdict.reason


@pytest.mark.parametrize(
    ("text", "outcome", "calls"),
    [
        ("The answer is correct.", "unparsed", 2),
        ('{"judgement": "correct"}', "unparsed", 2),
        ('{"judgment": "maybe", "reason": "r"}', "unparsed", 2),
        ('Well: {"judgment": "incorrect", "reason": "r"}', "incorrect", 1),
        ('{"judgment": "Incorrect", "reason": "r"}', "incorrect", 2),  # of no schema, but plain
    ],
)
def test_what_cannot_be_parsed_is_its_own_outcome(server: OpenAIServer, text: str, outcome: str, calls: int) -> None:
    server.then(*[text] * 2)
    verdict = judge(server).judge(asked(), said("a nurse"))
    assert (verdict.outcome, len(server.log)) == (outcome, calls)
    assert verdict.reply in (text, json.dumps({"judgment": outcome, "reason": "r"}))


def test_an_answer_that_failed_or_is_empty_is_not_put_to_the_judge(server: OpenAIServer) -> None:
    failure = Failure("empty", "openai/test: the reply was empty.", True)
    for answer in (said("", failure), said("  ")):
        verdict = judge(server).judge(asked(), answer)
        assert verdict.outcome == "no answer"
        assert not verdict.correct
        assert verdict.reason
    assert server.log == []


def test_the_trap_of_category_5_is_judged_against_not_mentioned(server: OpenAIServer) -> None:
    judge(server).judge(asked("trap!", "adversarial", 5, adversarial_answer="trap!"), said("trap!"))
    assert f"Reference answer: {NOT_MENTIONED}" in server.log[0].prompt
    assert server.log[0].prompt.count("trap!") == 1  # in the reply alone
