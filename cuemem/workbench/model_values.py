"""Where the settings of language models stand: the environment, the secrets file, and what an app's session says.

A later one is laid over an earlier one. What a session says of a role holds as a whole: a model that is named there
takes neither address nor key from elsewhere, since a key is meant for the server that it was set for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from cuemem.workbench.models import NOTHING, ROLES, ModelRole

Scope = Literal["all", "extractor", "answer", "judge"]
SCOPES: tuple[Scope, ...] = ("all", *ROLES)
Origin = Literal["environment", "secrets.toml", "this session"]
_PREFIX = "CUEMEM_"


@dataclass(frozen=True, slots=True)
class Named:
    """What is said of the model of one role, or of all: texts as they were written, empty where nothing is said.

    ``model`` empty says for a role that the setting for all holds, for all roles that there is no model.
    """

    model: str = ""
    api_base: str = ""
    api_key: str = field(default="", repr=False)
    window: str = ""
    concurrency: str = ""
    requests_per_minute: str = ""
    timeout: str = ""


FIELDS: tuple[str, ...] = tuple(each.name for each in fields(Named))


@dataclass(frozen=True)
class ModelValues:
    """The settings in force by variable, and where each comes from."""

    values: Mapping[str, str] = field(repr=False)
    origins: Mapping[str, Origin]

    def named(self, scope: Scope) -> Named:
        """What is said of one role, or of all."""
        return Named(*(self.values.get(variable(scope, name), "").strip() for name in FIELDS))

    def source(self, role: ModelRole, name: str = "model") -> tuple[Scope, Origin] | None:
        """Where a role's setting is said: for that role or for all, and in which place. None where nowhere."""
        scopes: tuple[Scope, ...] = (role, "all")
        for scope in scopes:
            written = variable(scope, name)
            if self.values.get(written, "").strip():
                return scope, self.origins[written]
        return None


def variable(scope: Scope, name: str) -> str:
    """The variable that says this: ``CUEMEM_MODEL``, ``CUEMEM_JUDGE_API_BASE``."""
    return f"{_PREFIX}{'' if scope == 'all' else f'{scope.upper()}_'}{name.upper()}"


def laid_over(
    environment: Mapping[str, str], secrets: Mapping[str, Any], session: Mapping[Scope, Named]
) -> ModelValues:
    """The settings in force. Of the secrets only plain texts and numbers named ``CUEMEM_…`` count."""
    values = {name: text for name, text in environment.items() if name.startswith(_PREFIX)}
    origins: dict[str, Origin] = dict.fromkeys(values, "environment")
    for name, value in secrets.items():
        if name.startswith(_PREFIX) and isinstance(value, str | int | float):
            values[name], origins[name] = str(value), "secrets.toml"
    if "all" in session:
        _settle_roles(values, origins)
    for scope, said in session.items():
        for name in FIELDS:
            written = variable(scope, name)
            values.pop(written, None)
            if text := getattr(said, name) or _nothing(scope, name, said):
                values[written], origins[written] = text, "this session"
    return ModelValues(values, origins)


def _settle_roles(values: dict[str, str], origins: dict[str, Origin]) -> None:
    """A role that has a model of its own keeps what held for it before the setting for all is another one."""
    before = dict(values)
    for role in ROLES:
        if not any(before.get(variable(role, name), "").strip() for name in FIELDS):
            continue
        for name in FIELDS:
            own, common = variable(role, name), variable("all", name)
            found = next((it for it in (own, common) if before.get(it, "").strip()), None)
            values[own] = before[found] if found else NOTHING
            origins[own] = origins[found] if found else "environment"


def _nothing(scope: Scope, name: str, said: Named) -> str:
    """What stands for an empty field, so that nothing from elsewhere does."""
    if scope == "all":
        return NOTHING if name == "model" else ""
    return NOTHING if said.model else ""
