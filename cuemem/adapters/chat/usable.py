"""Whether what a model said is a reply: one check for what comes at once and for what comes in a batch file."""

from __future__ import annotations

from cuemem.adapters.chat.faults import Caller
from cuemem.adapters.chat.json_reply import json_text, without_thoughts
from cuemem.adapters.chat.secrets import without_keys
from cuemem.adapters.chat.transport import Raw
from cuemem.errors import ChatFailure
from cuemem.text import storable
from cuemem.types import JsonSchema


def usable_text(raw: Raw, caller: Caller, schema: JsonSchema | None, max_tokens: int) -> str:
    """The text of a usable reply; with a schema JSON that satisfies it.

    Raises ChatFailure: refused, truncated, empty, not JSON, schema broken.
    """
    text = without_keys(storable(raw.text), caller.keys)
    if raw.refusal or raw.finish_reason == "content_filter":
        raise caller.failure("refused", storable(raw.refusal or "content filter"), text=text)
    if raw.finish_reason == "length":
        raise caller.failure("truncated", f"after {max_tokens:,} tokens", text=text)
    text = without_thoughts(text)[1]
    if not text:
        raise caller.failure("empty", "nothing but thoughts" if raw.text.strip() else "", text=text)
    if schema is None:
        return text
    try:
        return json_text(text, schema)
    except ChatFailure as failure:  # said with the model's name, and as one that may pass
        raise ChatFailure(failure.kind, f"{caller.model}: {failure}", retryable=True, text=failure.text) from failure
