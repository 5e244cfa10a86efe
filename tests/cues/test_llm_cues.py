"""Section 4.1 with a model: what is asked, what becomes of each fault, and a build that is killed and resumed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from cuemem.adapters.chat import CallLimits, LiteLlmChat
from cuemem.adapters.store import CachedChat, Store
from cuemem.adapters.store.stored_cues import StoredCues
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.cues.estimate import Pace, estimate
from cuemem.cues.llm import LlmCues
from cuemem.errors import Cancelled, ChatFailure
from cuemem.methods import CueMem
from cuemem.methods.cuemem.extraction import extract_cues
from cuemem.ports import Extraction
from cuemem.prompts import Prompts
from cuemem.turns import cut_turns
from cuemem.types import Conversation, Session, Triple, Turn, Utterance
from cuemem.workbench import Workbench
from cuemem.workbench.extracting import llm_cues
from cuemem.workbench.models import model_settings
from tests import openai_server as openai
from tests.adapters.store_samples import Loaded, load, sha
from tests.fakes import HashEmbedder, WordTokens
from tests.openai_server import Act, OpenAIServer, Request

ROOT = Path(__file__).parents[2]
TIME = datetime(2023, 5, 8, 13, 56)
NOTHING = '{"facts": []}'


def facts(*triples: tuple[str, str, str]) -> str:
    return json.dumps(
        {"facts": [dict(zip(("subject", "relation", "object"), triple, strict=True)) for triple in triples]}
    )


def dialogue(*texts: str, caption: str | None = None) -> Conversation:
    """Two people, in sessions of four utterances; a caption under the last one."""
    spoken = tuple(
        Utterance(
            f"D{1 + place // 4}:{place}",
            1 + place // 4,
            ("Ann", "Bob")[place % 2],
            text,
            TIME,
            caption=caption if place == len(texts) - 1 else None,
        )
        for place, text in enumerate(texts)
    )
    sessions = tuple(Session(number, TIME) for number in range(1, 1 + -(-len(texts) // 4)))
    return Conversation(f"{sha('file')[:16]}/0", "locomo", "talk", sessions, spoken)


SIX = dialogue(*(f"I have {place} cats." for place in range(6)))
EIGHT = dialogue(*(f"I have {place} cats." for place in range(8)))


def turn_of(request: Request) -> str:
    """The utterance that a request asks about."""
    return request.texts[-1].rpartition("The turn:\n")[2].splitlines()[0]


def one_fact(request: Request) -> str:
    """The reply of a model that finds one fact in every turn."""
    if "The numbered turns:" in request.prompt:
        numbers = re.findall(r"^(\d+)\.$", request.texts[-1], re.MULTILINE)
        facts_of = [{"subject": "group", "relation": "has", "object": number} for number in numbers]
        return json.dumps(
            {"turns": [{"number": int(n), "facts": [f]} for n, f in zip(numbers, facts_of, strict=True)]}
        )
    return facts(("turn", "says", turn_of(request)))


@pytest.fixture(scope="module")
def running() -> Iterator[OpenAIServer]:
    with OpenAIServer(one_fact) as server:
        yield server


@pytest.fixture
def server(running: OpenAIServer) -> OpenAIServer:
    return running.fresh()


def source(server: OpenAIServer, concurrency: int = 1, **more: Any) -> LlmCues:
    limits = CallLimits(concurrency=concurrency, timeout=20, tries=2, backoff=0.01)
    chat = LiteLlmChat("openai/test", WordTokens(), server.base, limits=limits)
    return LlmCues(chat, Prompts(), WordTokens(), concurrency, **more)


def extracted(cues: LlmCues, conversation: Conversation) -> list[Extraction]:
    return list(cues.extract(conversation, cut_turns(conversation, "utterance")))


def test_a_turn_is_asked_about_with_names_date_and_the_two_turns_before(server: OpenAIServer) -> None:
    conversation = dialogue("One.", "Two.", "Three {turn}.", "Four.", "Five.", caption="a red door")
    extracted(source(server), conversation)
    asked = [request.texts[-1] for request in server.log]
    assert asked[0].endswith("Earlier turns, for reference only:\n(none)\n\nThe turn:\nAnn: One.")
    assert "reference only:\nBob: Two.\nAnn: Three {turn}.\n\nThe turn:\nBob: Four." in asked[3]
    assert asked[4].endswith(
        "reference only:\nAnn: Three {turn}.\nBob: Four.\n\nThe turn:\nAnn: Five. (image: a red door)"
    )
    assert all("Speakers: Ann, Bob\nDate of the session: Monday, 8 May 2023, 13:56" in text for text in asked)
    assert {request.mode for request in server.log} == {"json_schema"}
    assert {request.texts[0] for request in server.log} == {Prompts()["extraction"].parts[0].text.strip()}


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="only POSIX can change the time zone of a process")
@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Shanghai", "UTC"])
def test_the_day_never_shifts_and_is_never_todays(
    server: OpenAIServer, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    midnight = datetime(2023, 5, 8, 0, 5)
    said = Utterance("D1:1", 1, "Ann", "It was yesterday.", midnight)
    undated = Utterance("D2:1", 2, "Bob", "When?")
    both = Conversation("x/0", "locomo", "talk", (Session(1, midnight), Session(2, None)), (said, undated))
    extracted(source(server), both)
    monkeypatch.undo()
    time.tzset()
    assert "Date of the session: Monday, 8 May 2023, 00:05\n" in server.log[0].texts[-1]
    assert "Date of the session: date unknown\n" in server.log[1].texts[-1]
    assert str(datetime.now().year) not in server.log[1].prompt


def test_facts_become_triples_and_small_talk_none(server: OpenAIServer) -> None:
    server.then(
        facts(("Ann", "adopted", "a cat "), ("Ann", "adopted", "a cat"), ("Ann", "sneezed", "")),
        NOTHING,
        facts(("", "", ""), ("Bob", "", "")),
        '{"facts": [{"subject": "Ann", "relation": "drinks", "object": "a \\ud83c\\udf78"}]}',
    )
    made = extracted(source(server), dialogue("a", "b", "c", "d"))
    assert [extraction.contents for extraction in made] == [
        (Triple("Ann", "adopted", "a cat"), "Ann sneezed"),
        (),
        (),
        (Triple("Ann", "drinks", "a 🍸"),),
    ]
    assert all(extraction.failure is None for extraction in made)


def test_a_turn_without_text_is_not_asked_about(server: OpenAIServer) -> None:
    made = extracted(source(server), dialogue("", "  \n", "Hi."))
    assert [len(extraction.contents) for extraction in made] == [0, 0, 1]
    assert len(server.log) == 1


@pytest.mark.parametrize(
    ("act", "kind", "calls"),
    [
        (openai.SERVER_ERROR, "server error", 2),
        (openai.RATE_LIMITED, "rate limited", 2),
        (Act("x", drop="before"), "connection lost", 2),
        (Act("x", drop="amid"), "connection lost", 2),
        (openai.error(408, "time-out"), "time-out", 2),
        (Act('{"facts": [', finish="length"), "truncated", 2),  # once more with twice the room
        (Act(""), "empty", 2),
        (Act(None, refusal="No."), "refused", 1),
        (Act("Ann has a cat."), "not JSON", 2),
        (Act('{"facts": [{"subject": "Ann", "predicate": "has", "object": "x"}]}'), "schema broken", 2),
        (openai.TOO_LONG, "context too long", 1),
        (openai.error(400, "Something"), "bad request", 1),
    ],
)
def test_one_bad_turn_is_a_failure_and_stops_nothing(server: OpenAIServer, act: Act, kind: str, calls: int) -> None:
    server.respond = lambda request: act if "3 cats" in turn_of(request) else one_fact(request)
    made = extracted(source(server), SIX)
    assert [extraction.failure is None for extraction in made] == [True, True, True, False, True, True]
    assert made[3].contents == ()
    assert made[3].failure is not None
    assert made[3].failure.startswith(f"{kind}: openai/test: ")
    assert Counter(turn_of(request) for request in server.log)["Bob: I have 3 cats."] == calls
    assert len(server.log) == 5 + calls


def test_a_reply_that_was_cut_off_is_asked_for_with_twice_the_room(server: OpenAIServer) -> None:
    server.then(Act('{"facts": [', finish="length"))
    assert extracted(source(server), dialogue("Long."))[0].contents
    first, second = (request.body["max_tokens"] for request in server.log)
    assert second == 2 * first


@pytest.mark.parametrize("act", [openai.BAD_KEY, openai.UNKNOWN_MODEL, openai.NO_CREDIT])
def test_what_no_turn_can_pass_stops_the_build(server: OpenAIServer, act: Act) -> None:
    server.respond = lambda _request: act
    with pytest.raises(ChatFailure):
        extracted(source(server), SIX)
    assert len(server.log) <= 2  # the next call may have begun


def test_a_server_that_is_gone_stops_the_build_after_five_turns(server: OpenAIServer) -> None:
    server.respond = lambda request: openai.OVERLOADED if "1 cats" not in turn_of(request) else one_fact(request)
    made: list[Extraction] = []
    with pytest.raises(ChatFailure, match="Service unavailable"):
        made.extend(source(server).extract(EIGHT, cut_turns(EIGHT, "utterance")))
    assert [extraction.failure is None for extraction in made] == [False, True, False, False, False, False]


def test_calls_run_side_by_side_and_come_in_order() -> None:
    # A server of its own: a call that another test left under way would count here.
    with OpenAIServer() as server:
        server.respond = lambda request: Act(one_fact(request), wait=0.5 if "0 cats" in turn_of(request) else 0.1)
        made = extracted(source(server, concurrency=3), EIGHT)
    assert [extraction.turn_id for extraction in made] == [turn.turn_id for turn in cut_turns(EIGHT, "utterance")]
    assert [str(extraction.contents[0]) for extraction in made] == [
        f"turn says {('Ann', 'Bob')[n % 2]}: I have {n} cats." for n in range(8)
    ]
    assert 2 <= server.most_at_once <= 3


def test_a_cancelled_build_begins_no_further_call(server: OpenAIServer) -> None:
    def stop(_what: str, done: int, _total: int) -> None:
        if done == 2:
            raise Cancelled("Stopped on request.")

    server.respond = lambda request: Act(one_fact(request), wait=0.05)
    with pytest.raises(Cancelled):
        extract_cues(EIGHT, cut_turns(EIGHT, "utterance"), source(server, concurrency=2), stop)
    time.sleep(0.5)
    assert 2 <= len(server.log) <= 5  # two done, and at most those that had begun meanwhile


# --- groups -------------------------------------------------------------------------------------------------------


def test_turns_share_a_call_up_to_a_limit_and_within_a_session(server: OpenAIServer) -> None:
    made = extracted(source(server, group_tokens=15), SIX)  # five words a turn
    assert [str(extraction.contents[0]) for extraction in made] == [
        "group has 1",
        "group has 2",
        "group has 3",
        "turn says Bob: I have 3 cats.",  # the last of its session
        "group has 1",
        "group has 2",
    ]
    assert len(server.log) == 3
    assert "1.\nAnn: I have 0 cats.\n\n2.\nBob: I have 1 cats." in server.log[0].texts[-1]
    assert "[Session 2 · Monday, 8 May 2023, 13:56]" in server.log[2].texts[-1]


def test_a_call_for_several_turns_that_fails_is_one_failure_of_the_server(server: OpenAIServer) -> None:
    """Two calls for four turns each: a server that fails twice is not gone, though eight turns have no cues."""
    server.respond = lambda _request: openai.OVERLOADED
    made = extracted(source(server, group_tokens=20), EIGHT)
    assert [extraction.failure is None for extraction in made] == [False] * 8


@pytest.mark.parametrize(
    "act",
    [
        Act("no"),
        Act('{"turns": []}'),
        Act('{"turns": [{"number": 1, "facts": []}, {"number": 1, "facts": []}, {"number": 2, "facts": []}]}'),
        Act("{", finish="length"),
    ],
    ids=["no JSON", "turns missing", "a turn twice", "cut off"],
)
def test_a_group_that_is_unusable_is_asked_about_turn_by_turn(server: OpenAIServer, act: Act) -> None:
    server.respond = lambda request: act if "The numbered turns:" in request.prompt else one_fact(request)
    made = extracted(source(server, group_tokens=15), dialogue("a b c", "d e f", "g h i"))
    assert [str(extraction.contents[0]) for extraction in made] == [
        "turn says Ann: a b c",
        "turn says Bob: d e f",
        "turn says Ann: g h i",
    ]


# --- the store ----------------------------------------------------------------------------------------------------


def stored(store: Store, cues: LlmCues, **more: Any) -> StoredCues:
    return StoredCues(store, "llm", "utterance", cues, resumable=True, **more)


def opened(path: Path, conversation: Conversation = SIX) -> tuple[Store, Conversation]:
    store = Store.open(path)
    load(store, [Loaded(conversation)])
    held = store.conversation(store.conversations()[0].conversation_id)
    return store, held


def turns_asked(server: OpenAIServer) -> list[str]:
    return [turn_of(request) for request in server.log]


def test_failed_turns_are_kept_and_asked_again_on_request_only(server: OpenAIServer, tmp_path: Path) -> None:
    store, conversation = opened(tmp_path / "store.duckdb")
    key = (conversation.conversation_id, "llm", "utterance")
    turns = cut_turns(conversation, "utterance")
    with store:
        server.respond = lambda request: "no" if "3 cats" in turn_of(request) else one_fact(request)
        list(stored(store, source(server)).extract(conversation, turns))
        (held,) = store.cue_sets(conversation.conversation_id)
        assert (held.complete, held.turns, held.failed, held.cues) == (True, 6, 1, 5)
        assert held.provenance["model"] == "openai/test"
        assert held.provenance["prompt_hash"] == Prompts()["extraction"].version.hash
        assert "127.0.0.1" not in json.dumps(dict(held.provenance))
        server.log.clear()
        server.respond = one_fact
        list(stored(store, source(server)).extract(conversation, turns))
        assert server.log == []
        again = list(stored(store, source(server), retry_failed=True).extract(conversation, turns))
        assert turns_asked(server) == ["Bob: I have 3 cats."]
        assert all(extraction.failure is None for extraction in again)
        (healed,) = store.cue_sets(conversation.conversation_id)
        assert (healed.complete, healed.failed, healed.cues) == (True, 0, 6)
        assert healed.content_hash != held.content_hash
        assert [cue.turn_id for cue in store.cues(*key)] == [turn.turn_id for turn in turns]  # type: ignore[arg-type]


def test_another_prompt_makes_the_cues_anew_and_the_first_ones_replies_stay(
    server: OpenAIServer, tmp_path: Path
) -> None:
    store, conversation = opened(tmp_path / "store.duckdb")
    turns = cut_turns(conversation, "utterance")
    text = Prompts()["extraction"].text
    (tmp_path / "extraction.txt").write_text(f"# mine\n{text} Be quick.", encoding="utf-8")
    with store:
        for prompts, calls in ((Prompts(), 6), (Prompts(tmp_path), 6), (Prompts(), 0)):
            server.log.clear()
            plain = source(server)
            cues = LlmCues(CachedChat(store, "openai/test", plain.chat), prompts, WordTokens())
            list(stored(store, cues).extract(conversation, turns))
            assert len(server.log) == calls
            (held,) = store.cue_sets(conversation.conversation_id)
            assert held.provenance["own_prompt"] == ("yes" if prompts.own else "no")


def built(path: str) -> int:
    """Build the memory of a store's only conversation by the model that the environment names."""
    workbench = Workbench(Store.open(Path(path)), HashEmbedder(), FixedTokenizer())
    with workbench.store as store:
        (row,) = store.conversations()
        cues = llm_cues(store, model_settings("extractor"), Prompts(), workbench.tokens)
        return workbench.build(row.conversation_id, CueMem(cue_source="llm"), llm=cues).cue_count


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a signal of POSIX")
def test_kill_9_in_the_middle_and_no_finished_turn_is_asked_again(
    server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 24
    store, conversation = opened(tmp_path / "store.duckdb", dialogue(*(f"I have {n} cats." for n in range(count))))
    store.close()
    settings = {"CUEMEM_MODEL": "openai/test", "CUEMEM_API_BASE": server.base, "CUEMEM_CONCURRENCY": "2"}
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    program = "import sys; from tests.cues.test_llm_cues import built; built(sys.argv[1])"
    command = [sys.executable, "-c", program, str(tmp_path / "store.duckdb")]
    server.respond = lambda request: Act(one_fact(request), wait=0.1)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        while len(server.log) < 11 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        process.kill()
    first = Counter(turns_asked(server))
    assert 11 <= len(first) < count
    assert set(first.values()) == {1}
    with Store.open(tmp_path / "store.duckdb") as half:
        kept = half.extractions_done(conversation.conversation_id, "llm", "utterance")
        replies = half.spent(prompt="extraction").calls
    assert len(first) - 2 <= replies <= len(first)  # at most the two calls in flight were lost
    assert 0 < len(kept) <= replies
    server.log.clear()
    server.respond = one_fact
    assert built(str(tmp_path / "store.duckdb")) == count
    second = Counter(turns_asked(server))
    assert len(server.log) == count - replies
    assert set(second.values()) == {1}
    assert set(first) | set(second) == {f"{('Ann', 'Bob')[n % 2]}: I have {n} cats." for n in range(count)}
    assert len(set(first) & set(second)) == len(first) - replies  # those in flight, and no other


# --- estimate -----------------------------------------------------------------------------------------------------


def test_what_a_build_takes_is_told_beforehand(server: OpenAIServer) -> None:
    turns: tuple[Turn, ...] = cut_turns(SIX, "utterance")
    cues = source(server)
    told = estimate(cues, SIX, turns)
    extracted(cues, SIX)
    sent = sum(len(text.split()) for request in server.log for text in request.texts)
    assert (told.turns, told.calls, told.tokens_in) == (6, len(server.log), sent)
    assert (told.cost, told.seconds) == (None, None)
    grouped = estimate(source(server, group_tokens=15), SIX, turns, Pace(10.0, 3 * told.tokens_in, told.tokens_in))
    assert grouped.calls == 3
    assert grouped.seconds is not None
    assert 0 < grouped.seconds < 10
    priced = LlmCues(LiteLlmChat("openai/gpt-4o-mini", WordTokens(), server.base), Prompts(), WordTokens())
    cost = estimate(priced, SIX, turns).cost
    assert cost is not None
    assert cost > 0
    assert estimate(cues, dialogue("", ""), cut_turns(dialogue("", ""), "utterance")).calls == 0
