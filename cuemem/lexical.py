"""Lexical relevance by BM25, the one place that computes it: `bm25s` with its defaults and English stop words.

Scores are rounded to 1e-6, as cosines are, so that equal documents tie and the tie rule decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

DECIMALS = 6
STOP_WORDS = "english"
Scores = npt.NDArray[np.float64]


class LexicalIndex:
    """BM25 over some documents (method of Lucene, k1 = 1.5, b = 0.75), with Snowball stems or without.

    Words are runs of two or more letters or digits, in lower case. Read-only, thread-safe.
    """

    def __init__(self, documents: Sequence[str], *, stems: bool) -> None:
        self.stems = stems
        self.count = len(documents)
        self._index: Any = None
        tokens = _tokens(documents, stems)
        if any(tokens):  # the library cannot index documents that are all without a word
            import bm25s

            self._index = bm25s.BM25(backend="numpy")
            self._index.index(tokens, show_progress=False)

    def scores(self, query: str) -> Scores:  # (count,)
        """The score of every document; 0 where it shares no word with the query."""
        if self._index is None:
            return np.zeros(self.count)
        words = [word for word in _tokens([query], self.stems)[0] if word in self._index.vocab_dict]
        if not words:
            return np.zeros(self.count)
        raw: Scores = np.asarray(self._index.get_scores(words), np.float64)
        return raw.round(DECIMALS)


def _tokens(texts: Sequence[str], stems: bool) -> list[list[str]]:
    import bm25s

    stemmer = None
    if stems:
        from Stemmer import Stemmer

        stemmer = Stemmer("english")  # a new one each time: it may not be shared between threads
    made: list[list[str]] = bm25s.tokenize(
        list(texts), stopwords=STOP_WORDS, stemmer=stemmer, return_ids=False, show_progress=False
    )
    return made
