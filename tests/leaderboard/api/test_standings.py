"""The ranking of the API is that of the pages."""

import csv
import itertools
from datetime import date
from typing import Any

import pytest
from django.http import QueryDict

from evaluation.intervals import Estimate
from leaderboard.api.tables import standings_columns
from leaderboard.filters import parse_filters
from leaderboard.models import DataVersion
from leaderboard.rows import Cell, Row, Standings
from leaderboard.standings import standings

pytestmark = pytest.mark.django_db

GRID = [
    f"arch={arch}&tasks={tasks}&k={k}&p={p}{more}"
    for arch, tasks, (k, p), more in itertools.product(
        ("hopper", "blackwell"),
        ("core", "forward", "mha_bwd_d128_causal"),
        ((1, 0.25), (8, 1)),
        ("", "&open=yes&sort=-name"),
    )
] + ["prompt=ablation", "kind=variant&sort=-fast", "since=2026-06-01", "k=16", "tasks=mha_bwd_d64"]


def expected(result: Standings) -> list[dict[str, Any]]:
    return [_row(row, result.filters.p) for row in result.rows]


def _row(row: Row, p: float) -> dict[str, Any]:
    return {
        "slug": row.entry.slug,
        "origin": row.entry.origin,
        "rank": row.rank,
        "rank_range": row.rank_range,
        "means": [_ends(one) for one in (row.frontier, row.correct, row.target, row.fast)],
        "trajectories": row.trajectories,
        "cells": [_cell(cell, p) for cell in row.cells],
        "lacks": [(one.task, one.reason.value, one.have, one.need) for one in row.lacks],
    }


def _cell(cell: Cell, p: float) -> tuple[object, ...]:
    figures = cell.figures
    counts = figures and (figures.trajectories, *figures.fast, figures.best_speedup)
    return (cell.task, cell.runs, counts, _ends(cell.frontier), _ends(cell.fast(p)))


def _ends(value: Estimate | None) -> tuple[float, ...] | None:
    return (value.mean, value.low, value.high) if value else None


def answered(rows: list[dict]) -> list[dict[str, Any]]:
    return [
        {
            "slug": row["entry"]["slug"],
            "origin": row["entry"]["origin"],
            "rank": row["rank"],
            "rank_range": row["rank_range"] and tuple(row["rank_range"].values()),
            "means": [
                row[name] and tuple(row[name].values())
                for name in ("frontier_share", "correct", "target", "fast")
            ],
            "trajectories": row["trajectories"],
            "cells": [_answered_cell(cell) for cell in row["cells"]],
            "lacks": [tuple(one.values()) for one in row["lacks"]],
        }
        for row in rows
    ]


def _answered_cell(cell: dict) -> tuple[object, ...]:
    names = ("trajectories", "fast_25", "fast_50", "fast_80", "fast_100", "best_speedup")
    counts = cell["figures"] and tuple(cell["figures"][name] for name in names)
    shares = (cell[n] and tuple(cell[n].values()) for n in ("frontier_share", "fast_share"))
    return (cell["task"], tuple(cell["runs"]), counts, *shares)


def test_the_numbers_are_those_of_the_pages(bundled, ask) -> None:
    for query in GRID:
        result = standings(parse_filters(QueryDict(query)))
        answer = ask("standings/", query)
        assert answered(answer["results"]) == expected(result), query
        assert answer["count"] == len(result.rows)
        assert answer["tasks"] == list(result.tasks)


def test_the_published_ranking_is_the_expected_one(bundled, ask) -> None:
    first = ask("standings/")["results"][0]
    assert (first["entry"]["name"], first["rank"]) == ("Claude Opus 4.8", 1)
    assert round(100 * first["frontier_share"]["mean"], 1) == 55.4


def test_the_answer_says_what_it_is_about(bundled, ask) -> None:
    answer = ask("standings/", "since=2026-01-01")
    assert answer["filters"] == {
        "arch": "hopper",
        "hw": "h100",
        "tasks": "core",
        "k": 8,
        "p": 0.5,
        "provenance": "reported",
        "prompt": "standard",
        "kind": None,
        "open": None,
        "since": "2026-01-01",
        "until": None,
        "sort": "rank",
    }
    assert (answer["provenance"], answer["hardware"]) == ("reported", "h100")
    assert answer["protocol"] == "ptxbench"
    assert answer["data_version"] == DataVersion.current() > 0


def test_what_a_model_lacks_is_structured(bundled, ask) -> None:
    rows = ask("standings/")["results"]
    assert rows[-1]["rank"] is None
    assert rows[-1]["lacks"] == [
        {"task": "gemm_n7168_k5120", "reason": "missing_task", "have": 0.0, "need": 10.0}
    ]


def test_csv_has_the_same_figures_in_flat_columns(bundled, lines, ask) -> None:
    query = "tasks=backward&k=4&p=0.8"
    answer = ask("standings/", query)
    table = list(csv.DictReader(lines("standings/", query)))
    assert tuple(table[0]) == standings_columns(answer["tasks"])
    for row, cells in zip(answer["results"], table, strict=True):
        assert cells["model_slug"] == row["entry"]["slug"]
        assert cells["rank"] == str(row["rank"] or "")
        mean = row["frontier_share"]
        assert cells["frontier_share"] == (str(mean["mean"]) if mean else "")
        figures = row["cells"][0]["figures"]
        assert cells["mha_bwd_d128_fast"] == str(figures["fast_80"])
        assert cells["mha_bwd_d128_best_speedup"] == str(figures["best_speedup"] or "")
        assert (cells["k"], cells["p"], cells["protocol"]) == ("4", "0.8", "ptxbench")


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("arch=turing", "arch"),
        ("arch=hopper&hw=b200", "hw"),
        ("k=0", "k"),
        ("k=8&k=4", "k"),
        ("p=0.3", "p"),
        ("tasks=nope", "tasks"),
        ("sort=nope", "sort"),
        ("since=2026-12-01&until=2026-01-01", "since"),
        ("since=2025-0631", "since"),
        ("prompt=%00", "prompt"),
        ("banana=1", "banana"),
        ("page_size=201", "page_size"),
    ],
)
def test_what_cannot_be_understood_is_refused(db, ask, query: str, name: str) -> None:
    errors = ask("standings/", query, status=400)["errors"]
    assert list(errors) == [name]
    assert all(isinstance(message, str) and message for message in errors[name])


def test_pages_and_queries(bundled, ask, django_assert_max_num_queries) -> None:
    with django_assert_max_num_queries(4):
        first = ask("standings/", "page_size=5")
    assert (first["count"], first["pages"], len(first["results"])) == (13, 3, 5)
    last = ask("standings/", "page_size=5&page=3")
    assert len(last["results"]) == 3
    assert last["next"] is None
    assert last["previous"].endswith("?page=2&page_size=5")


def test_no_data_is_an_empty_table(db, ask, lines) -> None:
    answer = ask("standings/")
    assert (answer["count"], answer["results"], answer["data_version"]) == (0, [], 0)
    assert len(lines("standings/")) == 1


def test_dates_are_dates(small, ask) -> None:
    days = [row["entry"]["released"] for row in ask("standings/", "tasks=gemm")["results"]]
    assert [date.fromisoformat(day) for day in days] == [date(2026, 5, 1), date(2026, 3, 1)]
