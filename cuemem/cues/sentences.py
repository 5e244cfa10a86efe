"""The offline cue source: each sentence of a turn, with its speaker's name before it. No model is needed.

A statement instead of a triple, which section 4.1 allows. The name keeps apart what two people say alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TypeAlias, cast

from sentencesplit import Segmenter

from cuemem.ports import Extraction
from cuemem.types import Conversation, Turn, Utterance

MAX_LENGTH = 1000  # characters: about the 256 tokens of a text that all-MiniLM-L6-v2 reads
Split: TypeAlias = Callable[[str], list[str]]
_SPLITTER = "sentencesplit"
_END = re.compile(r"[.!?…。！？]")
_LAST_END = re.compile(r".*[.!?…][\"')\]]*(?=\s)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SentenceCues:
    """Cues by cutting: ``Name: sentence`` for each sentence, ``Name: (image: caption)`` for a caption."""

    @property
    def name(self) -> str:
        return "sentences"

    @property
    def provenance(self) -> Mapping[str, str]:
        return {"source": self.name, "splitter": f"{_SPLITTER} {version(_SPLITTER)}"}

    def extract(self, conversation: Conversation, turns: Sequence[Turn]) -> Iterator[Extraction]:
        """Each turn with its statements, in the order said. A turn without any text or caption has none."""
        split = _splitter()
        for turn in turns:
            contents = (text for utterance in turn.utterances for text in _statements(utterance, split))
            yield Extraction(turn.turn_id, tuple(contents))


def sentences(text: str) -> list[str]:
    """The sentences of a text, without the white space around them; no character that is seen is lost."""
    return list(_sentences(text, _splitter()))


def _splitter() -> Split:
    """A new splitter: it keeps the text that it is at, so two threads must not share one."""
    segmenter = Segmenter("en", clean=False)
    return lambda text: cast("list[str]", segmenter.segment(text))


def _statements(utterance: Utterance, split: Split) -> Iterator[str]:
    """The statements of an utterance.

    Sentences without a letter or digit (a table's rule, a code fence, a lone emoji) say nothing and are left
    out, unless the utterance is nothing else: then it is one statement as a whole.
    """
    spoken = [sentence for sentence in _sentences(utterance.text, split) if _speaks(sentence)]
    if not spoken and utterance.text.strip():
        spoken = [" ".join(utterance.text.split())[:MAX_LENGTH]]
    yield from (f"{utterance.speaker}: {sentence}" for sentence in spoken)
    if utterance.caption:
        yield f"{utterance.speaker}: (image: {utterance.caption})"


def _sentences(text: str, split: Split) -> Iterator[str]:
    """Cut lines first, since lists, tables and code have a statement a line; then lines into sentences.

    A line longer than ``MAX_LENGTH`` is cut into pieces before: the splitter's time grows with the square of a
    line, and an embedding model reads no more of a statement anyway.
    """
    for line in text.splitlines():
        for piece in _pieces(line.strip()):
            end = _END.search(piece)
            if end is None or not _speaks(piece[end.end() :]):
                found = [piece]  # one sentence: most lines are, and the splitter is slow
            else:
                found = split(piece)
                if _letters(found) != _letters([piece]):
                    found = [piece]  # the splitter marks places by rare signs, and stumbles where a text has them
            yield from filter(None, map(str.strip, found))


def _pieces(line: str) -> Iterator[str]:
    """The line in pieces of at most ``MAX_LENGTH`` characters, cut after a sentence, else between words."""
    start = 0
    while len(line) - start > MAX_LENGTH:
        window = line[start : start + MAX_LENGTH + 1]
        match = _LAST_END.match(window)
        cut = match.end() if match and match.end() > MAX_LENGTH // 2 else window.rfind(" ")
        cut = cut if cut > 0 else MAX_LENGTH
        yield line[start : start + cut].strip()
        start += cut
    yield line[start:].strip()


def _speaks(text: str) -> bool:
    """Whether there is a letter or a digit in it."""
    return any(map(str.isalnum, text))


def _letters(texts: list[str]) -> str:
    """The texts joined, without white space."""
    return "".join("".join(texts).split())
