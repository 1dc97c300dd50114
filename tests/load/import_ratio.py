"""How long an import takes against Django's `bulk_create` of the same rows.

    python -m tests.load.import_ratio DIR

Both write to the same new database (`DATABASE_URL`, or SQLite in a folder of its
own), in turns, each in one transaction. The import reads, checks, compares and
summarises as well; `bulk_create` gets its objects ready made.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROUNDS = 5


def main(directory: Path) -> None:
    """Print the seconds of both and their ratio."""
    with tempfile.TemporaryDirectory() as state:
        os.environ["STATE_DIR"] = state
        os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.config.settings"
        import django  # noqa: PLC0415 (its settings come from the environment)

        django.setup()
        from django.test.runner import DiscoverRunner  # noqa: PLC0415

        runner = DiscoverRunner(verbosity=0, interactive=False)
        databases = runner.setup_databases()
        try:
            _measure(directory)
        finally:
            runner.teardown_databases(databases)


def _measure(directory: Path) -> None:
    imports, bulks = [], []
    _clear()
    for _round in range(ROUNDS):
        imports.append(_seconds(lambda: _import(directory)))
        rows = _rows()
        _clear()
        bulks.append(_seconds(lambda: _bulk_create(rows)))  # noqa: B023 (called at once)
        _clear()
    ratios = [a / b for a, b in zip(imports, bulks, strict=True)]
    count = sum(map(len, rows))
    print(f"rows                {count}")
    print(f"import              {statistics.median(imports):.2f} s (largest {max(imports):.2f} s)")
    print(f"bulk_create         {statistics.median(bulks):.2f} s")
    print(f"import/bulk_create  {statistics.median(ratios):.2f} (goal: at most 2, under 5 s)")


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _import(directory: Path) -> None:
    from evaluation.artifacts.ptxbench_tables import read_tables  # noqa: PLC0415
    from evaluation.tasks import load_catalog  # noqa: PLC0415
    from leaderboard.management.commands.load_catalog import mirror_catalog  # noqa: PLC0415
    from leaderboard.publication.tables import publish_tables  # noqa: PLC0415

    mirror_catalog()
    publish_tables(read_tables(directory, load_catalog().keys()))


def _tables() -> list:
    from leaderboard import models  # noqa: PLC0415

    names = "Task Workload ReferenceDate ModelEntry Run Trajectory Turn Result RunSummary"
    return [getattr(models, name) for name in [*names.split(), "OutcomeCount"]]


def _rows() -> list[list]:
    return [list(model.objects.order_by("pk")) for model in _tables()]


def _bulk_create(rows: list[list]) -> None:
    from django.db import transaction  # noqa: PLC0415

    with transaction.atomic():
        for model, members in zip(_tables(), rows, strict=True):
            model.objects.bulk_create(members, batch_size=5000)


def _clear() -> None:
    from leaderboard.models import ModelEntry  # noqa: PLC0415

    ModelEntry.objects.update(base=None)
    for model in reversed(_tables()):
        model.objects.all().delete()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
