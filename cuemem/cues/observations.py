"""LoCoMo's own statements as cues: facts that a language model wrote, each pointing to the turns it came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cuemem.errors import BadInput
from cuemem.ports import Extraction
from cuemem.types import Conversation, Turn


@dataclass(frozen=True, slots=True)
class ObservationCues:
    """The observations of one conversation, as pairs of utterance id and statement, in the order of the file."""

    observations: tuple[tuple[str, str], ...] = field(repr=False)

    @property
    def name(self) -> str:
        return "observations"

    @property
    def provenance(self) -> Mapping[str, str]:
        return {"source": self.name, "statements": str(len(self.observations))}

    def extract(self, conversation: Conversation, turns: Sequence[Turn]) -> Iterator[Extraction]:
        """Each turn with the statements that point to it. One that points to two utterances of a turn counts once.

        Raises :class:`BadInput` for a conversation that came without observations.
        """
        if not self.observations:
            raise BadInput(
                f"{conversation.title} came without observations. Use another cue source, such as sentences."
            )
        statements: dict[str, list[str]] = {}
        for utterance_id, statement in self.observations:
            statements.setdefault(utterance_id, []).append(statement)
        for turn in turns:
            held = (statements.get(utterance.utterance_id, []) for utterance in turn.utterances)
            yield Extraction(turn.turn_id, tuple(dict.fromkeys(text for texts in held for text in texts)))
