"""What every method promises, over METHODS × knobs from their ranges × random small conversations."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuemem.knobs import Knob, knobs_of, source_knob, with_settings
from cuemem.methods import METHODS
from cuemem.turns import cut_turns
from cuemem.types import Conversation, Query
from tests.fakes import WordTokens, models
from tests.strategies import CueTable, budgets, conversations, queries, settings_of, units


def build(
    method: type[Any], knobs: dict[str, Any], unit: str, talk: tuple[Conversation, CueTable]
) -> tuple[Any, Any]:
    conversation, cues = talk
    built_by = {"turn_unit": unit}
    if source := source_knob(method):
        built_by[source.name] = "given"
    value = with_settings(method(), {**built_by, **knobs})
    return value, value.build(conversation, models(cues))


def tried(knob: Knob, memory: Any) -> list[int]:
    """The values of a knob; of a long range all that a conversation so small can tell apart, and its end."""
    high = knob.high or 0
    enough = max(11, memory.cue_count, len(memory.turns)) + 1
    return [*range(knob.low or 0, min(high, enough) + 1), *([high] if high > enough else [])]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), talk=conversations(), unit=units, text=queries, budget=budgets)
def test_recall(
    method: type[Any],
    data: st.DataObject,
    talk: tuple[Conversation, CueTable],
    unit: str,
    text: str,
    budget: int | None,
) -> None:
    value, memory = build(method, data.draw(settings_of(method)), unit, talk)
    query = Query(text)
    recall = memory.recall(query, value, budget)
    ids = [turn.turn_id for turn in memory.turns]
    chosen = list(recall.context.turn_ids)
    assert memory.turns == cut_turns(talk[0], value.turn_unit)
    assert set(chosen) <= set(ids)
    assert chosen == sorted(set(chosen), key=ids.index)  # chronological, each once
    assert recall.context.tokens == WordTokens().count(recall.context.text)
    if budget is not None:
        assert recall.context.tokens <= budget
    else:
        assert not recall.context.cut
        assert [ids[index] for index in memory.reached(query, value)[1]] == chosen
        assert sorted(a.turn_id for a in recall.anchors) == sorted(
            ids[index] for index in memory.reached(query, value)[0]
        )
    assert not {item.turn_id for item in recall.context.cut} & set(chosen)
    assert recall == memory.recall(query, value, budget)
    assert recall.trace[0].name == "query"
    assert recall.trace[-1].name == "context"


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), talk=conversations(), unit=units, text=queries, budget=st.integers(0, 300))
def test_a_larger_budget_never_drops_evidence(
    method: type[Any], data: st.DataObject, talk: tuple[Conversation, CueTable], unit: str, text: str, budget: int
) -> None:
    value, memory = build(method, data.draw(settings_of(method)), unit, talk)
    small = memory.recall(Query(text), value, budget).context
    large = memory.recall(Query(text), value, budget + data.draw(st.integers(1, 100))).context
    assert set(small.turn_ids) <= set(large.turn_ids)
    assert set(large.turn_ids) | {c.turn_id for c in large.cut} == set(small.turn_ids) | {
        c.turn_id for c in small.cut
    }


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), talk=conversations(), unit=units, text=queries, budget=budgets)
def test_explain_agrees_with_recall_and_its_changes_are_the_least(
    method: type[Any],
    data: st.DataObject,
    talk: tuple[Conversation, CueTable],
    unit: str,
    text: str,
    budget: int | None,
) -> None:
    value, memory = build(method, data.draw(settings_of(method)), unit, talk)
    query = Query(text)
    context = memory.recall(query, value, budget).context
    turn_id = data.draw(st.sampled_from([turn.turn_id for turn in memory.turns]))
    explanation = memory.explain(query, value, turn_id, budget)
    assert (explanation.stage == "in context") == (turn_id in context.turn_ids)
    assert (explanation.stage == "cut by budget") == (turn_id in {item.turn_id for item in context.cut})
    changes = {change.knob: change.value for change in explanation.changes}
    numeric = [knob for knob in knobs_of(value) if knob.symbol is not None]
    for knob in numeric:
        if budget is not None and method.name == "naive_rag":
            continue  # the number of turns has no effect under a budget
        found = next(
            (
                at
                for at in tried(knob, memory)
                if turn_id in memory.recall(query, with_settings(value, {knob.name: at}), budget).context.turn_ids
            ),
            None,
        )
        assert changes.get(knob.name) == found, knob.name
    if "budget" in changes:
        assert turn_id in memory.recall(query, value, changes["budget"]).context.turn_ids
        assert turn_id not in memory.recall(query, value, changes["budget"] - 1).context.turn_ids


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_conversation_without_cues_or_without_turns_gives_an_empty_or_whole_context(method: type[Any]) -> None:
    from tests.fakes import talk

    for conversation in (talk(3), talk()):
        value, memory = build(method, {}, "auto", (conversation, {}))
        recall = memory.recall(Query("cue 1"), value)
        assert len(recall.context.items) <= len(conversation.utterances)
        assert memory.graph(value).turn_ids == tuple(turn.turn_id for turn in memory.turns)
