"""The real published tables, imported."""

import csv
import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.published.figures import DIRECTORY
from leaderboard.models import (
    DataVersion,
    ModelEntry,
    OutcomeCount,
    ReferenceDate,
    Result,
    Run,
    RunSummary,
    Trajectory,
    Turn,
)
from leaderboard.publication.bundled import bundle_figures

pytestmark = pytest.mark.django_db

TABLES = (ModelEntry, Run, Trajectory, Turn, Result, RunSummary, OutcomeCount, ReferenceDate)


def run_import(directory: Path, *options: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("import_ptxbench", str(directory), *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def everything() -> dict[str, list[tuple]]:
    return {m.__name__: list(m._default_manager.order_by("pk").values_list()) for m in TABLES}


def test_import_stores_every_row_and_reports_every_problem(published_directory: Path) -> None:
    out, err = run_import(published_directory)
    assert "105 runs, 13674 turns and 13 models" in out
    assert Run.objects.count() == 105
    assert Turn.objects.count() == Result.objects.count() == 13_674
    assert Trajectory.objects.count() == 1712
    assert ModelEntry.objects.count() == 13
    prompt_sets = Counter(Run.objects.values_list("prompt_set", flat=True))
    assert prompt_sets == {"standard": 94, "unpatched": 8, "ablation": 1, "earlier": 2}
    assert "fa_release_dates.csv:5: impossible date '2025-0631'" in err
    assert "model_release_dates.csv:4: model 'Gemini 3.1 Pro' has a date in doubt" in err
    fa4 = ReferenceDate.objects.get(name="fa4")
    assert (fa4.released, fa4.as_published) == (None, "2025-0631")


def test_variants_and_methods_are_linked_to_their_base(published_directory: Path) -> None:
    run_import(published_directory)
    base = ModelEntry.objects.get(slug="qwen3-6-27b")
    kinds = Counter(base.variants.values_list("kind", flat=True))
    assert kinds == {"variant": 7, "method": 2}
    assert ModelEntry.objects.filter(base=None).count() == 4


def test_second_import_changes_no_row_and_says_so(published_directory: Path) -> None:
    run_import(published_directory)
    before, version = everything(), DataVersion.current()
    out, _err = run_import(published_directory)
    assert "Nothing changed" in out
    assert everything() == before
    assert DataVersion.current() == version


def test_import_takes_over_the_bundled_runs_with_their_addresses(
    bundled: None, published_directory: Path, tmp_path: Path
) -> None:
    before = set(Run.objects.values_list("pk", "slug"))
    figures = list(RunSummary.objects.order_by("pk").values_list())
    run_import(published_directory)
    assert set(Run.objects.values_list("pk", "slug")) == before
    assert list(RunSummary.objects.order_by("pk").values_list()) == figures
    assert all(run.source_key.startswith("/") for run in Run.objects.all())
    imported = everything()
    out = io.StringIO()
    call_command("load_figures", stdout=out)
    assert "0 rows changed" in out.getvalue()
    assert everything() == imported


def test_the_bundled_files_are_what_the_command_makes(
    published_directory: Path, tmp_path: Path
) -> None:
    run_import(published_directory)
    for name in bundle_figures(tmp_path):
        made = (tmp_path / f"{name}.csv").read_bytes()
        assert made == (DIRECTORY / f"{name}.csv").read_bytes(), f"{name}.csv: run `make figures`"


def test_a_failure_in_the_last_step_leaves_nothing(
    published_directory: Path, monkeypatch: pytest.MonkeyPatch, catalog: None
) -> None:
    version = DataVersion.current()

    def fail(_dates: object) -> None:
        raise RuntimeError("the power went out")

    monkeypatch.setattr("leaderboard.publication.tables.publish_reference_dates", fail)
    with pytest.raises(RuntimeError):
        run_import(published_directory)
    assert not any(rows for rows in everything().values())
    assert DataVersion.current() == version


def damaged(directory: Path, copy: Path, name: str, damage: Callable[[bytes], bytes]) -> Path:
    """Copy the tables, one of them damaged."""
    for path in directory.glob("*.csv"):
        (copy / path.name).write_bytes(path.read_bytes())
    (copy / name).write_bytes(damage((copy / name).read_bytes()))
    return copy


TURNS = "reasoning_tokens_vs_performance.csv"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: data.rindex(b"\n", 0, -1) + 1],
        lambda data: data[: len(data) // 2],
        lambda data: data.splitlines(keepends=True)[0],
        lambda data: data.replace(b",exp_003,7,", b",exp_003,7x,", 1),
        lambda data: data.replace(b"Claude Opus 4.8", b"Claude Op\xe9s 4.8", 1),
        lambda data: data.replace(b",exp_003,7,", b",exp_\x00003,7,", 1),
    ],
    ids=["last row gone", "half gone", "all gone", "bad number", "Latin-1", "NUL"],
)
def test_damaged_tables_take_nothing_away(
    published_directory: Path, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    run_import(published_directory)
    before, version = everything(), DataVersion.current()
    damaged(published_directory, tmp_path, TURNS, damage)
    with pytest.raises(CommandError, match=r"would delete .*--allow-loss"):
        run_import(tmp_path)
    assert everything() == before
    assert DataVersion.current() == version


def test_what_is_to_be_lost_can_be_lost(published_directory: Path, tmp_path: Path) -> None:
    run_import(published_directory)
    damaged(published_directory, tmp_path, TURNS, lambda d: d[: d.rindex(b"\n", 0, -1) + 1])
    out, _err = run_import(tmp_path, "--allow-loss")
    assert "turns: 0 created, 0 updated, 1 deleted, 13673 unchanged" in out
    assert Turn.objects.count() == Result.objects.count() == 13_673


def test_bad_rows_do_not_stop_a_first_import(published_directory: Path, tmp_path: Path) -> None:
    damaged(
        published_directory, tmp_path, TURNS, lambda d: d.replace(b"Opus 4.8", b"Op\xe9s 4.8", 1)
    )
    out, err = run_import(tmp_path)
    assert f"{TURNS}:2: not UTF-8; row left out" in err
    assert "1 turns left out" in out
    assert Turn.objects.count() == 13_673


def test_a_model_of_a_faulty_import_goes_with_the_next(
    published_directory: Path, tmp_path: Path
) -> None:
    damaged(
        published_directory,
        tmp_path,
        "model_release_dates.csv",
        lambda d: d + b"Nobody,2026-0101\n",
    )
    run_import(tmp_path)
    assert ModelEntry.objects.filter(name="Nobody").exists()
    out, _err = run_import(published_directory)
    assert "models: 0 created, 0 updated, 1 deleted" in out
    assert ModelEntry.objects.count() == 13


@pytest.mark.parametrize("missing", ["experiments.csv", "reasoning_tokens_vs_performance.csv"])
def test_a_missing_table_stores_nothing_and_names_it(
    published_directory: Path, tmp_path: Path, missing: str
) -> None:
    for path in published_directory.glob("*.csv"):
        if path.name != missing:
            (tmp_path / path.name).write_bytes(path.read_bytes())
    with pytest.raises(CommandError, match=missing):
        run_import(tmp_path)
    assert not Run.objects.exists()


def test_a_path_that_is_no_directory_names_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Clone the PTXBench repository"):
        run_import(tmp_path / "nowhere")


def test_figures_are_not_bundled_without_turns(bundled: None, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="make published"):
        call_command("bundle_figures", out=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_export_agrees_with_a_count_over_the_tables(
    published_directory: Path, tmp_path: Path
) -> None:
    run_import(published_directory)
    out = tmp_path / "summaries.csv"
    call_command("export_summaries", out=out, stdout=io.StringIO())
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 315
    expected = counted(published_directory)
    for row in rows:
        cell = expected[row["source_run"], int(row["turn_limit"])]
        best = float(row["best_speedup"]) if row["best_speedup"] else None
        counts = (row["trajectories"], row["correct"], row["target_executed"], row["fast"])
        assert (*map(int, counts), best) == cell


def counted(directory: Path) -> dict[tuple[str, int], tuple]:
    """Count every cell from the table itself, without any code of the project."""
    with (directory / "reasoning_tokens_vs_performance.csv").open(newline="") as file:
        turns = list(csv.DictReader(file))
    cells = {}
    for run in {turn["exp_dir"] for turn in turns}:
        mine = [turn for turn in turns if turn["exp_dir"] == run]
        everyone = {turn["trajectory_id"] for turn in mine}
        for k in (1, 4, 8):
            correct = [t for t in mine if int(t["turn"]) < k and t["correctness"] == "Correct"]
            target = [t for t in correct if t["required_arch_tag"] in t["arch_tag"].split(", ")]
            fast = [t for t in target if float(t["speedup"]) >= 0.5]
            best = max((float(t["speedup"]) for t in correct), default=None)
            shares = [len({t["trajectory_id"] for t in ts}) for ts in (correct, target, fast)]
            cells[run, k] = (len(everyone), *shares, best)
    return cells
