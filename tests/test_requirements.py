"""The locked requirement files name versions and nothing of the machine that made them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCKED = ["requirements.txt", "tests/requirements.txt"]
REQUIREMENT = re.compile(r"[a-z0-9._-]+(\[[a-z0-9,._-]+\])?==[^\s;]+( ; .+)?", re.IGNORECASE)


def stray_lines(text: str) -> list[str]:
    """Return the lines that are neither a comment nor one pinned requirement."""
    lines = (line.strip() for line in text.splitlines())
    return [ln for ln in lines if ln and not ln.startswith("#") and not REQUIREMENT.fullmatch(ln)]


@pytest.mark.parametrize("name", LOCKED)
def test_every_line_is_one_pinned_requirement(name: str) -> None:
    text = (ROOT / name).read_text()
    assert stray_lines(text) == []
    assert "://" not in text
    assert str(ROOT.parent) not in text


@pytest.mark.parametrize(
    "line",
    [
        "--extra-index-url https://example.org/simple",
        "--find-links wheels",
        "django @ https://example.org/django.whl",
        "-e ../elsewhere",
        "/opt/django.whl",
        "django>=5.2",
    ],
)
def test_urls_paths_and_ranges_are_found(line: str) -> None:
    assert stray_lines(f"django==5.2.1\n{line}\n") == [line]


def test_the_checks_use_the_versions_of_the_site() -> None:
    site, checks = (set(_pins(name)) for name in LOCKED)
    assert site <= checks


def _pins(name: str) -> list[str]:
    lines = (line.strip() for line in (ROOT / name).read_text().splitlines())
    # Without its marker: the checks may need a package on more Pythons than the site does.
    return [line.split(" ;")[0] for line in lines if REQUIREMENT.fullmatch(line)]
