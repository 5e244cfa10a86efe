"""A conversation as the chat draws it: all that is said, as plain JSON without any HTML in it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from cuemem.context import said
from cuemem.types import Turn, Utterance

LONG_TEXT, LONG_LINES = 900, 16  # a message beyond either is folded


def chat_text(turns: Sequence[Turn], revision: str) -> dict[str, Any]:
    """Sessions, speakers and turns in chronological order; ``revision`` names this very text.

    A user's messages, or those of the second of two people, stand on the right, all others on the left.
    """
    speakers = list(dict.fromkeys(u.speaker for turn in turns for u in turn.utterances))
    place = {name: number for number, name in enumerate(speakers)}
    sessions = [list(members) for _, members in groupby(turns, key=lambda turn: turn.session)]
    return {
        "revision": revision,
        "speakers": speakers,
        "sessions": [_session(members) for members in sessions],
        "turns": [
            {"id": turn.turn_id, "said": [_message(u, place, start) for u in turn.utterances]}
            for members in sessions
            for start in (members[0].time,)
            for turn in members
        ],
    }


def _session(turns: Sequence[Turn]) -> dict[str, Any]:
    time = turns[0].time
    return {
        "number": turns[0].session,
        "date": said(time),
        "day": day(time),
        "turns": len(turns),
    }


def day(time: datetime | None) -> str:
    """A date as it stands in a list: ``4 Feb 2024``."""
    return "date unknown" if time is None else f"{time.day} {time:%b %Y}"


def _message(utterance: Utterance, place: dict[str, int], start: datetime | None) -> dict[str, Any]:
    """One message; its time only where it is not that of the session's opening, its own id never."""
    right = utterance.role == "user" or (utterance.role == "speaker" and len(place) == 2 and place[utterance.speaker])
    message: dict[str, Any] = {"by": place[utterance.speaker], "text": utterance.text}
    if right:
        message["right"] = 1
    if utterance.caption:
        message["image"] = utterance.caption
    if utterance.time is not None and utterance.time != start:
        message["time"] = clock(utterance.time, start)
    if len(utterance.text) > LONG_TEXT or utterance.text.count("\n") >= LONG_LINES:
        message["long"] = f"{len(utterance.text):,} characters"
    return message


def clock(time: datetime, start: datetime | None) -> str:
    """The time of day, with the date where it is another day than the session's opening."""
    same_day = start is not None and time.date() == start.date()
    return f"{time:%H:%M}" if same_day else f"{day(time)}, {time:%H:%M}"
