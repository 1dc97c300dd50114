"""A small site for the API, with turns, and one way of asking it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from evaluation.outcomes import Outcome
from leaderboard.models import ModelEntry, Run

SLOW = [(Outcome.COMPILE_ERROR, None), (Outcome.SLOWER, 0.5)]
FAST = [(Outcome.NUMERICAL_ERROR, None), (Outcome.FASTER, 1.25)]

Ask = Callable[..., Any]


@pytest.fixture
def ask(client: Client) -> Ask:
    """Return a function that gets an address of the API, and its status with its JSON."""

    def get(path: str, query: str = "", status: int = 200, **headers: str) -> Any:
        response = client.get(f"/api/v1/{path}", QUERY_STRING=query, headers=headers)
        assert response.status_code == status, response.content[:500]
        assert response["Content-Type"] == "application/json"
        return response.json()

    return get


@pytest.fixture
def lines(client: Client) -> Callable[..., list[str]]:
    """Return a function that gets a CSV table, as its lines."""

    def get(path: str, query: str = "") -> list[str]:
        joined = f"{query}&format=csv" if query else "format=csv"
        response = client.get(f"/api/v1/{path}", QUERY_STRING=joined)
        assert response.status_code == 200, response.content[:500]
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        assert response["Content-Disposition"].startswith('attachment; filename="')
        return response.content.decode().splitlines()

    return get


@pytest.fixture
def small(make_entry: Callable[..., ModelEntry], make_run: Callable[..., Run]) -> list[Run]:
    """Two models and a variant with a run each: 10, 10 and 2 trajectories of two turns."""
    open_one = make_entry("Open One", open_weights=True, organisation="Lab", released="2026-03-01")
    closed = make_entry("Closed", open_weights=False, released="2026-05-01")
    variant = make_entry("Open One v2", kind="variant", base=open_one)
    return [
        make_run(open_one, [SLOW] * 10),
        make_run(closed, [FAST] * 10),
        make_run(variant, [SLOW] * 2, task="mha_bwd_d128", prompt_set="other", origin="uploaded"),
    ]
