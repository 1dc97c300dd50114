"""Addresses made from names."""

import re

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.slugs import slug_for


def test_runs_of_other_characters_become_one_hyphen() -> None:
    assert slug_for("Qwen3.6-27B-s1") == "qwen3-6-27b-s1"
    assert slug_for("Qwen3.6-27B + retrieved repair notes") == "qwen3-6-27b-retrieved-repair-notes"
    assert slug_for("Modèle  É") == "modele-e"


def test_a_taken_slug_gets_a_digest_of_its_name() -> None:
    first = slug_for("GLM 5")
    other = slug_for("glm-5", taken={first})
    assert other.startswith("glm-5-")
    assert other == slug_for("glm-5", taken={first, "more"})


@given(st.text(max_size=300))
def test_any_name_has_an_address(name: str) -> None:
    slug = slug_for(name)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug)
    assert len(slug) <= 110
