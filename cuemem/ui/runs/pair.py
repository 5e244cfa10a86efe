"""One question in two runs: both answers, both verdicts, where gold was lost, and the way to look closer."""

from __future__ import annotations

import streamlit as st

from cuemem.evaluation.compare import has_gold
from cuemem.evaluation.contrast import Pair
from cuemem.evaluation.judge import reference
from cuemem.evaluation.run import ResultRow
from cuemem.text import as_text, counted
from cuemem.ui import cache, links, markup
from cuemem.ui.markup import Html, html, join
from cuemem.workbench.runs import Run


def pair_card(pair: Pair, one: Run, other: Run) -> None:
    """The question with what A and B made of it."""
    question = pair.before.question
    gold = reference(question) if has_gold(question) else as_text(question.answer)
    with st.container(border=True, key="cm-runs-pair"):
        markup.show(
            html(
                '<p class="cmr-asked">{text}</p><p class="cm-quiet">{conversation}, question {index} · {category} · '
                "{kind}{flag}</p>{gold}",
                text=question.text,
                conversation=pair.before.conversation,
                index=question.index,
                category=pair.category,
                kind=pair.kind,
                flag=f" · its gold is doubted ({pair.after.flag})" if pair.after.flag else "",
                gold=html('<dl class="cmr-pair"><dt>Gold answer</dt><dd dir="auto">{gold}</dd></dl>', gold=gold),
            )
        )
        left, right = st.columns(2, gap="large")
        for column, name, row, run in ((left, "A", pair.before, one), (right, "B", pair.after, other)):
            with column:
                markup.show(_side(name, row, run))
                run_links(row, run, name)


def _side(name: str, row: ResultRow, run: Run) -> Html:
    answer, verdict = row.answer, row.verdict
    said = {
        "Answer": "" if answer is None else (str(answer.failure) if answer.failure else answer.text),
        "Note": answer.note if answer else "",
        "Verdict": f"{verdict.outcome}: {verdict.reason}" if verdict else "",
        "Gold found": found_words(row),
        "Context": f"{counted(row.retrieval.turns, 'turn')}, {row.retrieval.tokens:,} tokens",
    }
    lines = [
        html('<dt>{name}</dt><dd dir="auto">{words}</dd>', name=key, words=words)
        for key, words in said.items()
        if words
    ]
    return html(
        '<div class="cm-name">{name}: {title}</div><dl class="cmr-pair">{lines}</dl>',
        name=name,
        title=run.card.title,
        lines=join(lines),
    )


def found_words(row: ResultRow) -> str:
    """How much of the gold is in the context, and where the rest was lost."""
    if not row.gold.turns:
        return "the question has no gold turns"
    found = [turn_id for turn_id in row.gold.turns if turn_id not in row.lost]
    lost = ", ".join(f"{turn_id} {stage}" for turn_id, stage in row.lost.items())
    return f"{len(found)} of {len(row.gold.turns)}" + (f"; lost: {lost}" if lost else "")


def run_links(row: ResultRow, run: Run, name: str) -> None:
    """To Trace and Answers at the run's settings; where the conversation is not here, what to load."""
    if row.conversation_id not in {summary.conversation_id for summary in cache.summaries()}:
        files = ", ".join(file.name for file in run.card.files)
        st.caption("Its conversation is not loaded here.")
        markup.show(html('<p class="cm-quiet">Load {files} to trace the question.</p>', files=files))
        return
    there = links.asked_in(run.card, row.conversation_id, row.question.index)
    with st.container(horizontal=True):
        st.page_link(
            "pages/trace.py", label=f"Trace as in {name}", icon=":material/account_tree:", query_params=there
        )
        st.page_link("pages/answers.py", label="Answers", icon=":material/compare:", query_params=there)
