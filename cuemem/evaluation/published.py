"""The figures that the paper states, to stand beside ours and never among them.

Its tables are not in the text that we have, so these are the figures of sections 5.2 to 5.4. All come from
Llama-3.3-70B-Instruct as extractor, answerer and judge, and from all-MiniLM-L6-v2.
"""

from __future__ import annotations

from dataclasses import dataclass

SOURCE = "the paper's (arXiv 2609.12354, Llama-3.3-70B-Instruct)"


@dataclass(frozen=True, slots=True)
class Published:
    """One figure of the paper, in percent or in its words; a ``derived`` one follows from two that it states."""

    dataset: str
    section: str
    what: str
    value: str
    derived: bool = False


FIGURES: tuple[Published, ...] = (
    Published("locomo", "5.2", "CueMem, accuracy over 1,540 questions", "81.1"),
    Published("locomo", "5.2", "best baseline, accuracy", "75.84", derived=True),
    Published("locomo", "5.3", "anchors only at the same m, accuracy", "71.4"),
    Published("locomo", "5.4", "CueMem's input tokens, of full history's", "about 10 %"),
    Published("locomo", "5.4", "CueMem's latency of a query, against full history", "−42.5 %"),
    Published("longmemeval", "5.2", "CueMem, accuracy over 500 questions", "75.2"),
    Published("longmemeval", "5.2", "best baseline, accuracy", "73.6", derived=True),
    Published("longmemeval", "5.3", "no priority instruction, accuracy", "72.4"),
    Published("longmemeval", "5.3", "knowledge-update, with and without the priority instruction", "87.2 and 80.8"),
    Published("longmemeval", "5.3", "temporal, without the priority instruction", "−6.8"),
    Published("longmemeval", "5.4", "full history, accuracy", "48.0", derived=True),
    Published("longmemeval", "5.4", "CueMem's input tokens, of full history's", "under 2 %"),
    Published("longmemeval", "5.4", "CueMem's latency of a query, against full history", "−87.4 %"),
)


def published(dataset: str) -> tuple[Published, ...]:
    """What the paper states of a dataset."""
    return tuple(figure for figure in FIGURES if figure.dataset == dataset)
