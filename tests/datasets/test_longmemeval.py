"""LongMemEval: each quirk of the file, on instances of our own."""

from __future__ import annotations

from datetime import datetime

import pytest

from cuemem.errors import BadInput
from cuemem.turns import cut_turns
from tests.datasets.samples import chat, kinds, load, longmemeval

MAY = "2023/05/{day:02} (Sat) {clock}"


def on(day: int, clock: str = "10:00") -> str:
    return MAY.format(day=day, clock=clock)


def test_an_instance_without_a_flaw() -> None:
    loaded = load(longmemeval((on(1), "answer_a", chat("user", "assistant", m1=True, m2=False))))
    assert loaded.problems == ()
    assert loaded.conversation.title == "longmemeval/ours_q"
    assert [(u.utterance_id, u.role, u.speaker, u.time) for u in loaded.conversation.utterances] == [
        ("S1:1.1", "user", "User", datetime(2023, 5, 1, 10)),
        ("S1:1.2", "assistant", "Assistant", datetime(2023, 5, 1, 10)),
    ]
    (question,) = loaded.questions
    assert (question.index, question.category, question.category_number) == (0, "multi-session", None)
    assert question.time == datetime(2023, 6, 1, 9)
    assert [(e.utterance_id, e.session) for e in question.evidence] == [("S1:1.1", 1), (None, 1)]
    assert not question.unanswerable


def test_sessions_are_sorted_stably_by_date() -> None:
    first = [(on(2), "b", chat("user")), (on(1, "23:00"), "c", chat("user")), (on(1, "09:00"), "d", chat("user"))]
    loaded = load(longmemeval((on(1), "a", chat("user")), *first, (on(1, "09:00"), "e", chat("user"))))
    assert [session.source_id for session in loaded.conversation.sessions] == ["d", "e", "a", "c", "b"]
    assert [session.number for session in loaded.conversation.sessions] == [1, 2, 3, 4, 5]
    assert kinds(loaded)["sessions reordered"] == 1


def test_a_session_without_a_readable_date_stays_after_the_one_before_it() -> None:
    loaded = load(
        longmemeval(
            ("", "a", chat("user")),
            (on(2), "b", chat("user")),
            ("soon", "c", chat("user")),
            (on(1), "d", chat("user")),
        )
    )
    assert [session.source_id for session in loaded.conversation.sessions] == ["a", "d", "b", "c"]
    assert [session.time is None for session in loaded.conversation.sessions] == [True, False, False, True]
    assert kinds(loaded)["date unknown"] == 2


@pytest.mark.parametrize(
    ("roles", "names"),
    [
        ("uaua", ["S1:1.1", "S1:1.2", "S1:2.1", "S1:2.2"]),
        ("auau", ["S1:1.1", "S1:2.1", "S1:2.2", "S1:3.1"]),
        ("uuaau", ["S1:1.1", "S1:1.2", "S1:1.3", "S1:1.4", "S1:2.1"]),
        ("aau", ["S1:1.1", "S1:1.2", "S1:2.1"]),
        ("us a", ["S1:1.1", "S1:1.2", "S1:1.3", "S1:1.4"]),
    ],
)
def test_messages_are_named_by_the_exchange_that_the_turn_cutter_makes(roles: str, names: list[str]) -> None:
    full = {"u": "user", "a": "assistant", "s": "system", " ": ""}
    conversation = load(longmemeval((on(1), "a", chat(*(full[role] for role in roles))))).conversation
    assert [utterance.utterance_id for utterance in conversation.utterances] == names
    for turn in cut_turns(conversation, "exchange"):
        assert all(utterance.utterance_id.startswith(f"{turn.turn_id}.") for utterance in turn.utterances)


def test_only_runs_of_one_role_and_unknown_roles_are_reported() -> None:
    loaded = load(longmemeval((on(1), "a", chat("assistant", "assistant", "user")), (on(2), "b", chat("tool"))))
    assert [(p.kind, p.place) for p in loaded.problems if p.kind != "no evidence"] == [
        ("same role twice", "session 1, message 2"),
        ("role unknown", "session 2, message 1"),
    ]
    assert loaded.conversation.utterances[-1].speaker == "tool"


def test_no_message_is_lost_whatever_is_wrong_with_it() -> None:
    messages = [{"role": "user", "content": ""}, {"role": "assistant", "content": 5}, {"role": "user"}, "bare"]
    loaded = load(longmemeval((on(1), "a", messages), (on(2), "b", [])))
    assert [utterance.text for utterance in loaded.conversation.utterances] == ["", "5", "", "bare"]
    expected = {"text empty": 1, "text not a string": 2, "role unknown": 1, "session without turns": 1}
    assert kinds(loaded) == expected | {"no evidence": 1}


def test_a_filler_session_that_stands_twice_is_two_sessions() -> None:
    same = chat("user", "assistant")
    loaded = load(longmemeval((on(1), "filler", same), (on(2), "filler", same)))
    assert [u.utterance_id for u in loaded.conversation.utterances] == ["S1:1.1", "S1:1.2", "S2:1.1", "S2:1.2"]
    assert kinds(loaded)["session repeated"] == 1


def test_lists_of_different_lengths_lose_nothing() -> None:
    instance = longmemeval((on(1), "a", chat("user")), (on(2), "b", chat("user")))
    loaded = load(instance | {"haystack_dates": [on(1)], "haystack_session_ids": []})
    assert [(session.source_id, session.time is None) for session in loaded.conversation.sessions] == [
        (None, False),
        (None, True),
    ]
    assert kinds(loaded) == {"lists differ in length": 1, "date unknown": 1, "no evidence": 1}


@pytest.mark.parametrize("broken", [{"haystack_sessions": {"a": []}}, {"haystack_sessions": [7]}])
def test_a_haystack_of_another_shape_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises(BadInput, match=r"talk\.json, item 0.*haystack_sessions.* where a list belongs"):
        load(longmemeval((on(1), "a", chat("user"))) | broken)


def test_an_empty_haystack_is_kept_and_reported() -> None:
    assert kinds(load(longmemeval())) == {"conversation without turns": 1, "no evidence": 1}


def test_gold_sessions_without_a_flagged_message_count_by_session_only() -> None:
    loaded = load(
        longmemeval(
            (on(2), "answer_b", chat("user", "assistant")),
            (on(1), "answer_a", chat("user", "assistant", m1=False, m2=True)),
            (on(3), "filler", chat("user", "assistant", m1=True)),
            answer_session_ids=["answer_b", "answer_a", "answer_gone"],
        )
    )
    (question,) = loaded.questions
    assert question.gold_utterances == ("S1:1.2", "S3:1.1")
    assert question.gold_sessions == (1, 3, 2)
    assert [(e.cited, e.utterance_id, e.session) for e in question.evidence][2:] == [
        ("answer_b", None, 2),
        ("answer_a", None, 1),
        ("answer_gone", None, None),
    ]
    assert kinds(loaded) == {
        "sessions reordered": 1,
        "flag outside gold session": 1,
        "gold by session only": 1,
        "evidence unresolved": 1,
    }


def test_what_leaks_the_gold_stays_out_of_everything_a_method_sees() -> None:
    loaded = load(longmemeval((on(1), "answer_a", chat("user", "assistant", m1=True))))
    assert all(
        "answer_a" not in repr(turn) and "has_answer" not in repr(turn) for turn in cut_turns(loaded.conversation)
    )
    assert loaded.conversation.sessions[0].source_id == "answer_a"


def test_abstention_is_told_by_the_id_alone() -> None:
    loaded = load(longmemeval((on(1), "a", chat("user")), question_id="ours_abs", question_type="temporal-reasoning"))
    assert loaded.questions[0].abstention
    assert loaded.questions[0].unanswerable
    assert loaded.questions[0].category == "temporal-reasoning"


def test_sessions_after_the_question_are_kept() -> None:
    late = ("2023/06/01 (Thu) 18:00", "b", chat("user"))
    loaded = load(longmemeval((on(1), "a", chat("user")), late))
    assert len(loaded.conversation.sessions) == 2
    assert kinds(loaded)["session after question"] == 1


@pytest.mark.parametrize("answer", ["A kettle", 4, 2.5, ["x"], {"a": 1}, False])
def test_an_answer_keeps_its_json_type(answer: object) -> None:
    (question,) = load(longmemeval((on(1), "a", chat("user")), answer=answer)).questions
    assert question.answer == answer
    assert type(question.answer) is type(answer)


def test_missing_keys_of_the_question_are_reported() -> None:
    instance = longmemeval((on(1), "answer_a", chat("user", m1=True)))
    loaded = load({key: instance[key] for key in instance if key.startswith(("haystack", "answer_"))})
    assert kinds(loaded) == {
        "sample id missing": 1,
        "category unknown": 1,
        "answer missing": 1,
        "date unknown": 1,
        "text not a string": 1,
    }
    assert loaded.conversation.sample_id == "talk"


@pytest.mark.parametrize("text", ["<|endoftext|>", "<script>alert(1)</script>", "a\u2028b\x07", "| a |\n|---|", "🍸"])
def test_strange_text_is_kept_to_the_letter(text: str) -> None:
    loaded = load(longmemeval((on(1), "a", [{"role": "user", "content": text}])))
    assert loaded.conversation.utterances[0].text == text
