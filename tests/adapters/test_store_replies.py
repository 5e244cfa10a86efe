"""Replies kept by request: asked once, paid once, and gone with their conversation; failures kept until they pass."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cuemem.adapters.store import CachedChat, KeptReplies, Store
from cuemem.adapters.store.verdicts import answer_key
from cuemem.errors import BadInput, ChatFailure
from cuemem.evaluation.answer import finished
from cuemem.types import ChatReply, ChatRequest, Failure, Message, PromptVersion, Usage, Verdict
from tests.adapters.store_samples import load, sample

KEY = sample().conversation.conversation_id
VERSION = PromptVersion("answer_short", "abc")
REQUEST = ChatRequest((Message("user", "Who?"),), VERSION, about=KEY)
AT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


class Scripted:
    """A model that replies or fails as it was told."""

    name = "m"
    window = 4096

    def __init__(self, *script: str | ChatFailure, cost: float | None = 0.5) -> None:
        self.script = list(script)
        self.price = cost
        self.asked = 0

    def cost(self, _tokens_in: int, _tokens_out: int) -> float | None:
        return self.price

    def complete(self, _request: ChatRequest) -> ChatReply:
        self.asked += 1
        said = self.script.pop(0)
        if isinstance(said, ChatFailure):
            raise said
        return ChatReply(said, Usage(10, 2, 1.5, self.price), "stop", self.name, asked_at=AT)

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatReply]:
        reply = self.complete(request)
        yield from reply.text
        return reply


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.duckdb") as opened:
        load(opened, [sample()])
        yield opened


def test_a_repeated_call_costs_nothing_and_says_so(store: Store) -> None:
    model = Scripted("Ann.")
    chat = CachedChat(store, "m", model)
    first = chat.complete(REQUEST)
    again = chat.complete(REQUEST)
    assert (first.cached, again.cached, model.asked) == (False, True, 1)
    assert replace(again, cached=False) == first
    assert again.usage == Usage(10, 2, 1.5, 0.5)
    assert (again.finish_reason, again.asked_at) == ("stop", AT)
    streamed = chat.stream(REQUEST)
    assert next(streamed) == "Ann."
    spent = store.spent("m")
    assert (spent.calls, spent.tokens_in, spent.tokens_out, spent.cost) == (1, 10, 2, 0.5)


def test_a_stream_is_kept_when_it_has_ended(store: Store) -> None:
    model = Scripted("Ann.", "Ann!")
    chat = CachedChat(store, "m", model)
    half = chat.stream(REQUEST)
    next(half)
    half.close()
    assert store.reply(REQUEST.key("m")) is None
    assert "".join(chat.stream(REQUEST)) == "Ann!"
    assert "".join(chat.stream(REQUEST)) == "Ann!"
    assert model.asked == 2


@pytest.mark.parametrize("streamed", [False, True])
def test_who_asks_what_is_being_streamed_waits_for_it(store: Store, streamed: bool) -> None:
    model = Scripted("Ann.", "Bob.")
    chat = CachedChat(store, "m", model)
    words = chat.stream(REQUEST)
    assert next(words) == "A"
    got: list[ChatReply] = []
    thread = threading.Thread(
        target=lambda: got.append(finished(chat.stream(REQUEST)) if streamed else chat.complete(REQUEST))
    )
    thread.start()
    assert "".join(words) == "nn."
    thread.join(10)
    assert [(reply.text, reply.cached) for reply in got] == [("Ann.", True)]
    assert model.asked == 1
    left = chat.stream(replace(REQUEST, repeat=1))
    next(left)
    left.close()  # nobody listens any more: the next one may ask
    model.script.append("Cy.")
    assert chat.complete(replace(REQUEST, repeat=1)).text == "Cy."


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, messages=(Message("system", "Who?"),)),
        replace(REQUEST, messages=(Message("user", "Who? "),)),
        replace(REQUEST, schema={"type": "object"}),
        replace(REQUEST, max_tokens=5),
        replace(REQUEST, temperature=1.0),
        replace(REQUEST, prompt=PromptVersion("answer_short", "abd")),
        replace(REQUEST, prompt=PromptVersion("answer_long", "abc")),
    ],
)
def test_anything_else_is_another_request(other: ChatRequest) -> None:
    assert other.key("m") != REQUEST.key("m")
    assert REQUEST.key("n") != REQUEST.key("m")
    assert replace(REQUEST, about="x").key("m") == REQUEST.key("m")


def test_a_failure_is_kept_counted_and_passes(store: Store) -> None:
    lost = ChatFailure("connection lost", "m: gone.", retryable=True, tried=3)
    chat = CachedChat(store, "m", Scripted(lost, lost, "Ann."))
    for _ in range(2):
        with pytest.raises(ChatFailure):
            chat.complete(REQUEST)
    (record,) = store.chat_failures(KEY)
    assert (record.kind, record.sentence, record.retryable, record.tried) == ("connection lost", "m: gone.", True, 6)
    assert (record.model, record.prompt, record.prompt_hash) == ("m", "answer_short", "abc")
    assert store.chat_failures("another") == ()
    assert store.spent("m").requests == 6
    assert chat.complete(REQUEST).text == "Ann."
    assert store.chat_failures() == ()
    spent = store.spent("m")
    assert (spent.calls, spent.requests) == (1, 7)
    assert chat.complete(REQUEST).tried == 7


def test_without_a_model_only_what_was_asked_can_be_replied(store: Store) -> None:
    CachedChat(store, "m", Scripted("Ann.")).complete(REQUEST)
    offline = CachedChat(store, "m")
    assert offline.complete(REQUEST).text == "Ann."
    with pytest.raises(ChatFailure, match="model pull") as caught:
        offline.complete(replace(REQUEST, max_tokens=7))
    assert caught.value.kind == "no model"
    with pytest.raises(ChatFailure):
        next(offline.stream(replace(REQUEST, max_tokens=7)))
    assert store.chat_failures() == ()  # nothing was asked
    assert (offline.window, offline.cost(1, 1)) == (None, None)


def test_a_price_that_is_not_known_is_not_nothing(store: Store) -> None:
    CachedChat(store, "m", Scripted("a", cost=None)).complete(REQUEST)
    CachedChat(store, "m", Scripted("b")).complete(replace(REQUEST, max_tokens=7))
    spent = store.spent(conversation_id=KEY)
    assert (spent.calls, spent.cost, spent.unpriced) == (2, 0.5, 1)
    reply = store.reply(REQUEST.key("m"))
    assert reply is not None
    assert reply.usage.cost is None
    assert store.spent("n").calls == store.spent(prompt="extraction").calls == 0


def test_replies_failures_and_verdicts_go_with_their_conversation(store: Store) -> None:
    CachedChat(store, "m", Scripted("Ann.")).complete(REQUEST)
    CachedChat(store, "m", Scripted("Bob.")).complete(replace(REQUEST, about="", max_tokens=9))
    with pytest.raises(ChatFailure):
        CachedChat(store, "m", Scripted(ChatFailure("empty", "m: empty."))).complete(replace(REQUEST, max_tokens=8))
    store.save_human_verdict(KEY, 0, "Ann.", True)
    store.remove(KEY)
    rows = store.info().rows
    assert (rows["replies"], rows["chat_failures"], rows["verdicts"]) == (1, 0, 0)


def test_recorded_replies_are_replayed_and_marked(store: Store, tmp_path: Path) -> None:
    CachedChat(store, "m", Scripted("Ann.")).complete(REQUEST)
    lines = [json.dumps(row) for row in store.export_replies([KEY])]
    assert store.export_replies(["another"]) == []
    with Store.open(tmp_path / "elsewhere.duckdb") as other:
        assert other.import_replies(map(json.loads, lines)) == 1
        assert other.import_replies(map(json.loads, lines)) == 0
        reply = CachedChat(other, "m").complete(REQUEST)
        assert (reply.text, reply.recorded, reply.cached, reply.asked_at) == ("Ann.", True, True, AT)
        assert other.spent().calls == 0  # it was paid for elsewhere
        mine = [REQUEST.prompt.name]
        assert other.recorded_at(KEY, "m", mine) == AT
        assert [other.recorded_at(*it) for it in ((KEY, "n", mine), (KEY, "m", ["p"]), ("c", "m", mine))] == [
            None
        ] * 3
        with pytest.raises(BadInput, match="Recorded reply 1"):
            other.import_replies([{"model": "m"}])
        other.forget_recorded("m", ["another"])
        assert other.replied([REQUEST.key("m")])
        other.forget_recorded("m", [KEY])
        assert not other.replied([REQUEST.key("m")])
    assert store.import_replies(map(json.loads, lines)) == 0
    assert CachedChat(store, "m").complete(REQUEST).recorded is False
    assert store.recorded_at(KEY, "m", [REQUEST.prompt.name]) is None


def test_what_failed_elsewhere_fails_again_where_it_is_replayed(store: Store) -> None:
    failure = Failure("truncated", "m: cut off.", retryable=False)
    kept = KeptReplies(store, "m", failed={REQUEST.key("m"): failure})
    with pytest.raises(ChatFailure, match="m: cut off") as raised:
        kept.complete(REQUEST)
    assert raised.value.kind == "truncated"
    assert store.chat_failures() == ()  # nobody here has asked
    with pytest.raises(ChatFailure, match="no part of the recording"):
        kept.complete(replace(REQUEST, max_tokens=9))
    CachedChat(store, "m", Scripted("Ann.")).complete(REQUEST)
    assert kept.complete(REQUEST).text == "Ann."


def test_a_persons_verdict_stands_beside_the_machines(store: Store) -> None:
    machine = Verdict("incorrect", "Another name.", "strict", "m", PromptVersion("judge_strict", "1"))
    store.save_verdict(KEY, 0, "Ann", machine)
    store.save_verdict(KEY, 0, "Ann", replace(machine, outcome="unparsed"))
    store.save_verdict(KEY, 0, "Ann", replace(machine, protocol="generous"))
    store.save_human_verdict(KEY, 0, "Ann", False)
    store.save_human_verdict(KEY, 0, "Ann", True, "a nickname")
    store.save_human_verdict(KEY, 1, "Bob", True)
    found = {(it.judge, it.protocol): it.outcome for it in store.verdicts(KEY, 0)}
    assert found == {("m", "strict"): "unparsed", ("m", "generous"): "incorrect", ("human", ""): "correct"}
    assert {it.answer_key for it in store.verdicts(KEY, 0)} == {answer_key("Ann")}
    assert len(store.verdicts(KEY)) == 4
    store.remove_human_verdict(KEY, 0, "Ann")
    assert [it.judge for it in store.verdicts(KEY, 0)] == ["m", "m"]


def test_prompts_are_kept_by_hash(store: Store) -> None:
    store.save_prompt(VERSION, "for tests", "[user]\nWho?")
    store.save_prompt(VERSION, "again", "another text")
    assert store.prompt_text("answer_short", "abc") == "[user]\nWho?"
    assert store.prompt_text("answer_short", "abd") is None
