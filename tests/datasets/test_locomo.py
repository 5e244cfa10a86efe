"""LoCoMo: each quirk of the file, on samples of our own."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from cuemem.datasets import CATEGORY_NAMES
from cuemem.datasets.citations import Citations
from cuemem.errors import BadInput
from cuemem.types import Utterance
from tests.datasets.samples import asks, kinds, load, locomo, says


def test_the_categories_are_the_official_ones() -> None:
    assert dict(CATEGORY_NAMES) == {
        1: "multi-hop",
        2: "temporal",
        3: "open-domain",
        4: "single-hop",
        5: "adversarial",
    }


def test_a_sample_without_a_flaw() -> None:
    shown = says("D1:2", "Look!", "Bo", img_url=["x"], blip_caption="a red kite", query="red kite flying")
    loaded = load(locomo([says("D1:1"), shown], [says("D2:1")], qa=[asks(["D1:2", "D2:1"], category=1)]))
    assert loaded.problems == ()
    assert loaded.conversation.conversation_id == "0123456789abcdef/0"
    assert loaded.conversation.title == "locomo/ours-1"
    assert [(s.number, s.time) for s in loaded.conversation.sessions] == [
        (1, datetime(2023, 5, 1, 13, 56)),
        (2, datetime(2023, 5, 2, 13, 56)),
    ]
    assert loaded.conversation.utterances[1] == Utterance(
        "D1:2", 1, "Bo", "Look!", datetime(2023, 5, 1, 13, 56), "speaker", "a red kite"
    )
    assert "flying" not in repr(loaded.conversation)  # a search text that nobody said
    (question,) = loaded.questions
    assert (question.category_number, question.category) == (1, "multi-hop")
    assert question.gold_utterances == ("D1:2", "D2:1")
    assert question.gold_sessions == (1, 2)


def test_the_flat_layout_is_called_after_its_file() -> None:
    released = locomo([says("D1:1")], observation={"session_1_observation": {"Ann": [["Ann greets.", "D1:1"]]}})
    flat = released["conversation"] | {"qa": released["qa"]} | released["observation"]
    loaded = load(flat | {"session_1_summary": "They greet.", "events_session_1": {}})
    assert loaded.conversation.sample_id == "talk"
    assert kinds(loaded) == {"sample id missing": 1}
    assert [u.utterance_id for u in loaded.conversation.utterances] == ["D1:1"]
    assert loaded.questions[0].gold_utterances == ("D1:1",)
    assert loaded.observations == (("D1:1", "Ann greets."),)


def test_sessions_are_in_numerical_order_and_only_those_that_exist() -> None:
    sample = locomo(*([says(f"D{number}:1")] for number in range(1, 12)))
    sample["conversation"] |= {f"session_{number}_date_time": "1:00 pm on 1 June, 2023" for number in (12, 13)}
    sample["conversation"]["session_3_notes"] = "no session"
    loaded = load(sample)
    assert [session.number for session in loaded.conversation.sessions] == list(range(1, 12))
    assert kinds(loaded) == {"date without session": 1}
    assert "2 dates" in loaded.problems[0].detail


def test_a_session_number_written_in_two_ways_is_refused() -> None:
    sample = locomo([says("D1:1")])
    sample["conversation"]["session_01"] = [says("D1:2")]
    with pytest.raises(BadInput, match=r"talk\.json, item 0.*session_01 and session_1"):
        load(sample)


@pytest.mark.parametrize(("key", "value"), [("session_1", {"a": 1}), ("session_1", "none")])
def test_a_session_that_is_no_list_is_refused(key: str, value: object) -> None:
    sample = locomo([])
    sample["conversation"][key] = value
    with pytest.raises(BadInput, match=r"item 0.*session_1 is an? (object|string) where a list belongs"):
        load(sample)


def test_questions_that_are_no_list_are_refused() -> None:
    with pytest.raises(BadInput, match="qa is a string"):
        load(locomo([says("D1:1")]) | {"qa": "What?"})


@pytest.mark.parametrize("written", ["8 May 2023", None, 7, "1:56 pm on 31 June, 2023"])
def test_an_unreadable_date_keeps_the_turns(written: object) -> None:
    sample = locomo([says("D1:1")])
    sample["conversation"]["session_1_date_time"] = written
    loaded = load(sample)
    assert kinds(loaded) == {"date unknown": 1}
    assert loaded.conversation.sessions[0].time is None
    assert loaded.conversation.utterances[0].time is None


def test_dates_against_the_numbers_are_reported_and_the_numbers_decide() -> None:
    sample = locomo([says("D1:1")], [says("D2:1")])
    sample["conversation"]["session_2_date_time"] = "1:00 pm on 1 April, 2022"
    loaded = load(sample)
    assert kinds(loaded) == {"session dates out of order": 1}
    assert [u.utterance_id for u in loaded.conversation.utterances] == ["D1:1", "D2:1"]


def test_no_turn_is_lost_whatever_is_wrong_with_it() -> None:
    session: list[Any] = [
        says(" D1:1 "),
        says("D1:1", "Take care!"),
        says("D1:1", "Take care!"),
        {"speaker": "Ann", "text": "no id"},
        {"dia_id": "D1:5", "text": "no speaker"},
        {"speaker": "Bo", "dia_id": "D1:6"},
        says("D1:7", {"a": [1, "é"]}),
        says("D1:8", "  "),
        "just a string",
        says("D1:10", 12, blip_caption=""),
    ]
    loaded = load(locomo(session, []))
    assert [(u.utterance_id, u.speaker, u.text) for u in loaded.conversation.utterances] == [
        ("D1:1", "Ann", "Hi there."),
        ("D1:1#2", "Ann", "Take care!"),
        ("D1:1#3", "Ann", "Take care!"),
        ("D1:4", "Ann", "no id"),
        ("D1:5", "Unknown", "no speaker"),
        ("D1:6", "Bo", ""),
        ("D1:7", "Ann", '{"a": [1, "é"]}'),
        ("D1:8", "Ann", "  "),
        ("D1:9", "Unknown", "just a string"),
        ("D1:10", "Ann", "12"),
    ]
    assert kinds(loaded) == {
        "turn id repeated": 2,
        "turn id missing": 2,
        "speaker missing": 2,
        "text not a string": 3,
        "text empty": 1,
        "session without turns": 1,
    }
    assert loaded.questions[0].gold_utterances == ("D1:1",)
    assert [session.number for session in loaded.conversation.sessions] == [1, 2]


def test_a_conversation_without_any_turn_is_kept_and_reported() -> None:
    loaded = load(locomo([], qa=[asks([])]))
    assert kinds(loaded) == {"session without turns": 1, "conversation without turns": 1, "no evidence": 1}


def test_a_sample_without_questions() -> None:
    sample = locomo([says("D1:1")])
    del sample["qa"]
    assert kinds(load(sample)) == {"no questions": 1}


# --- evidence ----------------------------------------------------------------------------------------------------

KNOWN = [f"D{session}:{turn}" for session in (3, 5, 12) for turn in range(1, 20)]


@pytest.mark.parametrize(
    ("cited", "gold", "repaired", "missing"),
    [
        ("D3:4", ["D3:4"], False, []),
        (" D3:4\n", ["D3:4"], False, []),
        ("D3:4; D5:6", ["D3:4", "D5:6"], True, []),
        ("D3:4 D5:6 D3:4", ["D3:4", "D5:6"], True, []),
        ("D3:4, D12:1", ["D3:4", "D12:1"], True, []),
        ("D:12:7", ["D12:7"], True, []),
        ("D5:09", ["D5:9"], True, []),
        ("D 3 : 4", ["D3:4"], True, []),
        ("D3:4 D9:9", ["D3:4"], True, ["D9:9"]),
        ("D", [], False, ["D"]),
        ("D3:44", [], False, ["D3:44"]),
        ("3:4", [], False, ["3:4"]),
        (f"D3:{'9' * 9000}", [], False, [f"D3:{'9' * 9000}"]),
    ],
)
def test_what_a_citation_names(cited: str, gold: list[str], repaired: bool, missing: list[str]) -> None:
    citations = Citations(Utterance(name, int(name[1:].split(":")[0]), "Ann", "x") for name in KNOWN)
    resolved = citations.resolve(cited)
    assert [utterance.utterance_id for utterance in resolved.utterances] == gold
    assert (resolved.repaired, list(resolved.missing)) == (repaired, missing)


def test_a_file_that_pads_its_ids_is_cited_either_way() -> None:
    citations = Citations([Utterance("D03:04", 3, "Ann", "x")])
    assert citations.resolve("D03:04").utterances == citations.resolve("D3:4").utterances


def test_evidence_is_reported_once_a_string_and_unresolved_never_becomes_gold() -> None:
    turns = [says(f"D1:{number}") for number in range(1, 5)]
    qa = [asks(["D1:1; D1:2", "D1:3"]), asks(["D", "D1:4"]), asks(["D7:1"]), asks([]), asks(None), asks("D1:2")]
    loaded = load(locomo(turns, qa=[*qa, asks([["D1:1"], 5])]))
    assert [question.gold_utterances for question in loaded.questions] == [
        ("D1:1", "D1:2", "D1:3"),
        ("D1:4",),
        (),
        (),
        (),
        ("D1:2",),
        ("D1:1",),
    ]
    assert [(p.kind, p.question_index, p.place, p.sample_id) for p in loaded.problems] == [
        ("evidence repaired", 0, "question 0", "ours-1"),
        ("evidence unresolved", 1, "question 1", "ours-1"),
        ("evidence unresolved", 2, "question 2", "ours-1"),
        ("no evidence", 3, "question 3", "ours-1"),
        ("no evidence", 4, "question 4", "ours-1"),
        ("evidence repaired", 6, "question 6", "ours-1"),
        ("evidence unresolved", 6, "question 6", "ours-1"),
    ]
    assert [(e.cited, e.utterance_id, e.session) for e in loaded.questions[1].evidence] == [
        ("D", None, None),
        ("D1:4", "D1:4", 1),
    ]


# --- questions ---------------------------------------------------------------------------------------------------


def test_a_category_five_question_has_no_answer_and_keeps_its_trap() -> None:
    plain = {"question": "When did Bo fly?", "category": 5, "evidence": ["D1:1"], "adversarial_answer": "in May"}
    both = plain | {"answer": "No"}
    neither = {key: value for key, value in plain.items() if key != "adversarial_answer"}
    loaded = load(locomo([says("D1:1")], qa=[plain, both, neither]))
    assert [(q.answer, q.adversarial_answer, q.unanswerable) for q in loaded.questions] == [
        (None, "in May", True),
        ("No", "in May", True),
        (None, None, True),
    ]
    assert [(p.kind, p.question_index) for p in loaded.problems] == [("answer beside trap", 1), ("answer missing", 2)]


@pytest.mark.parametrize("answer", ["tea", 2022, 3.5, True, ["tea", "milk"], {"drink": "tea"}, 0, "", False])
def test_an_answer_keeps_its_json_type(answer: object) -> None:
    (question,) = load(locomo([says("D1:1")], qa=[asks(["D1:1"], answer=answer)])).questions
    assert question.answer == answer
    assert type(question.answer) is type(answer)


@pytest.mark.parametrize("answer", [{}, {"answer": None}])
def test_a_missing_answer_is_reported(answer: dict[str, None]) -> None:
    entry = {"question": "What?", "category": 4, "evidence": ["D1:1"]} | answer
    assert kinds(load(locomo([says("D1:1")], qa=[entry]))) == {"answer missing": 1}


@pytest.mark.parametrize(
    ("written", "number", "name", "count"),
    [
        (2, 2, "temporal", 0),
        ("2", 2, "temporal", 0),
        (6, 6, "unknown", 1),
        *((other, None, "unknown", 1) for other in (True, None, "temporal", 2.5, [1], "9" * 5000)),
    ],
)
def test_a_category_that_is_not_one(written: object, number: int | None, name: str, count: int) -> None:
    loaded = load(locomo([says("D1:1")], qa=[asks(["D1:1"], category=written)]))
    assert (loaded.questions[0].category_number, loaded.questions[0].category) == (number, name)
    assert kinds(loaded).get("category unknown", 0) == count


def test_equal_questions_are_kept_apart_by_their_index() -> None:
    loaded = load(locomo([says("D1:1")], qa=[asks(["D1:1"]), asks(["D1:1"]), asks(["D1:1"], category=5)]))
    assert [question.index for question in loaded.questions] == [0, 1, 2]
    assert len(loaded.questions) == 3


def test_a_question_that_is_no_object_keeps_its_place() -> None:
    loaded = load(locomo([says("D1:1")], qa=["What?", asks(["D1:1"])]))
    assert [(question.index, question.text) for question in loaded.questions] == [
        (0, "What?"),
        (1, "What does Ann drink?"),
    ]


# --- observations ------------------------------------------------------------------------------------------------


def test_an_observation_is_one_statement_for_each_turn_it_points_to() -> None:
    pairs = [["One.", "D1:2"], ["Two.", ["D1:1", "D1:3"]], ["Three.", "D1:1, D1:2,D1:1"], ["Lost.", "D9:9"]]
    observation = {
        "session_2_observation": {"Ann": [["Later.", "D2:1"]], "Bo": []},
        "session_1_observation": {"Ann": pairs, "Bo": [["half"], "no pair", ["", "D1:1"], ["Five.", [7]]]},
    }
    turns = [says(f"D1:{number}") for number in (1, 2, 3)]
    loaded = load(locomo(turns, [says("D2:1")], observation=observation))
    assert loaded.observations == (
        ("D1:2", "One."),
        ("D1:1", "Two."),
        ("D1:3", "Two."),
        ("D1:1", "Three."),
        ("D1:2", "Three."),
        ("D2:1", "Later."),
    )
    assert kinds(loaded) == {"observation unresolved": 2, "observation malformed": 3}
    assert loaded.problems[0].place == "session_1_observation, Ann 3"
