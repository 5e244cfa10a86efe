"""Text from data onto the page: always as text.

Streamlit reads Markdown, LaTeX, emoji codes and links in most of its labels, so text from data goes into none of
them. It is shown by st.text, st.code, st.dataframe and select boxes, which take it literally, or in HTML made here.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from string import Formatter
from typing import Any, Literal

import streamlit as st


class Html(str):
    """A piece of HTML whose texts are escaped already."""

    __slots__ = ()


class _Escaping(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        text = format(value, format_spec)
        return text if isinstance(value, Html) else escape(text)


_ESCAPING = _Escaping()


def html(template: str, /, **values: Any) -> Html:
    """Our own HTML with values put in, every one escaped unless it is Html itself."""
    return Html(_ESCAPING.vformat(template, (), values))


def join(parts: list[Html] | tuple[Html, ...]) -> Html:
    """Pieces of HTML one after the other."""
    return Html("".join(parts))


def facts(pairs: Mapping[str, str], look: str = "cm-facts") -> Html:
    """Names and values, a line each; ``look`` is their CSS class."""
    rows = [html("<dt>{name}</dt><dd>{value}</dd>", name=name, value=value) for name, value in pairs.items()]
    return html('<dl class="{look}">{rows}</dl>', look=look, rows=join(rows))


def show(piece: Html) -> None:
    """Put a piece of HTML on the page."""
    st.html(piece)


Kind = Literal["info", "warning", "error"]
_ROLE = {"info": "status", "warning": "status", "error": "alert"}


def notice(sentence: str, kind: Kind = "info") -> None:
    """A sentence to the user; it may quote data."""
    show(
        html(
            '<div class="cm-notice cm-{kind}" role="{role}">{text}</div>', kind=kind, role=_ROLE[kind], text=sentence
        )
    )
