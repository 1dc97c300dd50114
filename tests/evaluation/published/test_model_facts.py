"""The curated facts are well-formed, and badly formed ones are refused."""

import json
from datetime import date
from typing import Any

import pytest

from evaluation.published import load_model_facts

GOOD: dict[str, Any] = {
    "organisation": "Maker",
    "organisation_source": "https://example.org",
    "open_weights": True,
    "open_weights_source": "https://example.org/card",
    "not_before": {"date": "2026-01-31", "reason": "then", "source": "https://example.org/news"},
}


def load(tmp_path, content):
    path = tmp_path / "models.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return load_model_facts(path)


def test_the_bundled_facts():
    facts = load_model_facts()
    assert len(facts) == 13
    assert facts["Gemini 3.1 Pro"].not_before == date(2026, 2, 19)
    assert facts["Claude Opus 4.8"].open_weights is False
    assert facts["Qwen3.6-27B-s3"].open_weights is None
    assert facts["Qwen3.6-27B-s3"].organisation == "PTXBench authors"


def test_facts(tmp_path):
    facts = load(tmp_path, {"M": GOOD})["M"]
    assert (facts.organisation, facts.open_weights) == ("Maker", True)
    assert (facts.not_before, facts.not_before_reason) == (date(2026, 1, 31), "then")


def test_unknown_is_null(tmp_path):
    unknown = GOOD | {"open_weights": None, "open_weights_source": None, "not_before": None}
    facts = load(tmp_path, {"M": unknown})["M"]
    assert (facts.open_weights, facts.not_before, facts.not_before_source) == (None, None, "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"organisation": " "}, "M: organisation must be"),
        ({"organisation_source": None}, "M: organisation_source must be"),
        ({"open_weights": "yes"}, "M: open_weights must be"),
        ({"open_weights_source": None}, "M: open_weights_source must be"),
        ({"licence": "MIT"}, "M: must have exactly the keys"),
        ({"not_before": "2026-01-31"}, "M: not_before must be null or"),
        ({"not_before": {"date": "2026-01-31"}}, "M: not_before must be null or"),
        ({"not_before": GOOD["not_before"] | {"date": "2026-02-30"}}, "M: not_before.date must"),
        ({"not_before": GOOD["not_before"] | {"source": ""}}, "M: source must be"),
    ],
)
def test_badly_formed_facts_are_refused(tmp_path, change, message):
    with pytest.raises(ValueError, match=f"models.json: {message}"):
        load(tmp_path, {"M": GOOD | change})


@pytest.mark.parametrize(
    ("content", "message"),
    [("[]", "not an object"), ("{", "Expecting"), ('{"M": {}, "M": {}}', "key appears twice: M")],
)
def test_what_is_no_object_of_models_is_refused(tmp_path, content, message):
    with pytest.raises(ValueError, match=f"models.json: {message}"):
        load(tmp_path, content)
