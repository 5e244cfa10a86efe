"""The rerankers by name, as the environment sets them up: a CrossEncoder, a chat model as a pointwise judge.

``CUEMEM_RERANKER`` names the CrossEncoder or its folder; the chat model is that of the role ``judge``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from cuemem.adapters.rerank import ChatReranker, CrossEncoderReranker
from cuemem.adapters.store import CachedChat, Store
from cuemem.adapters.store.stored_units import CachedReranker
from cuemem.errors import BadSetting
from cuemem.ports import ChatModel
from cuemem.unit_ports import Reranker
from cuemem.workbench.models import model_settings, open_chat, own_prompts

VARIABLE = "CUEMEM_RERANKER"
CHAT = "chat"  # the name of the one that asks a chat model


def rerankers(store: Store, asked_by: Callable[[CachedChat], ChatModel] | None = None) -> Mapping[str, Reranker]:
    """Those that are set up. Loads no model yet. ``asked_by`` gives the chat model as it may be asked, in a run."""
    found: dict[str, Reranker] = {}
    if name := os.environ.get(VARIABLE, "").strip():
        found["cross-encoder"] = CachedReranker(store, CrossEncoderReranker(name))
    try:
        judge = model_settings("judge")
    except BadSetting:  # told where the model is used; a memory opens without it
        judge = None
    if judge is not None:
        chat = open_chat(store, judge)
        asked = chat if asked_by is None else asked_by(chat)
        found[CHAT] = CachedReranker(store, ChatReranker(asked, own_prompts()))
    return found
