"""`manage.py bundle_figures`: make the bundled figures anew from an import."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.published.figures import DIRECTORY
from leaderboard.models import Run, Trajectory
from leaderboard.models.choices import Origin
from leaderboard.publication.bundled import bundle_figures


class Command(BaseCommand):
    """Write figures per run, without turns, into `evaluation/published/`."""

    help = "Write the bundled figures from the published runs in the database."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the directory to write to."""
        parser.add_argument("--out", type=Path, default=DIRECTORY, help="directory to write to")

    def handle(self, *args: Any, **options: Any) -> None:
        """Refuse to bundle figures that don't come from turns, else write the files."""
        runs = Run.objects.filter(origin=Origin.PUBLISHED)
        bare = runs.exclude(pk__in=Trajectory.objects.values("run_id")).count()
        if bare or not runs.exists():
            raise CommandError(
                f"{bare} published runs have no turns here. "
                "Import PTXBench's tables first: make published DIR=…"
            )
        if not options["out"].is_dir():
            raise CommandError(f"{options['out']} is not a directory.")
        for name, count in bundle_figures(options["out"]).items():
            self.stdout.write(f"{name}.csv: {count} rows")
