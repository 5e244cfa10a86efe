"""Models by role from settings; keys that turn up nowhere; and what a build with a model tells."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cuemem.adapters.chat import scrub_url
from cuemem.adapters.chat.secrets import scrub, without_keys
from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.errors import BadInput, BadSetting, NotBuilt
from cuemem.evaluation.compare import compare
from cuemem.methods import CueMem, FullHistory
from cuemem.prompts import Prompts
from cuemem.workbench import Workbench, load_file
from cuemem.workbench.answering import ORACLE, answerer, contestant, judge, keep, oracle
from cuemem.workbench.extracting import estimate_build, extraction_quality, llm_cues
from cuemem.workbench.models import model_settings, open_chat, own_prompts
from tests import openai_server as openai
from tests.adapters.store_samples import Loaded, load, sha
from tests.fakes import HashEmbedder, talk
from tests.openai_server import Act, OpenAIServer, Request

ROOT = Path(__file__).parents[2]
KEY = "planted-KEY-0123456789abcdef"
OTHER = "planted-OTHER-fedcba9876543210"


def reply(request: Request) -> str:
    """A model that finds a fact in every turn, answers, and judges."""
    if "judgment" in request.prompt:
        return '{"judgment": "correct", "reason": "It is."}'
    if "facts" in request.prompt:
        last = request.texts[-1].splitlines()[-1]
        return json.dumps({"facts": [{"subject": "turn", "relation": "says", "object": last}]})
    return "Lakeside Town"


@pytest.fixture(scope="module")
def running() -> Iterator[OpenAIServer]:
    with OpenAIServer(reply) as server:
        yield server


@pytest.fixture
def server(running: OpenAIServer) -> OpenAIServer:
    return running.fresh()


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    made = Workbench(Store.open(tmp_path / "store.duckdb"), HashEmbedder(16, 5), FixedTokenizer())  # type: ignore[arg-type]
    load_file(made.store, ROOT / "data" / "locomo_sample.json")
    yield made
    made.store.close()


SMALL = replace(talk(8, 8, 8), conversation_id=f"{sha('small')[:16]}/0", sample_id="small")


def small(workbench: Workbench) -> str:
    """A conversation of 24 turns, so that a build takes 24 calls."""
    load(workbench.store, [Loaded(SMALL)], "small")
    return SMALL.conversation_id


def turn_of(request: Request) -> str:
    """The utterance that a request asks about."""
    return request.texts[-1].rpartition("The turn:\n")[2].splitlines()[0]


def values(server: OpenAIServer, **more: str) -> dict[str, str]:
    return {"CUEMEM_MODEL": "openai/test", "CUEMEM_API_BASE": server.base, "CUEMEM_CONCURRENCY": "4", **more}


# --- settings -----------------------------------------------------------------------------------------------------


def test_one_model_for_all_roles_or_one_for_each() -> None:
    given = {"CUEMEM_MODEL": "openai/a", "CUEMEM_JUDGE_MODEL": "gpt-4o", "CUEMEM_API_BASE": "http://127.0.0.1:1/v1"}
    given |= {"CUEMEM_JUDGE_API_BASE": "none", "CUEMEM_ANSWER_WINDOW": "4096", "CUEMEM_TIMEOUT": "30"}
    extractor, answer, judging = (model_settings(role, given) for role in ("extractor", "answer", "judge"))  # type: ignore[arg-type]
    assert extractor is not None
    assert answer is not None
    assert judging is not None
    assert (extractor.name, extractor.api_base, extractor.window) == ("openai/a", "http://127.0.0.1:1/v1", None)
    assert (answer.name, answer.window) == ("openai/a", 4096)
    assert (judging.name, judging.api_base) == ("gpt-4o", None)
    # A server on this machine is asked one thing at a time.
    assert (extractor.limits.concurrency, judging.limits.concurrency) == (1, 4)
    assert extractor.limits.timeout == 30
    assert model_settings("judge", {"CUEMEM_MODEL": "openai/a", "CUEMEM_JUDGE_MODEL": "none"}) is None


def test_the_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUEMEM_MODEL", "CUEMEM_ANSWER_MODEL"):
        monkeypatch.delenv(name, raising=False)
    assert model_settings("answer") is None
    monkeypatch.setenv("CUEMEM_ANSWER_MODEL", " openai/a ")
    settings = model_settings("answer")
    assert settings is not None
    assert settings.name == "openai/a"
    assert model_settings("judge") is None


@pytest.mark.parametrize("name", ["CONCURRENCY", "REQUESTS_PER_MINUTE", "TIMEOUT", "WINDOW"])
def test_settings_that_are_no_numbers_are_refused(name: str) -> None:
    for wrong in ("many", "0", "-1", "1.5"):
        with pytest.raises(BadSetting, match=f"CUEMEM_{name}='{re.escape(wrong)}'"):
            model_settings("judge", {"CUEMEM_MODEL": "openai/a", f"CUEMEM_{name}": wrong})


def test_own_prompts_by_setting(tmp_path: Path) -> None:
    assert own_prompts({}).own is None
    assert own_prompts({"CUEMEM_PROMPTS": str(tmp_path)}).own == tmp_path
    with pytest.raises(BadSetting, match="no folder"):
        own_prompts({"CUEMEM_PROMPTS": str(tmp_path / "nowhere")})


# --- keys ---------------------------------------------------------------------------------------------------------


def test_a_key_turns_up_nowhere(
    server: OpenAIServer,
    workbench: Workbench,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OTHER)
    caplog.set_level(logging.DEBUG)
    for name in ("LiteLLM", "openai", "httpx", "httpcore"):
        caplog.set_level(logging.DEBUG, logger=name)

    def telltale(request: Request) -> Act | str:
        """A server that repeats the key in its replies and errors, as some gateways do."""
        key = request.headers["authorization"]
        if len(server.log) % 3 == 0 and "Kestrel" not in request.prompt:
            return openai.error(400, f"Wrong key {key}; is {OTHER} yours?")
        return reply(request).replace("says", f"says {key}").replace("It is.", f"It is {key}.")

    server.respond = telltale
    settings = model_settings("judge", values(server, CUEMEM_API_KEY=KEY, CUEMEM_CONCURRENCY="1"))
    assert settings is not None
    seen: list[Any] = [settings, settings.line, open_chat(workbench.store, settings)]
    cues = llm_cues(workbench.store, settings, Prompts(), workbench.tokens)
    seen.append(workbench.build(small(workbench), CueMem(cue_source="llm"), llm=cues))
    seen += [workbench.store.extractions(SMALL.conversation_id, "llm", "utterance")]
    conversation_id = workbench.store.resolve("lakeside")
    assert server.log[0].headers["authorization"] == f"Bearer {KEY}"
    question = workbench.store.questions(conversation_id)[0]
    model = answerer(workbench.store, settings, Prompts(), workbench.tokens)
    judging = judge(workbench.store, settings, Prompts(), "strict")
    for row in compare(question, [oracle(workbench, conversation_id, question)] * 3, model, judging):
        keep(workbench.store, conversation_id, question, row, judging)
        seen.append(row)
    store = workbench.store
    seen += [store.export_replies(), store.chat_failures(), store.verdicts(conversation_id)]
    seen += [store.cue_sets(SMALL.conversation_id), store.info()]
    workbench.store.checkpoint()
    stored = b"".join(path.read_bytes() for path in workbench.store.path.parent.glob("store.duckdb*"))
    printed = "".join(capfd.readouterr())
    assert len(server.log) > 10
    assert workbench.store.chat_failures()
    for key in (KEY, OTHER):
        assert key not in repr(seen)
        assert key not in caplog.text
        assert key not in printed
        assert key.encode() not in stored


def test_the_environments_key_is_not_sent_to_a_server_named_by_address(
    server: OpenAIServer, workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OTHER)
    model = answerer(workbench.store, model_settings("answer", values(server)), Prompts(), workbench.tokens)
    model.chat.complete(model.request(workbench.store.questions(workbench.store.resolve("lakeside"))[0].query, EMPTY))
    assert server.log[0].headers["authorization"] == "Bearer none"


EMPTY = type("Context", (), {"text": ""})()


def test_what_looks_like_a_key_is_hidden() -> None:
    assert scrub("Incorrect API key provided: sk-proj-abc***xyz.") == "Incorrect API key provided: [key]."
    assert scrub("Authorization: Bearer abcdef123456, then") == "Authorization: Bearer [key], then"
    assert scrub("key 'my-secret-key'", ["my-secret-key"]) == "key '[key]'"
    assert without_keys("the sky, a risk-free day", ["short"]) == "the sky, a risk-free day"
    assert scrub_url("https://ann:secret@host:8080/v1?key=abc#x") == "https://host:8080/v1"
    assert scrub_url(None) == ""


# --- builds -------------------------------------------------------------------------------------------------------


def test_a_build_tells_its_failures_and_mends_them_on_request(server: OpenAIServer, workbench: Workbench) -> None:
    conversation_id = small(workbench)
    method = CueMem(cue_source="llm")
    cues = llm_cues(workbench.store, model_settings("extractor", values(server)), Prompts(), workbench.tokens)
    with pytest.raises(NotBuilt, match="--cues llm --model NAME"):
        workbench.build(conversation_id, method)
    told = estimate_build(workbench, conversation_id, cues)
    assert (told.turns, told.calls, told.seconds) == (24, 24, None)
    server.respond = lambda request: "no" if "word 3 " in turn_of(request) else reply(request)
    record = workbench.build(conversation_id, method, llm=cues)
    (held,) = workbench.store.cue_sets(conversation_id)
    failures = workbench.store.chat_failures(conversation_id)
    assert (record.cue_count, held.failed, len(failures)) == (21, 3, 3)
    assert sum(it.tried for it in failures) == sum("word 3 " in turn_of(it) for it in server.log) == 6
    spent = workbench.store.spent(prompt="extraction")
    assert (spent.calls, spent.requests) == (21, len(server.log))
    again = estimate_build(workbench, conversation_id, cues, retry_failed=True)
    assert again.calls == 3
    assert again.seconds is not None
    assert estimate_build(workbench, conversation_id, cues).calls == 0
    server.respond = reply
    server.log.clear()
    assert workbench.build(conversation_id, method, llm=cues, retry_failed=True).cue_count == 24
    assert len(server.log) == 3
    assert workbench.store.chat_failures(conversation_id) == ()
    assert workbench.build(conversation_id, method).cue_count == 24  # no model is needed any more


def test_a_build_in_which_every_turn_fails_is_no_success(server: OpenAIServer, workbench: Workbench) -> None:
    conversation_id = small(workbench)
    cues = llm_cues(workbench.store, model_settings("extractor", values(server)), Prompts(), workbench.tokens)
    server.respond = lambda _request: "no"
    with pytest.raises(BadInput, match=r"24 of 24 turns failed and none gave a cue.*not JSON.*--retry-failed"):
        workbench.build(conversation_id, CueMem(cue_source="llm"), llm=cues)
    assert workbench.store.memories(conversation_id) == ()


def test_answers_by_methods_and_oracle_are_compared_and_kept(server: OpenAIServer, workbench: Workbench) -> None:
    conversation_id = workbench.store.resolve("lakeside")
    settings = model_settings("answer", values(server))
    workbench.build(conversation_id, CueMem())
    question = workbench.store.questions(conversation_id)[0]
    chosen = [
        contestant(workbench, conversation_id, method, None, question.query) for method in (CueMem(), FullHistory())
    ]
    model = answerer(workbench.store, settings, Prompts(), workbench.tokens)
    judging = judge(workbench.store, settings, Prompts(), "strict")
    everyone = [*chosen, oracle(workbench, conversation_id, question)]
    rows = list(compare(question, everyone, model, judging, conversation_id))
    for row in rows:
        keep(workbench.store, conversation_id, question, row, judging)
    assert [row.contestant.name for row in rows] == ["CueMem", "Full history", ORACLE]
    assert len({row.tokens_in for row in rows}) == 3
    assert rows[0].contestant.reconstruction_seconds is not None
    assert rows[2].contestant.reconstruction_seconds is None
    assert {row.official_f1 for row in rows} == {1.0}
    assert len(workbench.store.verdicts(conversation_id, 0)) == 1  # one answer, one verdict
    text = workbench.store.prompt_text(model.prompt.name, model.prompt.hash)
    assert text is not None
    assert text.endswith("Prioritize the information most recent and closest to the question time")
    assert workbench.store.prompt_text("judge_strict", Prompts()["judge_strict"].version.hash)
    calls = len(server.log)
    again = list(compare(question, everyone, model, judging, conversation_id))
    assert len(server.log) == calls
    assert all(row.answer.cached and row.verdict and row.verdict.cached for row in again)


def test_extraction_quality_of_a_model(server: OpenAIServer, workbench: Workbench) -> None:
    cues = llm_cues(workbench.store, model_settings("extractor", values(server)), Prompts(), workbench.tokens)
    steps: list[int] = []
    quality = extraction_quality(workbench, cues, progress=lambda _what, done, _total: steps.append(done))
    assert len(quality.rows) == len(server.log) == steps[-1] == 54
    assert (quality.facts, quality.triples, quality.failed) == (130, 54, 0)
    assert quality.quiet == (0, 8)
