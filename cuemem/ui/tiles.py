"""Figures in a row: what, how much, and a remark."""

from __future__ import annotations

from cuemem.ui.markup import Html, html, join, show


def tile(title: str, value: str, detail: str) -> Html:
    """One figure; its texts may quote data."""
    return html(
        '<div class="cmt-tile"><p class="cm-label">{title}</p><p class="cmt-value">{value}</p>'
        '<p class="cm-quiet">{detail}</p></div>',
        title=title,
        value=value,
        detail=detail,
    )


def show_tiles(tiles: list[Html]) -> None:
    """Put figures side by side, as many as there is room for."""
    show(html('<div class="cmt-tiles">{tiles}</div>', tiles=join(tiles)))
