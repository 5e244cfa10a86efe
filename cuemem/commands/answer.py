"""``answer``: one question answered from several contexts by one model, judged, and what each answer cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, get_args

import typer

from cuemem.commands.answer_report import report
from cuemem.commands.desk import Desk
from cuemem.commands.model_options import (
    ApiBase,
    Concurrency,
    Model,
    OwnPrompts,
    PerMinute,
    Window,
    prompts_of,
    required,
    settings_of,
)
from cuemem.commands.options import NO_TYPE, TURN_UNITS, Name, listed, one_of, read_budget
from cuemem.commands.recalling import question_at, ready
from cuemem.commands.selection import Chosen, Selection
from cuemem.errors import BadInput
from cuemem.evaluation.compare import Contestant, Row, has_gold, scored
from cuemem.evaluation.judge import PROTOCOLS, Judge, suited_protocol
from cuemem.knobs import source_knob
from cuemem.methods import METHODS, method_named
from cuemem.types import AnswerStyle, Query, Question
from cuemem.workbench import Workbench
from cuemem.workbench.answering import answerer, contestant, judge, keep, oracle
from cuemem.workbench.materials import source_names

NO_JUDGE = "none"
_NAMES = tuple(method.name for method in METHODS)
_STYLES = get_args(AnswerStyle)
_JUDGES = (*PROTOCOLS, NO_JUDGE)
_JUDGE: dict[str, Any] = {"rich_help_panel": "Language model", "show_default": False}


def _all_known(names: list[str] | None) -> list[str] | None:
    for name in names or ():
        if name not in _NAMES:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(_NAMES)}.")
    return names


Asked = Annotated[
    str, typer.Argument(metavar="QUESTION", help="A question's place in its file, from 0, or one of your own.")
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help=f"{listed(_NAMES)}; may be given several times. Default: cuemem.",
        callback=_all_known,
        show_default=False,
    ),
]
Oracle = Annotated[bool, typer.Option("--oracle", metavar=NO_TYPE, help="Also from the gold turns alone.")]
Cues = Annotated[
    str | None, typer.Option("--cues", help="Source, where there are several.", **one_of(source_names()))
]
Turns = Annotated[
    str | None, typer.Option("--turns", help="Turn unit, where there are several.", **one_of(TURN_UNITS))
]
Budget = Annotated[
    int | None,
    typer.Option(
        "--budget",
        metavar="TOKENS",
        parser=read_budget,
        help="Most tokens of a context, or 'none'.",
        show_default=False,
    ),
]
Style = Annotated[str, typer.Option("--style", help=f"{listed(_STYLES)}.", **one_of(_STYLES))]
Priority = Annotated[
    bool, typer.Option("--priority/--no-priority", metavar=NO_TYPE, help="The priority instruction (ablation 5.3 b).")
]
JudgeBy = Annotated[
    str | None,
    typer.Option("--judge", help=f"{listed(_JUDGES)}. Default: by dataset.", **one_of(_JUDGES) | _JUDGE),
]
JudgeModel = Annotated[
    str | None, typer.Option("--judge-model", metavar="NAME", help="Default: the model that answers.", **_JUDGE)
]


def answer(
    ctx: typer.Context,
    conversation: Name,
    question: Asked,
    method: Methods = None,
    gold_turns: Oracle = False,
    cues: Cues = None,
    turns: Turns = None,
    budget: Budget = None,
    style: Style = "short",
    priority: Priority = True,
    model: Model = None,
    api_base: ApiBase = None,
    window: Window = None,
    judge_by: JudgeBy = None,
    judge_model: JudgeModel = None,
    concurrency: Concurrency = None,
    per_minute: PerMinute = None,
    own: OwnPrompts = None,
) -> None:
    """Answer a question from several contexts and compare."""
    desk: Desk = ctx.obj
    calls = {"api_base": api_base, "concurrency": concurrency, "requests_per_minute": per_minute}
    answering = required(settings_of("answer", model=model, window=window, **calls))
    judging = settings_of("judge", model=judge_model or model, window=window, **calls)
    prompts = prompts_of(own)
    with desk.workbench() as workbench:
        names = method or [_NAMES[0]]
        chosen = [_selection(name, cues, turns, budget).all_of(workbench, [conversation])[0] for name in names]
        asked = _asked(workbench, chosen[0], question)
        protocol = judge_by or suited_protocol(chosen[0].conversation.dataset)
        judged_by = None
        if protocol != NO_JUDGE and isinstance(asked, Question) and has_gold(asked):
            judged_by = judge(workbench.store, judging or answering, prompts, protocol)  # type: ignore[arg-type]
        contexts = _contexts(desk, workbench, chosen, asked, gold_turns, turns)
        model_ = answerer(workbench.store, answering, prompts, workbench.tokens, style, priority)  # type: ignore[arg-type]
        desk.kept = "Every reply that came is kept; the same command asks only for the others."
        rows = _rows(desk, workbench, chosen[0].id, asked, contexts, model_, judged_by)
    report(desk, chosen, asked, rows)
    if all(row.answer.failure for row in rows):
        raise typer.Exit(BadInput.exit_code)


def _selection(name: str, cues: str | None, turns: str | None, budget: int | None) -> Selection:
    """The memory of one method; cues and budget hold for the methods that have them."""
    has_source = source_knob(method_named(name)) is not None
    return Selection(name, cues if has_source else None, turns, budget)


def _asked(workbench: Workbench, chosen: Chosen, question: str) -> Question | Query:
    """A question of the file by its number, or the words of one's own, without gold."""
    if re.fullmatch(r"\d{1,6}", question.strip()):
        return question_at(workbench, chosen, int(question))
    if not question.strip():
        raise BadInput("The question is empty.")
    return Query(question.strip())


def _contexts(
    desk: Desk,
    workbench: Workbench,
    chosen: Sequence[Chosen],
    asked: Question | Query,
    gold_turns: bool,
    turns: str | None,
) -> list[Contestant]:
    query = asked if isinstance(asked, Query) else asked.query
    if gold_turns and isinstance(asked, Query):
        raise BadInput("A question of your own has no gold turns; leave --oracle out.")
    with desk.progress(f"Opening {chosen[0].conversation.title}") as progress:
        for each in chosen:
            workbench.memory(each.id, each.method, progress)
    ready(desk, workbench, [query.text])
    contexts = [contestant(workbench, each.id, each.method, each.budget, query) for each in chosen]
    if gold_turns and isinstance(asked, Question):
        contexts.append(oracle(workbench, chosen[0].id, asked, turns or "auto"))  # type: ignore[arg-type]
    return contexts


def _rows(
    desk: Desk,
    workbench: Workbench,
    conversation_id: str,
    asked: Question | Query,
    contexts: Sequence[Contestant],
    model: Any,
    judged_by: Judge | None,
) -> list[Row]:
    query = asked if isinstance(asked, Query) else asked.query
    rows = []
    with desk.progress("Asking the model", long=True) as progress:
        for done, each in enumerate(contexts):
            progress(f"{each.name}, {each.context.tokens:,} tokens", done, len(contexts))
            made = model.answer(query, each.context, each.turns, conversation_id)
            row = scored(asked, each, made, judged_by, conversation_id)
            if judged_by and isinstance(asked, Question):
                keep(workbench.store, conversation_id, asked, row, judged_by)
            rows.append(row)
    return rows
