"""Stored observations as cues."""

from __future__ import annotations

import pytest

from cuemem.cues.observations import ObservationCues
from cuemem.errors import BadInput
from cuemem.turns import cut_turns
from cuemem.types import Conversation, Session, Utterance

TALK = Conversation(
    "f/0",
    "locomo",
    "ours",
    (Session(1, None),),
    tuple(Utterance(f"D1:{n}", 1, "Ann", "Text.") for n in range(1, 4)),
)
OBSERVED = (("D1:3", "Ann sings."), ("D1:1", "Ann rows."), ("D1:2", "Ann rows."), ("D1:1", "Ann is 30."))


def test_a_statement_is_a_cue_of_each_turn_it_points_to() -> None:
    source = ObservationCues(OBSERVED)
    assert [(one.turn_id, one.contents) for one in source.extract(TALK, cut_turns(TALK))] == [
        ("D1:1", ("Ann rows.", "Ann is 30.")),
        ("D1:2", ("Ann rows.",)),
        ("D1:3", ("Ann sings.",)),
    ]
    assert (source.name, source.provenance["statements"]) == ("observations", "4")


def test_a_statement_about_both_halves_of_an_exchange_is_one_cue() -> None:
    extractions = ObservationCues(OBSERVED).extract(TALK, cut_turns(TALK, "exchange"))
    assert [one.contents for one in extractions] == [("Ann rows.", "Ann is 30."), ("Ann sings.",)]


def test_a_conversation_without_observations_says_what_to_use_instead() -> None:
    with pytest.raises(BadInput, match=r"locomo/ours came without observations.*sentences"):
        list(ObservationCues(()).extract(TALK, cut_turns(TALK)))
