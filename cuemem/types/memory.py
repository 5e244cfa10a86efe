"""Sections 4.1 and 4.2: cues, and the turn graph that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cuemem.types.dialogue import TurnId

Matrix: TypeAlias = npt.NDArray[np.float32]  # (n, d), rows of unit length
Indices: TypeAlias = npt.NDArray[np.int64]

EdgeKind = Literal["temporal", "semantic"]


@dataclass(frozen=True, slots=True)
class Triple:
    """t_i = (subject, relation, object)."""

    subject: str
    relation: str
    object: str

    def __str__(self) -> str:
        return f"{self.subject} {self.relation} {self.object}"


@dataclass(frozen=True, slots=True)
class Cue:
    """c_i = (t_i, τ_i): a triple or a statement, and the turn it points to.

    ``index`` is its place in C, by which ties are broken; cues are ordered by source turn.
    """

    index: int
    turn_id: TurnId
    content: Triple | str

    @property
    def text(self) -> str:
        """The embedded text: "subject relation object", or the statement."""
        return str(self.content)


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge (v_source, v_target). ``rank`` is the temporal distance, or the neighbour rank from 1.

    A semantic edge carries the cosine of the cue pair that made it and the two cues' indices.
    """

    source: TurnId
    target: TurnId
    kind: EdgeKind
    rank: int
    cosine: float | None = None
    source_cue: int | None = None
    target_cue: int | None = None


@dataclass(frozen=True, slots=True)
class TurnGraph:
    """G = (V, E): the turns in chronological order and the edges, sorted by source, kind and rank."""

    turn_ids: tuple[TurnId, ...]
    edges: tuple[Edge, ...] = ()
