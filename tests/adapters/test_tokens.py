"""The fixed tokenizer: offline, gpt-4o's, safe with any text."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import example, given, settings
from hypothesis import strategies as st

from cuemem.adapters.tokens import FixedTokenizer

TOKENS = FixedTokenizer()


def test_counts_are_those_of_gpt_4o() -> None:
    from litellm import token_counter

    for text in ("Hello, world!", "Caroline: I went to a support group yesterday.", "naïve 😀 你好 \u2028 end"):
        assert TOKENS.count(text) == token_counter(model="gpt-4o", text=text)


def test_special_tokens_in_a_chat_are_text() -> None:
    assert TOKENS.count("<|endoftext|>") > 1
    assert "<|endoftext|>" in TOKENS.shorten("<|endoftext|> " + "word " * 500, 60)


@settings(max_examples=150, deadline=None)
@given(text=st.text(max_size=400), limit=st.integers(20, 80))
@example(text="😀🇩🇪👩‍👩‍👧 " * 200, limit=40)
@example(text="a" * 5000, limit=25)
def test_shortened_text_keeps_its_limit_and_says_what_is_missing(text: str, limit: int) -> None:
    shortened = TOKENS.shorten(text, limit)
    if TOKENS.count(text) <= limit:
        assert shortened == text
    else:
        assert TOKENS.count(shortened) <= limit
        assert "tokens left out …]" in shortened
        assert "\ufffd" not in shortened or "\ufffd" in text


def test_counting_imports_neither_litellm_nor_torch() -> None:
    code = (
        "import sys; from cuemem.adapters.tokens import FixedTokenizer; FixedTokenizer().count('hello');"
        "print([m for m in ('litellm', 'torch', 'sentence_transformers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
