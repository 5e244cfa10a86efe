"""The Cues page's pure parts: what a correction did in words, what a form still lacks, rows of tables."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from cuemem.adapters.store import Correction
from cuemem.context import Candidate, assemble
from cuemem.turns import cut_turns
from cuemem.types import Cue, Query, Recall, Triple
from cuemem.ui.cues.editor import incomplete
from cuemem.ui.cues.effect import Before, sentence
from cuemem.ui.cues.rows import copies_row, correction_row, parts_of
from tests.fakes import WordTokens, talk

TURNS = cut_turns(talk(9))
BEFORE = Before("Done.", 3, (), ("D1:1", "D1:2"), 10, 1, "D1:2", 40)


def recall(*turn_ids: str) -> Recall:
    chosen = [Candidate(turn, "anchor") for turn in TURNS if turn.turn_id in turn_ids]
    return Recall(Query("?"), "m", {}, (), (), assemble(chosen, WordTokens()), ())


def test_a_context_that_stays_is_said_with_the_rank() -> None:
    same = recall("D1:1", "D1:2")
    assert sentence(BEFORE, same, [], 7) == (
        "Done. For question 3 its best cue has rank 7 now; it was 40. The context is as before."
    )
    assert "has rank 40 as before" in sentence(BEFORE, same, [], 40)
    assert "D1:2 has no cue now." in sentence(BEFORE, same, [], None)
    assert "it had none before" in sentence(replace(BEFORE, rank=None), same, [], 7)


def test_what_came_and_what_went_is_named_with_gold_and_tokens() -> None:
    after = recall("D1:2", "D1:3")
    words = sentence(BEFORE, after, ["D1:2", "D1:3"], 7)
    assert words.endswith(
        "The context gained D1:3 and lost D1:1: 2 → 2 turns, "
        f"10 → {after.context.tokens} tokens; gold found: 1 → 2 of 2."
    )


def test_many_turns_are_named_in_part() -> None:
    after = recall(*(turn.turn_id for turn in TURNS))
    assert "gained D1:3, D1:4, D1:5, D1:6, D1:7, D1:8 and 1 more:" in sentence(BEFORE, after, [], 7)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (Triple("a", "b", "c"), ""),
        ("a statement", ""),
        (Triple("a", " ", "c"), "The cue “a · … · c” has an empty part. Fill it in, or tick Remove."),
        (" ", "The cue “…” has an empty part. Fill it in, or tick Remove."),
    ],
)
def test_a_cue_that_was_only_begun_is_named(content: Triple | str, problem: str) -> None:
    assert incomplete(["fine", content]) == problem


def test_rows_of_triples_statements_copies_and_corrections() -> None:
    triple = Cue(0, "D1:1", Triple("a", "b", "c"))
    assert parts_of(triple) == {"subject": "a", "relation": "b", "object": "c"}
    assert parts_of(Cue(1, "D1:1", "said")) == {"statement": "said"}
    group = [triple, replace(triple, index=1), replace(triple, index=2, turn_id="D1:4")]
    assert copies_row(group) == {"text": "a b c", "copies": 3, "turns": "D1:1, D1:4"}
    made = datetime(2024, 3, 1, 9, 30, tzinfo=UTC)
    correction = Correction("c", "s", "utterance", 2, "D1:1", (), None, (triple.content, "said"), "applied", made)
    assert correction_row(correction) == {
        "number": 2,
        "corrected (UTC)": "2024-03-01 09:30:00",
        "turn": "D1:1",
        "state": "applied",
        "before": "",
        "after": "a b c\nsaid",
    }
