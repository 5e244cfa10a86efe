"""Language models through LiteLLM: any model by its name, with retries, limits, and replies that are usable."""

from __future__ import annotations

from cuemem.adapters.chat.library import litellm as load_library
from cuemem.adapters.chat.limits import CallLimits
from cuemem.adapters.chat.litellm_chat import LiteLlmChat
from cuemem.adapters.chat.secrets import scrub_url

__all__ = ["CallLimits", "LiteLlmChat", "load_library", "scrub_url"]
