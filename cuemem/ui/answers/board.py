"""The cards on the page, followed while something is being asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from cuemem.evaluation.compare import has_gold
from cuemem.text import counted, money
from cuemem.types import Question
from cuemem.ui import cache, empty, markup, state
from cuemem.ui.answers import cards, cited
from cuemem.ui.answers.entrants import Entrant
from cuemem.ui.markup import html, show
from cuemem.ui.scene import Scene
from cuemem.workbench.asking import Live, Tally
from cuemem.workbench.comparison import Comparison, Standing

POLL = 0.4  # seconds between two looks at an answer on its way
_TALLY = "answers.tally"
RIGHT, WRONG = "Right", "Wrong"


@dataclass(frozen=True)
class Board:
    """A scene with its contestants and what is compared."""

    scene: Scene
    entrants: tuple[Entrant, ...]
    comparison: Comparison

    @property
    def longest(self) -> int:
        """The tokens of the longest context, before any was cut."""
        return max((it.context.tokens for it in self.comparison.contestants), default=0)

    def standing(self, entrant: Entrant) -> Standing | None:
        """What became of an entrant, None where it has no context."""
        found = [it for it in self.comparison.standings if it.contestant is entrant.contestant]
        return found[0] if found else None

    def live(self) -> dict[str, Live]:
        """What is being asked, or broke, of this board."""
        asking = cache.asking()
        found = {each.key: asking.live(each.key) for each in self.comparison.standings}
        return {key: live for key, live in found.items() if live is not None}


def followed(read: Callable[[], Board]) -> None:
    """Draw the board; while something is on its way, again and again, until all is there."""
    board = read()
    if not busy(board):
        _draw(board)
        return

    def follow() -> None:
        now = read()
        _draw(now)
        if not busy(now):
            state.redraw()

    st.fragment(follow, run_every=POLL)()


def busy(board: Board) -> bool:
    """Whether anything is on its way."""
    return any(live.step != "broken" for live in board.live().values())


def _draw(board: Board) -> None:
    live = board.live()
    _ask(board, live)
    for sentence in board.comparison.differences:
        markup.notice(sentence, "warning")
    with st.container(key="cm-answers"):
        for entrant in board.entrants:
            with st.container(border=True, key=f"answers-card-{entrant.name}", gap="small"):
                _card(board, entrant, live)
    show(html('<p class="cm-quiet">{words}</p>', words=counts(board)))


def _ask(board: Board, live: dict[str, Live]) -> None:
    """The button that asks for all that is lacking, and for what; or the one that stops; and the way to Models."""
    comparison = board.comparison
    lacking = [it for it in comparison.standings if it.lacks]
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="answers-ask"):
        if any(each.step != "broken" for each in live.values()):
            stop = cache.asking().stop
            st.button("Stop", key="answers.stop", icon=":material/stop:", on_click=stop, args=(list(live),))
        elif comparison.answering is not None or lacking:
            st.button(
                "Ask",
                key="answers.ask",
                type="primary",
                icon=":material/send:",
                disabled=not lacking,
                on_click=ask,
                args=(comparison, lacking),
            )
            with st.container(width="stretch"):
                show(html('<p class="cm-quiet">{words}</p>', words=what_asking_takes(comparison, lacking)))
        st.page_link("pages/models.py", label="Models", icon=":material/smart_toy:")


def what_asking_takes(comparison: Comparison, lacking: list[Standing]) -> str:
    """What would be asked of whom."""
    if not lacking:
        return "All of this was asked before, and is kept: nothing is left to ask."
    answers = [it for it in lacking if it.lacks == "answer"]
    judged = comparison.judged and comparison.judging is not None
    verdicts = len(lacking) if judged else 0
    parts = []
    if answers and comparison.answering is not None:
        tokens = sum(it.sent.tokens for it in answers)
        parts.append(
            f"{counted(len(answers), 'answer')} from {tokens:,} tokens of context by {comparison.answering.line}"
        )
    if verdicts and comparison.judging is not None:
        parts.append(f"{counted(verdicts, 'verdict')} by {comparison.judging.line}")
    return "; ".join(parts) + "."


def ask(comparison: Comparison, lacking: list[Standing]) -> None:
    """In a callback: ask for what these lack."""
    state.touch()
    comparison.ask(lacking, cache.asking(), tally())


def tally() -> Tally:
    """What was asked from this tab."""
    if _TALLY not in st.session_state:
        st.session_state[_TALLY] = Tally()
    found: Tally = st.session_state[_TALLY]
    return found


def counts(board: Board) -> str:
    """What was asked from this tab, and in all about this conversation."""
    asked = tally()
    spent = cache.workbench().store.spent(conversation_id=board.comparison.conversation_id)
    price = money(None if spent.unpriced else spent.cost)
    return (
        f"Asked from this tab: {counted(asked.requests, 'request')} to models, {asked.from_store:,} replied from the "
        f"store, {asked.failed:,} failed. About this conversation in all: {counted(spent.requests, 'request')}, "
        f"{spent.tokens_in:,} tokens in, {spent.tokens_out:,} out, price {price}."
    )


def _card(board: Board, entrant: Entrant, live: dict[str, Live]) -> None:
    standing = board.standing(entrant)
    if standing is None:
        show(html('<div class="cma-card">{head}</div>', head=cards.head(entrant)))
        empty.build_link(board.scene)
        return
    now = live.get(standing.key)
    coming = now is not None and now.step != "broken"
    parts = [cards.head(entrant), cards.size(entrant, standing, board.longest)]
    if now is not None and coming:
        parts.append(cards.coming(now, standing.sent.tokens))
    else:
        parts.append(cards.said(standing.row, standing.lacks == "answer", standing.sent))
    if standing.row is not None and standing.row.answer.failure is None and not coming:
        parts += [cards.figures(standing.row), cards.origin(standing.row.answer)]
    show(html('<div class="cma-card">{parts}</div>', parts=markup.join(parts)))
    if now is not None and now.step == "broken":
        markup.notice(now.why, "error")
    if not coming:
        cited.ways(board.scene.view, entrant, standing)
        _retry(board, entrant, standing)
        _human(board, entrant, standing, disabled=bool(live))
        _prompt(board, entrant, standing)


def _retry(board: Board, entrant: Entrant, standing: Standing) -> None:
    """Ask for this card alone: what failed again, or what is lacking."""
    if not standing.lacks:
        return
    row = standing.row
    if row is not None and row.answer.failure is not None:
        label = "Try again"
    elif standing.lacks == "verdict":
        label = "Judge again" if row is not None and row.verdict is not None else "Judge this"
    else:
        label = "Ask for this one"
    key = f"answers.retry.{entrant.name}"
    st.button(label, key=key, on_click=ask, args=(board.comparison, [standing]))


def _human(board: Board, entrant: Entrant, standing: Standing, *, disabled: bool) -> None:
    """What a person says of the answer, beside what the judge said."""
    asked, row = board.comparison.asked, standing.row
    if not isinstance(asked, Question) or not has_gold(asked) or row is None or not row.answer.text:
        return
    said = None if standing.human is None else RIGHT if standing.human.outcome == "correct" else WRONG
    key = state.put(f"answers.human.{entrant.name}", said)
    st.segmented_control(
        "Your verdict",
        [RIGHT, WRONG],
        key=key,
        help="Kept beside the judge's, never in its place. Cards that answer in the same words share it.",
        disabled=disabled,
        on_change=_to_human,
        args=(key, board.comparison.conversation_id, asked, row.answer.text),
    )


def _to_human(key: str, conversation_id: str, question: Question, answer: str) -> None:
    state.touch()
    store, said = cache.workbench().store, st.session_state[key]
    if said is None:
        store.remove_human_verdict(conversation_id, question.index, answer)
    else:
        store.save_human_verdict(conversation_id, question.index, answer, said == RIGHT)


def _prompt(board: Board, entrant: Entrant, standing: Standing) -> None:
    """The exact prompt, made when it is looked at."""
    fold = st.expander("Exact prompt", key=f"answers.prompt.{entrant.name}", on_change=state.touch)
    if fold.open:
        with fold:
            version = standing.row.answer.prompt if standing.row else board.comparison.prompt_version
            show(html('<p class="cma-told">{version}</p>', version=version))
            st.code(board.comparison.prompt(standing), language=None, wrap_lines=True, height=420)
