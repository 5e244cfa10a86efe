"""Units by a model that are made again: a retry takes nothing away, and the estimate tells what it will ask."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cuemem.prompts import Prompts
from cuemem.units.llm import PARSE
from cuemem.workbench import Workbench
from cuemem.workbench.by_model import Calls, estimated
from tests import openai_server as openai
from tests.openai_server import Act, OpenAIServer, Request
from tests.unit_model import kind_of, reply, unit
from tests.units.conftest import KEY, METHOD, build, failures, model


def flawed(request: Request) -> str:
    """One unit of the second window names a turn that is not there, and every parse has a time that is none."""
    made = json.loads(reply(request))
    if kind_of(request) == "units" and "[D1:8]" in request.texts[-1]:
        made["memory_units"].append(unit("D9:1"))
    if kind_of(request) == "parse":
        made["time"]["fact"] = ["last week"]
    if kind_of(request) == "trajectory":
        made["trajectory"] = (
            f"{request.texts[-1].count('fact of')} facts, {request.texts[-1].count('other of')} others"
        )
    return json.dumps(made)


@pytest.mark.parametrize("failing", ["units", "index", "parse"])
def test_a_retry_that_fails_takes_nothing_away(bench: Workbench, server: OpenAIServer, failing: str) -> None:
    server.respond = flawed
    record, _ = build(bench, server)
    queries = [it.query for it in bench.store.questions(KEY)]
    before = [bench.store.parse(KEY, "llm", query) for query in queries]
    assert record.cue_count == 10
    assert len(failures(bench)) == 2  # of the parses something had to be left out

    def fails(request: Request) -> Act | str:
        return openai.SERVER_ERROR if kind_of(request) == failing else flawed(request)

    server.respond = fails
    asked = len(server.log)
    record, _ = build(bench, server, retry=True)
    assert failing in {kind_of(it) for it in server.log[asked:]}
    assert record.cue_count == 10
    assert bench.store.unit_sets(KEY)[0].rejected == 1
    assert bench.store.unit_sets(KEY)[0].failed == bench.store.unit_sets(KEY)[0].unindexed == 0
    assert [bench.store.parse(KEY, "llm", query) for query in queries] == before
    assert len(failures(bench)) == 2
    server.respond = reply
    build(bench, server, retry=True)
    assert failures(bench) == []


def test_what_was_told_of_other_units_is_told_anew(bench: Workbench, server: OpenAIServer) -> None:
    server.respond = flawed
    build(bench, server)
    (told,) = bench.store.trajectories((KEY, "llm", "6/2")).values()
    assert told.text == "10 facts, 0 others"

    def other(request: Request) -> str:
        made = json.loads(flawed(request))
        if kind_of(request) == "units" and "[D1:8]" in request.texts[-1]:
            made["memory_units"] = [unit(f"D1:{at}", f"other of D1:{at}") for at in (7, 8)]
        return json.dumps(made)

    server.respond = other
    build(bench, server, retry=True)
    (told,) = bench.store.trajectories((KEY, "llm", "6/2")).values()
    assert told.text == "8 facts, 2 others"


def test_the_estimate_is_of_what_will_be_asked(bench: Workbench, server: OpenAIServer, tmp_path: Path) -> None:
    server.respond = flawed
    source = model(bench, server)

    def calls(method: object = METHOD, *, retry: bool = False, prompts: Prompts | None = None) -> int:
        asked_by = replace(source, prompts=prompts) if prompts else source
        return estimated(bench, KEY, method, asked_by, Calls(retry_failed=retry)).calls

    assert calls() == 9  # two a window, a trace, two questions
    build(bench, server)
    assert calls() == 0
    assert calls(retry=True) == 5  # the flawed window, one trace of its units, both questions
    assert calls(replace(METHOD, window_turns=8)) > 0  # windows that nothing is kept of, beside those that are
    (tmp_path / f"{PARSE}.txt").write_text(source.prompts[PARSE].text + "\nBe brief.", encoding="utf-8")
    assert calls(prompts=Prompts(tmp_path)) == 2
