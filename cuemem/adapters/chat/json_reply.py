"""From a model's words to JSON of a schema: what can be repaired without guessing is, all else is a named failure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import json_repair
import jsonschema

from cuemem.errors import ChatFailure
from cuemem.text import NamedTwice, named_once
from cuemem.types import JsonSchema

_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)```", re.DOTALL)
_THOUGHT = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_OPEN_THOUGHT = re.compile(r"^\s*<think(?:ing)?>")
_KEY = re.compile(r"""(["'])(\w+)\1\s*:""")
_SHOWN = 160


def without_thoughts(text: str) -> tuple[str, str]:
    """What a model thought aloud in ``<think>`` before its reply, and the reply."""
    match = _THOUGHT.match(text)
    if match:
        return re.sub(r"</?think(?:ing)?>", "", match[0]).strip(), text[match.end() :].strip()
    if _OPEN_THOUGHT.match(text):
        return text.strip(), ""
    return "", text.strip()


def json_text(text: str, schema: JsonSchema) -> str:
    """The one JSON value in the text that satisfies the schema, written anew.

    Taken off: thoughts, code fences, prose around it. Repaired: quotes, commas, comments, closing brackets. Raises
    ChatFailure: truncated, not JSON, schema broken.
    """
    value = _value(without_thoughts(text)[1], schema)
    if problem := _problem(value, schema):
        raise ChatFailure("schema broken", f"The reply is JSON of another form than asked for: {problem}.", text=text)
    return json.dumps(value, ensure_ascii=False)


def _value(spoken: str, schema: JsonSchema) -> Any:
    """The value that was meant: as it stands, out of a fence, out of the prose, or repaired."""
    try:
        return _meant(spoken, schema)
    except NamedTwice as error:
        raise ChatFailure("not JSON", f"The reply names the key {error} twice.", text=spoken) from error


def _meant(spoken: str, schema: JsonSchema) -> Any:
    for candidate in (spoken, *(match.strip() for match in _FENCE.findall(spoken))):
        try:
            return _wrapped(_loads(candidate), schema)
        except NamedTwice:
            raise
        except ValueError:
            continue
    embedded = _embedded(spoken)
    fitting = [value for value in embedded if not _problem(_wrapped(value, schema), schema)]
    if len(fitting) == 1 or (fitting and all(value == fitting[0] for value in fitting)):
        return _wrapped(fitting[0], schema)
    if fitting:
        raise ChatFailure("not JSON", f"The reply holds {len(fitting)} different JSON values.", text=spoken)
    return _wrapped(_repaired(spoken), schema)


def _loads(text: str) -> Any:
    # Not strict: a line break inside a string is the commonest flaw, and can mean nothing else.
    value = json.loads(text.lstrip("\ufeff"), strict=False, object_pairs_hook=named_once)
    if not isinstance(value, dict | list):
        raise ValueError("a bare value")
    return value


def _embedded(text: str) -> list[Any]:
    """Every JSON object or array that stands in the text on its own, not inside a faulty object."""
    found: list[Any] = []
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=named_once)
    place = 0
    while match := re.compile(r"[{\[]").search(text, place):
        before = text[: match.start()]
        if before.count("{") > before.count("}"):
            place = match.end()
            continue
        try:
            value, place = decoder.raw_decode(text, match.start())
            found.append(value)
        except NamedTwice:
            raise
        except ValueError:
            place = match.start() + 1
    return found


def _repaired(text: str) -> Any:
    """The value in faulty JSON. What was broken off is not closed, since something would be missing in silence."""
    start = re.search(r"[{\[]", text)
    if start is None:
        raise ChatFailure("not JSON", f"The reply is no JSON: {shown(text)}", text=text)
    end = max(text.rfind("}"), text.rfind("]"))
    rest = text[end + 1 :] if end >= start.start() else text
    if end < start.start() or re.search(r'["{\[]', rest):
        raise ChatFailure("truncated", f"The reply breaks off in the middle of its JSON: …{text[-60:]}", text=text)
    body = text[start.start() : end + 1]
    value = json_repair.loads(body, skip_json_loads=True)
    _check_once(value, body)
    if not isinstance(value, dict | list) or not _said(value, body):
        raise ChatFailure("not JSON", f"The reply is no JSON and cannot be read as any: {shown(text)}", text=text)
    return value


def _check_once(value: Any, source: str) -> None:
    """Raise NamedTwice where the repair left a key out that the source names: it keeps the last of several."""
    made = Counter(_keys(value))
    named = Counter(match[2] for match in _KEY.finditer(source))
    if twice := next((key for key in made if named[key] > made[key]), None):
        raise NamedTwice(repr(twice))


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        value = [*value.values()]
    if isinstance(value, list):
        for part in value:
            yield from _keys(part)


def _said(value: Any, source: str) -> bool:
    """Whether every string of the repaired value stands in the source as it is: nothing was made up or cut."""
    if isinstance(value, dict):
        return all(_said(part, source) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return all(_said(part, source) for part in value)
    if not isinstance(value, str):
        return True
    return (
        value in source or json.dumps(value)[1:-1] in source or json.dumps(value, ensure_ascii=False)[1:-1] in source
    )


def _wrapped(value: Any, schema: JsonSchema) -> Any:
    """A bare list where the schema has one list under one key: it can only be that list."""
    properties = schema.get("properties", {})
    if isinstance(value, list) and len(properties) == 1:
        ((name, inner),) = properties.items()
        if inner.get("type") == "array":
            return {name: value}
    return value


def _problem(value: Any, schema: JsonSchema) -> str | None:
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(dict(schema)).iter_errors(value))
    if error is None:
        return None
    place = "".join(f"[{step!r}]" for step in error.absolute_path)
    return shown(f"{error.message}{f' at {place}' if place else ''}")


def shown(text: str) -> str:
    """The beginning of a text on one line, for a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
