"""Text from data stays text, wherever it is put together."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from cuemem.ui.markup import Html, html, join
from cuemem.ui.trace.report import code, fenced


@given(text=st.text())
def test_a_value_is_escaped_and_reads_as_it_was(text: str) -> None:
    piece = html('<p title="{text}">{text}</p>', text=text)
    read: list[tuple[str, str]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            read.append((tag, dict(attrs).get("title") or ""))

    reader = Reader()
    reader.feed(piece)
    assert read == [("p", text)] or "\r" in text or "\0" in text  # HTML itself changes these
    assert not re.search(r"<(?!/?p\b)", piece)


def test_our_own_pieces_are_put_in_as_they_are() -> None:
    rows = join([html("<li>{text}</li>", text="<b>"), Html("<hr>")])
    assert html("<ul>{rows}</ul>{count:,}", rows=rows, count=1200) == "<ul><li>&lt;b&gt;</li><hr></ul>1,200"


@given(text=st.text(alphabet="`a<>\n ~[]()", max_size=30))
def test_code_in_a_report_cannot_be_left(text: str) -> None:
    block = fenced(text).split("\n")
    fence = re.match("`+", block[0])
    assert fence is not None
    assert all(fence[0] not in line for line in block[1:-1])
    span = code(text)
    ticks = re.match("`+", span)
    assert ticks is not None
    inner = span[len(ticks[0]) : -len(ticks[0])]
    assert ticks[0] not in re.findall("`+", inner)
    assert "\n" not in span
