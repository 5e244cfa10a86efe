"""A run card as people read it."""

from __future__ import annotations

from cuemem.evaluation.contrast import limited
from cuemem.evaluation.run import RunCard
from cuemem.evaluation.tables import Shown
from cuemem.text import counted
from cuemem.ui.markup import Html, facts, html, join


def card_facts(run: Shown) -> Html:
    """The card of a run as names and values."""
    card = run.card
    said = {
        "Run": f"{run.run_id}, {run.state}" + (f", imported from {card.origin}" if card.origin else ""),
        "Settings": card.settings_line,
        "Data": ", ".join(f"{file.name} (sha256 {file.sha256[:16]}…)" for file in card.files),
        "Questions": _questions(card),
        "Cues": _cues(card),
        "Embedding model": card.embedding_model,
        "Answers": _answers(card),
        "Judge": _judge(card),
        "Encoding": ""
        if card.encoding_seconds is None
        else f"{1000 * card.encoding_seconds:.1f} ms a question, median",
        "Tuned": "on these very questions" if card.tuned else "",
        "Code": f"CueMem Lab {card.code.version}" + (f", commit {card.code.commit}" if card.code.commit else ""),
        "Begun": f"{card.started:%Y-%m-%d %H:%M} UTC",
    }
    return join(
        [
            html('<div class="cm-name">{label}</div>', label=run.label),
            facts({name: words for name, words in said.items() if words}),
        ]
    )


def _questions(card: RunCard) -> str:
    asked = card.questions
    parts = [f"{counted(asked.count, 'question')} of {counted(len(card.conversations), 'conversation')}"]
    parts += [limited(asked)] if asked.limit is not None else []
    parts += [f"of {', '.join(asked.categories)}"] if asked.categories else []
    return ", ".join([*parts, f"set {asked.hash}"])


def _cues(card: RunCard) -> str:
    origins = {
        ", ".join(
            filter(None, (str(it.cue_set.provenance.get("source", "")), it.cue_set.provenance.get("model", "")))
        )
        for it in card.conversations
        if it.cue_set
    }
    return "; ".join(sorted(filter(None, origins)))


def _answers(card: RunCard) -> str:
    setup = card.answering
    if setup is None:
        return "none: retrieval alone"
    priority = "with the priority instruction" if setup.priority else "without the priority instruction"
    return f"{setup.model}, {setup.style}, {priority}, prompt {setup.prompt}, temperature 0"


def _judge(card: RunCard) -> str:
    setup = card.judging
    return f"{setup.model}, {setup.protocol}, {', '.join(map(str, setup.prompts))}" if setup else ""
