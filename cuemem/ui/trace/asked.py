"""The question with its gold answer, and the result in figures."""

from __future__ import annotations

from cuemem.context import said
from cuemem.evaluation.retrieval import category_label
from cuemem.text import as_text
from cuemem.types import Flag, Question
from cuemem.ui.markup import Html, html, show
from cuemem.ui.tiles import show_tiles, tile
from cuemem.ui.trace.reading import Reading


def asked(question: Question, flag: Flag | None) -> None:
    """The question, what kind it is, and the gold answer, which can be folded away before a class.

    ``flag`` is what a list of known faults says of its gold.
    """
    facts = [f"Question {question.index}", category_label(question)]
    if question.time is not None:
        facts.append(f"asked on {said(question.time)}")
    show(
        html(
            '<div class="cmt-asked"><p class="cm-label">{facts}</p><h1 dir="auto">{text}</h1>'
            "{never}{flag}{answer}</div>",
            facts=" · ".join(facts),
            text=question.text,
            never=_never_said(question),
            flag=_flagged(flag),
            answer=_answer(question),
        )
    )


def _answer(question: Question) -> Html:
    answer = as_text(question.answer)
    if not answer:
        return Html("")
    return html(
        '<details open><summary>Gold answer</summary><p dir="auto" class="cmt-answer">{answer}</p></details>',
        answer=answer,
    )


def _never_said(question: Question) -> Html:
    """For a question whose right answer is that it was not mentioned."""
    if not question.unanswerable:
        return Html("")
    trap = as_text(question.adversarial_answer)
    return html(
        '<p class="cm-notice cm-warning">The conversation does not say this. The right reply is that it was not '
        "mentioned{trap}. Such questions are scored apart.</p>",
        trap=html("; the trap is to reply “<bdi>{trap}</bdi>”", trap=trap) if trap else Html(""),
    )


def _flagged(flag: Flag | None) -> Html:
    if flag is None:
        return Html("")
    right = as_text(flag.correct_answer)
    return html(
        '<p class="cm-notice cm-warning">The gold of this question is doubted by <bdi>{source}</bdi> '
        "(<bdi>{kind}</bdi>). <bdi>{reasoning}</bdi>{right}</p>",
        source=flag.source or "a list of known faults",
        kind=flag.kind,
        reasoning=flag.reasoning,
        right=html(" Right would be: <bdi>{answer}</bdi>", answer=right) if right else Html(""),
    )


def figures(reading: Reading) -> None:
    """Evidence recall beside what it costs, and beside what the method without its graph reaches for as much."""
    context, turns = reading.recall.context, len(reading.memory.turns)
    found, gold = sum(row.found for row in reading.board), len(reading.board)
    recall = reading.evidence_recall
    tiles = [
        tile(
            "Gold turns found",
            f"{found} of {gold}" if gold else "no gold known",
            "" if recall is None else f"evidence recall {recall:.2f}",
        ),
        tile(
            "Context",
            f"{context.tokens:,} tokens",
            f"{len(context.items):,} of {turns:,} turns"
            + (f", {len(context.cut):,} cut by the budget" if context.cut else ""),
        ),
        *_control(reading, gold),
        _time(reading),
    ]
    show_tiles(tiles)


def _control(reading: Reading, gold: int) -> list[Html]:
    """The fair control; none where the method has no graph."""
    if not reading.with_graph:
        return []
    control = reading.control
    title = "Anchors only, same tokens"
    if control is None:
        return [tile(title, "not possible", "a single cue already costs more")]
    value = f"{round((control.recall or 0) * gold)} of {gold}" if gold else f"{control.turns:,} turns"
    limit = ", the most there is" if control.limited else ""
    detail = f"{control.symbol} = {control.value}{limit}: {control.turns:,} turns, {control.tokens:,} tokens"
    return [tile(title, value, detail)]


def _time(reading: Reading) -> Html:
    """The time without the encoding of the question, which is done once and then kept."""
    encoding, *steps = reading.recall.trace
    milliseconds = 1000 * sum(stage.seconds for stage in steps)
    return tile("Time", f"{milliseconds:.1f} ms", f"and {1000 * encoding.seconds:.1f} ms to encode the question")
