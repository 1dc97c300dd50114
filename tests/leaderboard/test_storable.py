"""Texts that every database takes."""

import pytest

from leaderboard.storable import storable


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("plain ñ 😀", "plain ñ 😀"),
        ("a\0b", "ab"),
        ("a\ud800b", "a\ufffdb"),
        ("x" * 30, "x" * 20),
        ("\0" * 30 + "x", "x"),
    ],
)
def test_what_is_kept(text: str, stored: str) -> None:
    assert storable(text, 20) == stored
