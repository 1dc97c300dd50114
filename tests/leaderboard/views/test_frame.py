"""The frame of every page, the methodology, and the error pages."""

import re

import pytest
from django.template.loader import render_to_string
from django.test import Client

from evaluation.outcomes import Outcome
from leaderboard.words import OUTCOMES, STAGE_LETTERS, outcome_letter

pytestmark = pytest.mark.django_db


def test_methodology_explains_every_outcome(client: Client) -> None:
    html = client.get("/methodology/").content.decode()
    for outcome in Outcome:
        assert f'id="outcome-{outcome}"' in html


def test_methodology_has_every_anchor_once(client: Client) -> None:
    html = client.get("/methodology/").content.decode()
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    wanted = (
        "task workload architecture hardware entry run trajectory prompt-sets origin provenance "
        "reported measured stages syntax target strategy outcomes metrics correct-k target-k "
        "fast-p frontier-share best-speedup intervals ranking undecided not-built"
    )
    assert set(wanted.split()) <= set(ids)


def test_links_within_the_methodology_lead_somewhere(client: Client) -> None:
    html = client.get("/methodology/").content.decode()
    ids = set(re.findall(r'\bid="([^"]+)"', html))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= ids


@pytest.mark.parametrize("address", ["/", "/methodology/", "/no/such/page/"])
def test_nothing_is_inline_that_the_policy_forbids(client: Client, address: str) -> None:
    html = client.get(address).content.decode()
    for attributes, content in re.findall(r"<script([^>]*)>(.*?)</script>", html, re.DOTALL):
        assert "application/json" in attributes or ("src=" in attributes and not content.strip())
    assert not re.search(r"\son\w+=", html)
    assert "javascript:" not in html


def test_current_page_is_marked_once_in_the_navigation(client: Client) -> None:
    html = client.get("/methodology/").content.decode()
    assert html.count('aria-current="page"') == 1


def test_missing_page_is_a_page_of_the_site(client: Client) -> None:
    response = client.get("/no/such/page/")
    assert response.status_code == 404
    assert "There is no such page" in response.content.decode()


def test_error_page_needs_nothing() -> None:
    html = render_to_string("500.html")
    assert "Something went wrong here" in html
    assert "/static/" not in html


def test_every_outcome_has_words_and_a_letter() -> None:
    assert set(OUTCOMES) == set(Outcome)
    assert outcome_letter(Outcome.REWARD_HACK) == "X"
    assert len(set(STAGE_LETTERS.values())) == len(STAGE_LETTERS)
