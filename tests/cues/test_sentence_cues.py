"""The offline cue source: where sentences end, what is left out, and that no input makes it slow."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuemem.adapters.files import open_source
from cuemem.cues.sentences import MAX_LENGTH, SentenceCues, sentences
from cuemem.datasets import load_conversations
from cuemem.turns import cut_turns
from cuemem.types import Conversation, Session, Utterance
from tests.shared_data import shared


def statements(text: str, caption: str | None = None) -> list[str]:
    utterance = Utterance("D1:1", 1, "Ann", text, caption=caption)
    conversation = Conversation("f/0", "locomo", "ours", (Session(1, None),), (utterance,))
    (extraction,) = SentenceCues().extract(conversation, cut_turns(conversation))
    return list(extraction.contents)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hey Bo! How are you? I slept well.", ["Hey Bo!", "How are you?", "I slept well."]),
        ("I saw Dr. Gray at 5 p.m. today. She waved.", ["I saw Dr. Gray at 5 p.m. today.", "She waved."]),
        ("It cost $3.50, e.g. a latte.", ["It cost $3.50, e.g. a latte."]),
        ("So cold 🥶 and wet", ["So cold 🥶 and wet"]),
        ("One line\nAnother line\r\n\r\nA third", ["One line", "Another line", "A third"]),
        ("1. Wash it. \n2. Dry it.", ["1. Wash it.", "2. Dry it."]),
        ("```python\nx = 1\n```\n| a | b |\n|---|---|\n| 1 | 2 |", ["```python", "x = 1", "| a | b |", "| 1 | 2 |"]),
        ("a\u2028b", ["a", "b"]),
    ],
)
def test_each_sentence_has_its_speaker_before_it(text: str, expected: list[str]) -> None:
    assert statements(text) == [f"Ann: {sentence}" for sentence in expected]


def test_a_caption_is_a_statement_of_its_own() -> None:
    assert statements("Look at this!", "a red kite") == ["Ann: Look at this!", "Ann: (image: a red kite)"]
    assert statements("", "a red kite") == ["Ann: (image: a red kite)"]


@pytest.mark.parametrize(
    ("text", "expected"), [("", []), (" \n ", []), ("😂😂", ["Ann: 😂😂"]), ("?!\n...", ["Ann: ?! ..."])]
)
def test_a_turn_that_says_little(text: str, expected: list[str]) -> None:
    assert statements(text) == expected


def test_an_exchange_keeps_its_speakers_apart() -> None:
    utterances = tuple(Utterance(f"D1:{n}", 1, who, "Take care! Bye.") for n, who in enumerate(["Ann", "Bo"], 1))
    conversation = Conversation("f/0", "locomo", "ours", (Session(1, None),), utterances)
    (extraction,) = SentenceCues().extract(conversation, cut_turns(conversation, "exchange"))
    assert extraction.contents == ("Ann: Take care!", "Ann: Bye.", "Bo: Take care!", "Bo: Bye.")


@given(st.text(st.sampled_from("ab1 .!?…\"')(\n\t|-:∯♬&ȸ☝🍸é。")))
def test_no_visible_character_is_lost_and_no_statement_is_too_long(text: str) -> None:
    found = sentences(text)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(found)
    assert all(len(sentence) <= MAX_LENGTH for sentence in found)


@pytest.mark.parametrize(
    "unit", ["a", ".", "word ", "Mr. A. ", '"a. ', "(a. ", "|---", "\n", "1. 2. ", "`a`\n", "!? "]
)
def test_a_long_message_takes_its_time_and_no_more(unit: str) -> None:
    text = (unit * 76_560)[:20_000]
    started = time.perf_counter()
    found = sentences(text)
    assert time.perf_counter() - started < 5  # about a second where the splitter is at its worst
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(len(sentence) <= MAX_LENGTH for sentence in found)


def test_a_long_line_is_cut_after_a_sentence_where_there_is_one() -> None:
    text = " ".join(f"Sentence number {n} is here." for n in range(100))
    assert sentences(text) == [f"Sentence number {n} is here." for n in range(100)]


def test_threads_do_not_disturb_each_other() -> None:
    texts = [f"Number {n} is here. It is not {n + 1}. Really!" for n in range(40)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(statements, texts)) == [statements(text) for text in texts]


def test_provenance_names_the_splitter_and_its_version() -> None:
    assert SentenceCues().name == "sentences"
    assert SentenceCues().provenance["splitter"].startswith("sentencesplit 0.")


def test_real_conversations_have_few_turns_without_a_cue_and_build_fast() -> None:
    path = shared("data/longmemeval/longmemeval_s_cleaned_sample.json.gz")
    conversation = next(load_conversations(open_source(path))).conversation
    started = time.perf_counter()
    extractions = list(SentenceCues().extract(conversation, cut_turns(conversation)))
    assert time.perf_counter() - started < 8  # measured: 1 s
    assert all(extraction.contents for extraction in extractions)
    assert 4000 < sum(len(extraction.contents) for extraction in extractions) < 7000
