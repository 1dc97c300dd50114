"""The bundled figures: into the database at every start, and out of it after an import."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import transaction

from evaluation.artifacts.ptxbench_records import PublishedModel
from evaluation.artifacts.ptxbench_records import ReferenceDate as PublishedDate
from evaluation.published.figures import COLUMNS, Figures, write_figures
from leaderboard.models import (
    DataVersion,
    ModelEntry,
    OutcomeCount,
    ReferenceDate,
    Run,
    RunSummary,
    Trajectory,
)
from leaderboard.models.choices import Origin, Provenance
from leaderboard.publication.entries import publish_models, publish_reference_dates
from leaderboard.publication.reconcile import Changes, reconcile
from leaderboard.publication.tables import run_slug

SOURCE = ("provenance", "hardware", "protocol")


def publish_figures(figures: Figures) -> Changes:
    """Make the stored figures of runs without turns say what `figures` say.

    Once turns of any published run are in the database, an import is the source:
    then models and dates are left as it wrote them, and runs with turns are not touched.
    """
    with transaction.atomic():
        imported = _imported_keys()
        changes = Changes() if imported else _publish_context(figures)
        wanted = [row for row in figures.runs if row["run"] not in imported]
        done, runs = _publish_runs(wanted)
        changes += done + _publish_rows(figures, wanted, runs)
        if changes.written:
            DataVersion.bump()
    return changes


def _imported_keys() -> set[str]:
    """Return the last parts of the source keys of published runs that have turns."""
    with_turns = Trajectory.objects.values("run_id")
    runs = Run.objects.filter(origin=Origin.PUBLISHED, pk__in=with_turns)
    return {run.short_key for run in runs}


def _publish_context(figures: Figures) -> Changes:
    changes, _ids = publish_models(_model(row) for row in figures.models)
    return changes + publish_reference_dates(_date(row) for row in figures.reference_dates)


def _model(row: dict[str, str]) -> PublishedModel:
    parsed: dict[str, Any] = {
        **row,
        "base": row["base"] or None,
        "open_weights": {"yes": True, "no": False}.get(row["open_weights"]),
        "released": _day(row["released"]),
    }
    return PublishedModel(slug="", **parsed)


def _date(row: dict[str, str]) -> PublishedDate:
    parsed: dict[str, Any] = {**row, "released": _day(row["released"])}
    return PublishedDate(**parsed)


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None


def _publish_runs(rows: list[dict[str, str]]) -> tuple[Changes, dict[str, int]]:
    """Store the runs; return their ids by the name that the figures give them."""
    keys = dict(Run.objects.values_list("slug", "source_key"))
    entries = dict(ModelEntry.objects.values_list("name", "pk"))
    runs = [
        Run(
            slug=run_slug(row["run"], keys),
            source_key=row["run"],
            entry_id=entries[row["model"]],
            workload_id=UUID(row["workload"]),
            architecture=row["architecture"],
            prompt_set=row["prompt_set"],
            origin=Origin.PUBLISHED.value,
            turn_limit=int(row["turn_limit"]),
        )
        for row in rows
    ]
    done = reconcile(Run.objects.all(), runs, ["slug"], delete=False)
    return done.changes, {run.source_key: run.pk for run in runs}


def _publish_rows(figures: Figures, runs: list[dict[str, str]], ids: dict[str, int]) -> Changes:
    sources = {row["run"]: {name: row[name] for name in SOURCE} for row in runs}
    summaries = [
        RunSummary(run_id=ids[row["run"]], **sources[row["run"]], **_numbers(row))
        for row in figures.run_summaries
        if row["run"] in ids
    ]
    counts = [
        OutcomeCount(
            run_id=ids[row["run"]],
            **sources[row["run"]],
            turn=int(row["turn"]),
            outcome=row["outcome"],
            count=int(row["count"]),
        )
        for row in figures.outcome_counts
        if row["run"] in ids
    ]
    mine = {"run_id__in": list(ids.values()), "provenance": Provenance.REPORTED}
    done = reconcile(RunSummary.objects.filter(**mine), summaries, ["run_id", *SOURCE, "k"])
    key = ["run_id", *SOURCE, "turn", "outcome"]
    return done.changes + reconcile(OutcomeCount.objects.filter(**mine), counts, key).changes


def _numbers(row: dict[str, str]) -> dict[str, float | int | None]:
    real = {"sum_s", "sum_s2", "best_speedup"}
    return {
        name: (float(text) if text else None) if name in real else int(text)
        for name, text in row.items()
        if name != "run"
    }


def bundle_figures(directory: Path) -> dict[str, int]:
    """Write the figures of all published runs to `directory`; return rows written by file."""
    return {name: write_figures(name, rows(), directory) for name, rows in _WRITERS.items()}


def _models() -> Iterator[tuple]:
    yes_no = {True: "yes", False: "no", None: ""}
    published = ModelEntry.objects.filter(runs__origin=Origin.PUBLISHED).distinct()
    names = COLUMNS["models"]
    for entry in published.select_related("base").order_by("name"):
        special = {
            "base": entry.base.name if entry.base else "",
            "open_weights": yes_no[entry.open_weights],
        }
        yield tuple(special.get(name, getattr(entry, name)) for name in names)


def _reference_dates() -> Iterator[tuple]:
    yield from ReferenceDate.objects.order_by("kind", "name", "architecture").values_list(
        *COLUMNS["reference_dates"]
    )


def _runs() -> Iterator[tuple]:
    summaries = RunSummary.objects.filter(k=1, run__origin=Origin.PUBLISHED)
    for summary in summaries.select_related("run__entry", "run__workload__task").order_by(
        "run__slug"
    ):
        run = summary.run
        yield (
            run.short_key,
            run.entry.name,
            run.workload.task.slug,
            run.workload_id,
            run.architecture,
            run.prompt_set,
            run.turn_limit,
            *(getattr(summary, name) for name in SOURCE),
        )


def _run_summaries() -> Iterator[tuple]:
    rows = RunSummary.objects.filter(run__origin=Origin.PUBLISHED).select_related("run")
    for row in rows.order_by("run__slug", "k"):
        yield (row.run.short_key, *(getattr(row, n) for n in COLUMNS["run_summaries"][1:]))


def _outcome_counts() -> Iterator[tuple]:
    rows = OutcomeCount.objects.filter(run__origin=Origin.PUBLISHED).select_related("run")
    for row in rows.order_by("run__slug", "turn", "outcome"):
        yield (row.run.short_key, row.turn, row.outcome, row.count)


_WRITERS = {
    "models": _models,
    "reference_dates": _reference_dates,
    "runs": _runs,
    "run_summaries": _run_summaries,
    "outcome_counts": _outcome_counts,
}
