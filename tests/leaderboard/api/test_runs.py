"""Runs and turns."""

from collections.abc import Callable

import pytest

from leaderboard.api import renderers
from leaderboard.api.tables import RUN_SUMMARY_COLUMNS, TURN_COLUMNS
from leaderboard.models import Result, RunSummary

pytestmark = pytest.mark.django_db


def count(answer: dict) -> int:
    assert len(answer["results"]) == min(answer["count"], 100)
    return answer["count"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", 3),
        ("arch=hopper", 3),
        ("arch=blackwell", 0),
        ("model=open-one", 1),
        ("task=mha_bwd_d128", 1),
        ("prompt=other", 1),
        ("origin=uploaded", 1),
        ("origin=published&task=gemm_n7168_k5120", 2),
    ],
)
def test_runs_are_filtered(small, ask, query: str, expected: int) -> None:
    assert count(ask("runs/", query)) == expected


def test_a_run_has_its_figures_by_turn_limit_and_its_endings(small, ask) -> None:
    run = small[1]
    answer = ask(f"runs/{run.slug}/")
    assert answer["model"] == {"slug": "closed", "name": "Closed"}
    assert answer["source_key"] == run.slug
    assert [one["figures"]["k"] for one in answer["summaries"]] == list(range(1, 9))
    second = answer["summaries"][1]
    stored = RunSummary.objects.get(run=run, k=2)
    assert second["figures"]["sum_s"] == stored.sum_s == 10
    assert second["figures"]["fast_100"] == stored.fast_100 == 10
    assert second["figures"]["best_speedup"] == 1.25
    assert second["frontier_share"]["mean"] == 1.0
    assert 0 < second["frontier_share"]["low"] < 1
    assert answer["summaries"][0]["figures"]["best_speedup"] is None
    assert [(o["turn"], o["outcome"], o["stage"], o["count"]) for o in answer["outcomes"]] == [
        (0, "numerical_error", "syntax", 10),
        (1, "faster", "passed", 10),
    ]


def test_csv_of_a_run_has_a_row_per_turn_limit(small, lines) -> None:
    table = lines(f"runs/{small[0].slug}/")
    assert table[0] == ",".join(RUN_SUMMARY_COLUMNS)
    assert len(table) == 1 + 8
    assert len(lines("runs/")) == 1 + 3


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", 44),
        ("run=run-0", 20),
        ("run=run-0&trajectory=exp_003", 2),
        ("model=closed&number=1", 10),
        ("task=mha_bwd_d128", 4),
        ("outcome=compile_error", 12),
        ("stage=syntax", 22),
        ("stage=passed", 10),
        ("stage=syntax&outcome=slower", 0),
        ("provenance=measured", 0),
        ("hw=h100&arch=hopper", 44),
        ("number=32767", 0),
    ],
)
def test_turns_are_filtered(small, ask, query: str, expected: int) -> None:
    answer = ask("turns/", query)
    assert (count(answer), answer["note"]) == (expected, None)


def test_a_turn_says_how_it_ended(small, ask) -> None:
    (turn,) = ask("turns/", "run=run-1&trajectory=exp_000&number=1")["results"]
    assert turn == {
        "provenance": "reported",
        "hardware": "h100",
        "protocol": "ptxbench",
        "run": "run-1",
        "model": "closed",
        "task": "gemm_n7168_k5120",
        "architecture": "hopper",
        "trajectory": "exp_000",
        "number": 1,
        "kernel": None,
        "reasoning_tokens": 100,
        "outcome": "faster",
        "stage": "passed",
        "reason": "",
        "target_passed": True,
        "speedup": 1.25,
    }


@pytest.mark.parametrize("query", ["", "trajectory=exp_000", "stage=passed&number=3"])
def test_turns_that_are_not_loaded_are_explained(bundled, client, ask, query: str) -> None:
    answer = ask("turns/", query)
    assert (answer["count"], answer["results"]) == (0, [])
    assert "make published DIR=" in answer["note"]
    response = client.get("/api/v1/turns/", QUERY_STRING=f"{query}&format=csv".lstrip("&"))
    assert response["X-Note"] == answer["note"]
    assert response.content.decode().splitlines() == [",".join(TURN_COLUMNS)]


def test_the_note_is_about_the_chosen_runs(small, ask) -> None:
    Result.objects.filter(turn__trajectory__run=small[0]).delete()
    assert ask("turns/", "run=run-0")["note"]
    assert ask("turns/", "run=run-1&stage=target")["note"] is None
    assert ask("turns/")["note"] is None


def test_csv_of_turns_holds_every_row(small, lines) -> None:
    table = lines("turns/")
    assert table[0] == ",".join(TURN_COLUMNS)
    assert len(table) == 1 + 44
    assert table[1].startswith("run-0,open-one,gemm_n7168_k5120,hopper,exp_000,0,")


def test_a_table_too_large_to_hold_is_streamed_and_not_kept(
    small, client, lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = lines("turns/", "arch=hopper")
    monkeypatch.setattr("leaderboard.api.views.base.LARGEST_WHOLE", 10)
    monkeypatch.setattr(renderers, "_ROWS_A_PIECE", 7)
    response = client.get("/api/v1/turns/", {"format": "csv"})
    assert response.streaming
    assert "ETag" not in response
    pieces = [piece.decode() for piece in response.streaming_content]
    assert len(pieces) == 7
    assert "".join(pieces).splitlines() == whole


def test_the_number_of_queries_does_not_grow_with_rows(
    small, ask, lines, django_assert_max_num_queries
) -> None:
    asked: list[tuple[Callable, str, int]] = [
        (ask, "runs/", 3),
        (ask, "turns/", 3),
        (ask, "runs/run-0/", 4),
        (lines, "turns/", 3),
        (lines, "runs/", 2),
    ]
    for function, path, most in asked:
        with django_assert_max_num_queries(most):
            function(path)
