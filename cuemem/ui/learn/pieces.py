"""The objects of a lecture as HTML: turns, cues, the strip of time, ranked cues, the ladder of a knob."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cuemem.context import said
from cuemem.evaluation.ladder import Rung
from cuemem.types import Cue, Triple, Turn, TurnId
from cuemem.ui.learn.words import short
from cuemem.ui.markup import Html, html, join

STAR = "★"
_ROW = 240  # characters of a cue in a list


def paragraph(text: str, look: str = "cml-say") -> Html:
    """A sentence that may quote data."""
    return html('<p class="{look}">{text}</p>', look=look, text=text)


def turn_name(turn_id: TurnId, gold: Collection[TurnId]) -> Html:
    """A turn's id, with a star where it is gold."""
    star = html(' <span class="cml-gold" title="gold turn">{star}</span>', star=STAR) if turn_id in gold else Html("")
    return html('<b class="cml-id">{turn_id}</b>{star}', turn_id=turn_id, star=star)


def turn_card(turn: Turn, of: int, tokens: int, gold: Collection[TurnId], focus: bool = True) -> Html:
    """A turn as it was said, with its place, date and length."""
    return html(
        '<div class="cml-turn {look}"><div class="cml-head">{name}<span>turn {place:,} of {of:,}</span>'
        "<span>session {session}, {date}</span><span>{tokens:,} tokens</span></div>"
        '<div class="cml-text" dir="auto" tabindex="0">{text}</div></div>',
        look="cml-focus" if focus else "cml-beside",
        name=turn_name(turn.turn_id, gold),
        place=turn.index + 1,
        of=of,
        session=turn.session,
        date=said(turn.time),
        tokens=tokens,
        text=turn.text,
    )


def cue_table(cues: Sequence[Cue]) -> Html:
    """The cues of a turn: subject, relation, object, and the pointer back."""
    if not cues:
        return html('<p class="cml-say">{text}</p>', text="No cue points to this turn.")
    triples = any(isinstance(cue.content, Triple) for cue in cues)
    names = ("subject", "relation", "object") if triples else ("statement",)
    return html(
        '<div class="cml-wide cml-cues" tabindex="0"><table class="cml-table"><thead><tr>{names}'
        '<th scope="col" class="cml-id">points to</th></tr></thead>'
        "<tbody>{rows}</tbody></table></div>",
        names=join([html('<th scope="col">{name}</th>', name=name) for name in names]),
        rows=join([_cue_row(cue, len(names)) for cue in cues]),
    )


def _cue_row(cue: Cue, columns: int) -> Html:
    if isinstance(cue.content, Triple):
        parts = [cue.content.subject, cue.content.relation, cue.content.object]
        cells = join([html('<td dir="auto"><div class="cml-cell">{part}</div></td>', part=part) for part in parts])
    else:
        cells = html(
            '<td dir="auto" colspan="{columns}"><div class="cml-cell">{text}</div></td>',
            columns=columns,
            text=cue.content,
        )
    return html('<tr>{cells}<td class="cml-id">→ {turn_id}</td></tr>', cells=cells, turn_id=cue.turn_id)


def strip(turns: Sequence[Turn], focus: Turn, reached: Collection[int], reach: int, gold: Collection[TurnId]) -> Html:
    """The turns around one, in the order of time, with an arc to each that an edge reaches."""
    shown = [turn for turn in turns if abs(turn.index - focus.index) <= reach]
    cells = []
    for place, turn in enumerate(shown):
        before = shown[place - 1] if place else None
        away = turn.index - focus.index
        arc = (
            html('<i class="cml-arc" style="--away:{away}"></i>', away=abs(away))
            if turn.index in reached
            else Html("")
        )
        cells.append(
            html(
                '<li class="{look}"><span class="cml-away">{away}</span>{arc}'
                '<span class="cml-stop">{name}</span>{cut}</li>',
                look=" ".join(_stop_looks(away, turn.index in reached, before is not None and _new(before, turn))),
                away="this turn" if away == 0 else f"{away:+d}".replace("-", "−"),
                arc=arc,
                name=turn_name(turn.turn_id, gold),
                cut=html('<span class="cml-session">session {number}</span>', number=turn.session)
                if before is not None and _new(before, turn)
                else Html(""),
            )
        )
    return html(
        '<div class="cml-wide cml-time" tabindex="0">'
        '<ol class="cml-strip" style="--reach:{reach};--count:{count}">{cells}</ol></div>',
        reach=reach,
        count=len(shown),
        cells=join(cells),
    )


def _new(before: Turn, turn: Turn) -> bool:
    return before.session != turn.session


def _stop_looks(away: int, reached: bool, new_session: bool) -> list[str]:
    looks = ["cml-here" if away == 0 else "cml-reached" if reached else "cml-far"]
    looks += ["cml-left"] if away < 0 else ["cml-right"] if away > 0 else []
    return looks + (["cml-new"] if new_session else [])


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row of ranked cues. ``kept`` is above the line, ``note`` a word on what comes of it."""

    rank: int
    cosine: float
    text: str
    turn_id: TurnId
    kept: bool
    note: str = ""


def ranked_table(rows: Sequence[Ranked | None], gold: Collection[TurnId], line: str) -> Html:
    """Cues by cosine, with bars; ``line`` says where the cut is. None stands for rows that are left out."""
    cells: list[Html] = []
    for place, row in enumerate(rows):
        if row is None:
            cells.append(html('<tr class="cml-skip"><td colspan="3">…</td></tr>'))
            continue
        above = next((it for it in reversed(rows[:place]) if it is not None), None)
        if above is not None and above.kept and not row.kept:
            cells.append(html('<tr class="cml-line"><td colspan="3"><span>{line}</span></td></tr>', line=line))
        cells.append(_ranked_row(row, gold))
    return html(
        '<table class="cml-table cml-ranked"><thead>{head}</thead><tbody>{rows}</tbody></table>',
        head=html(
            '<tr><th scope="col">rank</th><th scope="col">cue and its turn</th><th scope="col">cosine</th></tr>'
        ),
        rows=join(cells),
    )


def _ranked_row(row: Ranked, gold: Collection[TurnId]) -> Html:
    return html(
        '<tr class="{look}"><td class="cml-number">{rank:,}</td><td><span dir="auto">{text}</span> '
        '<span class="cml-to">→ {name}{note}</span></td>'
        '<td class="cml-cosine"><span>{cosine:.3f}</span>{bar}</td></tr>',
        look="cml-kept" if row.kept else "cml-below",
        rank=row.rank,
        text=short(row.text, _ROW),
        name=turn_name(row.turn_id, gold),
        note=html(" <em>{note}</em>", note=row.note) if row.note else Html(""),
        cosine=row.cosine,
        bar=bar(row.cosine),
    )


def bar(part: float) -> Html:
    """A bar of a share of its full width."""
    return html('<i class="cml-bar"><i style="width:{width:.1f}%"></i></i>', width=100 * min(1.0, max(0.0, part)))


def ladder_table(symbol: str, name: str, rungs: Sequence[Rung], value: int | None, gold: int) -> Html:
    """What each value of a knob gives; the present one is marked."""
    most = max((rung.outcome.tokens for rung in rungs), default=0)
    rows = [
        html(
            '<tr class="{look}"{current}><th scope="row">{value}</th><td class="cml-number">{turns:,}</td>'
            '<td class="cml-cosine"><span>{tokens:,}</span>{bar}</td>{found}</tr>',
            look="cml-now" if rung.value == value else "",
            current=html(' aria-current="true"') if rung.value == value else Html(""),
            value="none" if rung.value is None else f"{rung.value:,}",
            turns=rung.outcome.turns,
            tokens=rung.outcome.tokens,
            bar=bar(rung.outcome.tokens / most if most else 0),
            found=html('<td class="cml-number">{found} of {gold}</td>', found=len(rung.outcome.found), gold=gold)
            if gold
            else Html(""),
        )
        for rung in rungs
    ]
    return html(
        '<table class="cml-table cml-ladder"><caption>{caption}</caption><thead><tr><th scope="col">{symbol}</th>'
        '<th scope="col" class="cml-number">turns</th><th scope="col" class="cml-tokens">tokens</th>{found}</tr>'
        "</thead><tbody>{rows}</tbody></table>",
        caption=name,
        symbol=symbol,
        found=html('<th scope="col" class="cml-number">gold found</th>') if gold else Html(""),
        rows=join(rows),
    )
