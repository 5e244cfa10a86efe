"""``evaluate``: methods × questions, answered and judged, in runs that can be stopped and go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from cuemem.commands.answer import NO_JUDGE, JudgeBy, JudgeModel, Priority, Style
from cuemem.commands.evaluating import Way, run
from cuemem.commands.model_options import (
    ApiBase,
    Concurrency,
    Model,
    OwnPrompts,
    PerMinute,
    Window,
    prompts_of,
    settings_of,
)
from cuemem.commands.options import NO_TYPE, TURN_UNITS, listed, one_of
from cuemem.errors import BadInput, NotBuilt
from cuemem.evaluation.run import GraphUse
from cuemem.types import ConversationId
from cuemem.workbench import Workbench
from cuemem.workbench.models import ModelSettings
from cuemem.workbench.runs import Caps, Contender, Plan, begin
from cuemem.workbench.runs.presets import PRESETS, with_preset
from cuemem.workbench.runs.reading import resolve
from cuemem.workbench.runs.sampling import SEED
from cuemem.workbench.runs.spelled import NAMES, check_common, contender, read_pairs
from cuemem.workbench.sources import ABOUT

_WHICH: dict[str, Any] = {"rich_help_panel": "What is compared", "show_default": False}
_ASKED: dict[str, Any] = {"rich_help_panel": "Which questions", "show_default": False}
_GOING: dict[str, Any] = {"rich_help_panel": "How it goes", "show_default": False}

Conversations = Annotated[
    list[str] | None,
    typer.Argument(metavar="CONVERSATION", help="Any unambiguous end of a name that `list` shows."),
]
Dataset = Annotated[
    str | None,
    typer.Option("--dataset", metavar="NAME", help="All conversations of locomo, longmemeval, …", **_ASKED),
]
Limit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="At most N questions, a sample of all.", **_ASKED)
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Draws that sample; 1 unless said.", **_ASKED)]
Category = Annotated[
    list[str] | None,
    typer.Option("--category", metavar="NAME", help="Only these: number, name or abstention.", **_ASKED),
]
Methods = Annotated[
    list[str] | None,
    typer.Option("--method", metavar="NAME", help=f"{listed(NAMES)}, or NAME:w=2,k=1. Several times.", **_WHICH),
]
Settings = Annotated[
    str | None, typer.Option("--settings", metavar="w=2,k=1", help="For all methods that have them.", **_WHICH)
]
Cues = Annotated[
    str | None,
    typer.Option(
        "--cues", help="Cue source, where there are several.", **one_of(ABOUT) | _WHICH | {"metavar": "NAME"}
    ),
]
Turns = Annotated[
    str | None, typer.Option("--turns", help="Turn unit, where there are several.", **one_of(TURN_UNITS) | _WHICH)
]
Budget = Annotated[
    str | None, typer.Option("--budget", metavar="TOKENS", help="Most tokens of a context, or 'none'.", **_WHICH)
]
AnchorsOnly = Annotated[
    bool, typer.Option("--anchors-only", metavar=NO_TYPE, help="Without the graph (ablation 5.3 a).", **_WHICH)
]
PresetName = Annotated[str | None, typer.Option("--preset", help=f"{listed(PRESETS)}.", **one_of(PRESETS) | _WHICH)]
Tuned = Annotated[
    bool,
    typer.Option("--tuned", metavar=NO_TYPE, help="Mark: settings were chosen on these questions.", **_WHICH),
]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", metavar="USD", min=0, help="Stop before this is spent.", **_GOING)
]
MaxCalls = Annotated[
    int | None, typer.Option("--max-calls", metavar="N", min=1, help="Stop after so many calls.", **_GOING)
]
Yes = Annotated[bool, typer.Option("--yes", "-y", metavar=NO_TYPE, help="Do not ask before it costs.", **_GOING)]
Resume = Annotated[
    list[str] | None,
    typer.Option("--resume", metavar="RUN", help="Go on with this run, or group of runs.", **_GOING),
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", metavar=NO_TYPE, help="Ask again where it had failed.", **_GOING)
]
Again = Annotated[bool, typer.Option("--again", metavar=NO_TYPE, help="Measure anew; replies are kept.", **_GOING)]
Batch = Annotated[
    bool, typer.Option("--batch", metavar=NO_TYPE, help="Ask nothing; replies come from files.", **_GOING)
]
OnlyEstimate = Annotated[
    bool, typer.Option("--estimate", metavar=NO_TYPE, help="Only tell what it would take.", **_GOING)
]


def evaluate(
    ctx: typer.Context,
    conversations: Conversations = None,
    dataset: Dataset = None,
    limit: Limit = None,
    category: Category = None,
    seed: Seed = SEED,
    method: Methods = None,
    settings: Settings = None,
    cues: Cues = None,
    turns: Turns = None,
    budget: Budget = None,
    anchors_only: AnchorsOnly = False,
    preset: PresetName = None,
    tuned: Tuned = False,
    model: Model = None,
    api_base: ApiBase = None,
    window: Window = None,
    style: Style = "short",
    priority: Priority = True,
    judge_by: JudgeBy = None,
    judge_model: JudgeModel = None,
    concurrency: Concurrency = None,
    per_minute: PerMinute = None,
    own: OwnPrompts = None,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    yes: Yes = False,
    resume: Resume = None,
    retry_failed: RetryFailed = False,
    again: Again = False,
    batch: Batch = False,
    only_estimate: OnlyEstimate = False,
) -> None:
    """Run a benchmark: methods × questions, answered and judged."""
    calls = {"api_base": api_base, "concurrency": concurrency, "requests_per_minute": per_minute}
    way = Way(Caps(max_cost, max_calls), yes, retry_failed, again, only_estimate, calls, own)
    common = _common(settings, cues=cues, turns=turns, budget=budget)
    _by_itself(resume, conversations, dataset, method, preset, settings)
    with ctx.obj.workbench() as workbench:
        if resume:
            run(ctx.obj, workbench, _resumed(workbench, resume), way)
            return
        answering, judging = _models(model, judge_model, window, calls)
        plan = Plan(
            contenders=_contenders(method, common, anchors_only, preset, answered=answering is not None),
            conversations=_conversations(workbench, conversations, dataset, common),
            limit=limit,
            seed=seed,
            categories=tuple(category or ()),
            answering=answering,
            judging=None if judge_by == NO_JUDGE else judging,
            style=style,  # type: ignore[arg-type]
            priority=priority,
            protocol=None if judge_by == NO_JUDGE else judge_by,  # type: ignore[arg-type]
            prompts=prompts_of(own),
            tuned=tuned,
            waits=batch,
        )
        run(ctx.obj, workbench, begin(workbench, plan), way)


def _common(settings: str | None, **memory: str | None) -> dict[str, str]:
    """The settings for all methods that have them."""
    return read_pairs(settings or "") | {name: value for name, value in memory.items() if value is not None}


def _by_itself(resume: Sequence[str] | None, *others: object) -> None:
    if resume and any(others):
        raise typer.BadParameter("A run that is resumed knows its questions and methods: leave them out.")


def _models(
    model: str | None, judge_model: str | None, window: int | None, calls: dict[str, Any]
) -> tuple[ModelSettings | None, ModelSettings | None]:
    answering = settings_of("answer", model=model, window=window, **calls)
    return answering, settings_of("judge", model=judge_model or model, **calls) or answering


def _resumed(workbench: Workbench, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(run_id for name in names for run_id in resolve(workbench.store, name)))


def _contenders(
    method: Sequence[str] | None,
    common: dict[str, str],
    anchors_only: bool,
    preset: str | None,
    *,
    answered: bool,
) -> list[Contender]:
    texts = list(method or ())
    graph: GraphUse = "off" if anchors_only else "on"
    named = [replace(contender(text, common), graph=graph) for text in texts or [NAMES[0]]]
    check_common(common, texts or [NAMES[0]])
    if preset is not None and graph != "on":
        raise typer.BadParameter("A preset says itself when the graph is left out; leave --anchors-only out.")
    return with_preset(preset, named, answered=answered)  # type: ignore[arg-type]


def _conversations(
    workbench: Workbench,
    names: Sequence[str] | None,
    dataset: str | None,
    common: dict[str, str],
) -> list[ConversationId]:
    """The conversations named, those of a dataset, or all that are built for what is compared."""
    rows = workbench.store.conversations()
    if names:
        ids = list(dict.fromkeys(map(workbench.store.resolve, names)))
        return (
            ids
            if dataset is None
            else [row.conversation_id for row in rows if row.conversation_id in ids and row.dataset == dataset]
        )
    if dataset is not None:
        found = [row.conversation_id for row in rows if row.dataset == dataset]
        if not found:
            there = ", ".join(dict.fromkeys(row.dataset for row in rows)) or "nothing"
            raise BadInput(f"No conversation of dataset {dataset!r} is loaded; the store holds {there}.")
        return found
    cues = common.get("cues")
    built = {it.conversation_id for it in workbench.store.memories() if cues in (None, it.cue_source)}
    if not built:
        raise NotBuilt(
            f"No conversation in {workbench.store.path} is built yet; build some first: "
            f"python -m cuemem build --all --cues {cues or 'sentences'}"
        )
    return [row.conversation_id for row in rows if row.conversation_id in built]
