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
from cuemem.types import Conversation

ABOUT: Mapping[str, str] = {
    "imported": "triples or statements from a JSONL file, a line a turn",
    "observations": "the statements that a LoCoMo file brings along",
    "sentences": "each sentence with its speaker's name before it; needs no model and no file",
}


def cue_source(store: Store, conversation: Conversation, name: str, cue_dir: Path | None) -> CueSource | None:
    """The source that makes cues for a conversation. None: only cues that are in the store already can be used.

    ``cue_dir`` is the folder of the imported cues, a file ``<sample>.jsonl`` each, or is the file itself. Raises
    UnknownName for a source there is not, and BadInput where what it reads from is not there.
    """
    if name not in ABOUT:
        raise UnknownName(f"No cue source {name!r}; there are {', '.join(ABOUT)}.")
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
