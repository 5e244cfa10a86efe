"""Where the public datasets lie, under which licence, and what is known of each file beforehand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A file that can be downloaded. ``size`` in bytes and ``sha256`` are None where they are not known for sure."""

    name: str
    title: str
    dataset: str
    address: str
    licence: str
    size: int | None = None
    sha256: str | None = None


_LONGMEMEVAL = "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/main"

PUBLISHED: tuple[PublishedFile, ...] = (
    PublishedFile(
        "locomo10.json",
        "LoCoMo, the ten released conversations (2.8 MB)",
        "locomo",
        "https://raw.githubusercontent.com/snap-research/locomo/main/data/locomo10.json",
        "CC BY-NC 4.0: not for commercial use; not to be passed on with a product",
        2_805_274,
        "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
    ),
    PublishedFile(
        "longmemeval_oracle.json",
        "LongMemEval, the gold sessions only (cleaned; 500 questions)",
        "longmemeval",
        f"{_LONGMEMEVAL}/longmemeval_oracle.json",
        "MIT",
    ),
    PublishedFile(
        "longmemeval_s_cleaned.json",
        "LongMemEval-S (cleaned; 500 questions, about 277 MB)",
        "longmemeval",
        f"{_LONGMEMEVAL}/longmemeval_s_cleaned.json",
        "MIT",
    ),
)
