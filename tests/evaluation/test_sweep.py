"""The sweep is the plain loop, at every setting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuemem.context import session_header
from cuemem.errors import BadSetting
from cuemem.evaluation.retrieval import grid
from cuemem.evaluation.sweep import sweep
from cuemem.knobs import with_settings
from cuemem.methods import CueMem, FullHistory, NaiveRag
from cuemem.types import Conversation, Evidence, Question
from tests.fakes import WordTokens, models
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
    assert swept.questions == len(scorable)
    places = {name: data.draw(st.integers(0, len(values) - 1)) for name, values in swept.axes.items()}
    setting = {name: swept.axes[name][place] for name, place in places.items()}
    (row,) = grid(memory, method, questions, {name: [value] for name, value in setting.items()})
    at = tuple(places.values())
    assert np.isclose(swept.mean("recall")[at], row.context_recall)
    assert np.isclose(swept.mean("all")[at], row.all_recall)
    assert np.isclose(swept.mean("turns")[at], row.mean_turns)
    count = WordTokens().count
    total = 0
    for question in scorable:
        _, context = memory.reached(question.query, with_settings(method, setting))
        shown = [memory.turns[index] for index in context]
        headers = {turn.session: count(session_header(memory.turns[turn.index])) for turn in shown}
        total += sum(count(turn.text) for turn in shown) + sum(headers.values())
    assert np.isclose(swept.tokens[at], total)


def test_a_method_whose_contexts_do_not_nest_is_left_to_the_plain_loop() -> None:
    from tests.fakes import talk

    conversation = talk(4)
    memory = FullHistory().build(conversation, models({}))
    assert sweep(memory, FullHistory(), asked(conversation, [[0]]), WordTokens()) is None


def test_sweeps_of_several_conversations_are_added() -> None:
    from tests.fakes import talk

    method = CueMem(cue_source="given")
    sweeps = []
    for conversation in (talk(4, 3), talk(6)):
        cues = {u.utterance_id: [f"cue {u.utterance_id}"] for u in conversation.utterances}
        found = sweep(
            method.build(conversation, models(cues)), method, asked(conversation, [[0], [1, 2]]), WordTokens()
        )
        assert found is not None
        sweeps.append(found)
    both = sweeps[0] + sweeps[1]
    assert both.questions == 4
    assert np.allclose(both.mean("recall"), (sweeps[0].mean("recall") + sweeps[1].mean("recall")) / 2)
    plain = NaiveRag().build(talk(4), models({}))
    other = sweep(plain, NaiveRag(), asked(talk(4), [[0]]), WordTokens())
    assert other is not None
    with pytest.raises(BadSetting, match="different knobs"):
        _ = both + other
