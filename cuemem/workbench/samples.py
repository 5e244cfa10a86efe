"""The bundled conversations: loaded, and what is to be built of them. Shared by the command line and the app."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from cuemem.adapters.files import open_source
from cuemem.adapters.store import KeptReplies
from cuemem.adapters.store.stored_units import held_set
from cuemem.datasets import conversation_key
from cuemem.errors import CueMemError
from cuemem.methods import CueMem, QGMem
from cuemem.prompts import Prompts
from cuemem.types import ConversationId, Failure
from cuemem.units.llm import PROMPTS, UnitModel
from cuemem.workbench.loading import load_file
from cuemem.workbench.unit_material import key_of
from cuemem.workbench.workbench import Workbench

DATA = Path(__file__).resolve().parents[2] / "data"
CUES = DATA / "cues"
UNITS = DATA / "units"
REPLIES = DATA / "recorded_replies.jsonl"  # made by python -m cuemem record
_WITH_CUES = DATA / "locomo_sample.json"  # has cues, memory units and parsed questions written for it
_OTHERS = (DATA / "longmemeval_sample.json",)
_FIRST = CueMem(cue_source="imported")
_SECOND = QGMem(unit_source="imported")
_THEN = CueMem(cue_source="sentences")
BY_MODEL = QGMem(unit_source="llm")  # of the conversation that has the written units, so that the two can be compared


@dataclass(frozen=True, slots=True)
class Planned:
    """A memory to be built.

    ``files`` is the folder of its cues or units, where it needs one; ``model`` repeats what was recorded of a model.
    """

    conversation_id: ConversationId
    method: Any
    files: Path | None = None
    model: Any = None


def load_samples(workbench: Workbench) -> tuple[Planned, ...]:
    """Load the bundled files, which changes nothing the second time, and plan the memories to build of them.

    With them come replies recorded of a real model, so that answers can be looked at before a model is set up.

    The memory to look at first comes first: a page can show it while the others are still being built.
    """
    with_cues = load_file(workbench.store, _WITH_CUES).conversations
    others = [it for path in _OTHERS for it in load_file(workbench.store, path).conversations]
    rows = [json.loads(line) for line in open_source(REPLIES).lines() if line.strip()] if REPLIES.is_file() else []
    workbench.store.import_replies(row for row in rows if "failure" not in row)
    model = _recorded_model(workbench, [row for row in rows if row["conversation_id"] in with_cues])
    return (
        *(Planned(it, _FIRST, CUES) for it in with_cues),
        *(Planned(it, _SECOND, UNITS) for it in with_cues),
        *(Planned(it, _THEN) for it in (*with_cues, *others)),
        *(Planned(it, BY_MODEL, model=model) for it in with_cues if model and not other_maker(workbench, it, model)),
    )


def other_maker(workbench: Workbench, conversation_id: ConversationId, model: UnitModel) -> str | None:
    """Who made the units that the store holds in the place of this model's; None where nobody else did."""
    held = held_set(workbench.store, key_of(workbench.store.conversation(conversation_id), BY_MODEL))
    if held is None or dict(held.provenance) == dict(model.provenance):
        return None
    return (
        f"{held.provenance.get('model', 'another model')} with the prompts {held.provenance.get('prompt_hash', '')}"
    )


def _recorded_model(workbench: Workbench, rows: Sequence[Mapping[str, Any]]) -> UnitModel | None:
    """The model whose units were recorded: it replies as it did and fails as it did, and nothing is asked.

    None where they were recorded with other prompts than there are now: nothing of it could be found.
    """
    prompts = Prompts()
    recorded = [row for row in rows if row["prompt"] in PROMPTS]
    name = next((str(row["model"]) for row in recorded), None)
    if name is None or any(row["prompt_hash"] != prompts[row["prompt"]].version.hash for row in recorded):
        return None
    failed = {
        str(row["request_key"]): Failure(row["failure"]["kind"], row["failure"]["sentence"], retryable=False)
        for row in rows
        if "failure" in row
    }
    return UnitModel(KeptReplies(workbench.store, name, failed=failed), prompts, workbench.tokens)


def sample_to_open(workbench: Workbench) -> ConversationId | None:
    """The bundled conversation to look at first, once its first memory is built."""
    try:
        key = conversation_key(_sha256(), 0)
        wanted = workbench.memory_id(workbench.store.conversation(key), _FIRST)
    except CueMemError:  # not loaded, or this installation comes without the files
        return None
    return key if any(it.memory_id == wanted for it in workbench.store.memories(key)) else None


@lru_cache(maxsize=1)
def _sha256() -> str:
    return open_source(_WITH_CUES).sha256
