"""LoCoMo's citations of turns: exact ids, and malformed ones that can be repaired."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from cuemem.types import Utterance

_CITATION = re.compile(r"D:?\s*(\d{1,9})\s*:\s*(\d{1,9})(?!\d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a citation names: turns, and turn ids that no turn has. ``repaired`` if it is not itself an id."""

    utterances: tuple[Utterance, ...]
    missing: tuple[str, ...]
    repaired: bool


class Citations:
    """Resolves what the questions and observations of one conversation cite."""

    def __init__(self, utterances: Iterable[Utterance]) -> None:
        self._by_id: dict[str, Utterance] = {}
        for utterance in utterances:
            self._by_id.setdefault(utterance.utterance_id, utterance)
            for canonical in _canonical_ids(utterance.utterance_id):
                self._by_id.setdefault(canonical, utterance)

    def resolve(self, cited: str) -> Resolved:
        """The turns that a cited string names, each once, in the order cited.

        A string that is no id is searched for ``D<session>:<n>``, with its slips (``D:11:26``, ``D30:05``,
        several in one string). A string in which none is found is missing as a whole.
        """
        cited = cited.strip()
        if cited in self._by_id:
            return Resolved((self._by_id[cited],), (), repaired=False)
        names = _canonical_ids(cited) or (cited,)
        found = tuple(self._by_id[name] for name in names if name in self._by_id)
        missing = tuple(name for name in names if name not in self._by_id)
        return Resolved(found, missing, repaired=bool(found))


def _canonical_ids(text: str) -> tuple[str, ...]:
    """Every ``D<session>:<n>`` in a text, without leading zeros and slips, each once."""
    return tuple(dict.fromkeys(f"D{int(session)}:{int(turn)}" for session, turn in _CITATION.findall(text)))
