"""LiteLLM itself: loaded at the first use, since that takes seconds, kept offline and quiet; and what it knows."""

from __future__ import annotations

import logging
import os
import warnings
from functools import cache
from types import ModuleType
from typing import Any, Literal

from cuemem.adapters.chat.secrets import scrub

JsonMode = Literal["schema", "object", "text"]

_LOGGERS = ("LiteLLM", "openai._base_client", "httpx", "httpcore.http11", "httpcore.http2")


class _Scrubbed(logging.Filter):
    """Takes keys out of what the libraries log: an address or a header may hold one."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = scrub(record.getMessage()), ()
        return True


@cache
def litellm() -> ModuleType:
    """The library, with its own price list instead of a fetched one, and without its printed advertisements."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # the name of a Llama model otherwise sends it to a hub
    import litellm as library

    library.suppress_debug_info = True
    library.telemetry = False
    # About LiteLLM's own types, shown to users at the first call.
    warnings.filterwarnings("ignore", module=r"pydantic\._internal|litellm\.")
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_Scrubbed())
    return library


def info(model: str) -> dict[str, Any] | None:
    """What the price list has on a model; None where it is not in it."""
    library = litellm()
    try:
        return dict(library.get_model_info(model))
    except library.exceptions.ModelNotMappedError:
        return None


def window(model: str) -> int | None:
    """The tokens that a model can read, None where not known."""
    known = info(model) or {}
    found = known.get("max_input_tokens") or known.get("max_tokens")
    return int(found) if found else None


def cost(model: str, tokens_in: int, tokens_out: int) -> float | None:
    """The price of so many tokens in US dollars; None, which is not 0, where the list has none."""
    known = info(model) or {}
    prices = known.get("input_cost_per_token"), known.get("output_cost_per_token")
    if prices[0] is None or prices[1] is None:
        return None
    return float(prices[0]) * tokens_in + float(prices[1]) * tokens_out


def batch_cost(model: str, tokens_in: int, tokens_out: int) -> float | None:
    """The same by the list's prices for batch files."""
    known = info(model) or {}
    prices = known.get("input_cost_per_token_batches"), known.get("output_cost_per_token_batches")
    if prices[0] is None or prices[1] is None:
        return None
    return float(prices[0]) * tokens_in + float(prices[1]) * tokens_out


def parameters(model: str, **wanted: Any) -> tuple[str, dict[str, Any]]:
    """The model's name without its provider's, and parameters as its interface calls them: some take other ones.

    A model of which the library knows no provider is taken to have OpenAI's interface.
    """
    library = litellm()
    served = model
    if "/" in model:
        try:
            served = str(library.get_llm_provider(model)[0])
        except library.exceptions.BadRequestError:
            served = model
    given = {name: value for name, value in wanted.items() if value is not None}
    taken = library.utils.get_optional_params(model=served, custom_llm_provider="openai", drop_params=True, **given)
    return served, {name: value for name, value in taken.items() if name not in ("stream", "extra_body")}


def json_mode(model: str) -> JsonMode:
    """How to ask a model for JSON first: by schema, unless it is known to take no format at all.

    Models that nobody has listed are mostly local servers, which enforce a schema; those that do not refuse it.
    """
    supported = litellm().get_supported_openai_params(model)
    return "schema" if supported is None or "response_format" in supported else "text"
