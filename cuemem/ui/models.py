"""The language models of this browser tab: environment, then the secrets file, then what was set in this session."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import streamlit as st

from cuemem.errors import BadSetting
from cuemem.prompts import Prompts
from cuemem.workbench.model_values import ModelValues, Named, Scope, laid_over
from cuemem.workbench.models import ModelRole, ModelSettings, lend, model_settings, own_prompts

_SESSION = "cuemem.models"


def settings(role: ModelRole) -> ModelSettings | None:
    """The model of a role in this session, None where none is named. Raises BadSetting, and UnknownName."""
    return model_settings(role, values().values)


def prompts() -> Prompts:
    """The prompts, with the user's own where there is a folder of them. Raises BadSetting."""
    return own_prompts(values().values)


def values() -> ModelValues:
    """The settings in force, with where each comes from. Raises BadSetting for a secrets file that is no TOML."""
    return laid_over(os.environ, _secrets(), session())


def session() -> dict[Scope, Named]:
    """What was set in this session, by role. Keys stay here: this is neither stored nor shown."""
    said: dict[Scope, Named] = st.session_state.get(_SESSION, {})
    return said


def keep(scope: Scope, named: Named | None) -> None:
    """Let this session say this of a role; None takes back what it said."""
    said = {name: each for name, each in session().items() if name != scope}
    st.session_state[_SESSION] = said if named is None else said | {scope: named}


def details(role: ModelRole) -> dict[str, Any] | None:
    """A role's model as details of a background job, its key kept back; ``workbench.models.lent`` gives it again."""
    found = settings(role)
    return None if found is None else lend(found)


def _secrets() -> dict[str, Any]:
    if st.secrets.load_if_toml_exists():
        return dict(st.secrets.to_dict())
    files = [path for path in st.config.get_option("secrets.files") if Path(path).is_file()]
    if not files:
        return {}
    raise BadSetting(f"The secrets file {files[0]} cannot be read as TOML: mend it or take it away.")
