"""Cues from a file: onto turns under either unit, and every line that cannot be used is listed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cuemem.adapters.files import open_source
from cuemem.cues.imported import ImportedCues, read_cues
from cuemem.datasets import load_conversations
from cuemem.errors import BadInput
from cuemem.turns import cut_turns
from cuemem.types import Conversation, Session, Triple, TurnUnit, Utterance
from tests.shared_data import shared

TWO_PEOPLE = Conversation(
    "f/0",
    "locomo",
    "ours",
    (Session(1, None),),
    tuple(Utterance(f"D1:{n}", 1, "Ann" if n % 2 else "Bo", f"Text {n}.") for n in range(1, 6)),
)
CHAT = Conversation(
    "f/1",
    "longmemeval",
    "ours_q",
    (Session(1, None),),
    tuple(
        Utterance(name, 1, role.capitalize(), "Text.", role=role)  # type: ignore[arg-type]
        for name, role in [("S1:1.1", "user"), ("S1:1.2", "assistant"), ("S1:2.1", "user"), ("S1:2.2", "assistant")]
    ),
)


def read(conversation: Conversation, *lines: Any) -> ImportedCues:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return read_cues(texts, conversation, file="cues.jsonl", sha256="ab" * 32)


def by_turn(cues: ImportedCues, conversation: Conversation, unit: TurnUnit) -> dict[str, list[str]]:
    extractions = cues.extract(conversation, cut_turns(conversation, unit))
    return {one.turn_id: [str(content) for content in one.contents] for one in extractions}


def test_triples_and_statements_under_either_unit() -> None:
    cues = read(
        TWO_PEOPLE,
        {"dia_id": "D1:2", "cues": [["Bo", "likes", "tea"], "Bo is tired."]},
        {"turn_id": " D1:1 ", "cues": [["Ann", "is", 30]]},
        {"dia_id": "D1:3", "cues": []},
        "",
        {"dia_id": "D1:2", "cues": ["Bo left."]},
    )
    assert cues.problems == ()
    assert by_turn(cues, TWO_PEOPLE, "utterance") == {
        "D1:1": ["Ann is 30"],
        "D1:2": ["Bo likes tea", "Bo is tired.", "Bo left."],
        "D1:3": [],
        "D1:4": [],
        "D1:5": [],
    }
    assert by_turn(cues, TWO_PEOPLE, "exchange") == {
        "D1:1": ["Ann is 30", "Bo likes tea", "Bo is tired.", "Bo left."],
        "D1:3": [],
        "D1:5": [],
    }
    first = next(iter(cues.extract(TWO_PEOPLE, cut_turns(TWO_PEOPLE))))
    assert first.contents == (Triple("Ann", "is", "30"),)
    assert (cues.name, cues.provenance["file"], cues.provenance["sha256"]) == ("imported", "cues.jsonl", "ab" * 32)


def test_an_exchange_and_a_message_in_it_can_be_named() -> None:
    cues = read(CHAT, {"turn_id": "S1:1", "cues": ["whole"]}, {"turn_id": "S1:1.2", "cues": ["reply"]})
    assert by_turn(cues, CHAT, "exchange") == {"S1:1": ["whole", "reply"], "S1:2": []}
    assert by_turn(cues, CHAT, "utterance") == {"S1:1.1": ["whole"], "S1:1.2": ["reply"], "S1:2.1": [], "S1:2.2": []}
    assert [problem.kind for problem in cues.problems] == ["cue for an exchange"]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("{not json", "cue line malformed"),
        ('{"dia_id": "D1:2", "cues": [', "cue line malformed"),
        ("[" * 100_000, "cue line malformed"),
        ("7", "cue line malformed"),
        ([["Bo", "likes", "tea"]], "cue line malformed"),
        ({"cues": []}, "cue line malformed"),
        ({"dia_id": 7, "cues": []}, "cue line malformed"),
        ({"dia_id": " ", "cues": []}, "cue line malformed"),
        ({"dia_id": "D1:2"}, "cue line malformed"),
        ({"dia_id": "D1:2", "cues": "Bo likes tea"}, "cue line malformed"),
        ({"dia_id": "D1:2", "cues": [["Bo", "likes"]]}, "cue malformed"),
        ({"dia_id": "D1:2", "cues": [["Bo", "likes", "tea", "much"]]}, "cue malformed"),
        ({"dia_id": "D1:2", "cues": [["Bo", None, "tea"]]}, "cue malformed"),
        ({"dia_id": "D1:2", "cues": [{"subject": "Bo"}]}, "cue malformed"),
        ({"dia_id": "D1:2", "cues": [True]}, "cue malformed"),
        ({"dia_id": "D1:2", "cues": [["Bo", " ", "tea"]]}, "cue blank"),
        ({"dia_id": "D1:2", "cues": [""]}, "cue blank"),
        ({"dia_id": "D9:2", "cues": ["x", "y"]}, "cue turn unknown"),
    ],
)
def test_a_line_that_cannot_be_used_is_listed_and_the_rest_is_used(line: Any, kind: str) -> None:
    cues = read(TWO_PEOPLE, {"dia_id": "D1:1", "cues": ["Ann sings."]}, line)
    assert [(problem.kind, problem.place) for problem in cues.problems] == [(kind, "cues.jsonl, line 2")]
    assert by_turn(cues, TWO_PEOPLE, "utterance")["D1:1"] == ["Ann sings."]
    assert by_turn(cues, TWO_PEOPLE, "utterance")["D1:2"] == []


def test_what_cannot_be_stored_is_replaced() -> None:
    cues = read(
        TWO_PEOPLE, '\ufeff{"dia_id": "D1:1", "cues": [["Ann", "says", "a\\ud800b\\u0000"], "\\ud83c\\udf78"]}'
    )
    assert by_turn(cues, TWO_PEOPLE, "utterance")["D1:1"] == ["Ann says a\ufffdb\ufffd", "🍸"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], ["no line for a turn of locomo/ours", "is empty"]),
        (["", "  "], ["is empty"]),
        (['[{"dia_id": "D1:1"}]'], ["line 1", "turn_id"]),
        ([{"dia_id": "D7:1", "cues": ["x"]}], ["line 1", "'D7:1'"]),
        ([{"dia_id": "D1:1", "cues": []}, {"dia_id": "D1:2", "cues": [[""]]}], ["no usable cue"]),
    ],
)
def test_a_file_without_anything_for_the_conversation_is_refused(lines: list[Any], words: list[str]) -> None:
    with pytest.raises(BadInput) as caught:
        read(TWO_PEOPLE, *lines)
    assert all(word in str(caught.value) for word in ["cues.jsonl", *words])


def test_cues_read_for_one_conversation_are_not_used_for_another() -> None:
    cues = read(TWO_PEOPLE, {"dia_id": "D1:1", "cues": ["x"]})
    with pytest.raises(BadInput, match="another conversation than longmemeval/ours_q"):
        list(cues.extract(CHAT, cut_turns(CHAT)))


def test_the_published_cues_fit_their_conversations() -> None:
    total = 0
    for one in load_conversations(open_source(shared("data/locomo/locomo10.json"))):
        path = shared("data/locomo/cues") / f"{one.conversation.sample_id}.jsonl"
        if not path.exists():
            continue
        source = open_source(path)
        cues = read_cues(source.lines(), one.conversation, file=source.name, sha256=source.sha256)
        assert cues.problems == ()
        counts = [
            sum(len(e.contents) for e in cues.extract(one.conversation, cut_turns(one.conversation, unit)))
            for unit in ("utterance", "exchange")
        ]
        assert counts[0] == counts[1]
        total += counts[0]
    assert total == 5479


def test_the_published_cues_name_the_exchanges_as_we_do() -> None:
    path = shared("data/longmemeval/longmemeval_s_cleaned_sample.json.gz")
    by_name = {one.conversation.sample_id: one.conversation for one in load_conversations(open_source(path))}
    for name in ("0a995998", "6a1eabeb", "7161e7e2"):
        lines = list(open_source(shared(f"data/longmemeval/cues/{name}.jsonl")).lines())
        named = [json.loads(line)["turn_id"] for line in lines]
        assert named == [turn.turn_id for turn in cut_turns(by_name[name])]
        assert [p.kind for p in read(by_name[name], *lines).problems] == ["cue for an exchange"]
