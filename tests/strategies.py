"""Random small conversations with cues, drawn so that ties, empty turns and shared turns are common."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from cuemem.knobs import knobs_of
from cuemem.types import Conversation, TurnId
from tests.fakes import talk

CueTable = dict[TurnId, list[str]]


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Conversation, CueTable]:
    """A conversation and up to three cues for each utterance, from few texts so that vectors repeat."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    conversation = talk(*sizes)
    cues = {
        utterance.utterance_id: [f"cue {text}" for text in draw(st.lists(st.integers(0, 40), max_size=3))]
        for utterance in conversation.utterances
    }
    return conversation, cues


def settings_of(method: type[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Recall-time knobs drawn from their declared ranges."""
    drawn: dict[str, st.SearchStrategy[Any]] = {}
    for knob in knobs_of(method):
        if knob.when == "build":
            continue
        if isinstance(knob.default, bool):
            drawn[knob.name] = st.booleans()
        elif isinstance(knob.default, int):
            drawn[knob.name] = st.integers(knob.low or 0, knob.high or 10)
        else:
            drawn[knob.name] = st.sampled_from(knob.choices or (knob.default,))
    return st.fixed_dictionaries(drawn)


units = st.sampled_from(["auto", "utterance", "exchange"])
queries = st.integers(0, 60).map(lambda number: f"cue {number}")
budgets = st.one_of(st.none(), st.integers(0, 400))
