"""Rendering and the budget."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from cuemem.adapters.tokens import FixedTokenizer
from cuemem.context import Candidate, assemble, fits, least_budget, render
from cuemem.turns import cut_turns
from cuemem.types import Turn, Utterance
from tests.fakes import WordTokens, talk

TURNS = cut_turns(talk(4, 3, 5))


def lines(*places: int) -> list[tuple[Turn, str]]:
    return [(TURNS[place], TURNS[place].turn_id) for place in places]


def test_headers_and_gaps() -> None:
    assert render(lines(0, 1, 3, 5, 6, 7)).splitlines() == [
        "[Session 1 · Friday, 1 March 2024, 09:00]",
        "D1:1",
        "D1:2",
        "…",
        "D1:4",
        "…",
        "[Session 2 · Sunday, 31 March 2024, 09:00]",
        "D2:2",
        "D2:3",
        "[Session 3 · Tuesday, 30 April 2024, 09:00]",
        "D3:1",
    ]
    assert render(lines(2))[0] == "…"  # what came before is missing, and is said to be
    assert render([]) == ""


def test_an_unknown_date_is_said_and_a_caption_is_shown() -> None:
    spoken = Utterance("D1:1", 1, "Ada", "look", None, caption="a red kite")
    turn = Turn("D1:1", 0, (spoken,))
    assert render([(turn, turn.text)]) == "[Session 1 · date unknown]\nAda: look (image: a red kite)"


@settings(max_examples=100, deadline=None)
@given(
    order=st.permutations(range(len(TURNS))),
    size=st.integers(0, len(TURNS)),
    budget=st.integers(0, 250),
    cap=st.one_of(st.none(), st.integers(8, 30)),
)
def test_the_largest_prefix_that_fits_enters(order: list[int], size: int, budget: int, cap: int | None) -> None:
    candidates = [Candidate(TURNS[place], "anchor") for place in order[:size]]
    tokens = WordTokens()
    context = assemble(candidates, tokens, budget, cap)
    entered = [candidate.turn.turn_id for candidate in candidates if candidate.turn.turn_id in context.turn_ids]
    assert entered == [candidate.turn.turn_id for candidate in candidates[: len(entered)]]
    assert context.tokens == tokens.count(context.text) <= budget
    needs = [least_budget(candidates, place, tokens, cap) for place in range(size)]
    assert needs == sorted(needs)
    assert len(entered) == sum(need <= budget for need in needs)
    assert [fits(candidates, place, tokens, budget, cap) for place in range(size)] == [n <= budget for n in needs]


def test_a_long_turn_is_cut_in_the_middle_under_a_budget_only() -> None:
    long = Turn("D1:1", 0, (replace(TURNS[0].utterances[0], text="tick tock " * 500),))
    tokens = FixedTokenizer()
    cut = assemble([Candidate(long, "anchor")], tokens, 3000, 100).items[0]
    assert cut.shortened
    assert cut.tokens <= 100
    assert "tokens left out …]" in cut.text
    assert cut.text.startswith("Ben: tick")
    whole = assemble([Candidate(long, "anchor")], tokens, None, 100).items[0]
    assert whole.text == long.text
    assert not whole.shortened
