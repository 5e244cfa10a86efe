"""Settings from environment, secrets file and session laid over each other; models lent to jobs without their key."""

from __future__ import annotations

import json

import pytest

from cuemem.errors import BadSetting
from cuemem.workbench import models
from cuemem.workbench.model_values import Named, laid_over
from cuemem.workbench.models import lend, lent, model_settings

KEY = "planted-KEY-0123456789abcdef"
THEIRS = {"CUEMEM_MODEL": "openai/env", "CUEMEM_API_BASE": "http://127.0.0.1:1/v1", "CUEMEM_API_KEY": KEY}


def test_a_later_place_is_laid_over_an_earlier_one_and_says_where_it_comes_from() -> None:
    secrets = {"CUEMEM_JUDGE_MODEL": "gpt-4o", "CUEMEM_TIMEOUT": 30, "other": {"CUEMEM_MODEL": "no"}, "PATH": "no"}
    found = laid_over(THEIRS | {"HOME": "/"}, secrets, {"extractor": Named("local")})
    assert {*found.values} == {*found.origins}
    assert "HOME" not in found.values
    assert found.source("answer") == ("all", "environment")
    assert found.source("judge") == ("judge", "secrets.toml")
    assert found.source("extractor") == ("extractor", "this session")
    assert found.source("judge", "timeout") == ("all", "secrets.toml")
    assert found.source("judge", "window") is None
    assert found.named("all").timeout == "30"
    assert KEY not in repr(found)


def test_a_key_goes_to_no_other_server_than_the_one_it_was_set_for() -> None:
    """What the session names takes neither address nor key from elsewhere, nor does it give any."""
    own = laid_over(THEIRS, {}, {"answer": Named("openai/mine", "http://127.0.0.1:2/v1")})
    answer, judge = model_settings("answer", own.values), model_settings("judge", own.values)
    assert answer is not None
    assert judge is not None
    assert (answer.api_base, answer.api_key) == ("http://127.0.0.1:2/v1", None)
    assert (judge.name, judge.api_key) == ("openai/env", KEY)
    theirs = THEIRS | {"CUEMEM_JUDGE_MODEL": "openai/judge"}
    every = laid_over(theirs, {}, {"all": Named("gpt-4o", api_key="another-key")})
    judge, answer = model_settings("judge", every.values), model_settings("answer", every.values)
    assert judge is not None
    assert answer is not None
    assert (judge.name, judge.api_base, judge.api_key) == ("openai/judge", "http://127.0.0.1:1/v1", KEY)
    assert (answer.name, answer.api_base, answer.api_key) == ("gpt-4o", None, "another-key")
    nothing = laid_over(THEIRS, {}, {"all": Named()})
    assert model_settings("answer", nothing.values) is None
    back = laid_over(theirs, {}, {"judge": Named()})
    judge = model_settings("judge", back.values)
    assert judge is not None
    assert (judge.name, judge.api_key) == ("openai/env", KEY)


def test_a_lent_model_lies_in_details_without_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "_LENT", {})
    values = laid_over({}, {}, {"all": Named("openai/x", "http://u:pass@127.0.0.1:2/v1", KEY, "4096", "2", "9", "5")})
    settings = model_settings("extractor", values.values)
    assert settings is not None
    details = json.loads(json.dumps(lend(settings)))
    assert KEY not in str(details)
    assert "pass" not in str(details)
    assert lent(details, "extractor") == settings
    models._LENT.clear()  # as after a restart
    with pytest.raises(BadSetting, match=r"The key of openai/x .* under Models, then resume"):
        lent(details, "extractor")
    for name, text in values.values.items():
        monkeypatch.setenv(name, text)
    assert lent(details, "extractor") == settings
    keyless = model_settings("answer", {"CUEMEM_MODEL": "local"})
    assert keyless is not None
    assert lent(lend(keyless), "answer") == keyless
