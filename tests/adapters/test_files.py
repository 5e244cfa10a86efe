"""Files as users give them: the same content is the same file, and every fault is a sentence with its place."""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuemem.adapters import files, json_items
from cuemem.adapters.files import open_source
from cuemem.errors import BadInput
from tests.shared_data import shared


def written(folder: Path, content: bytes | str, name: str = "talk.json") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def fault(path: Path) -> str:
    """The one sentence that reading the file ends in."""
    with pytest.raises(BadInput) as caught:
        list(open_source(path).items())
    return str(caught.value)


def test_a_gzipped_copy_is_the_same_file_whatever_its_name(tmp_path: Path) -> None:
    content = b'[{"a": 1}, {"a": 2}]'
    plain = open_source(written(tmp_path, content))
    packed = open_source(written(tmp_path, gzip.compress(content), "no-ending"))
    assert packed.sha256 == plain.sha256 == hashlib.sha256(content).hexdigest()
    assert (plain.size, packed.size) == (len(content), len(content))
    assert (plain.gzipped, packed.gzipped) == (False, True)
    assert list(packed.items()) == list(plain.items()) == [({"a": 1}, ()), ({"a": 2}, ())]


@pytest.mark.parametrize("name", ["conv.json", "conv.json.gz", "conv", "conv.JSON", "conv.jsonl"])
def test_the_stem_is_the_name_without_endings(tmp_path: Path, name: str) -> None:
    assert open_source(written(tmp_path, "[1]", "upload-7f3a"), name).stem == "conv"


def test_objects_on_lines_are_items_and_know_their_line(tmp_path: Path) -> None:
    path = written(tmp_path, '\ufeff{"a": 1}\r\n\n {"b":\n 2}\n{"c": "\u2028 }{"}', "talk.jsonl")
    assert [item.value for item in open_source(path).items()] == [{"a": 1}, {"b": 2}, {"c": "\u2028 }{"}]
    assert [(placed.number, placed.in_list) for placed in open_source(path).placed_items()] == [
        (1, False),
        (3, False),
        (5, False),
    ]


def test_items_of_a_list_know_their_number(tmp_path: Path) -> None:
    placed = list(open_source(written(tmp_path, '[{"a": 1},\n\n{"b": 2}, 3]')).placed_items())
    assert [(entry.number, entry.in_list, entry.item.value) for entry in placed] == [
        (1, True, {"a": 1}),
        (2, True, {"b": 2}),
        (3, True, 3),
    ]


def test_one_object_is_one_item(tmp_path: Path) -> None:
    assert [item.value for item in open_source(written(tmp_path, ' {"a": [1, {}]}\n')).items()] == [{"a": [1, {}]}]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", ["talk.json", "is empty"]),
        (" \n ", ["is empty"]),
        ("[]", ["empty list"]),
        ("[ \n ]", ["empty list"]),
        ("hello there", ["not a JSON list or object", "line 1, character 1", "'hello there'"]),
        ("42", ["not a JSON list or object"]),
        ('"a text"', ["not a JSON list or object"]),
        ("<!DOCTYPE html><html>", ["a web page"]),
        ("version https://git-lfs.github.com/spec/v1\noid", ["Git LFS pointer"]),
        ('[{"a": 1}, {"a": tru}]', ["not valid JSON at line 1, character 18", "item 1"]),
        ('[{"a": 1},\n {"a" 1}]', ["not valid JSON at line 2, character 7", "item 1"]),
        ('[{"a": 1} {"a": 2}]', ["line 1, character 11", "comma"]),
        ('[{"a": 1}, , {"a": 2}]', ["line 1, character 12", "item 1"]),
        ('[{"a": 1},]', ["line 1, character 11", "item 1"]),
        ("[{'a': 1}]", ["not valid JSON", "double quotes"]),
        ('[{"a": "\\x"}]', ["not valid JSON", "escape"]),
        ('[{"a": 1}]\n{}', ["goes on after the end", "line 2, character 1"]),
        ('{"a": 1}\n[2]\n', ["goes on after the end", "line 2", "one object a line"]),
        ('{"a": 1} {"a": 2}', ["two objects on line 1"]),
        ('{"a": 1}\n\n{"a" 2}', ["not valid JSON at line 3, character 6", "item 1"]),
        ('[{"a": 1, "b": 2, "a": 3}]', ["two different values", "'a'", "item 0"]),
        ("[" * 100_000, ["nested too deep"]),
        ("[" * 150 + "]" * 150, ["nested more than 100 deep", "item 0"]),
        (f'[{{"a": {"9" * 5000}}}]', ["item 0"]),
        (codecs.BOM_UTF16_LE + "[{}]".encode("utf-16-le"), ["UTF-16", "UTF-8"]),
        (b'[{"a": "caf\xe9"}]', ["not UTF-8", "byte 11", "0xe9"]),
        (b'[{"a": "\xed\xa0\x80"}]', ["not UTF-8", "byte 8"]),
        (bz2.compress(b"[{}]"), ["bzip2"]),
    ],
)
def test_each_fault_names_the_file_and_the_place(tmp_path: Path, content: bytes | str, words: list[str]) -> None:
    message = fault(written(tmp_path, content))
    assert all(word in message for word in ["talk.json", *words]), message


def test_a_zip_archive_is_named_as_such(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "talk.json", "w") as archive:
        archive.writestr("a.json", "[{}]")
    assert "zip archive" in fault(tmp_path / "talk.json")


WHOLE = json.dumps([{"a": 'né\u2028 \ud83c\udf78 \\ "quoted"', "n": [True, None, -1.5e-3, False]}, {"b": {}}])


@pytest.mark.parametrize("length", range(1, len(WHOLE)))
def test_every_truncation_is_told_from_wrong_json(tmp_path: Path, length: int) -> None:
    message = fault(written(tmp_path, WHOLE[:length]))
    assert "ends in the middle" in message
    assert "download" in message


@pytest.mark.parametrize("keep", [3, 12, 40, -1, -9])
def test_a_truncated_gzip_file_is_named_as_such(tmp_path: Path, keep: int) -> None:
    path = written(tmp_path, gzip.compress(WHOLE.encode())[:keep], "talk.json.gz")
    with pytest.raises(BadInput, match=r"talk\.json\.gz is a gzip file that ends too early"):
        open_source(path)


def test_a_damaged_gzip_file_is_named_as_such(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(WHOLE.encode()))
    packed[-6] ^= 0xFF  # the checksum
    with pytest.raises(BadInput, match="damaged gzip"):
        open_source(written(tmp_path, bytes(packed)))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(BadInput, match="gzip"):
        open_source(written(tmp_path, bytes(packed)))


def test_a_missing_file_a_folder_and_a_pipe(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no file .*nothing\.json"):
        open_source(tmp_path / "nothing.json")
    with pytest.raises(BadInput, match="is a folder"):
        open_source(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="not a regular file"):
        open_source(tmp_path / "pipe")


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error")])
def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError) -> None:
    path = written(tmp_path, "[{}]")

    def refuse(*_: object) -> io.BytesIO:
        raise error

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(BadInput, match=r"talk\.json (may not be|cannot be) read"):
        open_source(path)


def test_what_no_store_can_hold_is_replaced_and_reported_with_its_place(tmp_path: Path) -> None:
    text = '[{"ok": "\\ud83c\\udf78"}, {"t": ["x\\ud800y", "a\\u0000b\\udc00"], "k\\udfff": NaN, "n": -1e999}]'
    first, second = open_source(written(tmp_path, text)).items()
    assert first == ({"ok": "🍸"}, ())  # a pair of escapes is one character, and nothing to report
    assert second.value == {"t": ["x\ufffdy", "a\ufffdb\ufffd"], "k\ufffd": None, "n": None}
    assert [(problem.kind, problem.place) for problem in second.problems] == [
        ("character replaced", "item 1.t[0]"),
        ("character replaced", "item 1.t[1]"),
        ("not a number", "item 1.k\ufffd"),
        ("character replaced", "item 1.k\ufffd"),
        ("not a number", "item 1.n"),
    ]
    json.dumps(second.value, allow_nan=False).encode()


def test_a_byte_order_mark_and_other_control_characters_are_no_problem(tmp_path: Path) -> None:
    content = codecs.BOM_UTF8 + '[{"a": "tab\there \u2028 \\u0007 <|endoftext|> <script>"}]'.encode()
    (item,) = open_source(written(tmp_path, content)).items()
    assert item == ({"a": "tab\there \u2028 \x07 <|endoftext|> <script>"}, ())


def test_a_key_that_stands_twice_with_one_value_loses_nothing(tmp_path: Path) -> None:
    assert [item.value for item in open_source(written(tmp_path, '[{"a": 1, "a": 1}]')).items()] == [{"a": 1}]


def test_an_item_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_items, "MAX_ITEM", 4000)
    monkeypatch.setattr(files, "_CHUNK", 1000)
    assert "item 1" in (message := fault(written(tmp_path, json.dumps([{"a": 1}, {"a": "x" * 20_000}]))))
    assert "4,000 characters" in message


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(values=st.lists(JSON, min_size=1, max_size=6), indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
def test_streaming_gives_what_the_standard_library_gives(
    values: list[object], indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    assert [item.value for item in json_items.json_items(in_pieces(text), "talk")] == values


@given(
    where=st.integers(0, len(WHOLE)),
    drop=st.integers(0, 3),
    put=st.text(st.sampled_from('[]{}":,\\ua1-.eN\ud800\0 \n'), max_size=3),
)
def test_no_damage_raises_anything_but_a_sentence_and_the_place_is_independent_of_chunks(
    where: int, drop: int, put: str
) -> None:
    text = WHOLE[:where] + put + WHOLE[where + drop :]
    assert outcome(iter([text])) == outcome(in_pieces(text))


def in_pieces(text: str, size: int = 3) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def outcome(chunks: Iterator[str]) -> list[object] | str:
    try:
        return list(json_items.json_items(chunks, "talk"))
    except BadInput as error:
        return str(error)


def test_lines_of_any_length_and_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_CHUNK", 4)
    content = codecs.BOM_UTF8 + "one\r\ntwo é\n\nlast\u2028line".encode()
    assert list(open_source(written(tmp_path, content)).lines()) == ["one", "two é", "", "last\u2028line"]
    monkeypatch.setattr(files, "_MAX_LINE", 100)
    with pytest.raises(BadInput, match="line longer than 100"):
        list(open_source(written(tmp_path, "x" * 500)).lines())


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the memory of a process is read from Linux's /proc"
)
def test_the_sample_of_longmemeval_streams_in_little_memory() -> None:
    path = shared("data/longmemeval/longmemeval_s_cleaned_sample.json.gz")
    program = (
        "import re, sys\n"
        "from cuemem.adapters.files import open_source\n"
        "from cuemem.datasets import load_conversations\n"
        "count = sum(1 for _ in load_conversations(open_source(sys.argv[1])))\n"
        # Not getrusage: its peak counts that of the process which started this one.
        "print(count, re.search(r'VmHWM:\\s*(\\d+) kB', open('/proc/self/status').read())[1])\n"
    )
    run = [sys.executable, "-c", program, str(path)]
    out = subprocess.run(run, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True).stdout
    count, kilobytes = map(int, out.split())
    assert count == 25
    assert (
        kilobytes < 200_000
    )  # measured: 60 MB; the whole parsed file takes 120 MB, and the full S file 20 times that
