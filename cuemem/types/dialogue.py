"""Section 3: the dialogue history, its utterances, sessions and turns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal, TypeAlias

ConversationId: TypeAlias = str
TurnId: TypeAlias = str

TurnUnit = Literal["utterance", "exchange"]
TurnUnitChoice = Literal["auto", "utterance", "exchange"]
SpeakerRole = Literal["user", "assistant", "speaker"]


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message by one speaker. ``utterance_id`` is unique within its conversation ("D1:3", "S1:3.1").

    ``serial`` is its number where the data counts instead of dating: a larger one is newer.
    """

    utterance_id: str
    session: int
    speaker: str
    text: str
    time: datetime | None = None
    role: SpeakerRole = "speaker"
    caption: str | None = None
    serial: int | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A temporally contiguous block of utterances. ``source_id`` may leak the gold: shown, never retrieved."""

    number: int
    time: datetime | None
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """The dialogue history D, before it is cut into turns.

    Keyed by the file it came from and its position in it; ``dataset`` and ``sample_id`` are for people.
    Utterances are in chronological order and each names a session in ``sessions``.
    """

    conversation_id: ConversationId
    dataset: str
    sample_id: str
    sessions: tuple[Session, ...]
    utterances: tuple[Utterance, ...]

    @property
    def title(self) -> str:
        """Dataset and sample, the way people name a conversation: ``locomo/conv-26``."""
        return f"{self.dataset}/{self.sample_id}"

    @property
    def speakers(self) -> tuple[str, ...]:
        """The speakers in the order of their first utterance."""
        return tuple(dict.fromkeys(utterance.speaker for utterance in self.utterances))


@dataclass(frozen=True)
class Turn:
    """u_i: one utterance or one exchange, at 0-based place ``index`` of the chronological sequence."""

    turn_id: TurnId
    index: int
    utterances: tuple[Utterance, ...]

    @property
    def session(self) -> int:
        """The session that the turn lies in; a turn never crosses a session border."""
        return self.utterances[0].session

    @property
    def time(self) -> datetime | None:
        """The time the turn was said, None where the data gives none."""
        return self.utterances[0].time

    @property
    def serial(self) -> int | None:
        """The number of its first utterance, where the data counts instead of dating."""
        return self.utterances[0].serial

    @cached_property
    def text(self) -> str:
        """``Name: text (image: caption)``, a line for each utterance: what every method embeds and shows."""
        return "\n".join(spoken(utterance) for utterance in self.utterances)


def spoken(utterance: Utterance) -> str:
    """An utterance as it is read: ``Name: text (image: caption)``."""
    caption = f" (image: {utterance.caption})" if utterance.caption else ""
    return f"{utterance.speaker}: {utterance.text}{caption}"
