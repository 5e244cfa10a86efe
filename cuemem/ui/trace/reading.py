"""What the Trace page tells about one recall, each part computed once in a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cuemem.evaluation.control import Control, at_equal_tokens
from cuemem.evaluation.scoreboard import GoldTurn, evidence_recall, scoreboard
from cuemem.knobs import with_settings
from cuemem.ports import Memory
from cuemem.types import Change, Explanation, Question, Recall, Turn, TurnGraph, TurnId
from cuemem.ui.scene import Scene
from cuemem.viz.graph.marks import Mark, marks_of


@dataclass(frozen=True)
class Reading:
    """A scene that has a memory and a question, and what follows from it."""

    scene: Scene
    memory: Memory
    question: Question

    @property
    def recall(self) -> Recall:
        """The recall that is traced."""
        return self.scene.recall

    @property
    def with_cues(self) -> bool:
        """Whether the memory is made of cues."""
        return self.scene.choice is not None and self.scene.choice.cues is not None

    @property
    def noun(self) -> str:
        """What the method ranks: a cue, a unit, a turn."""
        return str(self.scene.method.noun)

    @property
    def with_graph(self) -> bool:
        """Whether the method has a graph."""
        return self.scene.method.without_graph() is not None

    @cached_property
    def board(self) -> tuple[GoldTurn, ...]:
        """The gold turns with their explanations."""
        return scoreboard(self.memory, self.scene.method, self.question, self.scene.budget)

    @cached_property
    def explanations(self) -> dict[TurnId, Explanation]:
        """The explanations of the gold turns."""
        return {row.turn_id: row.explanation for row in self.board}

    @property
    def evidence_recall(self) -> float | None:
        """The share of the gold turns in the context; None without any."""
        return evidence_recall(self.board)

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """The turns of the recall and the missed gold, with their roles, in chronological order."""
        return marks_of(self.recall, self.scene.gold.turns, self.scene.turns, self.explanations)

    @cached_property
    def graph(self) -> TurnGraph:
        """The whole turn graph at these settings."""
        return self.memory.graph(self.scene.method)

    @cached_property
    def control(self) -> Control | None:
        """The same method without its graph, at the same tokens."""
        gold, tokens = self.scene.gold.turns, self.recall.context.tokens
        return at_equal_tokens(self.memory, self.scene.method, self.question.query, gold, tokens, self.scene.budget)

    @cached_property
    def shown(self) -> Turn | None:
        """The turn that is explained: the selected one, else what was missed first, else the first of the gold."""
        wanted = self.scene.turn
        if wanted is None and self.board:
            wanted = next((row.turn_id for row in self.board if not row.found), self.board[0].turn_id)
        if wanted is None and self.recall.anchors:
            wanted = self.recall.anchors[0].turn_id
        return self.scene.turns.get(wanted) if wanted else None

    def price(self, change: Change) -> int:
        """How many tokens more this question's context costs with a change made."""
        return self.changed(change).context.tokens - self.recall.context.tokens

    def changed(self, change: Change) -> Recall:
        """The recall with one knob, or the budget, set otherwise."""
        if change.knob == "budget":
            return self.memory.recall(self.question.query, self.scene.method, change.value)
        method = with_settings(self.scene.method, {change.knob: change.value})
        return self.memory.recall(self.question.query, method, self.scene.budget)
