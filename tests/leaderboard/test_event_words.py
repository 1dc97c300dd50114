"""Events in sentences."""

import pytest

from leaderboard.event_words import event_text
from leaderboard.events import KINDS


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_has_words(kind) -> None:
    assert event_text(kind, {}) != kind


def test_a_check_names_the_kernel_and_what_was_found() -> None:
    facts = {"kernel": "0123456789abcdef", "outcome": "compile_error"}
    assert event_text("checked", facts) == "Kernel 0123456789ab: compile error."
    assert event_text("checked", {**facts, "outcome": ""}).endswith("nothing wrong without a GPU.")


@pytest.mark.parametrize("facts", [{"outcome": 3}, {"outcome": "nonsense"}, {"kernel": None}])
def test_odd_facts_are_no_fault(facts) -> None:
    assert event_text("judged", facts)
    assert event_text("some_new_kind", facts) == "some_new_kind"
