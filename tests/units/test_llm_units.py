"""QGMem's construction with a model: what is asked, and what becomes of each fault: counted, shown, asked again."""

from __future__ import annotations

import json
import re

import pytest

from cuemem.errors import BadInput, ChatFailure
from cuemem.workbench import Workbench
from tests import openai_server as openai
from tests.openai_server import Act, OpenAIServer, Request
from tests.unit_model import LINE, entry, kind_of, only, reply, unit
from tests.units.conftest import KEY, METHOD, build, failures, model


def test_windows_are_asked_in_two_stages_and_what_was_asked_is_not_asked_again(
    bench: Workbench, server: OpenAIServer
) -> None:
    record, found = build(bench, server)
    kinds = [kind_of(request) for request in server.log]
    assert kinds == ["units", "index"] * 3 + ["trajectory"] + ["parse"] * 2
    second = server.log[2].texts[-1]
    assert [sort for sort, _ in LINE.findall(second)] == ["OVERLAP_FROM_PREVIOUS"] * 2 + ["NEW_IN_THIS"] * 2
    assert "NEW_IN_THIS_WINDOW [D1:7] Friday, 1 March 2024, 09:00 Ben: word 7 of session 1" in second
    assert '"evidence_text": "Ben: word 1 of session 1' in server.log[1].texts[-1]
    assert "What the memories are about: Ada says" in server.log[6].texts[-1]
    assert {request.mode for request in server.log} == {"json_schema"}
    assert (record.cue_count, found, failures(bench)) == (10, [], [])
    method = bench.pick(KEY, "qgmem")
    assert (method.unit_source, method.parses) == ("llm", "llm")
    memory = bench.memory(KEY, method)
    assert {str(it) for unit in memory.units for it in unit.fact_time} == {"2024-03"}  # type: ignore[attr-defined]
    assert [it.trajectory for it in memory.traces] == ["It began, and it goes on, which is the current state."]  # type: ignore[attr-defined]
    recall = memory.recall(bench.store.questions(KEY)[0].query, method)
    assert next(it for it in recall.trace if it.name == "attributes").items
    server.log.clear()
    build(bench, server)
    assert server.log == []


def test_a_memory_can_be_opened_once_its_questions_are_parsed(bench: Workbench, server: OpenAIServer) -> None:
    """Who looked at it before would keep a recall without the event-attribute channel."""
    query = bench.store.questions(KEY)[0].query
    seen: list[int] = []

    def look(what: str, _done: int, _total: int) -> None:
        if what == "questions":
            seen.append(len(bench.store.memories(KEY)))
            if seen[-1]:
                bench.memory(KEY, bench.pick(KEY, "qgmem")).recall(query, METHOD)

    bench.build(KEY, METHOD, progress=look, llm=model(bench, server))
    assert seen == [0, 0]
    recall = bench.memory(KEY, METHOD).recall(query, bench.pick(KEY, "qgmem"))
    assert next(it for it in recall.trace if it.name == "attributes").items


FAULTS: list[tuple[str, Act | str, str, int]] = [
    ("units", "no json at all", "window 0: not JSON", 8),
    ("units", json.dumps({"memory_units": [{"fact_text": "no ids"}]}), "window 0: schema broken", 8),
    ("index", openai.SERVER_ERROR, "index of window 0: server error", 10),
    ("trajectory", "{}", "trajectory of 10 units from w0.1 on: schema broken", 10),
    ("trajectory", json.dumps({"trajectory": " "}), "trajectory of 10 units from w0.1 on: empty", 10),
    ("parse", "no", "question “What does Ada say?”: not JSON", 10),
]


@pytest.mark.parametrize(("kind", "act", "shown", "units"), FAULTS, ids=lambda it: str(it)[:24])
def test_a_fault_is_counted_shown_and_asked_again(
    bench: Workbench, server: OpenAIServer, kind: str, act: Act | str, shown: str, units: int
) -> None:
    server.respond = only(kind, act, times=2)  # a reply that cannot be used is asked for once more
    record, _ = build(bench, server)
    lost = failures(bench)
    assert len(lost) == 1
    assert lost[0].startswith(shown)
    assert record.cue_count in (units, 4) if kind == "units" else record.cue_count == units
    server.respond = reply
    server.log.clear()
    build(bench, server)  # without being told to, nothing that failed is asked again
    assert [it for it in server.log if kind_of(it) == kind] == []
    record, _ = build(bench, server, retry=True)
    assert (record.cue_count, failures(bench)) == (10, [])


def test_units_that_fail_validation_are_rejected_one_by_one(bench: Workbench, server: OpenAIServer) -> None:
    def respond(request: Request) -> str:
        made = json.loads(reply(request))
        asked = request.texts[-1]
        if kind_of(request) == "units" and "[D1:8]" in asked:  # the second window: D1:5 and D1:6 are its overlap
            wrong = [unit("D9:1"), unit("D1:5", end="D1:6"), unit("D1:7", fact=" "), unit("D1:5", end="D1:7")]
            made["memory_units"] += wrong
        if kind_of(request) == "index" and "w1.1" in asked:
            made["memory_units"] = [
                entry("w1.1", "2024-13", "2024-13"),
                entry("w1.2", "2024-05", "2024-04"),
                entry("w7.7"),
            ]
        if kind_of(request) == "parse":
            made["time"]["fact"] = ["last week"]
        return json.dumps(made)

    server.respond = respond
    record, found = build(bench, server)
    kinds = sorted(it.kind for it in found)
    assert kinds == [
        "unit id unknown",
        "unit in overlap only",
        "unit interval invalid",
        "unit interval invalid",
        "unit not indexed",
        "unit turn unknown",
        "unit without fact",
    ]
    assert all("window 1" in it.place for it in found)
    assert record.cue_count == 11  # one line each, and the claim that reaches out of the overlap
    (held,) = bench.store.unit_sets(KEY)
    assert (held.windows, held.done, held.failed, held.rejected) == (3, 3, 0, 7)
    assert [it.kind for it in bench.store.unit_problems((KEY, "llm", "6/2"))] == [it.kind for it in found]
    assert len(failures(bench)) == 2  # both questions were parsed, without their times
    assert "'last week' is no date" in failures(bench)[0]
    asked = len(server.log)
    build(bench, server, retry=True)  # the window and the questions are asked anew, though replies to them are kept
    assert [kind_of(it) for it in server.log[asked:]] == ["units", "index", "parse", "parse"]
    assert bench.store.unit_sets(KEY)[0].rejected == 7
    server.respond = reply
    record, found = build(bench, server, retry=True)
    assert (record.cue_count, found, failures(bench)) == (10, [], [])
    assert bench.store.unit_sets(KEY)[0].rejected == 0


def test_a_bad_key_stops_the_build_and_nothing_done_is_lost(bench: Workbench, server: OpenAIServer) -> None:
    server.respond = lambda request: reply(request) if len(server.log) <= 2 else openai.BAD_KEY
    with pytest.raises(ChatFailure, match="API key"):
        build(bench, server)
    (held,) = bench.store.unit_sets(KEY)
    assert (held.done, held.windows, held.complete) == (1, 3, False)
    server.respond = reply
    server.log.clear()
    record, _ = build(bench, server)
    assert record.cue_count == 10
    assert [kind_of(it) for it in server.log].count("units") == 2  # the first window was done


def test_a_memory_of_failures_alone_is_refused(bench: Workbench, server: OpenAIServer) -> None:
    server.respond = only("units", "no")
    with pytest.raises(BadInput, match=r"3 of 3 windows failed and none gave a unit.*not JSON.*--retry-failed"):
        build(bench, server)
    assert bench.store.memories(KEY) == ()


def test_an_index_is_bounded_by_the_units_it_is_of(bench: Workbench, server: OpenAIServer) -> None:
    """A model that names the last thing again and again comes to an end; one that needs no bound is not cut."""
    build(bench, server)
    asked = [it for it in server.log if kind_of(it) == "index"]
    assert asked
    for request in asked:
        listed = request.body["response_format"]["json_schema"]["schema"]["properties"]["memory_units"]
        units = len(re.findall(r'"memory_unit_id": "w', request.texts[-1]))
        assert units <= listed["maxItems"] <= 2 * units + 4
        assert listed["items"]["properties"]["entities"]["maxItems"] == 24
