"""`manage.py load_figures`: load the figures that come with the project."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.published.figures import FiguresError, read_figures
from leaderboard.publication.bundled import publish_figures


class Command(BaseCommand):
    """Load the bundled figures of PTXBench's publication; never over an import."""

    help = "Load the bundled figures of the published runs. Runs with turns are left alone."

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the figures and say what changed."""
        try:
            figures = read_figures()
        except FiguresError as error:
            raise CommandError(f"The bundled figures cannot be read: {error}") from error
        changes = publish_figures(figures)
        self.stdout.write(f"Bundled figures: {changes.written} rows changed.")
