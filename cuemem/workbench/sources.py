"""The cue sources by name, made for one conversation: the only list of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cuemem.adapters.files import open_source
from cuemem.adapters.store import Store
from cuemem.cues.imported import read_cues
from cuemem.cues.observations import ObservationCues
from cuemem.cues.sentences import SentenceCues
from cuemem.errors import BadInput, UnknownName
from cuemem.ports import CueSource
from cuemem.types import Conversation, TurnUnit

ABOUT: Mapping[str, str] = {
    "imported": "triples or statements from a JSONL file, a line a turn",
    "observations": "the statements that a LoCoMo file brings along",
    "sentences": "each sentence with its speaker's name before it; needs no model and no file",
    "llm": "triples that a language model extracts, as in the paper",
}
PER_CALL = frozenset({"llm"})  # each turn costs a call: committed one by one, and never asked for twice


def cue_source(
    store: Store, conversation: Conversation, name: str, cue_dir: Path | None, llm: CueSource | None = None
) -> CueSource | None:
    """The source that makes cues for a conversation. None: only cues that are in the store already can be used.

    ``llm`` is the source with a language model, where one is set. ``cue_dir`` is the folder of the imported cues,
    a file ``<sample>.jsonl`` each, or is the file itself. Raises UnknownName for a source there is not, and
    BadInput where what it reads from is not there.
    """
    if name not in ABOUT:
        raise UnknownName(f"No cue source {name!r}; there are {', '.join(ABOUT)}.")
    if name == "llm":
        return llm
    if name == "sentences":
        return SentenceCues()
    if name == "observations":
        return ObservationCues(store.observations(conversation.conversation_id))
    if cue_dir is None:
        return None
    path = cue_dir if cue_dir.is_file() else cue_dir / f"{conversation.sample_id}.jsonl"
    if not path.is_file():
        raise BadInput(
            f"There are no cues for {conversation.title}: {path} is missing. Name its folder by --cue-dir."
        )
    source = open_source(path)
    return read_cues(source.lines(), conversation, file=source.name, sha256=source.sha256)


def refuse_without_cues(store: Store, conversation: Conversation, source: str, unit: TurnUnit) -> None:
    """Raise BadInput where not one turn gave a cue and some failed: such a memory would be an empty success."""
    held = next(
        it for it in store.cue_sets(conversation.conversation_id) if (it.source, it.turn_unit) == (source, unit)
    )
    if held.failed:
        first = next(it for it in store.extractions(conversation.conversation_id, source, unit) if it.failure)
        raise BadInput(
            f"{conversation.title}: {held.failed:,} of {held.turns:,} turns failed and none gave a cue, so there is "
            f"no memory. The first was {first.turn_id}, {first.failure} "
            f"Then: python -m cuemem build {conversation.sample_id} --cues {source} --retry-failed"
        )
