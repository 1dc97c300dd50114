"""PTXBench's published tables, turn by turn, into the database in one transaction."""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from django.db import transaction

from evaluation import REPORTED_PROTOCOL
from evaluation.architectures import REPORTED_HARDWARE
from evaluation.artifacts.ptxbench_records import PublishedRun, PublishedTurn, Tables
from leaderboard.models import DataVersion, Result, Run, Trajectory, Turn
from leaderboard.models.choices import Origin, Provenance
from leaderboard.publication.entries import publish_models, publish_reference_dates
from leaderboard.publication.reconcile import Changes, reconcile
from leaderboard.slugs import slug_for
from leaderboard.summaries import refresh

Progress = Callable[[str], object]


@dataclass(slots=True)
class ImportReport:
    """What an import did, by kind of row."""

    changes: dict[str, Changes] = field(default_factory=dict)

    @property
    def written(self) -> int:
        """Number of rows that the import wrote."""
        return sum(changes.written for changes in self.changes.values())

    @property
    def lost(self) -> str:
        """What the import deletes, in words; empty if nothing."""
        deleted = {name: changes.deleted for name, changes in self.changes.items()}
        kinds = ("trajectories", "turns", "results", "summaries")
        return ", ".join(f"{deleted[kind]} {kind}" for kind in kinds if deleted.get(kind))


STEPS = ("models", "runs", "trajectories", "turns", "results", "summaries", "reference dates")


class LossRefused(ValueError):
    """The tables lack what is stored of their runs; the message says how much."""


def publish_tables(
    tables: Tables, progress: Progress = lambda _step: None, *, allow_loss: bool = False
) -> ImportReport:
    """Make the database say what `tables` say; readers see all of it or nothing.

    Runs that the tables don't name are left alone. A second call with the same
    tables writes nothing, the data version included. Raises `LossRefused`, and
    changes nothing, where turns or figures would be deleted without `allow_loss`.
    """
    report = ImportReport()

    def done(step: str, changes: Changes) -> None:
        report.changes[step] = changes
        progress(step)

    with _collector_paused(), transaction.atomic():
        changes, entries = publish_models(tables.models)
        done("models", changes)
        changes, runs = _publish_runs(tables.runs, entries)
        done("runs", changes)
        _publish_turns(tables.runs, runs, done)
        done("summaries", refresh(runs.values()))
        done("reference dates", publish_reference_dates(tables.reference_dates))
        if report.lost and not allow_loss:
            raise LossRefused(report.lost)
        if report.written:
            DataVersion.bump()
    return report


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector away: an import makes 100,000 objects and no cycle of them,
    and looking for one again and again would double its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _publish_runs(
    published: Iterable[PublishedRun], entries: dict[str, int]
) -> tuple[Changes, dict[str, Run]]:
    """Store the runs; return them by source key. A bundled run is taken over with its address."""
    keys = dict(Run.objects.values_list("slug", "source_key"))
    slugs = {key: slug for slug, key in keys.items()}
    rows = {}
    for run in published:
        slug = slugs.get(run.source_key) or run_slug(run.source_key, keys)
        keys[slug] = run.source_key
        rows[run.source_key] = Run(
            slug=slug,
            source_key=run.source_key,
            entry_id=entries[run.model],
            workload_id=UUID(run.workload_uuid),
            architecture=run.architecture,
            prompt_set=run.prompt_set,
            origin=Origin.PUBLISHED.value,
            turn_limit=max(1, run.turn_limit),
        )
    done = reconcile(Run.objects.all(), rows.values(), ["slug"], delete=False)
    return done.changes, rows


def run_slug(source_key: str, keys: Mapping[str, str]) -> str:
    """Return the address of a run that is not stored yet, given source keys by slug.

    The bundled figures know only the last part of a source key, so a run stored under
    that part alone is the same run, and keeps its address.
    """
    last = source_key.rstrip("/").rsplit("/", 1)[-1]
    slug = slug_for(last, longest=140)
    if keys.get(slug) in (None, last):
        return slug
    return slug_for(source_key, longest=140, taken=keys)


def _publish_turns(
    published: Sequence[PublishedRun],
    runs: dict[str, Run],
    done: Callable[[str, Changes], None],
) -> None:
    mine = [run.pk for run in runs.values()]
    trajectories = [
        Trajectory(run_id=runs[run.source_key].pk, key=key)
        for run in published
        for key, _turns in run.trajectories
    ]
    stored = reconcile(Trajectory.objects.filter(run_id__in=mine), trajectories, ["run_id", "key"])
    done("trajectories", stored.changes)
    said = [
        (stored.ids[(runs[run.source_key].pk, key)], run, turn)
        for run in published
        for key, turns in run.trajectories
        for turn in turns
    ]
    turns = reconcile(
        Turn.objects.filter(trajectory__run_id__in=mine),
        (_turn(trajectory, turn) for trajectory, _run, turn in said),
        ["trajectory_id", "number"],
    )
    done("turns", turns.changes)
    results = reconcile(
        Result.objects.filter(
            turn__trajectory__run_id__in=mine,
            provenance=Provenance.REPORTED,
            protocol=REPORTED_PROTOCOL,
        ),
        (_result(turns.ids[(parent, turn.number)], run, turn) for parent, run, turn in said),
        ["turn_id", "provenance", "hardware", "protocol"],
    )
    done("results", results.changes)


def _turn(trajectory: int, turn: PublishedTurn) -> Turn:
    return Turn(
        trajectory_id=trajectory, number=turn.number, reasoning_tokens=turn.reasoning_tokens
    )


def _result(turn_id: int, run: PublishedRun, turn: PublishedTurn) -> Result:
    return Result(
        turn_id=turn_id,
        provenance=Provenance.REPORTED.value,
        hardware=REPORTED_HARDWARE[run.architecture],
        protocol=REPORTED_PROTOCOL,
        outcome=turn.result.value,
        reason=turn.reason,
        target_passed=turn.target_passed,
        speedup=turn.speedup,
    )
