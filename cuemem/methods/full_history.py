"""Full-history prompting (section 5.4): the whole conversation, cut at the oldest end where a budget says so."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar, Self

import numpy as np

from cuemem import knobs
from cuemem.context import Candidate, assemble, least_budget
from cuemem.knobs import knob
from cuemem.methods.explanation import describe, outcome
from cuemem.methods.lookup import find_turn, same_build
from cuemem.methods.stages import context_stage, query_stage
from cuemem.ports import Models, TokenCounter
from cuemem.turns import cut_turns
from cuemem.types import (
    Change,
    Conversation,
    Explanation,
    Indices,
    Query,
    Recall,
    Turn,
    TurnGraph,
    TurnId,
    TurnUnitChoice,
)


@dataclass(frozen=True, slots=True)
class FullHistory:
    """E_q = D."""

    name: ClassVar[str] = "full_history"
    title: ClassVar[str] = "Full history"
    noun: ClassVar[str] = "turn"

    turn_unit: TurnUnitChoice = knob(
        "auto", "what a turn is, as for CueMem", choices=("auto", "utterance", "exchange"), when="build"
    )

    def build(self, conversation: Conversation, models: Models) -> History:
        """Nothing to build but the turns."""
        knobs.check(self)
        return History(conversation, self, cut_turns(conversation, self.turn_unit), models.tokens)

    def suited_to(self, conversation: Conversation) -> tuple[Self, int | None]:
        """Everything, whatever the conversation."""
        return self, None

    def without_graph(self) -> None:
        """It has no graph."""


class History:
    """The turns. Read-only, thread-safe."""

    cue_count = 0
    catalogue = None

    def __init__(
        self, conversation: Conversation, method: FullHistory, turns: tuple[Turn, ...], tokens: TokenCounter
    ) -> None:
        self.conversation = conversation
        self.built_as = method
        self.turns = turns
        self.tokens = tokens
        # The newest turn enters first, so that a budget cuts the oldest end.
        self._newest_first = [Candidate(turn, "history") for turn in reversed(turns)]

    def graph(self, method: FullHistory) -> TurnGraph:
        """No edges."""
        same_build(self.built_as, method, self.conversation)
        return TurnGraph(tuple(turn.turn_id for turn in self.turns))

    def recall(self, query: Query, method: FullHistory, budget: int | None = None) -> Recall:
        """All turns, or the newest that fit."""
        same_build(self.built_as, method, self.conversation)
        started = perf_counter()
        context = assemble(self._newest_first, self.tokens, budget)
        trace = (query_stage(None, 0.0), context_stage(context, perf_counter() - started))
        return Recall(query, method.name, knobs.settings(method), (), None, context, trace)

    def reached(self, query: Query, method: FullHistory) -> tuple[Indices, Indices]:
        """No anchors; every turn."""
        same_build(self.built_as, method, self.conversation)
        return np.empty(0, np.int64), np.arange(len(self.turns))

    def entries(self, query: Query, method: FullHistory) -> None:
        """No knob decides what is in."""
        same_build(self.built_as, method, self.conversation)

    def explain(self, query: Query, method: FullHistory, turn_id: TurnId, budget: int | None = None) -> Explanation:
        """In the context unless the budget cut it; the least budget that keeps it."""
        same_build(self.built_as, method, self.conversation)
        index = find_turn(self.turns, turn_id)
        place = len(self.turns) - 1 - index
        inside = True
        changes: tuple[Change, ...] = ()
        if budget is not None:
            least = least_budget(self._newest_first, place, self.tokens)
            inside, changes = least <= budget, (Change("budget", least),)
        stage = outcome(in_context=inside, chosen=True, ranked=False)
        turn_id = self.turns[index].turn_id
        return describe(turn_id, stage, self._newest_first[place], (), changes, len(self.turns), "turn")
