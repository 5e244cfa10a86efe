"""The measure of extraction, on cases worked by hand and on the bundled gold set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cuemem.errors import BadInput
from cuemem.evaluation.extraction_quality import GoldTurn, Quality, measure_extraction, read_gold
from cuemem.ports import Extraction
from cuemem.types import Triple
from tests.fakes import HashEmbedder

ROOT = Path(__file__).parents[2]
GOLD = GoldTurn("talk", "D1:1", (Triple("Ann", "adopted", "a grey cat"), Triple("Ann", "paid", "40 euros")))
QUIET = GoldTurn("talk", "D1:2", ())


def measured(*extractions: Extraction, gold: tuple[GoldTurn, ...] = (GOLD, QUIET)) -> Quality:
    made = {("talk", extraction.turn_id): extraction for extraction in extractions}
    return measure_extraction(gold, made, HashEmbedder(32, 9))


def test_words_match_as_stems_and_numbers_must_agree() -> None:
    quality = measured(
        Extraction(
            "D1:1", (Triple("Ann", "adopts", "cats"), Triple("Ann", "paid", "50 euros"), "40 euros paid by Ann")
        ),
        Extraction("D1:2", ()),
    )
    # "ann adopt grey cat" and "ann adopt cat": F1 = 2 · 3 / 7; 50 is not 40; the statement has the fact's words
    assert quality.rows[0].found == (True, True)
    assert quality.rows[0].right == (True, False, True)
    assert (quality.recall, quality.precision) == (1.0, pytest.approx(2 / 3))
    assert quality.quiet == (1, 1)


def test_a_failed_turn_counts_as_missed_and_is_no_rightly_empty_one() -> None:
    quality = measured(Extraction("D1:1", (), "empty: nothing"), Extraction("D1:2", (), "empty: nothing"))
    assert (quality.found, quality.facts, quality.failed) == (0, 2, 2)
    assert quality.quiet == (0, 1)
    assert quality.precision is None
    assert measured().failed == 2  # not extracted at all
    assert measured(gold=(QUIET,)).recall is None


def test_triples_of_small_talk_are_wrong() -> None:
    quality = measured(Extraction("D1:1", ()), Extraction("D1:2", (Triple("Ann", "says", "hello"),)))
    assert (quality.right, quality.triples, quality.quiet) == (0, 1, (0, 1))


def test_the_bundled_gold_set_names_turns_that_are_there() -> None:
    gold = read_gold((ROOT / "data/extraction_gold.jsonl").read_text(encoding="utf-8").splitlines())
    assert len(gold) >= 40
    assert len({(turn.conversation, turn.turn_id) for turn in gold}) == len(gold)
    assert sum(not turn.facts for turn in gold) >= 5
    assert all(
        part.strip() for turn in gold for fact in turn.facts for part in (fact.subject, fact.relation, fact.object)
    )


@pytest.mark.parametrize(
    "line", ["nonsense", "[]", "{}", json.dumps({"conversation": "a", "turn_id": "b", "facts": [["x", "y"]]})]
)
def test_a_gold_set_that_cannot_be_read_is_refused(line: str) -> None:
    good = json.dumps({"conversation": "a", "turn_id": "b", "facts": []})
    with pytest.raises(BadInput, match="Line 3"):
        read_gold([good, "", line])
