"""The language models by their role, from names and addresses to models that remember what they were asked.

Settings are a mapping of names to texts: the environment, with the secrets file or a settings page laid over it.
``CUEMEM_MODEL``, ``CUEMEM_API_BASE``, ``CUEMEM_API_KEY``, ``CUEMEM_WINDOW``, ``CUEMEM_CONCURRENCY``,
``CUEMEM_REQUESTS_PER_MINUTE`` and ``CUEMEM_TIMEOUT`` hold for every role; with the role after ``CUEMEM_``
(``CUEMEM_EXTRACTOR_MODEL``, ``CUEMEM_ANSWER_API_BASE``, ``CUEMEM_JUDGE_WINDOW``) for that role alone. The model
``local`` is the one that ``python -m cuemem model pull`` brings: it needs no address, its server starts by itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from cuemem.adapters.chat import CallLimits, LiteLlmChat, scrub_url
from cuemem.adapters.local import LOCAL_LIMITS, EngineSettings, LocalChat, local_model, local_name
from cuemem.adapters.store import CachedChat, Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.errors import BadSetting
from cuemem.ports import ChatModel
from cuemem.prompts import Prompts

ModelRole = Literal["extractor", "answer", "judge"]
ROLES: tuple[ModelRole, ...] = ("extractor", "answer", "judge")
NOTHING = "none"  # says of a role that the setting for all roles does not hold for it


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A model, where it is, and how it may be called. The key is shown nowhere, and kept nowhere but here."""

    name: str
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    window: int | None = None
    limits: CallLimits = field(default_factory=CallLimits)

    @property
    def line(self) -> str:
        """The model as people read it: its name, and the address without anything secret."""
        return f"{self.name} at {scrub_url(self.api_base)}" if self.api_base else self.name


def model_settings(role: ModelRole, values: Mapping[str, str] | None = None) -> ModelSettings | None:
    """The model that a role has by these settings (None: the environment), or None where none is named.

    A server on this machine is asked one thing at a time unless told otherwise. Raises BadSetting, and UnknownName
    for a local model that is none.
    """
    values = os.environ if values is None else values

    def setting(name: str) -> str | None:
        own = values.get(f"CUEMEM_{role.upper()}_{name}", "").strip()
        found = own or values.get(f"CUEMEM_{name}", "").strip()
        return None if found.lower() in ("", NOTHING) else found

    name = setting("MODEL")
    if name is None:
        return None
    ours = local_model(name)
    base = None if ours else setting("API_BASE")
    limits = CallLimits(
        concurrency=_number("CONCURRENCY", setting("CONCURRENCY")) or (1 if ours or _is_here(base) else 4),
        requests_per_minute=_number("REQUESTS_PER_MINUTE", setting("REQUESTS_PER_MINUTE")),
        timeout=float(_number("TIMEOUT", setting("TIMEOUT")) or (LOCAL_LIMITS.timeout if ours else 600)),
    )
    if ours:
        name = local_name(ours)
    return ModelSettings(name, base, setting("API_KEY"), _number("WINDOW", setting("WINDOW")), limits)


_LENT: dict[tuple[str, str | None], ModelSettings] = {}  # what was lent, with its key, for as long as we run


def lend(settings: ModelSettings) -> dict[str, Any]:
    """A model as JSON, to lie in a job's details without its key, which this process remembers until it ends."""
    base = scrub_url(settings.api_base) or None
    _LENT[settings.name, base] = settings
    limits = settings.limits
    return {
        "name": settings.name,
        "api_base": base,
        "keyed": settings.api_key is not None or base != settings.api_base,
        "window": settings.window,
        "concurrency": limits.concurrency,
        "requests_per_minute": limits.requests_per_minute,
        "timeout": limits.timeout,
    }


def lent(details: Mapping[str, Any], role: ModelRole) -> ModelSettings:
    """The model that :func:`lend` made these details of, with the key that this process or the environment has.

    Raises BadSetting where the key was that of a session that has ended.
    """
    name, base = details["name"], details["api_base"]
    limits = CallLimits(details["concurrency"], details["requests_per_minute"], details["timeout"])
    if not details["keyed"]:
        return ModelSettings(name, base, None, details["window"], limits)
    now = model_settings(role)
    for held in (_LENT.get((name, base)), now):
        if held is not None and (held.name, scrub_url(held.api_base) or None) == (name, base):
            return replace(held, window=details["window"], limits=limits)
    raise BadSetting(
        f"The key of {name} was set for a session of the app that has ended. Set it again under Models, then resume."
    )


def own_prompts(values: Mapping[str, str] | None = None) -> Prompts:
    """The prompts, with the user's own from the folder that CUEMEM_PROMPTS names. Raises BadSetting."""
    folder = (os.environ if values is None else values).get("CUEMEM_PROMPTS", "").strip()
    if folder and not Path(folder).expanduser().is_dir():
        raise BadSetting(f"CUEMEM_PROMPTS names {folder}, which is no folder.")
    return Prompts(Path(folder).expanduser() if folder else None)


def open_chat(store: Store, settings: ModelSettings | None) -> CachedChat:
    """The model over the store. With None only what was asked before can be replied, as ``no model``."""
    if settings is None:
        return CachedChat(store, NOTHING)
    return CachedChat(store, settings.name, plain_chat(settings))


@lru_cache(maxsize=32)
def plain_chat(settings: ModelSettings) -> ChatModel:
    """The model without the store: one for all who use these settings, so that they share its limits."""
    ours = local_model(settings.name)
    if ours:
        context = settings.window or EngineSettings().context
        return LocalChat(ours, FixedTokenizer(), settings=EngineSettings(context), limits=settings.limits)
    return LiteLlmChat(
        settings.name,
        FixedTokenizer(),
        settings.api_base,
        settings.api_key,
        settings.limits,
        settings.window,
    )


def _is_here(base: str | None) -> bool:
    return base is not None and (urlsplit(base).hostname or "") in ("localhost", "127.0.0.1", "::1")


def _number(name: str, value: str | None) -> int | None:
    if value is None:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", value) or int(value) == 0:
        raise BadSetting(f"CUEMEM_{name}={value!r} must be a whole number above 0.")
    return int(value)
