"""Answers with citations: labels on every line of any context, a strict reply, and labels that there are not."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from cuemem.context import GAP, Candidate, assemble
from cuemem.evaluation.citing import CITED_SCHEMA, citations, labelled
from cuemem.turns import cut_turns
from cuemem.types import EvidenceContext, Query, Statement
from tests import openai_server as openai
from tests.evaluation.test_answer import CONTEXT, QUERY, TOKENS, TURNS, answerer
from tests.fakes import talk
from tests.openai_server import Act, OpenAIServer

NOTED = EvidenceContext(
    assemble([Candidate(TURNS[0], "anchor"), Candidate(TURNS[3], "anchor")], TOKENS).items,
    "Evidence clusters:\n- MU1 (…): Ada came.\nFacts:\nF1 (MU1): Ada | came | home",
    12,
    statements=(
        Statement("MU1", "unit", "MU1 (…): Ada came.", ("D1:1",)),
        Statement("F1", "fact", "F1 (MU1): Ada | came | home", ("D1:1",)),
        Statement("MU12", "unit", "MU12 (…): Ada left.", ("D1:4",)),
    ),
)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(json.dumps({"reasoning_path": "Ben said it [D1:3].", "answer": " Ben "})) as server:
        yield server


def test_every_turn_has_its_label_and_nothing_else_changes() -> None:
    few = assemble([Candidate(TURNS[at], "anchor") for at in (1, 2, 7)], TOKENS)
    text = labelled(few)
    for item in few.items:
        assert f"\n[{item.turn_id}] {item.text}" in text
        text = text.replace(f"[{item.turn_id}] ", "", 1)
    assert text == few.text
    assert text.startswith(GAP)
    assert labelled(NOTED) == NOTED.text
    assert labelled(EvidenceContext((), "", 0)) == ""


def test_what_a_path_cites() -> None:
    found = citations("Ada came (MU1, F1), left [MU12], and MU99 and F7 say more; MU1 again, not MU1x or XF1.", NOTED)
    assert [(it.label, it.known, it.turn_ids) for it in found] == [
        ("MU1", True, ("D1:1",)),
        ("F1", True, ("D1:1",)),
        ("MU12", True, ("D1:4",)),
        ("MU99", False, ()),
        ("F7", False, ()),
    ]
    turns = citations("From [D1:3], D2:1 and D9:9 at 10:30 in session 2.", CONTEXT)
    assert [(it.label, it.known) for it in turns] == [("D1:3", True), ("D2:1", True), ("D9:9", False)]
    numbers = EvidenceContext((), "1", 1, statements=(Statement("1", "unit", "1: Ada came.", ("D1:1",)),))
    assert [it.label for it in citations("In 2024 [1] and [3].", numbers)] == ["1", "3"]
    assert citations("[MU1]", EvidenceContext((), "", 0)) == ()


def test_a_cited_answer_of_turns(server: OpenAIServer) -> None:
    answer = answerer(server, style="cited").answer(QUERY, CONTEXT, TURNS)
    assert (answer.text, answer.reasoning, answer.note, answer.failure) == ("Ben", "Ben said it [D1:3].", "", None)
    (request,) = server.log
    assert request.body["response_format"]["json_schema"]["schema"] == CITED_SCHEMA
    assert f"[D1:3] {CONTEXT.items[2].text}" in request.texts[-1]
    assert str(answer.prompt).startswith("answer_cited+priority")
    streamed = answerer(server, style="cited").stream(QUERY, CONTEXT, TURNS)
    with pytest.raises(StopIteration) as end:  # JSON comes as a whole
        next(streamed)
    assert end.value.value.text == "Ben"


def test_labels_that_the_context_lacks_are_said(server: OpenAIServer) -> None:
    server.then(json.dumps({"reasoning_path": "MU1, then MU4 and F3.", "answer": "home"}))
    answer = answerer(server, style="cited").answer(Query("Where?"), NOTED, TURNS)
    assert answer.note == "It cites MU4, F3, which the context does not have."
    assert "Facts:\nF1 (MU1): Ada | came | home" in server.log[0].texts[-1]


@pytest.mark.parametrize(
    ("act", "kind"),
    [
        ("It was Ben.", "not JSON"),
        (json.dumps({"answer": "Ben"}), "schema broken"),
        (json.dumps({"reasoning_path": ["D1:3"], "answer": "Ben"}), "schema broken"),
        (Act('{"reasoning_path": "Ben', finish="length"), "truncated"),
        (openai.SERVER_ERROR, "server error"),
    ],
)
def test_a_reply_that_cannot_be_read_is_a_failure(server: OpenAIServer, act: Act | str, kind: str) -> None:
    server.respond = lambda _request: act
    answer = answerer(server, style="cited").answer(QUERY, CONTEXT, TURNS)
    assert answer.failure is not None
    assert (answer.text, answer.failure.kind) == ("", kind)


def test_the_labels_count_where_the_window_is_short(server: OpenAIServer) -> None:
    plain = answerer(server, window=10_000)
    room = plain.around(QUERY) + 50
    cited = answerer(server, style="cited", max_tokens=10, window=round((CONTEXT.tokens + room) / 0.9) + 60)
    fitted = cited.fitted(QUERY, CONTEXT, TURNS)
    assert TOKENS.count(labelled(fitted)) <= cited.room(QUERY, cited.chat.window or 0)


def test_only_the_labels_of_what_is_kept_take_room(server: OpenAIServer) -> None:
    """Those of a long history would exceed the window by themselves."""
    turns = cut_turns(talk(*[20] * 40), "utterance")
    whole = assemble([Candidate(turn, "history") for turn in turns], TOKENS)
    cited = answerer(server, style="cited", max_tokens=10, window=700)
    room = cited.room(QUERY, 700)
    assert TOKENS.count(labelled(whole)) - whole.tokens > room
    fitted = cited.fitted(QUERY, whole, turns)
    assert fitted.items[-1].turn_id == turns[-1].turn_id
    assert 0.8 * room < TOKENS.count(labelled(fitted)) <= room
