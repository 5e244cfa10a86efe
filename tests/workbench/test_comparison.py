"""Answers that are kept, on their way, failed or recorded elsewhere; and that every request is counted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cuemem.adapters.chat import CallLimits
from cuemem.adapters.store import Store
from cuemem.context import Candidate, assemble
from cuemem.errors import Refused
from cuemem.evaluation.compare import Contestant
from cuemem.prompts import Prompts
from cuemem.turns import cut_turns
from cuemem.types import Query, Question
from cuemem.ui.answers.cards import origin, said
from cuemem.workbench.asking import Asking, Tally
from cuemem.workbench.comparison import Comparison, Standing
from cuemem.workbench.model_trial import try_out
from cuemem.workbench.models import ModelSettings
from tests import openai_server as openai
from tests.fakes import WordTokens, talk
from tests.openai_server import Act, OpenAIServer, Request

TOKENS = WordTokens()
TURNS = cut_turns(talk(6, 6), "utterance")
WHOLE = Contestant("Full history", assemble([Candidate(turn, "history") for turn in TURNS], TOKENS), TURNS)
PART = Contestant("Oracle", assemble([Candidate(TURNS[2], "gold")], TOKENS), TURNS)
QUESTION = Question(0, "Who said word 3?", "Ben", "single-hop", 4)
SECONDS = 20.0


def reply(request: Request) -> str:
    if request.mode == "json_schema":
        return '{"judgment": "correct", "reason": "It names Ben."}'
    return "Ben did." if "word 1 " in request.prompt else "Ben."


@pytest.fixture(scope="module")
def running() -> Iterator[OpenAIServer]:
    with OpenAIServer(reply) as server:
        yield server


@pytest.fixture
def server(running: OpenAIServer) -> OpenAIServer:
    return running.fresh()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.duckdb") as store:
        yield store


def model(server: OpenAIServer, name: str = "openai/test", **more: Any) -> ModelSettings:
    limits = CallLimits(concurrency=1, timeout=SECONDS, tries=2, backoff=0.01)
    return ModelSettings(name, server.base, None, limits=limits, **more)


class Table:
    """A comparison that is read anew each time, and what asking for it does."""

    def __init__(self, store: Store, **more: Any) -> None:
        self.store, self.more = store, {"contestants": (WHOLE, PART), "asked": QUESTION} | more
        self.asking, self.tally = Asking(store), Tally()

    def read(self) -> Comparison:
        return Comparison(
            store=self.store,
            tokens=TOKENS,
            prompts=Prompts(),
            conversation_id="talk",
            repliers=self.store.replied_by("answer_"),
            judges=self.store.replied_by("judge_"),
            **self.more,
        )

    def ask(self, standings: tuple[Standing, ...] | None = None) -> tuple[Standing, ...]:
        comparison = self.read()
        comparison.ask(standings or comparison.standings, self.asking, self.tally)
        assert self.asking.wait(SECONDS)
        return self.read().standings


def test_what_was_asked_is_kept_and_nothing_is_asked_twice(server: OpenAIServer, store: Store) -> None:
    table = Table(store, answering=model(server), judging=model(server, "openai/judge"))
    assert [(it.row, it.lacks) for it in table.read().standings] == [(None, "answer")] * 2
    assert server.log == []
    whole, part = table.ask()
    assert whole.row is not None
    assert part.row is not None
    assert (whole.row.answer.text, part.row.answer.text) == ("Ben did.", "Ben.")
    assert whole.row.verdict is not None
    assert (whole.row.verdict.outcome, whole.row.verdict.model) == ("correct", "openai/judge")
    assert part.row.official_f1 == 1.0
    assert whole.row.answer.asked_at is not None
    assert (whole.lacks, part.lacks) == ("", "")
    assert (table.tally.requests, table.tally.from_store, table.tally.failed) == (len(server.log), 0, 0) == (4, 0, 0)
    table.ask()
    assert len(server.log) == 4
    assert table.read().differences == ()
    store.save_human_verdict("talk", 0, "Ben.", correct=False)
    by_hand = table.read().standings[1]
    assert by_hand.human is not None
    assert (by_hand.human.outcome, by_hand.row and by_hand.row.verdict) == ("incorrect", part.row.verdict)


def test_the_same_context_twice_is_asked_once(server: OpenAIServer, store: Store) -> None:
    table = Table(store, answering=model(server), contestants=(PART, PART), protocol=None)
    assert [it.row.answer.text for it in table.ask() if it.row] == ["Ben."] * 2
    assert len(server.log) == 1


@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (openai.SERVER_ERROR, "server error"),
        (openai.RATE_LIMITED, "rate limited"),
        (openai.error(408, "late"), "time-out"),
        (Act("x", drop="before"), "connection lost"),
        (Act("Ben did say", drop="amid"), "connection lost"),
        (Act("Ben", finish="length"), "truncated"),
        (Act(""), "empty"),
        (Act(None, refusal="No."), "refused"),
        (openai.BAD_KEY, "bad key"),
        (openai.NO_CREDIT, "no credit"),
        (openai.UNKNOWN_MODEL, "unknown model"),
        (openai.TOO_LONG, "context too long"),
    ],
)
def test_a_fault_is_on_the_card_until_a_retry_mends_it(
    server: OpenAIServer, store: Store, act: Act, kind: str
) -> None:
    table = Table(store, answering=model(server), judging=model(server), contestants=(PART,))
    server.respond = lambda _request: act
    (failed,) = table.ask()
    assert failed.row is not None
    assert failed.row.answer.failure is not None
    assert failed.row.answer.failure.kind == kind
    assert f"No answer: {kind}" in said(failed.row, can_ask=True, sent=failed.sent)
    assert (failed.row.verdict, failed.lacks) == (None, "answer")
    assert table.tally.requests == len(server.log)
    assert table.tally.failed >= 1
    server.respond = reply
    (mended,) = table.ask()
    assert mended.row is not None
    assert (mended.row.answer.failure, mended.row.answer.text, mended.lacks) == (None, "Ben.", "")
    assert mended.row.verdict is not None
    assert table.tally.requests == len(server.log)


@pytest.mark.parametrize(
    ("act", "outcome"),
    [
        (openai.SERVER_ERROR, "failed"),
        (openai.BAD_KEY, "failed"),
        (Act("It is fine, I suppose."), "unparsed"),
        (Act('{"judgment": "perhaps", "reason": "r"}'), "unparsed"),
        (Act("", finish="length"), "failed"),
    ],
)
def test_a_judges_fault_is_on_the_card_until_it_is_judged_again(
    server: OpenAIServer, store: Store, act: Act, outcome: str
) -> None:
    table = Table(store, answering=model(server), judging=model(server, "openai/judge"), contestants=(PART,))
    server.respond = lambda request: reply(request) if request.body["model"] == "test" else act
    (unjudged,) = table.ask()
    assert unjudged.row is not None
    assert unjudged.row.verdict is not None
    assert (unjudged.row.verdict.outcome, unjudged.lacks) == (outcome, "verdict")
    assert table.tally.requests == len(server.log)
    before = len(server.log)
    server.respond = reply
    (judged,) = table.ask()
    assert judged.row is not None
    assert judged.row.verdict is not None
    assert judged.row.verdict.outcome == "correct"
    assert (len(server.log) - before, table.tally.requests) == (1, len(server.log))  # the answer is not asked again


def test_a_window_that_only_the_server_knows_is_found_again(server: OpenAIServer, store: Store) -> None:
    def narrow(request: Request) -> Act:
        if TOKENS.count(request.prompt) > 170:
            return openai.error(400, "the request exceeds the available context size (1200 tokens)")
        return Act("Ben did.")

    server.respond = narrow
    table = Table(store, answering=model(server), contestants=(WHOLE,), protocol=None)
    (cut,) = table.ask()
    assert cut.row is not None
    assert cut.row.answer.text == "Ben did."
    assert "oldest turns were left out" in said(cut.row, can_ask=True, sent=cut.sent)
    assert (cut.lacks, table.tally.requests) == ("", len(server.log))
    known = Table(store, answering=model(server, window=1200), contestants=(WHOLE,), protocol=None)
    (narrower,) = known.read().standings
    assert len(narrower.sent.items) < len(WHOLE.context.items)


def recorded(server: OpenAIServer, store: Store, tmp_path: Path, **more: Any) -> None:
    """Let the store have, as recorded elsewhere, what a model answers and judges."""
    with Store.open(tmp_path / "elsewhere.duckdb") as other:
        Table(other, answering=model(server, "openai/far"), judging=model(server, "openai/far"), **more).ask()
        assert store.import_replies(other.export_replies()) == len(server.log)
    server.log.clear()


def test_recorded_answers_are_shown_without_a_model(server: OpenAIServer, store: Store, tmp_path: Path) -> None:
    recorded(server, store, tmp_path)
    whole, _part = Table(store).read().standings
    assert whole.row is not None
    assert (whole.row.answer.text, whole.row.answer.recorded) == ("Ben did.", True)
    assert "recorded</span> by openai/far, 20" in origin(whole.row.answer)
    assert whole.row.verdict is not None
    assert (whole.row.verdict.outcome, whole.row.verdict.recorded, whole.lacks) == ("correct", True, "")
    assert Table(store, priority=False).read().standings[0].row is None  # another prompt was not asked


def test_another_models_answers_stand_in_until_the_set_one_is_asked(
    server: OpenAIServer, store: Store, tmp_path: Path
) -> None:
    recorded(server, store, tmp_path)
    table = Table(store, answering=model(server), judging=model(server))
    standings = table.read().standings
    assert [(it.row.answer.model, it.lacks) for it in standings if it.row] == [("openai/far", "answer")] * 2
    assert table.read().differences == ()
    after = table.ask(standings[:1])
    assert [it.row.answer.model for it in after if it.row] == ["openai/test", "openai/far"]
    models, judges = table.read().differences
    assert models.startswith("The answering models differ")
    assert judges.startswith("The judges differ")
    far = Table(store, answering=model(server), preferred="openai/far").read().standings
    assert [(it.row.answer.model, it.lacks) for it in far if it.row] == [("openai/far", "")] * 2


def test_a_question_of_ones_own_has_neither_verdict_nor_score(server: OpenAIServer, store: Store) -> None:
    table = Table(store, asked=Query("Who?"), answering=model(server), judging=model(server), contestants=(PART,))
    (own,) = table.ask()
    assert own.row is not None
    assert (own.row.answer.text, own.row.verdict, own.row.official_f1, own.human) == ("Ben.", None, None, None)
    assert len(server.log) == 1


def test_what_comes_is_told_word_by_word_and_can_be_stopped(server: OpenAIServer, store: Store) -> None:
    here, go_on = threading.Event(), threading.Event()

    def slowly(_request: Request) -> Act:
        here.set()
        go_on.wait(SECONDS)
        return Act("Ben did say so, I believe.")

    server.respond = slowly
    table = Table(store, answering=model(server), judging=model(server))
    comparison = table.read()
    comparison.ask(comparison.standings, table.asking, table.tally)
    first, second = (it.key for it in comparison.standings)
    assert here.wait(SECONDS)
    asked, waiting = table.asking.live(first), table.asking.live(second)
    assert asked is not None
    assert waiting is not None
    assert (asked.step, asked.text, waiting.step) == ("answering", "", "waiting")
    table.asking.stop([first, second])
    go_on.set()
    assert table.asking.wait(SECONDS)
    assert [it.row for it in table.read().standings] == [None, None]
    assert (table.tally.requests, table.tally.failed, len(server.log)) == (1, 0, 1)


def test_what_breaks_beside_the_model_is_told_and_can_be_asked_again(
    server: OpenAIServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(store, answering=model(server), contestants=(PART,), protocol=None)
    (standing,) = table.read().standings
    with monkeypatch.context() as patched:
        patched.setattr(Store, "save_reply", lambda *_: (_ for _ in ()).throw(Refused("The disk is full.")))
        table.ask((standing,))
    broken = table.asking.live(standing.key)
    assert broken is not None
    assert (broken.step, broken.why) == ("broken", "The disk is full.")
    assert [it.row.answer.text for it in table.ask() if it.row] == ["Ben."]
    assert table.asking.live(standing.key) is None


@pytest.mark.parametrize(
    ("act", "works", "words"),
    [
        (Act("ready"), True, "openai/test answered “ready” in"),
        (Act("I", finish="length"), True, "answers, at length"),
        (openai.BAD_KEY, False, "bad key: openai/test: the key is missing, wrong"),
        (openai.SERVER_ERROR, False, "server error: openai/test"),
    ],
)
def test_a_model_is_tried_by_one_call(server: OpenAIServer, act: Act, works: bool, words: str) -> None:
    server.respond = lambda _request: act
    found = try_out(replace(model(server), limits=CallLimits(timeout=SECONDS)))
    assert (found.works, len(server.log)) == (works, 1)
    assert words in found.sentence
