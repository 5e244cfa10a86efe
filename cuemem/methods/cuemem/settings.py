"""The hyper-parameters of CueMem, each with its range, default and place in the paper."""

from __future__ import annotations

from dataclasses import dataclass

from cuemem.knobs import knob
from cuemem.types import TurnUnitChoice

MOST_NEIGHBOURS = 10  # the build keeps this many nearest cues, so that k acts at recall
MOST_CUES = 60


@dataclass(frozen=True, slots=True)
class Settings:
    """The knobs of CueMem. ``cue_source`` and ``turn_unit`` act at build and identify a built memory."""

    cue_source: str = knob("sentences", "section 4.1: where the cues come from", when="build", source=True)
    turn_unit: TurnUnitChoice = knob(
        "auto",
        "section 3: what a turn is; auto = exchange for user and assistant, utterance for two people",
        choices=("auto", "utterance", "exchange"),
        when="build",
    )
    window: int = knob(
        2,
        "section 4.2: temporal edges: window of turns on either side",
        symbol="w",
        low=0,
        high=6,
        tries=(0, 1, 2, 3),
    )
    neighbours: int = knob(
        1,
        "section 4.2: semantic edges: nearest cues linked to each cue",
        symbol="k",
        low=0,
        high=MOST_NEIGHBOURS,
        tries=(0, 1, 2, 3, 5),
    )
    top_cues: int = knob(
        10, "section 4.3: cues retrieved for a query", symbol="m", low=1, high=MOST_CUES, tries=(5, 10, 15, 20, 30)
    )
    session_break: bool = knob(False, "section 4.2, option: session borders cut temporal edges")
    exclude_same_turn: bool = knob(False, "section 4.2, option: a cue's neighbours lie in other turns")
    symmetric: bool = knob(False, "section 4.2, option: semantic edges lead both ways")
    turn_cap: int = knob(400, "section 4.3, budget mode: most tokens of one turn", low=50, high=8000)
