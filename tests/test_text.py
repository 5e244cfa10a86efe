"""Numbers as people read them."""

from __future__ import annotations

import pytest

from cuemem.text import counted, duration, file_size


@pytest.mark.parametrize(("count", "words"), [(0, "0 cues"), (1, "1 cue"), (2000, "2,000 cues")])
def test_counted(count: int, words: str) -> None:
    assert counted(count, "cue") == words


def test_counted_in_the_plural_of_y() -> None:
    assert (counted(1, "memory"), counted(3, "memory")) == ("1 memory", "3 memories")
    assert counted(2, "day") == "2 days"


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (12_500, "12.5 KB"),
        (44_200_000, "44.2 MB"),
        (2.5e9, "2.5 GB"),
    ],
)
def test_file_size(count: int, words: str) -> None:
    assert file_size(count) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (99.4, "99 s"), (100, "2 min"), (5400, "90 min"), (7500, "2 h 5 min")]
)
def test_duration(seconds: float, words: str) -> None:
    assert duration(seconds) == words
