"""What stands in the margin of the chat, which turns it shows, and which a search finds. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cuemem.turns import turns_holding
from cuemem.types import Question, Recall, Turn, TurnId
from cuemem.ui.view import View
from cuemem.viz.graph.marks import Mark, marks_of, status_of

EVERYTHING = "all"
_LETTERS = {"temporal": "T", "semantic": "S", "history": "", "anchor": "A"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which turns are to be shown: a role, a speaker by place, a session by number; and what to look for."""

    role: str = EVERYTHING
    speaker: int | None = None
    session: int | None = None
    find: str = ""

    @classmethod
    def of(cls, view: View) -> Wanted:
        """What a view's notes ask for; a note that cannot be meant counts as absent."""
        role = view.extra("show", EVERYTHING)
        return cls(
            role if role in ROLES else EVERYTHING,
            _number(view.extra("speaker")),
            _number(view.extra("session")),
            view.extra("find"),
        )


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None


# What a turn is asked: its mark and how many cues it has. In the order of the buttons.
ROLES: Mapping[str, tuple[str, Callable[[Mark, int], bool]]] = {
    "gold": ("Gold", lambda mark, cues: mark.gold),
    "missed": ("Missed gold", lambda mark, cues: mark.missed),
    "anchors": ("Anchors", lambda mark, cues: mark.role == "anchor" and not mark.cut),
    "context": ("In context", lambda mark, cues: mark.role is not None and not mark.cut),
    "cut": ("Cut by the budget", lambda mark, cues: mark.cut),
    "cues": ("With {noun}s", lambda mark, cues: cues > 0),
    "no-cues": ("Without {noun}s", lambda mark, cues: cues == 0),
}
_OF_CUES, _OF_RECALL = {"cues", "no-cues"}, {"missed", "anchors", "context", "cut"}


def gold_turns(question: Question | None, turns: Sequence[Turn]) -> list[TurnId]:
    """The gold turns of a question, whether or not there is a memory of the conversation."""
    return [turns[place].turn_id for place in turns_holding(turns, question.gold_utterances)] if question else []


def marked(turns: Mapping[TurnId, Turn], gold: Collection[TurnId], recall: Recall | None) -> tuple[Mark, ...]:
    """Every turn with its role; without a recall there is gold and nothing else."""
    if recall is None:
        return tuple(Mark(turn, None, turn_id in gold) for turn_id, turn in turns.items())
    return marks_of(recall, gold, turns, {}, everything=True)


def offered(
    marks: Sequence[Mark], cues: Mapping[TurnId, int] | None, recalled: bool, chosen: str, noun: str = "cue"
) -> dict[str, tuple[str, int]]:
    """The roles that can be chosen here with label and count. ``cues`` None: the memory has none at all.

    ``noun`` is what the method calls its cues.
    """
    options = {EVERYTHING: ("All turns", len(marks))}
    for name, (label, holds) in ROLES.items():
        if (name in _OF_CUES and cues is None) or (name in _OF_RECALL and not recalled):
            continue
        count = sum(holds(mark, (cues or {}).get(mark.turn.turn_id, 0)) for mark in marks)
        if count or name == chosen or name in ("gold", "missed"):
            options[name] = (label.format(noun=noun), count)
    return options


def shown(marks: Sequence[Mark], cues: Mapping[TurnId, int] | None, wanted: Wanted) -> list[int] | None:
    """The places of the turns that pass the filters; None where nothing is filtered."""
    if (wanted.role, wanted.speaker, wanted.session) == (EVERYTHING, None, None):
        return None
    speakers = dict(enumerate(dict.fromkeys(u.speaker for mark in marks for u in mark.turn.utterances)))
    name = None if wanted.speaker is None else speakers.get(wanted.speaker)
    holds = ROLES[wanted.role][1] if wanted.role in ROLES else lambda mark, cues: True
    return [
        mark.turn.index
        for mark in marks
        if holds(mark, (cues or {}).get(mark.turn.turn_id, 0))
        and (name is None or any(u.speaker == name for u in mark.turn.utterances))
        and wanted.session in (None, mark.turn.session)
    ]


def found(turns: Sequence[Turn], text: str) -> list[int]:
    """The places of the turns that hold the text, in any case, in speech, caption or name; or the one of that id."""
    if named := named_turn(turns, text):
        return [named.index]
    wanted = text.strip().casefold()
    return [turn.index for turn in turns if wanted in turn.text.casefold()] if wanted else []


def named_turn(turns: Sequence[Turn], text: str) -> Turn | None:
    """The turn whose id, or that of an utterance in it, is the text."""
    wanted = text.strip().casefold()
    return next(
        (turn for turn in turns if wanted in (name.casefold() for name in _ids(turn))),
        None,
    )


def _ids(turn: Turn) -> tuple[str, ...]:
    return (turn.turn_id, *(utterance.utterance_id for utterance in turn.utterances))


def laid_over(
    marks: Sequence[Mark], cues: Mapping[TurnId, int] | None, wanted: Wanted, recalled: bool
) -> dict[str, Any]:
    """All that lies over the chat for a question, and the turns that its stepper goes through."""
    visible = shown(marks, cues, wanted)
    hits = found([mark.turn for mark in marks], wanted.find)
    gold = [mark.turn.index for mark in marks if mark.gold]
    stepping, steps = ("Found", hits) if wanted.find else ("Gold", gold) if gold else ("", [])
    if not wanted.find and visible is not None:
        stepping, steps = "Shown", visible
    return {
        "marks": margin(marks, recalled),
        "shown": visible,
        "find": wanted.find.strip(),
        "hits": hits,
        "stepping": stepping,
        "steps": steps,
    }


def margin(marks: Sequence[Mark], recalled: bool) -> list[list[Any]]:
    """The margin: place, look, letters and words of every turn that is more than an ordinary one."""
    return [
        [mark.turn.index, look, letters, words]
        for mark in marks
        for look, letters, words in (_glyph(mark, recalled),)
        if look != "other"
    ]


def _glyph(mark: Mark, recalled: bool) -> tuple[str, str, str]:
    """Look, letters and words of a mark. Gold that nothing was recalled for is neither found nor missed."""
    if not recalled:
        return ("found history", "gold", "gold") if mark.gold else ("other", "", "")
    if mark.missed:
        return "missed", "miss", status_of(mark)
    if mark.cut:
        return "cut", "cut", status_of(mark)
    letters = f"A{mark.anchor_rank}" if mark.anchor_rank else _LETTERS.get(str(mark.role), "")
    return mark.look, letters, status_of(mark)
