"""Section 3: turns under both units."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuemem.turns import cut_turns, resolve_unit, turns_holding
from cuemem.types import Conversation, SpeakerRole, Utterance
from tests.fakes import talk


def chat(*sessions: str) -> Conversation:
    """``chat("uaua", "aua")``: a letter a message."""
    utterances = []
    for number, letters in enumerate(sessions, 1):
        exchange, message, before = 0, 0, ""
        for letter in letters:
            if not exchange or (before == "a" and letter == "u"):
                exchange, message = exchange + 1, 0
            message, before = message + 1, letter
            role: SpeakerRole = "user" if letter == "u" else "assistant"
            utterances.append(Utterance(f"S{number}:{exchange}.{message}", number, role.title(), "x", role=role))
    return replace(talk(), utterances=tuple(utterances))


@pytest.mark.parametrize(
    ("sessions", "expected"),
    [
        (("uaua",), {"S1:1": 2, "S1:2": 2}),
        (("aua",), {"S1:1": 1, "S1:2": 2}),  # an opening assistant message stands alone
        (("uau",), {"S1:1": 2, "S1:2": 1}),  # a closing user message stands alone
        (("uuaau",), {"S1:1": 4, "S1:2": 1}),  # runs of one role belong to their exchange
        (("u", "a"), {"S1:1": 1, "S2:1": 1}),  # no exchange crosses a session border
    ],
)
def test_exchanges_of_user_and_assistant(sessions: tuple[str, ...], expected: dict[str, int]) -> None:
    conversation = chat(*sessions)
    assert resolve_unit(conversation, "auto") == "exchange"
    turns = cut_turns(conversation)
    assert {turn.turn_id: len(turn.utterances) for turn in turns} == expected
    assert len(cut_turns(conversation, "utterance")) == len(conversation.utterances)


def test_between_two_people_an_exchange_is_two_utterances_and_an_odd_last_one_stands_alone() -> None:
    conversation = talk(3, 2)
    assert resolve_unit(conversation, "auto") == "utterance"
    turns = cut_turns(conversation, "exchange")
    assert [(turn.turn_id, len(turn.utterances)) for turn in turns] == [("D1:1", 2), ("D1:3", 1), ("D2:1", 2)]


def test_gold_maps_onto_turns_as_a_set() -> None:
    conversation = talk(3, 2)
    gold = ["D2:1", "D1:2", "D1:1", "D9:9"]
    assert turns_holding(cut_turns(conversation, "utterance"), gold) == (0, 1, 3)
    assert turns_holding(cut_turns(conversation, "exchange"), gold) == (0, 2)


@given(st.lists(st.text("ua", max_size=8), max_size=4), st.sampled_from(["auto", "utterance", "exchange"]))
def test_every_utterance_is_in_exactly_one_turn_in_order(sessions: list[str], unit: str) -> None:
    conversation = chat(*sessions)
    turns = cut_turns(conversation, unit)  # type: ignore[arg-type]
    assert tuple(u for turn in turns for u in turn.utterances) == conversation.utterances
    assert [turn.index for turn in turns] == list(range(len(turns)))
    assert len({turn.turn_id for turn in turns}) == len(turns)
    assert all(len({u.session for u in turn.utterances}) == 1 for turn in turns)
