"""`manage.py load_catalog`: mirror the task catalog into the database."""

from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand
from django.db import transaction

from evaluation.tasks import load_catalog
from leaderboard.models import DataVersion, Task, Workload
from leaderboard.publication.reconcile import Changes, reconcile


class Command(BaseCommand):
    """Bring the stored tasks and workloads up to date with `evaluation/tasks`."""

    help = "Mirror the task catalog into the database. Safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        """Mirror the catalog in one transaction and say what changed."""
        changes = mirror_catalog()
        self.stdout.write(f"Catalog: {Task.objects.count()} tasks, {changes.written} rows changed.")


def mirror_catalog() -> Changes:
    """Make the stored tasks and workloads equal to the catalog's; rows in use stay."""
    catalog = list(load_catalog().values())
    with transaction.atomic():
        tasks = [
            Task(
                slug=task.name,
                title=task.title,
                family=task.family,
                core=task.core,
                defined=task.defined,
                order=order,
            )
            for order, task in enumerate(catalog)
        ]
        done = reconcile(Task.objects.all(), tasks, ["slug"], delete=False)
        workloads = [
            Workload(
                uuid=UUID(workload.uuid),
                task_id=done.ids[(task.name,)],
                axes=dict(workload.axes),
                published=workload.published,
            )
            for task in catalog
            for workload in task.workloads
        ]
        changes = done.changes
        changes += reconcile(Workload.objects.all(), workloads, ["uuid"], delete=False).changes
        if changes.written:
            DataVersion.bump()
    return changes
