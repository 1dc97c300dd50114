"""The figures that come with the project, on a machine that has nothing else."""

import csv
import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.published.figures import DIRECTORY, FiguresError, read_figures
from leaderboard.models import DataVersion, OutcomeCount, Run, RunSummary, Turn
from leaderboard.publication.bundled import publish_figures

pytestmark = pytest.mark.django_db


def test_a_fresh_machine_has_every_run_and_no_turn(bundled: None) -> None:
    assert Run.objects.count() == 105
    assert RunSummary.objects.count() == 105 * 8
    assert sum(OutcomeCount.objects.values_list("count", flat=True)) == 13_674
    assert not Turn.objects.exists()


def test_loading_again_changes_nothing(bundled: None) -> None:
    version = DataVersion.current()
    assert publish_figures(read_figures()).written == 0
    assert DataVersion.current() == version


def test_export_has_the_same_rows_under_the_last_part_of_the_key(
    bundled: None, tmp_path: Path
) -> None:
    out = tmp_path / "summaries.csv"
    call_command("export_summaries", out=out, stdout=io.StringIO())
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 315
    assert {row["turn_limit"] for row in rows} == {"1", "4", "8"}
    assert not any("/" in row["source_run"] for row in rows)
    opus = next(
        row for row in rows if row["source_run"] == "opus48-gemm" and row["turn_limit"] == "8"
    )
    assert (opus["model"], opus["architecture"]) == ("Claude Opus 4.8", "hopper")
    assert int(opus["trajectories"]) == 12


def test_export_to_a_place_that_cannot_be_written_says_so(bundled: None, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("export_summaries", out=tmp_path / "no" / "file.csv")


@pytest.mark.parametrize("name", ["runs", "run_summaries", "outcome_counts", "models"])
def test_a_damaged_file_is_named(tmp_path: Path, name: str) -> None:
    for path in DIRECTORY.glob("*.csv"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / f"{name}.csv").write_text("something,else\n")
    with pytest.raises(FiguresError, match=f"{name}.csv"):
        read_figures(tmp_path)


def test_no_path_of_a_machine_is_in_the_files() -> None:
    for path in DIRECTORY.glob("*.csv"):
        assert "/home/" not in path.read_text()
