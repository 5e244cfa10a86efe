"""The tables of the Cues page as rows, the same on the page and in its CSV files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cuemem.adapters.store import Correction
from cuemem.methods.cuemem.inspect import CuePair
from cuemem.types import Cue, CueHit, Triple, Turn
from cuemem.ui.cues.book import Book

Row = dict[str, Any]
RANK, COSINE = "rank", "cosine"


def cue_columns(book: Book) -> tuple[str, ...]:
    """The columns of a table of cues: those of triples, of statements, or both, and the rank where one is asked."""
    parts = (("subject", "relation", "object") if book.triples else ()) + (("statement",) if book.statements else ())
    asked = (RANK, COSINE) if book.hits else ()
    return (*asked, *parts, "turn", "session", "date", "gold for")


def cue_row(book: Book, cue: Cue) -> Row:
    """A cue with its source turn, and its rank for the question."""
    turn = book.scene.turns[cue.turn_id]
    hit = book.hits.get(cue.index)
    ranked: Row = {RANK: hit.rank, COSINE: hit.cosine} if hit else {}
    return ranked | parts_of(cue) | _place(book, turn)


def parts_of(cue: Cue) -> Row:
    """Subject, relation and object, or the statement."""
    if isinstance(cue.content, Triple):
        return {"subject": cue.content.subject, "relation": cue.content.relation, "object": cue.content.object}
    return {"statement": cue.content}


def _place(book: Book, turn: Turn) -> Row:
    gold = book.gold_of.get(turn.turn_id, ())
    return {
        "turn": turn.turn_id,
        "session": turn.session,
        "date": turn.time,
        "gold for": ", ".join(map(str, gold)),
    }


BARE_COLUMNS = ("turn", "session", "date", "gold for", "text")
FAILURE = "extraction failed"


def bare_rows(book: Book, failures: Mapping[str, str]) -> list[Row]:
    """The turns without a cue; ``failures`` says of some why extraction gave nothing."""
    return [_place(book, turn) | {"text": turn.text, FAILURE: failures.get(turn.turn_id, "")} for turn in book.bare]


COPIES_COLUMNS = ("text", "copies", "turns")


def copies_row(group: Sequence[Cue]) -> Row:
    """Cues of the very same text."""
    turns = dict.fromkeys(cue.turn_id for cue in group)
    return {"text": group[0].text, "copies": len(group), "turns": ", ".join(turns)}


PAIR_COLUMNS = ("cosine", "one", "turn", "other", "turn of the other")


def pair_row(pair: CuePair) -> Row:
    """Two cues that say nearly the same."""
    return {
        "cosine": pair.cosine,
        "one": pair.one.text,
        "turn": pair.one.turn_id,
        "other": pair.other.text,
        "turn of the other": pair.other.turn_id,
    }


NEAREST_COLUMNS = ("neighbour", COSINE, "cue", "turn", RANK)


def nearest_row(book: Book, hit: CueHit) -> Row:
    """A near cue, and its own rank for the question."""
    asked = book.hits.get(hit.cue.index)
    return {
        "neighbour": hit.rank,
        "cosine": hit.cosine,
        "cue": hit.cue.text,
        "turn": hit.cue.turn_id,
        "rank": asked.rank if asked else None,
    }


CORRECTION_COLUMNS = ("number", "corrected (UTC)", "turn", "state", "before", "after")


def correction_row(correction: Correction) -> Row:
    """What was changed, as the history tells it."""
    return {
        "number": correction.number,
        "corrected (UTC)": f"{correction.corrected_at:%Y-%m-%d %H:%M:%S}",
        "turn": correction.turn_id,
        "state": correction.state,
        "before": listed(correction.before),
        "after": listed(correction.after),
    }


def listed(contents: Iterable[Triple | str]) -> str:
    """The cues of a turn in one text, a line each."""
    return "\n".join(str(content) for content in contents)
