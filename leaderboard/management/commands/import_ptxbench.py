"""`manage.py import_ptxbench DIR`: PTXBench's published tables, turn by turn."""

import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from evaluation.artifacts.ptxbench_tables import Tables, TablesError, read_tables
from evaluation.tasks import load_catalog
from leaderboard.management.commands.load_catalog import mirror_catalog
from leaderboard.publication.tables import STEPS, ImportReport, LossRefused, publish_tables


class Command(BaseCommand):
    """Import the tables in one transaction; repeat it as often as you like."""

    help = "Import PTXBench's published tables from DIR. All or nothing, and safe to repeat."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the directory of the tables."""
        parser.add_argument("directory", type=Path, metavar="DIR")
        parser.add_argument(
            "--allow-loss",
            action="store_true",
            help="delete stored turns and figures that the tables' runs no longer have",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, publish and report. Nothing is stored where the tables can't be understood."""
        started = time.monotonic()
        directory: Path = options["directory"]
        if not directory.is_dir():
            raise CommandError(
                f"{directory} is not a directory. Clone the PTXBench repository and name its "
                "benchmark/plot_viewer_v1/data."
            )
        tables = self._read(directory)
        for problem in tables.problems:
            self.stderr.write(f"{problem.severity}: {problem}")
        mirror_catalog()
        report = self._publish(tables, options["allow_loss"])
        self._summarise(tables, report, time.monotonic() - started)

    def _read(self, directory: Path) -> Tables:
        with self._bar("Reading", None, "turn") as bar:
            try:
                return read_tables(
                    directory, load_catalog().keys(), lambda done: bar.update(done - bar.n)
                )
            except TablesError as error:
                raise CommandError(f"Nothing was imported. {error}") from error

    def _publish(self, tables: Tables, allow_loss: bool) -> ImportReport:
        with self._bar("Storing", len(STEPS), "step") as bar:
            try:
                return publish_tables(tables, lambda _step: bar.update(), allow_loss=allow_loss)
            except LossRefused as loss:
                raise CommandError(
                    f"Nothing was imported: it would delete {loss} that are stored. Check that "
                    "the tables are whole and without the errors above, or add --allow-loss."
                ) from loss

    def _bar(self, label: str, total: int | None, unit: str) -> tqdm:
        # None lets tqdm draw only where a person watches.
        return tqdm(desc=label, total=total, unit=f" {unit}s", disable=None, leave=False)

    def _summarise(self, tables: Tables, report: ImportReport, seconds: float) -> None:
        write = self.stdout.write
        write(
            f"Read {len(tables.runs)} runs, {tables.turn_count} turns and "
            f"{len(tables.models)} models, with {len(tables.problems)} problems"
            f" ({tables.runs_left_out} runs and {tables.turns_left_out} turns left out)."
        )
        for name, changes in report.changes.items():
            if changes.written:
                write(
                    f"  {name}: {changes.created} created, {changes.updated} updated, "
                    f"{changes.deleted} deleted, {changes.unchanged} unchanged"
                )
        if not report.written:
            write("Nothing changed: the database already says what was read.")
        write(f"Done in {seconds:.1f} s.")
