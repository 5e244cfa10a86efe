"""How a conversation may be called."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cuemem.adapters.store import Store
from cuemem.errors import UnknownName
from tests.adapters.store_samples import load, sample, sha


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(tmp_path_factory.mktemp("names") / "store.duckdb") as opened:
        for file, names in {"one": ["conv-26", "conv-126", "26"], "two": ["conv-26", "a/b"]}.items():
            load(opened, [sample(file, place, name) for place, name in enumerate(names)], file)
        yield opened


one, two = sha("one")[:16], sha("two")[:16]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (f"{one}/0", f"{one}/0"),  # the id
        (f"{one}/0/locomo/conv-26", f"{one}/0"),  # the whole path
        ("0/locomo/conv-26", None),  # in both files
        ("1/locomo/conv-126", f"{one}/1"),
        ("conv-126", f"{one}/1"),
        ("126", f"{one}/1"),  # the end of a part
        ("nv-126", f"{one}/1"),
        ("26", f"{one}/2"),  # a whole part wins over ends of parts
        ("locomo/26", f"{one}/2"),
        ("conv-26", None),
        ("6", None),
        ("b", f"{two}/1"),
        ("a/b", f"{two}/1"),
        ("/a/b/", f"{two}/1"),
        ("CONV-126", None),
        ("conv", None),
        ("", None),
        ("/", None),
        (f"{one}", None),
    ],
)
def test_resolve(store: Store, name: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(UnknownName):
            store.resolve(name)
    else:
        assert store.resolve(name) == expected


def test_the_candidates_are_named(store: Store) -> None:
    with pytest.raises(UnknownName) as ambiguous:
        store.resolve("conv-26")
    assert str(ambiguous.value) == (
        f"'conv-26' may mean any of 2 conversations: {one}/0/locomo/conv-26, {two}/0/locomo/conv-26. "
        "Give more of the name."
    )
    with pytest.raises(UnknownName, match=f"No conversation is called 'x'. The store holds {one}/0/locomo/conv-26, "):
        store.resolve("x")


def test_of_many_candidates_ten_are_named(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.duckdb") as many:
        with pytest.raises(UnknownName, match="the store is empty"):
            many.resolve("conv-1")
        load(many, [sample("file", place, f"conv-{place}") for place in range(23)])
        with pytest.raises(UnknownName, match=r"/9/locomo/conv-9 and 13 more\.$"):
            many.resolve("nothing")
