"""Extraction by a language model, put together: the source, what it will take, and how good it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path

from cuemem.adapters.files import open_source
from cuemem.adapters.store import CachedChat, Spent, Store
from cuemem.cues.estimate import Estimate, Pace, estimate
from cuemem.cues.llm import NAME, LlmCues
from cuemem.datasets import load_conversations
from cuemem.errors import BadInput
from cuemem.evaluation.extraction_quality import GoldTurn, Quality, measure_extraction, read_gold
from cuemem.ports import Extraction, Progress, TokenCounter, no_progress
from cuemem.prompts import Prompts
from cuemem.turns import cut_turns
from cuemem.types import Conversation, ConversationId, Turn, TurnId, TurnUnitChoice
from cuemem.workbench.models import ModelSettings, open_chat
from cuemem.workbench.workbench import Workbench

_DATA = Path(__file__).resolve().parents[2] / "data"
GOLD = _DATA / "extraction_gold.jsonl"
_SAMPLES = ("locomo_sample.json", "longmemeval_sample.json")


def llm_cues(
    store: Store, settings: ModelSettings | None, prompts: Prompts, tokens: TokenCounter, group_tokens: int = 0
) -> LlmCues:
    """The cue source ``llm`` over the store, which keeps every reply and every prompt that is used."""
    chat: CachedChat = open_chat(store, settings)
    concurrency = settings.limits.concurrency if settings else 1
    for name in ("extraction", "extraction_group") if group_tokens else ("extraction",):
        keep_prompt(store, prompts, name)
    return LlmCues(chat, prompts, tokens, concurrency, group_tokens=group_tokens)


def keep_prompt(store: Store, prompts: Prompts, name: str) -> None:
    """Keep a prompt's text, so that the hash beside a result can be looked up."""
    prompt = prompts[name]
    store.save_prompt(prompt.version, prompt.about, prompt.text)


def estimate_build(
    workbench: Workbench,
    conversation_id: ConversationId,
    source: LlmCues,
    turn_unit: TurnUnitChoice = "auto",
    retry_failed: bool = False,
) -> Estimate:
    """What the extraction that :meth:`Workbench.build` would do takes: of the turns that are still to be done."""
    conversation = workbench.store.conversation(conversation_id)
    turns = to_do(workbench.store, source, cut_turns(conversation, turn_unit), conversation_id, retry_failed)
    spent = workbench.store.spent(source.chat.name, "extraction", timed=True)
    pace = Pace(spent.seconds, spent.tokens_in, spent.tokens_out) if spent.calls else None
    return estimate(source, conversation, turns, pace)


def total(told: Iterable[Estimate]) -> Estimate:
    """Several extractions one after the other; what is not known of one is not known of all."""
    found = list(told)
    costs = [it.cost for it in found]
    seconds = [it.seconds for it in found]
    return Estimate(
        sum(it.turns for it in found),
        sum(it.calls for it in found),
        sum(it.tokens_in for it in found),
        sum(it.tokens_out for it in found),
        None if None in costs else sum(filter(None, costs)),
        None if None in seconds else sum(filter(None, seconds)),
    )


def extraction_spent(store: Store, model: str, conversation_id: ConversationId, prompts: Iterable[str]) -> Spent:
    """What the extraction of a conversation by a model has used so far, all its prompts together."""
    spent = [store.spent(model, prompt, conversation_id) for prompt in prompts]
    return Spent(*(sum(getattr(it, part.name) for it in spent) for part in fields(Spent)))


def to_do(
    store: Store, source: LlmCues, turns: tuple[Turn, ...], conversation_id: ConversationId, retry_failed: bool
) -> list[Turn]:
    """The turns that are still to be extracted; with ``retry_failed`` those that had failed too."""
    conversation = store.conversation(conversation_id)
    for held in store.cue_sets(conversation_id):
        same = held.source == NAME and dict(held.provenance) == dict(source.provenance)
        if same and cut_turns(conversation, held.turn_unit) == turns:
            made = store.extractions(conversation_id, NAME, held.turn_unit)
            done = {it.turn_id for it in made if not (retry_failed and it.failure)}
            return [turn for turn in turns if turn.turn_id not in done]
    return list(turns)


def extraction_quality(
    workbench: Workbench, source: LlmCues, gold: Path = GOLD, progress: Progress = no_progress
) -> Quality:
    """Extract the turns of the gold set, which are of the bundled conversations, and score them.

    Raises BadInput for a gold set that names a turn there is not, and ChatFailure where no turn could succeed.
    """
    wanted = read_gold(open_source(gold).lines())
    by_conversation: dict[str, list[GoldTurn]] = {}
    for turn in wanted:
        by_conversation.setdefault(turn.conversation, []).append(turn)
    made: dict[tuple[str, TurnId], Extraction] = {}
    conversations = _samples()
    for name, gold_turns in by_conversation.items():
        if name not in conversations:
            raise BadInput(f"{gold} names the conversation {name!r}; bundled are {', '.join(conversations)}.")
        conversation = conversations[name]
        ids = {turn.turn_id for turn in gold_turns}
        turns = [turn for turn in cut_turns(conversation, "utterance") if turn.turn_id in ids]
        if strangers := ids - {turn.turn_id for turn in turns}:
            raise BadInput(f"{gold} names {min(strangers)!r}, which {name} does not have.")
        for extraction in source.extract(conversation, turns):
            made[name, extraction.turn_id] = extraction
            progress("turns", len(made), len(wanted))
    return measure_extraction(wanted, made, workbench.embedder)


def _samples() -> Mapping[str, Conversation]:
    loaded = (each for name in _SAMPLES for each in load_conversations(open_source(_DATA / name)))
    return {each.conversation.sample_id: each.conversation for each in loaded}
