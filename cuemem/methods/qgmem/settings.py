"""The hyper-parameters of QGMem, each with its range, default and place in the paper.

Thresholds are cosines in hundredths, so that they are whole numbers like every other knob.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuemem.knobs import knob
from cuemem.types import TurnUnitChoice

MOST_UNITS = 100  # in a working memory
MOST_POOL = 200
NO_RERANKER = "none"
NO_PARSES = "none"
UNITS, TURNS = "units", "turns"


@dataclass(frozen=True, slots=True)
class Settings:
    """The knobs of QGMem. Those of construction identify a built memory, the others act at recall."""

    unit_source: str = knob("imported", "section III-A1: where the memory units come from", when="build", source=True)
    turn_unit: TurnUnitChoice = knob(
        "auto",
        "what a turn of the context is, as for CueMem; evidence bounds name single messages either way",
        choices=("auto", "utterance", "exchange"),
        when="build",
    )
    window_turns: int = knob(
        6, "appendix A1, w: lines that the extracting model sees at once", low=2, high=20, when="build"
    )
    overlap_turns: int = knob(
        2, "appendix A1: lines of a window that were in the last one", low=0, high=10, when="build"
    )
    trace_neighbours: int = knob(
        20, "section III-D2: nearest facts that a unit may share a trace with", low=1, high=50, when="build"
    )
    relation_threshold: int = knob(
        80, "appendix A2, τ: least cosine within a trace, in hundredths", low=0, high=100, when="build"
    )
    least_members: int = knob(2, "appendix A2: fewest units of a trace", low=2, high=10, when="build")
    working_memory: int = knob(
        10,
        "section III-B2: units of the working memory",
        symbol="k",
        low=1,
        high=MOST_UNITS,
        tries=(5, 10, 15, 20, 30),
    )
    pool: int = knob(
        100,
        "section III-B1: units that each channel keeps, and that the fusion passes on",
        symbol="n",
        low=1,
        high=MOST_POOL,
        tries=(20, 50, 100, 200),
    )
    rrf_constant: int = knob(60, "section III-B1, κ: rank offset of the fusion", low=1, high=200)
    entity_threshold: int = knob(
        60,
        "appendix A2: least cosine at which entities or locations match, in hundredths",
        low=0,
        high=100,
        tries=(50, 55, 60, 65, 70),
    )
    lexical: bool = knob(True, "section III-B1: the lexical channel, BM25 over fact and evidence")
    dense: bool = knob(True, "section III-B1: the dense channel, cosine with the fact")
    attributes: bool = knob(True, "section III-B1: the event-attribute channel, S_ELT")
    stems: bool = knob(True, "section III-B1, option: the lexical channel compares Snowball stems")
    parses: str = knob(
        "imported",
        "section III-B1: where the parsed question comes from; none: no event-attribute channel",
        choices=("imported", "llm", NO_PARSES),
    )
    reranker: str = knob(
        NO_RERANKER,
        "section III-B2: what scores the pool; none: the order of the fusion is kept",
        choices=(NO_RERANKER, "cross-encoder", "chat"),
    )
    context_form: str = knob(
        UNITS,
        "section III-C: the serialised working memory, or the source turns of its units",
        choices=(UNITS, TURNS),
    )
    turn_cap: int = knob(400, "budget mode with turns: most tokens of one turn", low=50, high=8000)

    def activating(self) -> tuple[object, ...]:
        """The settings that decide the pool and its order; the others only decide what is made of them."""
        channels = (self.lexical, self.dense, self.attributes)
        return (
            self.pool,
            self.rrf_constant,
            self.entity_threshold,
            self.stems,
            self.parses,
            self.reranker,
            *channels,
        )
