"""A person's own chat: its example, sessions, names of turns, evidence, and faults that name the line."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuemem.adapters.files import open_source
from cuemem.datasets import DATASETS, LoadedConversation, load_conversations
from cuemem.datasets.dates import plain_date
from cuemem.datasets.own_chat import EXAMPLE
from cuemem.errors import BadInput
from cuemem.problems import MEANINGS, is_informational
from cuemem.turns import cut_turns
from cuemem.types import Evidence, Problem, Session, Utterance


def says(text: Any = "Hi.", speaker: Any = "Ann", time: Any = None, **more: Any) -> dict[str, Any]:
    return {"speaker": speaker, "text": text} | ({} if time is None else {"time": time}) | more


def load_text(folder: Path, text: str, name: str = "my chat.jsonl") -> LoadedConversation:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    (loaded,) = load_conversations(open_source(path))
    return loaded


def load(folder: Path, *lines: Any) -> LoadedConversation:
    """The lines as a file; None is a blank line."""
    return load_text(folder, "".join("\n" if line is None else json.dumps(line) + "\n" for line in lines))


def fault(folder: Path, *lines: Any) -> str:
    with pytest.raises(BadInput) as caught:
        load(folder, *lines)
    return str(caught.value)


def ids(loaded: LoadedConversation) -> list[str]:
    return [utterance.utterance_id for utterance in loaded.conversation.utterances]


def kinds(loaded: LoadedConversation) -> list[str]:
    return [problem.kind for problem in loaded.problems]


def test_the_example_is_a_whole_chat_without_a_problem(tmp_path: Path) -> None:
    loaded = load_text(tmp_path, EXAMPLE)
    first, second = datetime(2024, 5, 1, 18, 30), datetime(2024, 5, 3, 9, 0)
    talk = loaded.conversation
    assert (talk.dataset, talk.sample_id, talk.title) == ("chat", "my chat", "chat/my chat")
    assert talk.sessions == (Session(1, first), Session(2, second))
    assert talk.utterances == (
        Utterance("D1:1", 1, "Ann", "I have adopted a cat. She is called Tilly.", first),
        Utterance("D1:2", 1, "Bo", "How old is she?", first.replace(minute=31), caption="a grey cat on a sofa"),
        Utterance("D2:1", 2, "Ann", "Two, says the vet.", second),
    )
    (question,) = loaded.questions
    assert (question.text, question.answer, question.time) == ("How old is Ann's cat?", "two", datetime(2024, 6, 1))
    assert (question.index, question.category, question.category_number) == (0, "own question", None)
    assert question.evidence == (Evidence("2", "D1:2", 1), Evidence("3", "D2:1", 2))
    assert loaded.problems == ()


def test_a_list_is_the_same_chat_and_counts_its_entries(tmp_path: Path) -> None:
    entries = [json.loads(line) for line in EXAMPLE.splitlines()]
    for indent in (None, 2):
        loaded = load_text(tmp_path, json.dumps(entries, indent=indent), "chat.json")
        assert loaded.conversation.utterances == load_text(tmp_path, EXAMPLE).conversation.utterances
        assert loaded.questions == load_text(tmp_path, EXAMPLE).questions
    entries[1] = "Bo"
    with pytest.raises(BadInput, match=r"chat\.json, entry 2: this is a string where an object belongs"):
        load_text(tmp_path, json.dumps(entries), "chat.json")


def test_blank_lines_count_as_lines(tmp_path: Path) -> None:
    loaded = load(tmp_path, None, says("one"), None, None, says("two"), {"question": "?", "answer": 1, "evidence": 5})
    assert loaded.questions[0].evidence == (Evidence("5", "D1:2", 1),)
    assert fault(tmp_path, None, says(), None, 7).startswith(
        "my chat.jsonl goes on after the end of its JSON, at line 4"
    )
    assert fault(tmp_path, None, says(), None, {"a": 1}).startswith("my chat.jsonl, line 4: there is neither")


@pytest.mark.parametrize(
    ("times", "sessions"),
    [
        (["2024-05-01 08:00", "2024-05-01 13:59", "2024-05-01 19:59"], [1, 1, 2]),  # 5:59, then 6:00 of silence
        (["2024-05-01 23:58", "2024-05-02 00:01", "2024-05-02 00:02"], [1, 2, 2]),  # another day
        (["2024-05-01 08:00", None, "2024-05-01 15:00"], [1, 1, 2]),  # silence since the last known time
        ([None, None, "2024-05-01"], [1, 1, 1]),
    ],
)
def test_sessions_by_day_and_silence(tmp_path: Path, times: list[str | None], sessions: list[int]) -> None:
    loaded = load(tmp_path, *(says(time=time) for time in times))
    assert [utterance.session for utterance in loaded.conversation.utterances] == sessions


def test_sessions_as_the_file_numbers_them(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        says("a", session=7, time="2024-05-01 08:00"),
        says("b", time="2024-05-09 08:00"),
        says("c", session="2", time="2024-06-01"),
        says("d", session=7),
    )
    assert [(u.utterance_id, u.text) for u in loaded.conversation.utterances] == [
        ("D2:1", "c"),
        ("D7:1", "a"),
        ("D7:2", "b"),
        ("D7:3", "d"),
    ]
    assert loaded.conversation.sessions == (Session(2, datetime(2024, 6, 1)), Session(7, datetime(2024, 5, 1, 8)))
    assert kinds(loaded) == ["date unknown", "sessions reordered", "session dates out of order", "no questions"]
    for wrong in ("one", -1, 1.5, True, [], 10**12):
        assert fault(tmp_path, says(), says(session=wrong)).startswith("my chat.jsonl, line 2: the session ")


def test_a_chat_that_runs_backwards_is_sorted_and_evidence_stays_with_its_line(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        says("last", time="2024-05-03 10:00"),
        says("and last", time="2024-05-03 10:00"),
        says("no time"),
        says("first", time="2024-05-01 10:00"),
        {"question": "?", "answer": "", "evidence": [1, "4"]},
    )
    assert [u.text for u in loaded.conversation.utterances] == ["first", "last", "and last", "no time"]
    assert loaded.questions[0].gold_utterances == ("D2:1", "D1:1")
    assert kinds(loaded) == ["date unknown", "messages reordered"]


def test_user_and_assistant_are_told_by_their_names(tmp_path: Path) -> None:
    talk = [("Assistant", "Hello."), ("user", "Hi"), ("User", "A question"), ("AI", "An answer"), ("human", "Bye")]
    loaded = load(
        tmp_path,
        *(says(text, speaker) for speaker, text in talk),
        {"question": "?", "answer": 1, "evidence": ["S1:2", "S1:3.1", 1]},
    )
    assert ids(loaded) == ["S1:1.1", "S1:2.1", "S1:2.2", "S1:2.3", "S1:3.1"]
    assert [u.role for u in loaded.conversation.utterances] == ["assistant", "user", "user", "assistant", "user"]
    assert [u.speaker for u in loaded.conversation.utterances] == [speaker for speaker, _ in talk]
    assert [turn.turn_id for turn in cut_turns(loaded.conversation)] == ["S1:1", "S1:2", "S1:3"]
    assert loaded.questions[0].gold_utterances == ("S1:2.1", "S1:2.2", "S1:2.3", "S1:3.1", "S1:1.1")


def test_a_diary_by_user_alone_and_a_group_are_people(tmp_path: Path) -> None:
    diary = load(tmp_path, says("a", "user"), says("b", "user"))
    assert (ids(diary), {u.role for u in diary.conversation.utterances}) == (["D1:1", "D1:2"], {"speaker"})
    group = load(tmp_path, says("a", "Ann"), says("b", "assistant"), says("c", "Bo"))
    assert ids(group) == ["D1:1", "D1:2", "D1:3"]


def test_what_cannot_be_read_is_kept_and_reported_with_its_line(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        says("Hi.", time="yesterday"),
        says("", None, time="2024-05-01"),
        says({"a": 1}, 5, time="2024-05-01"),
        {"question": None, "evidence": ["D9:9", 6, 4], "time": "soon", "category": "age"},
        {"question": "?", "answer": 3},
        says("nul \0", time="2024-05-01"),
    )
    assert [(u.speaker, u.text) for u in loaded.conversation.utterances] == [
        ("Ann", "Hi."),
        ("Unknown", ""),
        ("5", '{"a": 1}'),
        ("Ann", "nul \ufffd"),
    ]
    assert [(problem.kind, problem.place, problem.question_index) for problem in loaded.problems] == [
        ("character replaced", "item 5.text", None),
        ("date unknown", "line 1", None),
        ("speaker missing", "line 2", None),
        ("text empty", "line 2", None),
        ("text not a string", "line 3", None),
        ("answer missing", "line 4", 0),
        ("text not a string", "line 4", None),
        ("date unknown", "line 4", 0),
        ("evidence unresolved", "line 4", 0),
        ("evidence unresolved", "line 4", 0),
        ("no evidence", "line 5", 1),
    ]
    assert {problem.sample_id for problem in loaded.problems} == {"my chat"}
    assert loaded.questions[0].evidence == (Evidence("D9:9"), Evidence("6", "D1:4", 1), Evidence("4"))
    assert loaded.questions[0].category == "age"


def test_faults_name_file_line_and_the_way_out(tmp_path: Path) -> None:
    message = fault(tmp_path, says(), {"speaker": "Bo", "message": "Hi"})
    assert message.startswith(
        "my chat.jsonl, line 2: there is neither \"text\" nor \"question\" but 'speaker', 'message'; "
        'a message looks like {"speaker": "Ann", "time": "2024-05-01 18:30"'
    )
    with pytest.raises(BadInput, match=r"not valid JSON at line 2, character 19"):
        load_text(tmp_path, json.dumps(says()) + '\n{"speaker": "Bo", text: 1}\n')
    # A chat cannot begin with a question: any list of questions would else count as one.
    message = fault(tmp_path, {"question": "?", "answer": 1}, says())
    assert 'chat: a file of objects with "speaker", "time" and "text", one a line' in message
    with pytest.raises(BadInput, match=r"item 1.*sample of chat among samples of locomo"):
        load_text(tmp_path, json.dumps({"session_1": []}) + "\n" + json.dumps(says()))


@pytest.mark.parametrize(
    ("written", "time"),
    [
        ("2024-05-01 18:30", datetime(2024, 5, 1, 18, 30)),
        (" 2024-05-01T18:30:59 ", datetime(2024, 5, 1, 18, 30, 59)),
        ("2024-05-01t18:30:59.123456789Z", datetime(2024, 5, 1, 18, 30, 59)),
        ("2024-05-01T23:30+02:00", datetime(2024, 5, 1, 23, 30)),
        ("2024-05-01 23:30 -0800", datetime(2024, 5, 1, 23, 30)),
        ("2024-05-01", datetime(2024, 5, 1)),
        ("2024-02-30", None),
        ("2024-05-01 24:00", None),
        ("2024-5-1", None),
        ("20240501", None),
        ("2024-W01-1", None),
        ("1714588200", None),
        (1714588200, None),
        ("٢٠٢٤-٠٥-٠١", None),
        (None, None),
    ],
)
def test_plain_dates(written: Any, time: datetime | None) -> None:
    assert plain_date(written) == time


def load_or_refusal(folder: Path, lines: list[Any]) -> tuple[LoadedConversation | None, str]:
    try:
        return load(folder, *lines), ""
    except BadInput as error:
        return None, str(error)


VALUES = st.none() | st.booleans() | st.integers(-3, 9) | st.sampled_from(["2024-05-01 18:30", "user", "bot", ""])
ANYTHING = VALUES | st.text(max_size=5) | st.lists(VALUES, max_size=2) | st.dictionaries(st.text(max_size=3), VALUES)
LINES = st.dictionaries(
    st.sampled_from(["speaker", "text", "time", "session", "caption", "question", "answer", "evidence", "x"]),
    ANYTHING,
)


@settings(max_examples=200, deadline=None)
@given(lines=st.lists(LINES | ANYTHING, max_size=6))
def test_any_lines_are_read_or_refused_in_a_sentence(
    lines: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    loaded, refusal = load_or_refusal(tmp_path_factory.mktemp("chat"), [says(time="2024-05-01"), *lines])
    if loaded is None:
        assert refusal.startswith("my chat.jsonl")
        return
    asked = sum(line is None or "question" in line for line in lines)
    assert len(set(ids(loaded))) == len(ids(loaded)) == 1 + len(lines) - asked
    numbers = [session.number for session in loaded.conversation.sessions]
    assert numbers == sorted(set(numbers))
    assert [u.session for u in loaded.conversation.utterances] == sorted(
        u.session for u in loaded.conversation.utterances
    )
    assert {u.session for u in loaded.conversation.utterances} == set(numbers)
    assert all(set(question.gold_utterances) <= set(ids(loaded)) for question in loaded.questions)
    assert all(problem.kind in MEANINGS for problem in loaded.problems)
    assert cut_turns(loaded.conversation)


def test_other_datasets_are_not_taken_for_a_chat() -> None:
    (chat,) = (dataset for dataset in DATASETS if dataset.name == "chat")
    assert not chat.recognises({"question_id": "locomo_0_qa1", "question": "?", "golden_answer": "x"})
    assert not chat.recognises({"speaker": "Ann", "dia_id": "D1:1"})
    assert is_informational(Problem("messages reordered", "file", ""))
