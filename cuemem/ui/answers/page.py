"""The Answers page, put together."""

from __future__ import annotations

import streamlit as st

from cuemem.context import said
from cuemem.errors import CueMemError
from cuemem.evaluation.compare import has_gold
from cuemem.evaluation.judge import reference
from cuemem.evaluation.retrieval import category_label
from cuemem.types import Query, Question
from cuemem.ui import cache, empty, markup, models
from cuemem.ui.answers import board, choices
from cuemem.ui.answers.choices import Choices
from cuemem.ui.answers.entrants import Entrant, entrants
from cuemem.ui.answers.own import trace
from cuemem.ui.markup import Html, html, show
from cuemem.ui.scene import Scene
from cuemem.workbench.comparison import Comparison
from cuemem.workbench.models import ModelRole, ModelSettings

OWN_INDEX = -1


def draw(scene: Scene) -> None:
    """The question, what is compared, and the cards."""
    chosen = choices.choices(scene)
    choices.which_question(scene)
    question = _question(scene, chosen)
    if question is None:
        return
    empty.await_model(question)
    if chosen.own is None:
        show(heading(question))
    choices.controls(chosen, scene)
    answering, judging = _model("answer"), _model("judge")
    judging = judging or answering
    _who(chosen, answering)
    found = entrants(scene, question, chosen)
    with st.spinner("Loading the model's price list and window: some seconds, once"):
        first = _read(scene, question, chosen, found, answering, judging)
        first.comparison.standings  # noqa: B018 - here it waits, under the spinner
    board.followed(lambda: _read(scene, question, chosen, found, answering, judging))
    if chosen.own is not None and scene.memory is not None:
        trace(scene, question)
    if answering is not None:
        cache.warm_up_chat()  # last: its import would hold up what there is to see


def _question(scene: Scene, chosen: Choices) -> Question | None:
    """The question that is asked; None, and why, where there is none yet."""
    if chosen.own is None:
        return scene.question
    if scene.question is None:
        markup.notice(f"{scene.summary.title} comes without questions. Ask one of your own.")
    choices.own_question(chosen)
    if not chosen.own:
        return None
    return Question(OWN_INDEX, chosen.own, None, "your own")


def heading(question: Question) -> Html:
    """The question, what kind it is, and the gold answer, which a click reveals."""
    facts = [f"Question {question.index}", category_label(question)]
    if question.time is not None:
        facts.append(f"asked on {said(question.time)}")
    gold = Html()
    if has_gold(question):
        gold = html(
            '<details class="cma-gold"><summary>Gold answer</summary><p dir="auto" class="cmt-answer">{gold}</p>'
            "</details>",
            gold=reference(question),
        )
    return html(
        '<div class="cmt-asked"><p class="cm-label">{facts}</p><h1 dir="auto">{text}</h1>{gold}</div>',
        facts=" · ".join(facts),
        text=question.text,
        gold=gold,
    )


def _model(role: ModelRole) -> ModelSettings | None:
    try:
        return models.settings(role)
    except CueMemError as error:
        markup.notice(str(error), "error")
        return None


def _who(chosen: Choices, answering: ModelSettings | None) -> None:
    """Whose answers are shown; without a model, what there is to see all the same and how to get one."""
    if answering is None:
        markup.notice(
            "No language model is set, so nobody can be asked. Contexts, their tokens and evidence, and answers that "
            "were recorded before are shown all the same. A model is named on the Models page, or the local one is "
            "brought, which needs no key."
        )
    choices.whose(chosen, answering.name if answering else "")


def _read(
    scene: Scene,
    question: Question,
    chosen: Choices,
    found: tuple[Entrant, ...],
    answering: ModelSettings | None,
    judging: ModelSettings | None,
) -> board.Board:
    """What is kept by now."""
    bench = cache.workbench()
    asked: Question | Query = question if chosen.own is None else question.query
    comparison = Comparison(
        bench.store,
        bench.tokens,
        models.prompts(),
        scene.summary.conversation_id,
        asked,
        tuple(it.contestant for it in found if it.contestant is not None),
        answering,
        judging,
        chosen.style,
        chosen.priority,
        chosen.protocol,
        cache.repliers("answer_"),
        cache.repliers("judge_"),
        chosen.model,
    )
    return board.Board(scene, found, comparison)
