"""The released files, counted: every trap that is known in them is met, and nothing else is reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import cache

from cuemem.adapters.files import open_source
from cuemem.datasets import KNOWN_FILES, LoadedConversation, load_conversations
from cuemem.turns import cut_turns
from tests.shared_data import shared


@cache
def loaded(path: str) -> tuple[LoadedConversation, ...]:
    return tuple(load_conversations(open_source(shared(path))))


def locomo() -> dict[str, LoadedConversation]:
    return {one.conversation.sample_id: one for one in loaded("data/locomo/locomo10.json")}


def sample() -> dict[str, LoadedConversation]:
    path = "data/longmemeval/longmemeval_s_cleaned_sample.json.gz"
    return {one.conversation.sample_id: one for one in loaded(path)}


def oracle() -> tuple[LoadedConversation, ...]:
    return loaded("data/longmemeval/longmemeval_oracle_mini60.json")


def problems(conversations: Sequence[LoadedConversation]) -> dict[str, int]:
    return dict(Counter(problem.kind for one in conversations for problem in one.problems))


def test_the_size_of_locomo() -> None:
    conversations = [one.conversation for one in locomo().values()]
    assert len(conversations) == 10
    assert sum(len(one.sessions) for one in conversations) == 272
    assert sum(len(one.utterances) for one in conversations) == 5882
    assert sum(u.caption is not None for one in conversations for u in one.utterances) == 1226
    assert open_source(shared("data/locomo/locomo10.json")).sha256 in KNOWN_FILES
    assert sum("John" in one.speakers for one in conversations) == 3


def test_the_questions_of_locomo() -> None:
    questions = [question for one in locomo().values() for question in one.questions]
    assert Counter((q.category_number, q.category) for q in questions) == {
        (1, "multi-hop"): 282,
        (2, "temporal"): 321,
        (3, "open-domain"): 96,
        (4, "single-hop"): 841,
        (5, "adversarial"): 446,
    }
    assert sum(q.category_number != 5 and bool(q.gold_utterances) for q in questions) == 1536
    assert sum(type(q.answer) is int for q in questions) == 6
    traps = [q for q in questions if q.unanswerable]
    assert len(traps) == 446
    assert all(q.adversarial_answer is not None for q in traps)
    assert sum(q.answer is None for q in traps) == 444


def test_the_problems_of_locomo() -> None:
    assert problems(tuple(locomo().values())) == {
        "evidence repaired": 6,
        "evidence unresolved": 3,
        "no evidence": 4,
        "answer beside trap": 2,
        "date without session": 1,
    }
    unresolved = [p for one in locomo().values() for p in one.problems if p.kind == "evidence unresolved"]
    assert [(p.sample_id, p.question_index) for p in unresolved] == [
        ("conv-42", 58),
        ("conv-42", 88),
        ("conv-47", 38),
    ]


def test_midnight_sessions_and_dates_of_locomo() -> None:
    times = [session.time for one in locomo().values() for session in one.conversation.sessions]
    assert all(time is not None for time in times)
    assert sum(time.hour == 0 for time in times if time) == 14
    assert locomo()["conv-26"].conversation.sessions[0].time == datetime(2023, 5, 8, 13, 56)


def test_the_observations_of_locomo() -> None:
    for one in locomo().values():
        ids = {utterance.utterance_id for utterance in one.conversation.utterances}
        assert one.observations
        assert all(utterance_id in ids for utterance_id, _ in one.observations)
    assert sum(len(one.observations) for one in locomo().values()) == 2561


def test_the_sample_of_longmemeval() -> None:
    conversations = sample()
    questions = [one.questions[0] for one in conversations.values()]
    assert (len(conversations), sum(q.abstention for q in questions)) == (25, 7)
    assert Counter(type(q.answer) for q in questions) == {str: 22, int: 3}
    assert problems(tuple(conversations.values())) == {
        "gold by session only": 16,
        "sessions reordered": 9,
        "text empty": 8,
        "same role twice": 4,
        "session after question": 3,
        "session repeated": 1,
    }
    assert "S20:4.1" in conversations["0a995998"].questions[0].gold_utterances


def test_every_session_of_longmemeval_is_in_order_and_every_exchange_well_named() -> None:
    for one in [*sample().values(), *oracle()]:
        times = [session.time for session in one.conversation.sessions if session.time]
        assert times == sorted(times)
        for turn in cut_turns(one.conversation):
            assert [u.utterance_id for u in turn.utterances] == [
                f"{turn.turn_id}.{number}" for number in range(1, len(turn.utterances) + 1)
            ]


def test_the_oracle_instances_of_longmemeval() -> None:
    assert len(oracle()) == 60
    assert sum(one.questions[0].abstention for one in oracle()) == 30
    assert len({one.conversation.conversation_id for one in [*oracle(), *sample().values()]}) == 85
    shared_ids = {one.conversation.sample_id for one in oracle()} & set(sample())
    assert len(shared_ids) == 9
