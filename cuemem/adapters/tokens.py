"""The fixed offline tokenizer: o200k_base, as gpt-4o counts. Every context and budget is counted by it."""

from __future__ import annotations

import importlib.util
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from cuemem.errors import CueMemError

if TYPE_CHECKING:
    import tiktoken

ENCODING = "o200k_base"


@lru_cache(maxsize=1)
def _encoding() -> tiktoken.Encoding:
    """The encoding from the file that litellm ships, so that nothing is fetched and litellm is not imported."""
    import tiktoken

    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        raise CueMemError("The tokenizer's file comes with litellm, which is not installed: pip install litellm.")
    shipped = str(Path(spec.origin).parent / "litellm_core_utils" / "tokenizers")
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = shipped
    try:
        return tiktoken.get_encoding(ENCODING)
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before


@lru_cache(maxsize=1 << 16)
def _count(text: str) -> int:
    # Ordinary: "<|endoftext|>" in a chat is text like any other.
    return len(_encoding().encode_ordinary(text))


class FixedTokenizer:
    """Counts and shortens by o200k_base. Counts of short texts are remembered, since turns recur."""

    name = ENCODING
    _remember_below = 20_000

    def count(self, text: str) -> int:
        """The number of tokens of a text."""
        return _count(text) if len(text) < self._remember_below else len(_encoding().encode_ordinary(text))

    def shorten(self, text: str, limit: int) -> str:
        """The text cut in the middle to at most ``limit`` tokens, with the mark ``[… n tokens left out …]``.

        The mark's own tokens count. A text within the limit comes back as it is.
        """
        return _shorten(text, limit)


@lru_cache(maxsize=1 << 12)
def _shorten(text: str, limit: int) -> str:
    pieces = _encoding().encode_ordinary(text)
    if len(pieces) <= limit:
        return text
    kept = limit
    while True:
        shortened = _joined(pieces, (kept + 1) // 2, kept // 2)
        over = len(_encoding().encode_ordinary(shortened)) - limit
        if over <= 0 or kept == 0:
            return shortened
        kept = max(0, kept - over)


def _joined(pieces: list[int], head: int, tail: int) -> str:
    """Both ends of a text around the mark; a character cut in half is dropped."""
    encoding = _encoding()
    start = encoding.decode(pieces[:head]).rstrip("\ufffd")
    end = encoding.decode(pieces[len(pieces) - tail :]).lstrip("\ufffd") if tail else ""
    return f"{start} [… {len(pieces) - head - tail:,} tokens left out …] {end}".strip()
