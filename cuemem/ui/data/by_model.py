"""Cues by a language model: which one, what it will take, and what it took so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from cuemem.adapters.store import ConversationSummary
from cuemem.cues.estimate import Estimate
from cuemem.text import counted, duration, money
from cuemem.ui import cache, markup, models
from cuemem.workbench.extracting import estimate_build, llm_cues, total
from cuemem.workbench.models import own_prompts
from cuemem.workbench.tasks import ByModel

_GROUP = "data.build.group_tokens"
_RETRY = "data.build.retry_failed"


def choose() -> ByModel | None:
    """The model of the extractor and how it is asked; None, with the ways to get one, where none is named."""
    settings = models.settings("extractor")
    if settings is None:
        markup.show(
            markup.html(
                '<p class="cm-text">No language model is named for extraction, so these cues cannot be made yet. '
                "Name one, or fetch the one that runs on this machine without a key. The other sources need none.</p>"
            )
        )
        st.page_link("pages/models.py", label="Set up a language model", icon=":material/smart_toy:")
        return None
    markup.show(markup.html('<p class="cm-text">Asked: <b>{model}</b>, one call a turn</p>', model=settings.line))
    with st.expander("How the turns are asked about"):
        group = st.number_input(
            "Turns share a call up to so many tokens",
            0,
            8000,
            0,
            100,
            key=_GROUP,
            persist_state="session",
            help="0 is one call a turn. A group whose reply is unusable is asked about turn by turn.",
        )
        retry = st.toggle("Ask again about the turns that had failed", key=_RETRY, persist_state="session")
    return ByModel(settings, int(group), bool(retry))


def takes(chosen: Sequence[ConversationSummary], how: ByModel, turn_unit: Any) -> str:
    """What the extraction will take, before it starts: calls, tokens, money, time. Of turns not done yet."""
    bench = cache.workbench()
    source = llm_cues(bench.store, how.settings, own_prompts(), bench.tokens, how.group_tokens)
    told = [estimate_build(bench, row.conversation_id, source, turn_unit, how.retry_failed) for row in chosen]
    return sentence(total(told))


def sentence(told: Estimate) -> str:
    """An estimate in words."""
    if told.calls == 0:
        return "Every turn is done already: no call is needed."
    time = "the time is known after the first calls" if told.seconds is None else f"about {duration(told.seconds)}"
    price = "price not known" if told.cost is None else f"about {money(told.cost)}"
    return (
        f"{counted(told.calls, 'call')} for {counted(told.turns, 'turn')}: about {told.tokens_in:,} tokens in and "
        f"{told.tokens_out:,} out, {price}, {time}. Each turn is kept as it is done; what was asked before is not "
        "asked again."
    )
