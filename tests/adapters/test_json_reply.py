"""JSON in a model's words: repaired where nothing has to be guessed, else a failure with its name."""

from __future__ import annotations

import json

import pytest

from cuemem.adapters.chat.json_reply import json_text
from cuemem.cues.facts import TURN_SCHEMA
from cuemem.errors import ChatFailure

FACT = '{"subject": "Ann", "relation": "has", "object": "a cat"}'
PLAIN = '{"facts": [' + FACT + "]}"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"\ufeff{PLAIN}",
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}\n```",
        f"Sure, here are the facts:\n\n```json\n{PLAIN}\n```\nLet me know!",
        f"The facts of this turn: {PLAIN} I left out the greeting.",
        f"<think>Ann said {{something}}</think>\n{PLAIN}",
        f"[{FACT}]",
        PLAIN.replace("}]}", "},]}"),
        PLAIN.replace("}]}", "}] // that is all\n}"),
        PLAIN.replace('"', "'"),
        PLAIN.replace('"subject"', "subject").replace('"relation"', "relation"),
        PLAIN.replace('"has", "object"', '"has" "object"'),
        PLAIN[:-1],
        PLAIN[:-2],
        f"{PLAIN}\n{PLAIN}",
    ],
)
def test_repaired_without_guessing(text: str) -> None:
    assert json.loads(json_text(text, TURN_SCHEMA)) == json.loads(PLAIN)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "not JSON"),
        ("I'm sorry, I can't.", "not JSON"),
        ("null", "not JSON"),
        ('"no facts"', "not JSON"),
        ("{}", "schema broken"),
        ('{"facts": null}', "schema broken"),
        ('{"facts": {}}', "schema broken"),
        ('{"Facts": []}', "schema broken"),
        ('{"facts": ["Ann has a cat"]}', "schema broken"),
        (PLAIN.replace("relation", "predicate"), "schema broken"),
        (PLAIN.replace('"a cat"', "2"), "schema broken"),
        (PLAIN.replace('"a cat"', "null"), "schema broken"),
        (PLAIN.replace("}]}", ', "time": "now"}]}'), "schema broken"),
        ('{"facts": [], "facts": [' + FACT + "]}", "not JSON"),
        ('So: {"facts": [], "facts": [' + FACT + "]}", "not JSON"),
        (('{"facts": [], "facts": [' + FACT + "]}").replace('"', "'"), "not JSON"),
        (PLAIN.replace('"a cat"}', '"a cat", "object": "a dog",}'), "not JSON"),
        (PLAIN.replace("}]}", "}], 'notes': []}").replace('"', "'"), "schema broken"),
        (PLAIN.replace("}]}", "}], notes: []}").replace('"facts"', "facts"), "schema broken"),
        ('{"facts": []} or rather ' + PLAIN, "not JSON"),
        (PLAIN[:-3] + ', {"subject": "Ben", "rel', "truncated"),
        (PLAIN[:-3] + '}, {"subject": "Ben"', "truncated"),
        ('{"facts": [{"subject": "An', "truncated"),
        ('{"facts": [', "truncated"),
        (f"```json\n{PLAIN[:-12]}", "truncated"),
    ],
)
def test_not_repaired(text: str, kind: str) -> None:
    with pytest.raises(ChatFailure) as caught:
        json_text(text, TURN_SCHEMA)
    assert caught.value.kind == kind


def test_characters_survive() -> None:
    for said in ("🍸", "é", "a\nb", 'the "Lantern"', "\\", "\u2028", "<|endoftext|>"):
        text = PLAIN.replace('"a cat"', json.dumps(said))
        assert json.loads(json_text(text, TURN_SCHEMA))["facts"][0]["object"] == said
    broken = PLAIN.replace("a cat", "a\ncat")  # a line break inside a string, as models write it
    assert json.loads(json_text(broken, TURN_SCHEMA))["facts"][0]["object"] == "a\ncat"
    assert (
        json.loads(
            json_text('{"facts": [{"subject": "\\ud83c\\udf78", "relation": "b", "object": "c"}]}', TURN_SCHEMA)
        )["facts"][0]["subject"]
        == "🍸"
    )
