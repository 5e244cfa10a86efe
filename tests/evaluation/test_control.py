"""The control at equal tokens, against a plain loop over every value of m."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuemem.evaluation.control import at_equal_tokens
from cuemem.knobs import with_settings
from cuemem.methods import CueMem, FullHistory, NaiveRag
from cuemem.types import Conversation, Query
from tests.fakes import models, talk
from tests.strategies import CueTable, conversations, queries, settings_of

BUDGETS = st.one_of(st.none(), st.integers(20, 400))


@settings(max_examples=60, deadline=None)
@given(drawn=settings_of(CueMem), given_talk=conversations(), text=queries, budget=BUDGETS)
def test_it_is_the_largest_m_that_costs_no_more(
    drawn: dict[str, Any], given_talk: tuple[Conversation, CueTable], text: str, budget: int | None
) -> None:
    conversation, cues = given_talk
    method = with_settings(CueMem(cue_source="given"), drawn)
    memory, query = method.build(conversation, models(cues)), Query(text)
    tokens = memory.recall(query, method, budget).context.tokens
    gold = {turn.turn_id for turn in memory.turns[::2]}
    alone = with_settings(method, {"window": 0, "neighbours": 0})
    contexts = {m: memory.recall(query, with_settings(alone, {"m": m}), budget).context for m in range(1, 61)}
    fitting = [m for m, context in contexts.items() if context.tokens <= tokens]
    control = at_equal_tokens(memory, method, query, gold, tokens, budget)
    if not fitting:
        assert control is None
        return
    assert control is not None
    context = contexts[max(fitting)]
    found = len(gold & set(context.turn_ids)) / len(gold) if gold else None
    assert (control.symbol, control.value, control.limited) == ("m", max(fitting), max(fitting) == 60)
    assert (control.turns, control.tokens, control.recall) == (len(context.items), context.tokens, found)
    assert control.method == with_settings(alone, {"m": max(fitting)})


@pytest.mark.parametrize("method", [NaiveRag(), FullHistory()], ids=lambda method: method.name)
def test_a_method_without_a_graph_has_no_control(method: Any) -> None:
    memory = method.build(talk(3), models({}))
    assert method.without_graph() is None
    assert at_equal_tokens(memory, method, Query("cue 1"), (), 100, None) is None
