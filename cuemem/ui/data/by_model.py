"""Cues or units by a language model: which one, what it will take, and what it took so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from cuemem.adapters.store import ConversationSummary
from cuemem.cues.estimate import Estimate
from cuemem.text import counted, duration, money
from cuemem.ui import cache, markup, models
from cuemem.workbench.by_model import Calls, estimated, model_source
from cuemem.workbench.extracting import total
from cuemem.workbench.materials import Material
from cuemem.workbench.models import own_prompts
from cuemem.workbench.tasks import ByModel

_GROUP = "data.build.group_tokens"
_RETRY = "data.build.retry_failed"


def choose(method: Any, material: Material) -> ByModel | None:
    """The model of the extractor and how it is asked; None, with the ways to get one, where none is named."""
    settings = models.settings("extractor")
    if settings is None:
        markup.show(
            markup.html(
                '<p class="cm-text">No language model is named for extraction, so these {noun}s cannot be made yet. '
                "Name one, or fetch the one that runs on this machine without a key. Other sources need none.</p>",
                noun=method.noun,
            )
        )
        st.page_link("pages/models.py", label="Set up a language model", icon=":material/smart_toy:")
        return None
    markup.show(
        markup.html('<p class="cm-text">Asked: <b>{model}</b>, {asks}</p>', model=settings.line, asks=material.asks)
    )
    group = 0
    with st.expander("How it is asked"):
        if material.groups:
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
        retry = st.toggle("Ask again about what had failed", key=_RETRY, persist_state="session")
    return ByModel(settings, int(group), bool(retry))


def takes(chosen: Sequence[ConversationSummary], method: Any, material: Material, how: ByModel) -> str:
    """What the extraction will take, before it starts: calls, tokens, money, time. Of what is not done yet."""
    bench = cache.workbench()
    calls = Calls(how.group_tokens, how.retry_failed)
    source = model_source(method, bench.store, how.settings, own_prompts(), bench.tokens, calls)
    told = [estimated(bench, row.conversation_id, method, source, calls) for row in chosen]
    return sentence(total(told), material.asked_of)


def sentence(told: Estimate, asked_of: str) -> str:
    """An estimate in words."""
    if told.calls == 0:
        return f"Every {asked_of} is done already: no call is needed."
    time = "the time is known after the first calls" if told.seconds is None else f"about {duration(told.seconds)}"
    price = "price not known" if told.cost is None else f"about {money(told.cost)}"
    return (
        f"{counted(told.calls, 'call')} for {counted(told.turns, asked_of)}: about {told.tokens_in:,} tokens in and "
        f"{told.tokens_out:,} out, {price}, {time}. What comes back is kept at once; what was asked before is not "
        "asked again."
    )
