"""Token F1 of an answer against the gold: LoCoMo's official one, and the set-token one of later papers.

They differ, and papers rarely say which they used: name it beside every number.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from cuemem.text import as_text
from cuemem.types import Question

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer

OFFICIAL = "LoCoMo token F1"
SET_TOKENS = "set-token F1"
SUBSTRING = "substring match"
# The official scorer looks for these in a reply to a category-5 question, and for nothing else.
NOT_MENTIONED = ("no information available", "not mentioned")

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_LEFT_OUT = re.compile(r"\b(?:a|an|the|and)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_TO_BLANKS = str.maketrans(".,!?", "    ")


def official_f1(question: Question, reply: str) -> float | None:
    """LoCoMo's official score of a reply by the question's category; None for a question of another dataset.

    Category 1: the mean over the gold's comma-separated parts of the best F1 of any comma-separated part of the
    reply. Category 3: only the gold before the first semicolon counts. Category 5: 1 if the reply says that it
    was not mentioned, so that the trap answer scores 0. Others: plain token F1.
    """
    number = question.category_number
    if number is None:
        return None
    if number == 5:
        return float(any(phrase in reply.lower() for phrase in NOT_MENTIONED))
    gold = as_text(question.answer)
    if number == 1:
        parts = [part.strip() for part in reply.split(",")]
        best = [max(token_f1(part, wanted.strip()) for part in parts) for wanted in gold.split(",")]
        return sum(best) / len(best)
    return token_f1(reply, gold.split(";")[0].strip() if number == 3 else gold)


def substring_match(question: Question, reply: str) -> float | None:
    """MemoryAgentBench's score for FactConsolidation: 1 if the reply contains an accepted answer, both normalised.

    Normalised: lower case, without punctuation and the articles, blanks as one. None unless the gold is a list of
    accepted answers. The paper's figures on Fact-SH and Fact-MH are of a judge, so never in one column with this.
    """
    accepted = question.answer if isinstance(question.answer, list) else []
    wanted = [text for text in (_normal(as_text(answer)) for answer in accepted) if text]
    return float(any(text in _normal(reply) for text in wanted)) if wanted else None


def _normal(text: str) -> str:
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def token_f1(reply: str, gold: str) -> float:
    """F1 over stemmed tokens as a multiset: lower case, without punctuation, articles and "and", Porter stems."""
    return _f1(Counter(stems(reply)), Counter(stems(gold)))


def set_token_f1(reply: str, gold: str) -> float:
    """F1 over tokens as a set: lower case, ``. , ! ?`` taken for blanks, no stems. Used by later papers."""
    return _f1(
        Counter(set(reply.lower().translate(_TO_BLANKS).split())),
        Counter(set(gold.lower().translate(_TO_BLANKS).split())),
    )


def stems(text: str) -> list[str]:
    """The tokens that the official score compares."""
    plain = _LEFT_OUT.sub(" ", text.lower().translate(_PUNCTUATION))
    return [_stem(word) for word in plain.split()]


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word))


def _f1(reply: Counter[str], gold: Counter[str]) -> float:
    same = (reply & gold).total()
    if same == 0:
        return 0.0
    precision, recall = same / reply.total(), same / gold.total()
    return 2 * precision * recall / (precision + recall)


@cache
def _stemmer() -> PorterStemmer:
    """NLTK's own: it departs from Porter's paper ("dying" gives "die"), and the official scorer uses it."""
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()
