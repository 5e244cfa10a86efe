"""From parsed items to conversations: recognition by content, keys, and faults that name file and item."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from cuemem.datasets import DATASETS, LoadedConversation, conversation_key, dataset_of, load_conversations
from cuemem.errors import BadInput
from cuemem.problems import INFORMATIONAL, MEANINGS, ProblemKind, is_informational
from cuemem.types import Problem
from tests.datasets.samples import Given, chat, load, locomo, longmemeval, says

LOCOMO = locomo([says("D1:1")])
CHAT = longmemeval(("2023/05/01 (Mon) 10:00", "a", chat("user")))


def test_each_kind_of_problem_has_a_meaning() -> None:
    assert set(get_args(ProblemKind)) == set(MEANINGS)
    assert set(MEANINGS) > INFORMATIONAL
    assert is_informational(Problem("text empty", "", ""))
    assert not is_informational(Problem("date unknown", "", ""))


def test_a_conversation_is_keyed_by_file_and_position() -> None:
    loaded = list(load_conversations(Given((LOCOMO, LOCOMO))))
    assert [one.conversation.conversation_id for one in loaded] == ["0123456789abcdef/0", "0123456789abcdef/1"]
    assert conversation_key("0123456789abcdef" * 4, 1) == "0123456789abcdef/1"
    assert [problem.kind for problem in loaded[1].problems] == ["sample id repeated"]


def test_samples_without_an_id_are_called_after_the_file_and_their_place() -> None:
    nameless = {key: value for key, value in LOCOMO.items() if key != "sample_id"}
    loaded = load_conversations(Given((nameless, nameless)))
    assert [one.conversation.sample_id for one in loaded] == ["talk", "talk-1"]


def test_what_parsing_found_is_filed_under_the_sample() -> None:
    found = (Problem("character replaced", "item 0.x", "It was replaced."),)
    (loaded,) = load_conversations(Given((LOCOMO,), found))
    assert loaded.problems == (Problem("character replaced", "item 0.x", "It was replaced.", "ours-1"),)


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ({"id": 1, "text": "a"}, ["'id', 'text'"]),
        ({}, ["an empty object"]),
        ("a text", ["a text"]),
        (None, ["None"]),
        ([LOCOMO], ["no sample"]),
        ({"conversation": [], "qa": []}, ["'conversation', 'qa'"]),
    ],
)
def test_json_of_another_schema_is_refused_and_says_what_can_be_loaded(sample: object, words: list[str]) -> None:
    with pytest.raises(BadInput) as caught:
        load(sample)
    message = str(caught.value)
    assert all(
        word in message for word in ["talk.json, item 0", "locomo", "longmemeval", "haystack_sessions", *words]
    )


def test_a_file_holds_samples_of_one_dataset() -> None:
    with pytest.raises(BadInput, match=r"item 1.*longmemeval among samples of locomo"):
        list(load_conversations(Given((LOCOMO, CHAT))))
    with pytest.raises(BadInput, match="item 1"):
        list(load_conversations(Given((LOCOMO, {}))))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None)
@given(data=st.data(), sample=st.sampled_from([LOCOMO, CHAT]))
def test_any_value_anywhere_is_either_read_or_refused_in_a_sentence(
    data: st.DataObject, sample: dict[str, Any]
) -> None:
    broken = data.draw(_one_value_replaced(sample))
    loaded, refusal = read_or_refused(broken)
    if loaded is None:
        event("refused")
        assert refusal.startswith("talk.json, item 0")
        return
    ids = [utterance.utterance_id for utterance in loaded.conversation.utterances]
    assert len(ids) == len(set(ids))
    numbers = {session.number for session in loaded.conversation.sessions}
    assert {utterance.session for utterance in loaded.conversation.utterances} <= numbers
    assert all(set(question.gold_utterances) <= set(ids) for question in loaded.questions)
    assert all(problem.kind in MEANINGS for problem in loaded.problems)


def read_or_refused(sample: Any) -> tuple[LoadedConversation | None, str]:
    try:
        return load(sample), ""
    except BadInput as error:
        return None, str(error)


@st.composite
def _one_value_replaced(draw: st.DrawFn, value: Any) -> Any:
    """The value with something in it, or all of it, replaced by another JSON value."""
    if isinstance(value, dict) and value and draw(st.integers(0, 5)):
        key = draw(st.sampled_from(sorted(value)))
        return value | {key: draw(_one_value_replaced(value[key]))}
    if isinstance(value, list) and value and draw(st.integers(0, 5)):
        place = draw(st.integers(0, len(value) - 1))
        return [*value[:place], draw(_one_value_replaced(value[place])), *value[place + 1 :]]
    return draw(JSON)


def test_the_names_of_the_datasets() -> None:
    assert [dataset.name for dataset in DATASETS] == ["locomo", "longmemeval", "factconsolidation", "chat"]
    assert dataset_of(CHAT).name == "longmemeval"
