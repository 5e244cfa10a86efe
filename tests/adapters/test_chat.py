"""The LiteLLM adapter against a real server that misbehaves: each fault ends as said, and the server's log agrees."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from cuemem.adapters.chat import CallLimits, LiteLlmChat
from cuemem.errors import BadSetting, ChatFailure
from cuemem.types import ChatReply, ChatRequest, Message, PromptVersion
from tests import openai_server as openai
from tests.fakes import WordTokens
from tests.openai_server import Act, OpenAIServer, error

SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
    "additionalProperties": False,
}
VERSION = PromptVersion("test", "0")
TEXT = ChatRequest((Message("system", "Be brief."), Message("user", "Who is Ann?")), VERSION)
JSON = ChatRequest(TEXT.messages, VERSION, SCHEMA)
QUICK = CallLimits(timeout=20, tries=3, backoff=0.01)
FACTS = '{"facts": ["a"]}'


@pytest.fixture(scope="module")
def running() -> Iterator[OpenAIServer]:
    with OpenAIServer("Ann is a nurse.") as server:
        yield server


@pytest.fixture
def server(running: OpenAIServer) -> OpenAIServer:
    return running.fresh()


def chat(server: OpenAIServer, limits: CallLimits = QUICK, **more: Any) -> LiteLlmChat:
    return LiteLlmChat("openai/test", WordTokens(), server.base, limits=limits, **more)


def drained(pieces: Generator[str, None, ChatReply]) -> tuple[list[str], ChatReply]:
    said = []
    while True:
        try:
            said.append(next(pieces))
        except StopIteration as end:
            return said, end.value


def failed(server: OpenAIServer, request: ChatRequest = TEXT, limits: CallLimits = QUICK) -> ChatFailure:
    with pytest.raises(ChatFailure) as caught:
        chat(server, limits).complete(request)
    assert caught.value.tried == len(server.log)
    return caught.value


def test_a_reply_tells_what_it_took(server: OpenAIServer) -> None:
    reply = chat(server).complete(TEXT)
    assert (reply.text, reply.finish_reason, reply.model) == ("Ann is a nurse.", "stop", "openai/test")
    assert (reply.usage.tokens_in, reply.usage.tokens_out) == (5, 4)
    assert reply.usage.seconds > 0
    assert reply.usage.cost is None  # not known, which is not 0
    assert not reply.cached
    (request,) = server.log
    assert request.path == "/v1/chat/completions"
    assert (request.body["temperature"], request.body["max_tokens"]) == (0, 1024)
    assert request.headers["authorization"] == "Bearer none"


def test_a_listed_model_has_a_price_and_a_window(server: OpenAIServer) -> None:
    model = LiteLlmChat("openai/gpt-4o-mini", WordTokens(), server.base, limits=QUICK)
    cost = model.complete(TEXT).usage.cost
    assert model.window == 128_000
    assert cost == pytest.approx(model.cost(5, 4))
    assert cost is not None
    assert cost > 0
    assert chat(server).window is None
    assert chat(server, window_given=4096).window == 4096


def test_usage_that_the_server_does_not_tell_is_counted(server: OpenAIServer) -> None:
    server.then(Act("Ann is a nurse.", usage=False))
    usage = chat(server).complete(TEXT).usage
    assert (usage.tokens_in, usage.tokens_out) == (5, 4)


@pytest.mark.parametrize(
    ("act", "kind", "calls", "retryable"),
    [
        (openai.RATE_LIMITED, "rate limited", 3, True),
        (openai.SERVER_ERROR, "server error", 3, True),
        (openai.OVERLOADED, "server error", 3, True),
        (error(502, "Bad gateway"), "server error", 3, True),
        (error(529, "Overloaded"), "server error", 3, True),
        (error(408, "Request timeout"), "time-out", 2, True),
        (Act("x", drop="before"), "connection lost", 3, True),
        (Act("x y z", drop="amid"), "connection lost", 3, True),
        (Act(body="<html>Bad gateway</html>"), "server error", 3, True),
        (Act(body='{"hello": 1}'), "server error", 3, True),
        (Act(""), "empty", 2, True),
        (Act(None), "empty", 2, True),
        (Act("  \n"), "empty", 2, True),
        (Act("<think>Hm, Ann</think>"), "empty", 2, True),
        (Act("Ann is", finish="length"), "truncated", 1, True),
        (Act(None, refusal="I cannot help with that."), "refused", 1, False),
        (Act("", finish="content_filter"), "refused", 1, False),
        (openai.NO_CREDIT, "no credit", 1, False),
        (error(402, "Payment required"), "no credit", 1, False),
        (openai.BAD_KEY, "bad key", 1, False),
        (error(403, "Forbidden"), "bad key", 1, False),
        (openai.UNKNOWN_MODEL, "unknown model", 1, False),
        (error(400, "model 'test' not found, try pulling it first"), "unknown model", 1, False),
        (openai.TOO_LONG, "context too long", 1, False),
        (error(400, "the request exceeds the available context size (512 tokens)"), "context too long", 1, False),
        (error(413, "Payload too large"), "context too long", 1, False),
        (error(400, "Something about top_p"), "bad request", 1, False),
    ],
)
def test_every_fault_has_its_name_and_number_of_tries(
    server: OpenAIServer, act: Act, kind: str, calls: int, retryable: bool
) -> None:
    server.respond = lambda _request: act
    failure = failed(server)
    assert (failure.kind, failure.retryable, len(server.log)) == (kind, retryable, calls)
    assert str(failure).startswith("openai/test: ")
    assert failure.failure.kind == kind


@pytest.mark.parametrize(
    "act",
    [openai.RATE_LIMITED, openai.OVERLOADED, Act("x", drop="before"), Act("x y", drop="amid"), Act("")],
    ids=["429", "503", "dropped", "broken off", "empty"],
)
def test_what_passes_is_tried_again(server: OpenAIServer, act: Act) -> None:
    server.then(act)
    assert chat(server).complete(TEXT).text == "Ann is a nurse."
    assert len(server.log) == 2
    if act.drop != "amid":  # a stream that has begun cannot be taken back
        server.then(act)
        assert drained(chat(server).stream(TEXT))[1].text == "Ann is a nurse."
        assert len(server.log) == 4


def test_a_time_out_is_tried_once_more(server: OpenAIServer) -> None:
    server.respond = lambda _request: Act("late", wait=0.8)
    failure = failed(server, limits=CallLimits(timeout=0.3, tries=5, backoff=0.01))
    assert (failure.kind, len(server.log)) == ("time-out", 2)


def test_retry_after_is_waited_for_by_all_calls(server: OpenAIServer) -> None:
    server.then(error(429, "Slow down", None, Retry_After="1"))
    model = chat(server)
    model.complete(TEXT)
    assert server.log[1].time - server.log[0].time >= 1
    server.then(error(503, "Busy", None, retry_after_ms="300"))
    model.complete(TEXT)
    assert 0.3 <= server.log[3].time - server.log[2].time < 0.9


def test_a_retry_after_beyond_patience_is_a_failure_at_once(server: OpenAIServer) -> None:
    server.respond = lambda _request: error(429, "Daily limit", None, Retry_After="3600")
    started = time.monotonic()
    failure = failed(server)
    assert (failure.kind, len(server.log)) == ("rate limited", 1)
    assert "it asks to wait 3,600 seconds" in str(failure)
    assert time.monotonic() - started < 2


def test_the_window_that_the_model_tells_is_kept(server: OpenAIServer) -> None:
    server.then(openai.TOO_LONG)
    assert failed(server).limit == 512


def test_no_server_and_no_such_provider() -> None:
    nobody = LiteLlmChat("openai/test", WordTokens(), "http://127.0.0.1:9/v1", limits=QUICK)
    with pytest.raises(ChatFailure, match="See that the server runs") as caught:
        nobody.complete(TEXT)
    assert (caught.value.kind, caught.value.tried) == ("connection lost", 3)
    with pytest.raises(ChatFailure, match="such as openai/NAME") as caught:
        LiteLlmChat("nonsense", WordTokens(), limits=QUICK).complete(TEXT)
    assert caught.value.kind == "unknown model"


def test_a_key_that_is_not_set_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(ChatFailure, match="Set the provider's key in the environment") as caught:
        LiteLlmChat("anthropic/claude-test", WordTokens(), limits=QUICK).complete(TEXT)
    assert caught.value.kind == "bad key"


# --- JSON ---------------------------------------------------------------------------------------------------------


def test_json_is_asked_for_by_schema(server: OpenAIServer) -> None:
    server.then(FACTS)
    assert chat(server).complete(JSON).text == FACTS
    (request,) = server.log
    assert request.body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert request.body["response_format"]["json_schema"]["strict"] is True
    assert "JSON Schema" not in request.prompt


def test_a_model_without_json_mode_is_asked_in_words_and_that_is_remembered(server: OpenAIServer) -> None:
    server.then(openai.NO_JSON_SCHEMA, openai.NO_JSON_MODE, f"Here it is:\n{FACTS}\nAnything else?")
    model = chat(server)
    assert model.complete(JSON).text == FACTS
    assert [request.mode for request in server.log] == ["json_schema", "json_object", "text"]
    assert '"facts"' in server.log[2].texts[-1]
    server.then(f"```json\n{FACTS}\n```")
    assert model.complete(JSON).text == FACTS
    assert [request.mode for request in server.log[3:]] == ["text"]
    server.then(openai.RATE_LIMITED)
    assert model.complete(TEXT).tried == 2


def test_a_reply_that_is_no_json_is_asked_for_once_more_with_the_schema_in_words(server: OpenAIServer) -> None:
    server.then("I would say: a.", FACTS)
    assert chat(server).complete(JSON).text == FACTS
    assert "JSON Schema" not in server.log[0].prompt
    assert "JSON Schema" in server.log[1].prompt


@pytest.mark.parametrize(
    ("text", "kind"),
    [("I would say: a.", "not JSON"), ('{"fact": ["a"]}', "schema broken"), ('{"facts": ["a', "truncated")],
)
def test_what_stays_unusable_is_a_failure_with_the_text(server: OpenAIServer, text: str, kind: str) -> None:
    server.respond = lambda _request: text
    failure = failed(server, JSON)
    assert (failure.kind, failure.retryable, failure.text) == (kind, True, text)
    assert len(server.log) == (1 if kind == "truncated" else 2)


# --- streaming ----------------------------------------------------------------------------------------------------


def test_a_stream_that_is_left_is_closed_so_that_the_server_stops(server: OpenAIServer) -> None:
    gate, before = threading.Event(), server.left
    server.respond = lambda _request: Act("word " * 3000, gate=gate)
    pieces = chat(server).stream(TEXT)
    assert next(pieces) == "word "
    pieces.close()
    gate.set()
    deadline = time.monotonic() + 20
    while server.working and time.monotonic() < deadline:
        time.sleep(0.01)
    assert server.left == before + 1


def test_a_stream_ends_in_the_reply_that_complete_gives(server: OpenAIServer) -> None:
    said, reply = drained(chat(server).stream(TEXT))
    assert said == ["Ann ", "is ", "a ", "nurse."]
    whole = chat(server).complete(TEXT)
    assert (reply.text, reply.finish_reason, reply.model) == (whole.text, whole.finish_reason, whole.model)
    assert (reply.usage.tokens_in, reply.usage.tokens_out) == (5, 4)


@pytest.mark.parametrize(
    ("act", "kind", "calls"),
    [
        (Act("Ann is a nurse in town", drop="amid"), "connection lost", 1),
        (Act("Ann is a nurse in town", drop="end"), "connection lost", 1),
        (Act("Ann is", finish="length"), "truncated", 1),
        (Act(None, refusal="No."), "refused", 2),  # LiteLLM streams no refusal: asked again as a whole
        (openai.BAD_KEY, "bad key", 1),
        (Act(body="data: nothing\n\n"), "server error", 3),
        (Act(body="<html>"), "connection lost", 3),
    ],
)
def test_faults_of_a_stream(server: OpenAIServer, act: Act, kind: str, calls: int) -> None:
    server.respond = lambda _request: act
    with pytest.raises(ChatFailure) as caught:
        drained(chat(server).stream(TEXT))
    assert (caught.value.kind, len(server.log)) == (kind, calls)


# --- limits -------------------------------------------------------------------------------------------------------


def test_calls_at_once_are_limited() -> None:
    with OpenAIServer(lambda _request: Act("x", wait=0.05)) as server:  # nobody's abandoned call is still in it
        model = chat(server, CallLimits(concurrency=2, timeout=20))
        threads = [threading.Thread(target=model.complete, args=(TEXT,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.log) == 6
        assert server.most_at_once == 2


def test_requests_a_minute_are_spaced(server: OpenAIServer) -> None:
    model = chat(server, CallLimits(concurrency=4, requests_per_minute=300, timeout=20))
    for _ in range(3):
        model.complete(TEXT)
    gaps = [after.time - before.time for before, after in zip(server.log, server.log[1:], strict=False)]
    assert min(gaps) >= 0.15  # 0.2 seconds between the starts


def test_limits_that_cannot_be_are_refused() -> None:
    for wrong in ({"concurrency": 0}, {"tries": 0}, {"timeout": 0.0}, {"requests_per_minute": 0}):
        with pytest.raises(BadSetting):
            CallLimits(**wrong)  # type: ignore[arg-type]
