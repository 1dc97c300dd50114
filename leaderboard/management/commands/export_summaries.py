"""`manage.py export_summaries --out FILE.csv`: figures per run and turn limit."""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.metrics import P_LEVELS
from leaderboard.exports import SUMMARY_COLUMNS, summary_rows, write_csv


class Command(BaseCommand):
    """Write the stored figures to a CSV file."""

    help = "Write a row per run and turn limit with its counts and best speedup."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file to write and the level of the `fast` column."""
        parser.add_argument("--out", type=Path, required=True, metavar="FILE.csv")
        parser.add_argument(
            "--p",
            type=float,
            choices=P_LEVELS,
            default=0.5,
            help="speedup that the `fast` column counts from (default 0.5)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the whole file or nothing."""
        out: Path = options["out"]
        try:
            # Renamed at the end, so that a reader never meets half a file.
            with NamedTemporaryFile(
                "w", dir=out.parent, newline="", encoding="utf-8", delete=False
            ) as file:
                count = write_csv(file, SUMMARY_COLUMNS, summary_rows(options["p"]))
            Path(file.name).chmod(0o666 & ~_umask())
            Path(file.name).replace(out)
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from error
        self.stdout.write(f"{out}: {count} rows")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
