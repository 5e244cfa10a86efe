"""A language model on this machine, without a key: its file, and a loopback server that speaks the OpenAI protocol.

``pull`` brings the file, verified by its checksum; :class:`LocalEngine` starts and stops the server.
"""

from __future__ import annotations

from cuemem.adapters.local.catalogue import CATALOGUE, DEFAULT_MODEL, LocalModel, model_named, models_folder
from cuemem.adapters.local.chat import LOCAL_LIMITS, LocalChat, local_model, local_name, shared_engine
from cuemem.adapters.local.endpoint import Endpoint, engine_installed
from cuemem.adapters.local.engine import LocalEngine
from cuemem.adapters.local.folder import pulled_so_far, remove
from cuemem.adapters.local.pull import HUB, PACKAGES, pull
from cuemem.adapters.local.settings import EngineSettings

__all__ = [
    "CATALOGUE",
    "DEFAULT_MODEL",
    "HUB",
    "LOCAL_LIMITS",
    "PACKAGES",
    "Endpoint",
    "EngineSettings",
    "LocalChat",
    "LocalEngine",
    "LocalModel",
    "engine_installed",
    "local_model",
    "local_name",
    "model_named",
    "models_folder",
    "pull",
    "pulled_so_far",
    "remove",
    "shared_engine",
]
