"""The sweep is the plain loop, at every setting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuemem.context import session_header
from cuemem.errors import BadSetting
from cuemem.evaluation.plain_sweep import coarse_axes, combinations, of_rows, recalled
from cuemem.evaluation.retrieval import grid
from cuemem.evaluation.sweep import sweep
from cuemem.evaluation.swept import joined
from cuemem.knobs import with_settings
from cuemem.methods import CueMem, FullHistory, NaiveRag
from cuemem.types import Conversation, Evidence, Query, Question
from tests.fakes import WordTokens, models, talk
from tests.strategies import CueTable, conversations, units

Talk = tuple[Conversation, CueTable]


def asked(conversation: Conversation, golds: list[list[int]]) -> list[Question]:
    ids = [utterance.utterance_id for utterance in conversation.utterances]
    evidence = [tuple(Evidence(ids[place % len(ids)], ids[place % len(ids)]) for place in gold) for gold in golds]
    return [
        Question(index, f"cue {index}", "x", "single-hop", 4 if index < 4 else 5, evidence=gold)
        for index, gold in enumerate(evidence)
    ]


@pytest.mark.parametrize("kind", [CueMem, NaiveRag], ids=lambda kind: kind.name)
@settings(max_examples=25, deadline=None)
@given(
    talk=conversations(),
    unit=units,
    golds=st.lists(st.lists(st.integers(0, 30), max_size=3), min_size=1, max_size=6),
    options=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    data=st.data(),
)
def test_recall_turns_and_tokens_are_those_of_the_plain_loop(
    kind: type[Any],
    talk: Talk,
    unit: str,
    golds: list[list[int]],
    options: tuple[bool, bool, bool],
    data: st.DataObject,
) -> None:
    conversation, cues = talk
    method = kind(turn_unit=unit)
    if kind is CueMem:
        names = ("session_break", "exclude_same_turn", "symmetric")
        method = with_settings(CueMem(cue_source="given", turn_unit=unit), dict(zip(names, options, strict=True)))
    memory = method.build(conversation, models(cues))
    questions = asked(conversation, golds)
    swept = sweep(memory, method, questions, WordTokens())
    scorable = [question for question in questions if question.evidence and question.category_number == 4]
    assert (swept is None) == (not scorable)
    if swept is None:
        return
    assert [asked.index for asked in swept.asked] == [question.index for question in scorable]
    place = data.draw(st.integers(0, swept.size - 1))
    setting = swept.setting(place)
    assert swept.place(setting) == place
    (row,) = grid(memory, method, questions, {name: [value] for name, value in setting.items()})
    means = swept.means()
    assert np.isclose(means.recall[place], row.context_recall)
    assert np.isclose(means.all[place], row.all_recall)
    assert np.isclose(means.turns[place], row.mean_turns)
    alone = of_rows({}, list(recalled(memory, with_settings(method, setting), questions, {}, None)))
    assert alone.found[:, 0].tolist() == swept.found[:, place].tolist()
    assert alone.turns[:, 0].tolist() == swept.turns[:, place].tolist()
    count = WordTokens().count
    for line, question in enumerate(scorable):
        _, context = memory.reached(question.query, with_settings(method, setting))
        shown = [memory.turns[index] for index in context]
        headers = {turn.session: count(session_header(memory.turns[turn.index])) for turn in shown}
        spent = sum(count(turn.text) for turn in shown) + sum(headers.values())
        assert swept.tokens[line, place] == spent
        # A word a gap mark is all that the rendered context has beyond.
        assert 0 <= alone.tokens[line, 0] - spent <= len(shown) + 1


def test_a_method_whose_contexts_do_not_nest_is_left_to_the_plain_loop() -> None:
    conversation = talk(4)
    memory = FullHistory().build(conversation, models({}))
    assert sweep(memory, FullHistory(), asked(conversation, [[0]]), WordTokens()) is None


def test_sweeps_of_several_conversations_are_joined() -> None:
    method = CueMem(cue_source="given")
    sweeps = []
    for conversation in (talk(4, 3), talk(6)):
        cues = {u.utterance_id: [f"cue {u.utterance_id}"] for u in conversation.utterances}
        found = sweep(
            method.build(conversation, models(cues)), method, asked(conversation, [[0], [1, 2]]), WordTokens()
        )
        assert found is not None
        sweeps.append(found)
    both = joined(sweeps)
    assert both.questions == 4
    apart = [swept.means() for swept in sweeps]
    assert np.allclose(both.means().recall, (apart[0].recall + apart[1].recall) / 2)
    assert np.array_equal(both.of([both.asked[0].conversation_id]).means().recall, both.means().recall)
    assert both.in_category("4 single-hop").questions == 4
    plain = NaiveRag().build(talk(4), models({}))
    other = sweep(plain, NaiveRag(), asked(talk(4), [[0]]), WordTokens())
    assert other is not None
    with pytest.raises(BadSetting, match="same knobs"):
        joined([both, other])


def test_the_general_path_covers_a_budget_and_says_which_values_it_takes() -> None:
    conversation = talk(6, 6)
    cues = {u.utterance_id: [f"cue {u.utterance_id}"] for u in conversation.utterances}
    method = CueMem(cue_source="given")
    memory = method.build(conversation, models(cues))
    axes = coarse_axes(method, {"k": [0, 1], "top_cues": [3]})
    assert axes == {"window": (0, 2, 4, 6), "neighbours": (0, 1), "top_cues": (3,)}
    (row,) = recalled(memory, method, asked(conversation, [[0, 7]]), axes, 40)
    assert len(row.tokens) == 8
    assert max(row.tokens) <= 40
    for setting, tokens in zip(combinations(axes), row.tokens, strict=True):
        recall = memory.recall(Query("cue 0"), with_settings(method, setting), 40)
        assert recall.context.tokens == tokens
    with pytest.raises(BadSetting, match="outside its range"):
        coarse_axes(method, {"w": [9]})
    with pytest.raises(BadSetting, match="no knob 'z'"):
        coarse_axes(method, {"z": [1]})
