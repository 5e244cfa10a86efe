"""Answers: the prompt, the two styles, the window, and every fault."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from cuemem.adapters.chat import CallLimits, LiteLlmChat
from cuemem.context import Candidate, assemble, render_statements
from cuemem.evaluation.answer import NOTHING_FOUND, Answerer
from cuemem.evaluation.compare import Contestant, compare, differences, has_gold, scored
from cuemem.evaluation.judge import Judge
from cuemem.prompts import Prompts
from cuemem.turns import cut_turns
from cuemem.types import Answer, EvidenceContext, Query, Question, Statement
from tests import openai_server as openai
from tests.fakes import WordTokens, talk
from tests.openai_server import Act, OpenAIServer, Request

TOKENS = WordTokens()
TURNS = cut_turns(talk(6, 6), "utterance")
CONTEXT = assemble([Candidate(turn, "history") for turn in TURNS], TOKENS)
QUERY = Query("Who said word 3?", datetime(2024, 6, 1, 9, 30))
LONG = replace(TURNS[-1].utterances[0], text="word " * 200)
PRIORITY = "Prioritize the information most recent and closest to the question time"


@pytest.fixture(scope="module")
def running() -> Iterator[OpenAIServer]:
    with OpenAIServer("Ben did.") as server:
        yield server


@pytest.fixture
def server(running: OpenAIServer) -> OpenAIServer:
    return running.fresh()


def answerer(server: OpenAIServer, window: int | None = None, model: str = "openai/test", **more: Any) -> Answerer:
    limits = CallLimits(timeout=20, tries=2, backoff=0.01)
    chat = LiteLlmChat(model, TOKENS, server.base, limits=limits, window_given=window)
    return Answerer(chat, Prompts(), TOKENS, **more)


def test_the_prompt_is_history_then_date_then_question_then_priority(server: OpenAIServer) -> None:
    answer = answerer(server).answer(QUERY, CONTEXT, TURNS)
    assert (answer.text, answer.failure, answer.note, answer.dropped) == ("Ben did.", None, "", 0)
    (request,) = server.log
    history, _, rest = request.texts[-1].partition("\n\nDate of the question: Saturday, 1 June 2024, 09:30\n")
    assert history == f"Past conversations:\n\n{CONTEXT.text}"
    assert rest == f"Question: Who said word 3?\n{PRIORITY}"
    assert "Session 1 · Friday, 1 March 2024, 09:00" in history
    assert request.prompt == "\n\n".join(m.text for m in answerer(server).request(QUERY, CONTEXT).messages)


def test_without_a_date_and_without_the_priority_instruction(server: OpenAIServer) -> None:
    answerer(server, priority=False).answer(Query("Who?"), CONTEXT, TURNS)
    assert server.log[0].texts[-1].endswith("\n\nQuestion: Who?")
    assert "Prioritize" not in server.log[0].prompt


def test_the_beginning_of_the_prompt_is_the_same_for_every_question(server: OpenAIServer) -> None:
    first, second = (answerer(server).request(Query(text), CONTEXT) for text in ("Who?", "When, and where?"))
    assert first.messages[:-1] == second.messages[:-1]
    shared = f"Past conversations:\n\n{CONTEXT.text}\n\nQuestion: "
    assert first.messages[-1].text.startswith(shared)
    assert second.messages[-1].text.startswith(shared)


def test_the_toggle_and_the_style_are_other_prompts(server: OpenAIServer) -> None:
    versions = {
        str(answerer(server, style=style, priority=priority).prompt)
        for style in ("short", "reasoned")
        for priority in (True, False)
    }
    assert len(versions) == 4
    assert answerer(server).prompt.name == "answer_short+priority"


def test_an_empty_context_is_said(server: OpenAIServer) -> None:
    answerer(server).answer(QUERY, EvidenceContext((), "", 0), TURNS)
    assert NOTHING_FOUND in server.log[0].texts[-1]


@pytest.mark.parametrize(
    ("reply", "text", "reasoning"),
    [
        ("Ben spoke third.\nAnswer: Ben", "Ben", "Ben spoke third."),
        ("It was Ben.\n\n**Answer:** Ben", "Ben", "It was Ben."),
        ("**Final answer: Ben**", "Ben", ""),
        ("Answer: maybe Ada?\nNo.\nAnswer: Ben", "Ben", "Answer: maybe Ada?\nNo."),
        ("Answer:\nBen\nand Ada", "Ben\nand Ada", ""),
    ],
)
def test_the_reasoned_style_ends_in_an_answer_line(
    server: OpenAIServer, reply: str, text: str, reasoning: str
) -> None:
    server.then(reply)
    answer = answerer(server, style="reasoned").answer(QUERY, CONTEXT, TURNS)
    assert (answer.text, answer.reasoning, answer.note) == (text, reasoning, "")


def test_a_reasoned_reply_without_that_line_counts_whole_and_says_so(server: OpenAIServer) -> None:
    server.then("I think the answer is Ben.")
    answer = answerer(server, style="reasoned").answer(QUERY, CONTEXT, TURNS)
    assert answer.text == "I think the answer is Ben."
    assert "no line that begins with “Answer:”" in answer.note


def test_a_thinking_models_thoughts_are_no_answer(server: OpenAIServer) -> None:
    server.then("<think>Ada? No.</think>\n\nBen")
    assert answerer(server).answer(QUERY, CONTEXT, TURNS).text == "Ben"


@pytest.mark.parametrize(
    ("act", "kind", "calls"),
    [
        (openai.SERVER_ERROR, "server error", 2),
        (openai.RATE_LIMITED, "rate limited", 2),
        (openai.error(408, "late"), "time-out", 2),
        (Act("x", drop="before"), "connection lost", 2),
        (Act("Ben", finish="length"), "truncated", 1),
        (Act(""), "empty", 2),
        (Act(None, refusal="No."), "refused", None),
        (openai.BAD_KEY, "bad key", 1),
        (openai.UNKNOWN_MODEL, "unknown model", 1),
    ],
)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_fault_stays_a_failure(
    server: OpenAIServer, act: Act, kind: str, calls: int | None, streamed: bool
) -> None:
    server.respond = lambda _request: act
    model = answerer(server)
    answer = drained(model, CONTEXT) if streamed else model.answer(QUERY, CONTEXT, TURNS)
    assert answer.failure is not None
    assert (answer.text, answer.failure.kind, answer.usage) == ("", kind, None)
    assert calls is None or len(server.log) == calls


def drained(model: Answerer, context: EvidenceContext) -> Answer:
    pieces = model.stream(QUERY, context, TURNS)
    said = []
    while True:
        try:
            said.append(next(pieces))
        except StopIteration as end:
            answer: Answer = end.value
            assert "".join(said) == answer.text or answer.failure
            return answer


def test_a_streamed_answer_is_the_same_answer(server: OpenAIServer) -> None:
    streamed, whole = drained(answerer(server), CONTEXT), answerer(server).answer(QUERY, CONTEXT, TURNS)
    assert replace(streamed, usage=None) == replace(whole, usage=None)


# --- the window ---------------------------------------------------------------------------------------------------


def test_what_exceeds_the_window_is_cut_at_the_oldest_end(server: OpenAIServer) -> None:
    small = answerer(server, window=200, max_tokens=20)
    answer = small.answer(QUERY, CONTEXT, TURNS)
    assert 0 < answer.dropped < 12
    assert f"The {answer.dropped} oldest turns were left out" in answer.note
    prompt = server.log[0].texts[-1]
    assert [turn.text in prompt for turn in TURNS] == [False] * answer.dropped + [True] * (12 - answer.dropped)
    assert TOKENS.count(server.log[0].prompt) <= 180
    kept = small.fitted(QUERY, CONTEXT, TURNS)
    assert [item.cut for item in kept.cut] == ["older than the model's window of 200 tokens allows"] * answer.dropped
    one_more = assemble([Candidate(turn, "history") for turn in TURNS[answer.dropped - 1 :]], TOKENS)
    assert small.fitted(QUERY, one_more, TURNS).tokens < one_more.tokens  # no more than needed was cut


def test_statements_that_exceed_the_window_stay_statements(server: OpenAIServer) -> None:
    said = [Statement(f"S{at}", "unit", f"S{at}: {turn.text}", (turn.turn_id,)) for at, turn in enumerate(TURNS)]
    text = render_statements(said)
    context = replace(CONTEXT, text=text, tokens=TOKENS.count(text), statements=tuple(said))
    answer = answerer(server, window=200, max_tokens=20).answer(QUERY, context, TURNS)
    assert 0 < answer.dropped < 12
    assert f"The {answer.dropped} oldest statements were left out" in answer.note
    prompt = server.log[0].texts[-1]
    assert [it.text in prompt for it in said] == [False] * answer.dropped + [True] * (12 - answer.dropped)
    assert "[Session" not in prompt


@pytest.mark.parametrize("window", [60, 140])
def test_a_window_without_room_for_any_context_is_a_failure(server: OpenAIServer, window: int) -> None:
    """At 60 tokens the prompt alone is too long, at 140 the newest turn is: nothing is asked about nothing."""
    long = assemble([Candidate(replace(TURNS[-1], utterances=(LONG,)), "history")], TOKENS)
    answer = answerer(server, window=window, max_tokens=20).answer(QUERY, long, TURNS)
    assert answer.failure is not None
    assert answer.failure.kind == "context too long"
    assert server.log == []


def test_a_window_that_shows_only_by_the_servers_refusal(server: OpenAIServer) -> None:
    def narrow(request: Request) -> Act:
        if TOKENS.count(request.prompt) > 170:
            return openai.error(400, "the request exceeds the available context size (190 tokens), try increasing it")
        return Act("Ben did.")

    server.respond = narrow
    for streamed in (False, True):
        server.log.clear()
        model = answerer(server, max_tokens=20)
        answer = drained(model, CONTEXT) if streamed else model.answer(QUERY, CONTEXT, TURNS)
        assert answer.text == "Ben did."
        assert answer.dropped > 0
        assert len(server.log) == 2
    server.respond = lambda _request: openai.TOO_LONG
    hopeless = answerer(server).answer(QUERY, CONTEXT, TURNS)
    assert hopeless.failure is not None
    assert hopeless.failure.kind == "context too long"


# --- comparison ---------------------------------------------------------------------------------------------------


def question(**more: Any) -> Question:
    return Question(0, "Who said word 3?", "Ben", "single-hop", 4, **more)


def contestants() -> list[Contestant]:
    short = assemble([Candidate(TURNS[2], "gold")], TOKENS)
    return [Contestant("Full history", CONTEXT, TURNS), Contestant("Oracle evidence", short, TURNS)]


def test_the_same_question_from_several_contexts(server: OpenAIServer) -> None:
    def reply(request: Request) -> str:
        return '{"judgment": "incorrect", "reason": "r"}' if request.mode == "json_schema" else "Ben did."

    server.respond = reply
    model = answerer(server)
    rows = list(compare(question(), contestants(), model, Judge(model.chat, Prompts(), "strict")))
    assert [row.contestant.name for row in rows] == ["Full history", "Oracle evidence"]
    assert rows[0].tokens_in is not None
    assert rows[1].tokens_in is not None
    assert rows[0].tokens_in > rows[1].tokens_in > 0
    assert [(row.tokens_out, row.cost, row.contestant.reconstruction_seconds) for row in rows] == [
        (2, None, None)
    ] * 2
    assert all(row.inference_seconds for row in rows)
    assert [row.verdict.outcome for row in rows if row.verdict] == ["incorrect"] * 2
    assert rows[0].official_f1 == pytest.approx(2 / 3)
    assert rows[0].set_token_f1 == pytest.approx(2 / 3)
    assert differences(rows) == ()
    assert len(server.log) == 4


def test_a_question_of_ones_own_has_no_verdict(server: OpenAIServer) -> None:
    model = answerer(server)
    for asked in (QUERY, question(adversarial_answer=None).query, replace(question(), answer=None)):
        (row,) = compare(asked, contestants()[:1], model, Judge(model.chat, Prompts(), "strict"))
        assert (row.answer.text, row.verdict, row.official_f1) == ("Ben did.", None, None)


def test_any_of_several_accepted_answers_is_the_gold() -> None:
    def f1(answer: Any, said: str) -> float | None:
        made = Answer(said, "short", Prompts()["answer_short"].version, True, "m")
        return scored(replace(question(), answer=answer), contestants()[0], made, None).set_token_f1

    assert f1(["Paris", "the capital of France"], "Paris") == f1("Paris", "Paris") == 1.0
    assert f1(["Rome", "Paris"], "Oslo") == 0.0
    assert not has_gold(replace(question(), answer=[" "]))
    assert not has_gold(replace(question(), answer=[]))


def test_what_differs_is_said(server: OpenAIServer) -> None:
    rows = [
        row
        for model in (answerer(server), answerer(server, priority=False), answerer(server, model="openai/other"))
        for row in compare(QUERY, contestants()[:1], model, None)
    ]
    prompts, models = differences(rows)
    assert prompts.startswith("The prompts differ")
    assert "answer_short+priority" in prompts
    assert models == "The answering models differ, so the answers do not compare: openai/other; openai/test."
