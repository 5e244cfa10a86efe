"""What is to be run: ways of choosing contexts × questions × a model × a judge, made into one card for each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from cuemem import __version__, knobs
from cuemem.adapters.store import Store
from cuemem.errors import BadSetting
from cuemem.evaluation.answer import Answerer
from cuemem.evaluation.compare import has_gold
from cuemem.evaluation.judge import Judge, suited_protocol
from cuemem.evaluation.run import (
    ORACLE,
    RUN,
    AnswerSetup,
    Code,
    DataFile,
    GraphUse,
    JudgeSetup,
    QuestionSet,
    RunCard,
    RunConversation,
    as_json,
    from_json,
)
from cuemem.methods import method_named
from cuemem.prompts import Prompts
from cuemem.turns import resolve_unit
from cuemem.types import AnswerStyle, Conversation, ConversationId, JudgeProtocol, PromptVersion, TurnUnitChoice
from cuemem.workbench import answering, cards
from cuemem.workbench.models import ModelSettings
from cuemem.workbench.runs.sampling import SEED, Asked
from cuemem.workbench.runs.sources import cue_origin, question_hash, select
from cuemem.workbench.workbench import Workbench

UNCAPPED = 0  # as a budget: none, whatever would suit the conversation


@dataclass(frozen=True, slots=True)
class Contender:
    """One way of choosing contexts, as asked for; what is not said takes the default that suits the conversation.

    ``source`` is a method's name or :data:`ORACLE`; ``settings`` are its knobs by name or symbol. ``priority`` None
    is as the plan says.
    """

    source: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    cues: str | None = None
    turns: str | None = None
    budget: int | None = None
    graph: GraphUse = "on"
    priority: bool | None = None


@dataclass(frozen=True)
class Plan:
    """Contenders over the same questions, answered by the same model and judged alike.

    ``protocol`` None is the one that suits the dataset. Without ``answering`` only retrieval is measured, without
    ``judging`` nothing is judged.
    """

    contenders: Sequence[Contender]
    conversations: Sequence[ConversationId]
    limit: int | None = None
    categories: tuple[str, ...] = ()
    seed: int = SEED
    answering: ModelSettings | None = None
    judging: ModelSettings | None = None
    style: AnswerStyle = "short"
    priority: bool = True
    protocol: JudgeProtocol | None = None
    prompts: Prompts = field(default_factory=Prompts)
    tuned: bool = False
    waits: bool = False


def begin(workbench: Workbench, plan: Plan) -> tuple[str, ...]:
    """Keep a card for each run of the plan, and give their ids; a run that was begun before stays as it is.

    Raises BadSetting, NotBuilt, UnknownName and BadInput for what cannot be run, and keeps nothing then.
    """
    made = [card for group in _by_dataset(workbench.store, plan) for card in _cards(workbench, plan, *group)]
    unique = {card.run_id: card for card in made}
    group = knobs.fingerprint(sorted(unique))[:6]
    held = {record.run_id: record for record in workbench.store.runs() if record.kind == RUN}
    for run_id, card in unique.items():
        if run_id in held:
            known = from_json(RunCard, held[run_id].card, f"The card of {run_id}")
            groups = tuple(dict.fromkeys([*known.groups, group]))
            card = replace(known, groups=groups, tuned=known.tuned or plan.tuned, waits=plan.waits)
        workbench.store.save_run(run_id, RUN, as_json(replace(card, groups=card.groups or (group,))))
    return tuple(unique)


def _by_dataset(store: Store, plan: Plan) -> list[tuple[str, list[Asked], list[ConversationId]]]:
    """The questions apart by dataset: numbers of different datasets are never averaged."""
    if not plan.contenders:
        raise BadSetting("There is nothing to compare: name at least one method, or the oracle.")
    rows = [row for row in store.conversations() if row.conversation_id in set(plan.conversations)]
    groups = []
    for dataset in dict.fromkeys(row.dataset for row in rows):
        ids = [row.conversation_id for row in rows if row.dataset == dataset]
        asked = select(store, ids, plan.limit, plan.categories, plan.seed)
        used = {key for key, _ in asked}
        groups.append((dataset, asked, [key for key in ids if key in used]))
    if not groups:
        raise BadSetting("No conversation is chosen.")
    return groups


def _cards(
    workbench: Workbench, plan: Plan, dataset: str, asked: list[Asked], ids: list[ConversationId]
) -> list[RunCard]:
    files = {file.sha256: file for file in workbench.store.files()}
    shas = {row.conversation_id: row.file_sha256 for row in workbench.store.conversations()}
    used = [files[sha] for sha in dict.fromkeys(shas[key] for key in ids)]
    judging = _judging(workbench, plan, dataset, asked)
    common: dict[str, Any] = {
        "dataset": dataset,
        "files": tuple(DataFile(file.name, file.sha256, file.dataset, file.known_as) for file in used),
        "questions": QuestionSet(
            len(asked), question_hash(asked), plan.limit, plan.categories, None if plan.limit is None else plan.seed
        ),
        "embedding_model": workbench.embedder.name,
        "tokenizer": workbench.tokens.name,
        "judging": judging,
        "started": datetime.now(UTC),
        "code": Code(__version__, cards.commit()),
        "packages": cards.packages(),
        "tuned": plan.tuned,
        "waits": plan.waits,
    }
    return [_card(workbench, plan, contender, ids, common) for contender in plan.contenders]


def _card(
    workbench: Workbench, plan: Plan, contender: Contender, ids: Sequence[ConversationId], common: Mapping[str, Any]
) -> RunCard:
    chosen = [_conversation(workbench, contender, key) for key in ids]
    priority = plan.priority if contender.priority is None else contender.priority
    return RunCard(
        method=contender.source,
        title=_title(contender, priority=priority),
        graph=contender.graph,
        conversations=tuple(entry for entry, _ in chosen),
        settings_line=_line(chosen),
        answering=_answering(workbench, plan, priority=priority),
        **common,
    )


def _conversation(workbench: Workbench, contender: Contender, key: ConversationId) -> tuple[RunConversation, str]:
    """How a contender recalls in this conversation, and the same as a line for people."""
    conversation = workbench.store.conversation(key)
    if contender.source == ORACLE:
        return _oracle(conversation, contender)
    method = workbench.pick(key, contender.source, contender.cues, contender.turns)
    budget = method.suited_to(conversation)[1] if contender.budget is None else contender.budget or None
    method = knobs.with_settings(method, contender.settings)
    knobs.check(method)
    if contender.graph != "on" and method.without_graph() is None:
        raise BadSetting(f"{method.title} has no graph that could be left out. Leave it out of the ablation.")
    unit = resolve_unit(conversation, method.turn_unit)
    entry = RunConversation(
        key,
        conversation.title,
        knobs.settings(method) | {"turn_unit": unit},
        budget,
        cue_origin(workbench.store, conversation, method),
    )
    shown = method.without_graph() if contender.graph == "off" else method
    grown = " · grown to equal tokens" if contender.graph == "off at equal tokens" else ""
    return entry, cards.settings_line(knobs.with_settings(shown, {"turn_unit": unit}), budget) + grown


def _oracle(conversation: Conversation, contender: Contender) -> tuple[RunConversation, str]:
    if contender.settings or contender.cues or contender.graph != "on":
        raise BadSetting("The oracle's context is the gold turns: it has no settings, no cues and no graph.")
    asked: TurnUnitChoice = contender.turns or "auto"  # type: ignore[assignment]
    unit = resolve_unit(conversation, asked)
    budget = contender.budget or None
    entry = RunConversation(conversation.conversation_id, conversation.title, {"turn_unit": unit}, budget)
    return entry, f"turns: {unit}" if budget is None else f"turns: {unit} · budget {budget:,} tokens"


def _line(chosen: Sequence[tuple[RunConversation, str]]) -> str:
    lines = list(dict.fromkeys(line for _, line in chosen))
    return lines[0] if len(lines) == 1 else f"{lines[0]} (in some conversations: {'; '.join(lines[1:])})"


def _title(contender: Contender, *, priority: bool) -> str:
    name = answering.ORACLE if contender.source == ORACLE else str(method_named(contender.source).title)
    graph = {"on": "", "off": ", anchors only", "off at equal tokens": ", anchors only at equal tokens"}
    return f"{name}{graph[contender.graph]}{'' if priority else ', no priority instruction'}"


def _answering(workbench: Workbench, plan: Plan, *, priority: bool) -> AnswerSetup | None:
    if plan.answering is None:
        return None
    made: Answerer = answering.answerer(
        workbench.store, plan.answering, plan.prompts, workbench.tokens, plan.style, priority
    )
    window = plan.answering.window
    return AnswerSetup(plan.answering.name, plan.style, priority, made.prompt, made.max_tokens, window)


def _judging(workbench: Workbench, plan: Plan, dataset: str, asked: Sequence[Asked]) -> JudgeSetup | None:
    if plan.judging is None or plan.answering is None:
        return None
    made: Judge = answering.judge(
        workbench.store, plan.judging, plan.prompts, plan.protocol or suited_protocol(dataset)
    )
    names = sorted({made.template(question) for _, question in asked if has_gold(question)})
    versions: tuple[PromptVersion, ...] = tuple(plan.prompts[name].version for name in names)
    return JudgeSetup(plan.judging.name, made.protocol, versions, made.max_tokens)
