"""The metrics on PTXBench's published turns give the figures that are expected of them."""

import csv
import os
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from evaluation.intervals import Estimate, Moments, mean_over_cells
from evaluation.metrics import Summary, TurnResult, summaries_by_limit
from evaluation.outcomes import Outcome, strategy_outcome
from evaluation.ranking import Scored, eligibility, rank

CORE = (
    "gemm_n7168_k5120",
    "mha_with_lse_d128",
    "mha_with_lse_d128_causal",
    "mha_bwd_d128",
    "mha_bwd_d128_causal",
)
LABELS = {
    "Compilation error": Outcome.COMPILE_ERROR,
    "Runtime error": Outcome.RUNTIME_ERROR,
    "Numerical error": Outcome.NUMERICAL_ERROR,
    "Extraction error": Outcome.EXTRACTION_ERROR,
    "Kernel Execution Timeout": Outcome.TIMEOUT,
    "Sanitize Timeout": Outcome.TIMEOUT,
    "Profiling Service Timeout": Outcome.OTHER_ERROR,
    "Other error": Outcome.OTHER_ERROR,
}
FRONTIER_SHARES = {
    "Claude Opus 4.8": 55.4,
    "Gemini 3.1 Pro": 46.1,
    "GLM-5.2": 15.2,
    "Qwen3.6-27B-s1": 13.1,
    "Qwen3.6-27B": 0.0,
}

Runs = dict[tuple[str, str], dict[str, list[TurnResult]]]
"""Turns by (model, task), then by trajectory."""


def published_turns() -> Path:
    root = Path(__file__).resolve().parents[2]
    folder = root / os.environ.get("PTXBENCH_PUBLISHED", "../shared/ptxbench-published")
    path = folder / "reasoning_tokens_vs_performance.csv"
    if not path.exists():
        reason = "PTXBench's published turns are not there; PTXBENCH_PUBLISHED names their folder"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path


def is_standard(row: dict[str, str]) -> bool:
    name = row["exp_dir"].rsplit("/", 1)[-1]
    unpatched = "nopatched" in name and not row["definition"].startswith("gemm")
    earlier = name.endswith(("2026-0609-2240", "2026-0609-2340"))
    return not (unpatched or earlier or "prompt-ablation" in name)


def turn_of(row: dict[str, str]) -> TurnResult:
    number = int(row["turn"])
    if row["correctness"] != "Correct":
        return TurnResult(number, LABELS[row["correctness"]])
    speedup = float(row["speedup"]) or None
    tags = row["arch_tag"].split(", ")
    if row["required_arch_tag"] not in tags:
        return TurnResult(number, Outcome.TARGET_NOT_EXECUTED, speedup)
    return TurnResult(number, strategy_outcome(speedup), speedup)


@pytest.fixture(scope="module")
def hopper() -> Runs:
    runs: Runs = defaultdict(lambda: defaultdict(list))
    with published_turns().open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["arch"] == "hopper" and is_standard(row):
                run = runs[row["model"], row["definition"]]
                run[row["trajectory_id"]].append(turn_of(row))
    return runs


@pytest.fixture(scope="module")
def cells(hopper: Runs) -> dict[str, dict[str, Summary]]:
    """Summaries at k = 8 by model and core task."""
    found: dict[str, dict[str, Summary]] = defaultdict(dict)
    for (model, task), run in hopper.items():
        if task in CORE:
            found[model][task] = summaries_by_limit(run.values(), 8)[-1]
    return found


def frontier(tasks: dict[str, Summary]) -> Estimate:
    summaries = [tasks[task] for task in CORE]
    found = mean_over_cells([Moments(s.trajectories, s.sum_s, s.sum_s2) for s in summaries])
    assert found is not None
    return found


def eligible(cells: dict[str, dict[str, Summary]]) -> list[str]:
    return [model for model, tasks in cells.items() if not eligibility(tasks, CORE)]


@pytest.mark.parametrize("model", FRONTIER_SHARES)
def test_frontier_share(cells: dict[str, dict[str, Summary]], model: str) -> None:
    assert round(100 * frontier(cells[model]).mean, 1) == FRONTIER_SHARES[model]


def test_interval_of_the_first(cells: dict[str, dict[str, Summary]]) -> None:
    first = frontier(cells["Claude Opus 4.8"])
    assert (round(100 * first.low), round(100 * first.high)) == (52, 58)


def test_ranking(cells: dict[str, dict[str, Summary]]) -> None:
    ranked = rank(Scored(m, frontier(cells[m]), 0.0, 0.0, m) for m in eligible(cells))
    assert [row.key for row in ranked][:2] == ["Claude Opus 4.8", "Gemini 3.1 Pro"]
    assert [row.rank for row in ranked][:2] == [1, 2]
    assert ranked[-1].key == "Qwen3.6-27B"
    assert len(ranked) == 11
    # Without a GEMM run, the two retrieval variants are listed with what they lack.
    unranked = sorted(set(cells) - {row.key for row in ranked})
    assert all("retrieved" in model for model in unranked)
    assert len(unranked) == 2


def test_intervals_agree_with_the_bootstrap(
    hopper: Runs, cells: dict[str, dict[str, Summary]]
) -> None:
    rng = np.random.default_rng(8)
    for model in eligible(cells):
        means = np.zeros(20_000)
        for task in CORE:
            s = [shares(turns) for turns in hopper[model, task].values()]
            means += rng.choice(s, (len(means), len(s))).mean(axis=1) / len(CORE)
        low, high = np.quantile(means, (0.025, 0.975))
        if high == 0:  # every draw of nothing is nothing; that is what Wilson's bound is for
            continue
        # Largest gap 0.56 points, GLM-5.2's lower end: its s are skewed, and t is symmetric.
        interval = frontier(cells[model])
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=0.006)


def shares(turns: list[TurnResult]) -> float:
    return min(1.0, max((t.speedup or 0 for t in turns if t.target_passed), default=0.0))
