"""Recalls to draw: random small conversations under any settings, and what is gold in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from cuemem.knobs import source_knob, with_settings
from cuemem.methods import METHODS
from cuemem.types import Explanation, Query, Recall, Turn, TurnId
from cuemem.viz.graph import Picture, draw
from tests.fakes import models
from tests.strategies import budgets, conversations, queries, settings_of


@dataclass(frozen=True)
class Drawn:
    """What a picture is made of."""

    recall: Recall
    gold: tuple[TurnId, ...]
    turns: Mapping[TurnId, Turn]
    explanations: Mapping[TurnId, Explanation]

    def picture(self, **options: Any) -> Picture:
        return draw(self.recall, self.gold, self.turns, self.explanations, **options)


@st.composite
def recalls(draw_from: st.DrawFn) -> Drawn:
    """A recall by any method, with up to three gold turns, found or not."""
    conversation, cues = draw_from(conversations())
    kind = draw_from(st.sampled_from(METHODS))
    source = source_knob(kind)
    built = {source.name: "given"} if source else {}
    method = with_settings(kind(), {**built, **draw_from(settings_of(kind))})
    memory = method.build(conversation, models(cues))
    query, budget = Query(draw_from(queries)), draw_from(budgets)
    turns = {turn.turn_id: turn for turn in memory.turns}
    gold = tuple(draw_from(st.lists(st.sampled_from(list(turns)), max_size=3, unique=True)))
    explanations = {turn_id: memory.explain(query, method, turn_id, budget) for turn_id in gold}
    return Drawn(memory.recall(query, method, budget), gold, turns, explanations)
