"""What a language model makes for a build, by the kind of material: the source, and what it will take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from cuemem.adapters.store import Store
from cuemem.adapters.store.stored_units import held_set
from cuemem.cues.estimate import Estimate
from cuemem.errors import BadSetting
from cuemem.knobs import source_knob
from cuemem.methods.qgmem.construction import cut_windows
from cuemem.ports import TokenCounter
from cuemem.prompts import Prompts
from cuemem.types import Conversation, ConversationId, MemoryUnit, Triple, Window
from cuemem.unit_ports import UnitExtraction
from cuemem.units.llm import PROMPTS, UnitModel
from cuemem.workbench.extracting import estimate_build, keep_prompt, llm_cues
from cuemem.workbench.models import ModelSettings, open_chat
from cuemem.workbench.runs.batches import waiting_cues
from cuemem.workbench.unit_material import key_of, to_parse
from cuemem.workbench.workbench import Workbench

# Guessed from units that a strong model made of 1,417 LoCoMo utterances: units a line, their tokens in a reply and
# in a prompt, the share of units that begin a trace, its members; and the tokens of a parsed question.
_UNITS_A_LINE, _UNIT_TOKENS, _INDEX_TOKENS, _TRACES_A_UNIT, _MEMBERS, _TRAJECTORY, _PARSE = (
    0.9,
    70,
    60,
    0.08,
    6,
    80,
    60,
)


@dataclass(frozen=True, slots=True)
class Calls:
    """How a model is to be called beyond its settings. ``group_tokens`` is for turns that share a call.

    ``waits``: it is asked nothing; replies come from batch files.
    """

    group_tokens: int = 0
    retry_failed: bool = False
    waits: bool = False


def model_source(
    method: Any, store: Store, settings: ModelSettings, prompts: Prompts, tokens: TokenCounter, calls: Calls
) -> Any:
    """The source with a model for what the method is built of, over the store, which keeps replies and prompts."""
    declared = source_knob(method)
    assert declared is not None
    return _SOURCES[declared.name](store, settings, prompts, tokens, calls)


def estimated(
    workbench: Workbench, conversation_id: ConversationId, method: Any, source: Any, calls: Calls
) -> Estimate:
    """What the build will take, of what is still to be done."""
    declared = source_knob(method)
    assert declared is not None
    return _ESTIMATES[declared.name](workbench, conversation_id, method, source, calls)


def unit_model(store: Store, settings: ModelSettings | None, prompts: Prompts, tokens: TokenCounter) -> UnitModel:
    """QGMem's model over the store, which keeps every reply and every prompt that is used."""
    for name in PROMPTS:
        keep_prompt(store, prompts, name)
    concurrency = settings.limits.concurrency if settings else 1
    return UnitModel(open_chat(store, settings), prompts, tokens, concurrency)


def _cues(store: Store, settings: ModelSettings, prompts: Prompts, tokens: TokenCounter, calls: Calls) -> Any:
    source = llm_cues(store, settings, prompts, tokens, calls.group_tokens)
    return waiting_cues(store, source) if calls.waits else source


def _units(store: Store, settings: ModelSettings, prompts: Prompts, tokens: TokenCounter, calls: Calls) -> Any:
    if calls.waits:
        raise BadSetting(
            "Memory units cannot come from batch files: stage 2 asks about what stage 1 gave. Call them."
        )
    return unit_model(store, settings, prompts, tokens)


def _cue_estimate(
    workbench: Workbench, conversation_id: ConversationId, method: Any, source: Any, calls: Calls
) -> Estimate:
    return estimate_build(workbench, conversation_id, source, method.turn_unit, calls.retry_failed)


def _unit_estimate(
    workbench: Workbench, conversation_id: ConversationId, method: Any, source: UnitModel, calls: Calls
) -> Estimate:
    """Two calls a window still to be done, one a trace, one a question; what comes back is guessed."""
    conversation = workbench.store.conversation(conversation_id)
    windows = cut_windows(conversation, method.window_turns, method.overlap_turns)
    key = key_of(conversation, method)
    mine = held_set(workbench.store, key)
    made: Sequence[UnitExtraction] = ()
    if mine is not None and dict(mine.provenance) == dict(source.provenance):
        made = workbench.store.unit_extractions(key)
    kept = [it for it in made if not (calls.retry_failed and it.flawed)]
    done = {it.position for it in kept}
    to_do = [window for window in windows if window.position not in done]
    questions = len(to_parse(workbench.store, conversation, source, retry_failed=calls.retry_failed))
    units = ceil(_UNITS_A_LINE * sum(len(window.new) for window in to_do))
    traces = ceil(_TRACES_A_UNIT * units)
    if made:
        traces += _untold(workbench, conversation, method, source, kept, calls)
    tokens_in = sum(_tokens(source, conversation, window) for window in to_do)
    tokens_in += units * _UNIT_TOKENS + traces * (_fixed(source, "qgmem_trajectory") + _MEMBERS * _UNIT_TOKENS)
    tokens_in += questions * (_fixed(source, "qgmem_parse") + 25)
    tokens_out = units * (_UNIT_TOKENS + _INDEX_TOKENS) + traces * _TRAJECTORY + questions * _PARSE
    number = 2 * len(to_do) + traces + questions
    lines = sum(len(window.new) for window in to_do)
    return Estimate(lines, number, tokens_in, tokens_out, source.chat.cost(tokens_in, tokens_out), None)


def _untold(
    workbench: Workbench,
    conversation: Conversation,
    method: Any,
    source: UnitModel,
    kept: Sequence[UnitExtraction],
    calls: Calls,
) -> int:
    """About how many traces of the units that are there have no trajectory by this model and prompt.

    How many traces there are is known once a memory was built, and guessed before.
    """
    held = workbench.store.trajectories(key_of(conversation, method), dict(source.trajectory_provenance))
    told = sum(not (calls.retry_failed and it.failure) for it in held.values())
    wanted = workbench.memory_id(conversation, method)
    if any(it.memory_id == wanted for it in workbench.store.memories(conversation.conversation_id)):
        return max(0, len(workbench.store.trajectories(key_of(conversation, method))) - told)
    return max(0, ceil(_TRACES_A_UNIT * sum(len(it.units) for it in kept)) - told)


def _tokens(source: UnitModel, conversation: Conversation, window: Window) -> int:
    """The prompts of both stages for a window, the second one with a single empty unit."""
    line = window.lines[-1].utterance_id
    unit = MemoryUnit(0, "w0.1", line, line, "", Triple("", "", ""))
    requests = (source.units_request(conversation, window), source.index_request(conversation, window, [unit]))
    return sum(source.tokens.count(message.text) for request in requests for message in request.messages)


def _fixed(source: UnitModel, prompt: str) -> int:
    return source.tokens.count(source.prompts[prompt].text)


_SOURCES: Mapping[str, Callable[[Store, ModelSettings, Prompts, TokenCounter, Calls], Any]] = {
    "cue_source": _cues,
    "unit_source": _units,
}
_ESTIMATES: Mapping[str, Callable[[Workbench, ConversationId, Any, Any, Calls], Estimate]] = {
    "cue_source": _cue_estimate,
    "unit_source": _unit_estimate,
}
