"""Whether a model answers: one tiny call, told as a sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cuemem.errors import ChatFailure, CueMemError
from cuemem.text import money
from cuemem.types import ChatRequest, Message, PromptVersion
from cuemem.workbench.models import ModelSettings, plain_chat

_PATIENCE = 60.0  # seconds; a local model may have to be loaded first
_ROOM = 256  # tokens, so that a model that thinks first comes to its answer
_PROMPT = PromptVersion("trial", "0")


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it."""

    works: bool
    sentence: str


def try_out(settings: ModelSettings) -> Trial:
    """Ask the model for one word, once. Nothing of it is kept."""
    request = ChatRequest((Message("user", "Reply with the one word: ready"),), _PROMPT, max_tokens=_ROOM)
    limits = replace(settings.limits, tries=1, timeout=min(settings.limits.timeout, _PATIENCE))
    try:
        reply = plain_chat(replace(settings, limits=limits)).complete(request)
    except ChatFailure as failure:
        if failure.kind == "truncated":
            return Trial(True, f"{settings.name} answers, at length: {_ROOM} tokens were not enough for one word.")
        return Trial(False, str(failure.failure))
    except CueMemError as error:
        return Trial(False, str(error))
    used = reply.usage
    said = reply.text if len(reply.text) <= 80 else f"{reply.text[:79]}…"
    return Trial(
        True,
        f"{settings.name} answered “{said}” in {used.seconds:.1f} s: {used.tokens_in:,} tokens in, "
        f"{used.tokens_out:,} out, price {money(used.cost)}.",
    )
