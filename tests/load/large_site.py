"""A large site for measurements: 200 models on 16 tasks and 2 architectures."""

import random

from evaluation import REPORTED_PROTOCOL
from evaluation.architectures import REPORTED_HARDWARE
from evaluation.metrics import Summary, TurnResult, summaries_by_limit
from evaluation.outcomes import Outcome
from leaderboard.management.commands.load_catalog import mirror_catalog
from leaderboard.models import DataVersion, ModelEntry, Run, RunSummary, Workload
from leaderboard.models.summaries import columns_from

MODELS = 200
TRAJECTORIES = 12
TURN_LIMIT = 8


def build() -> int:
    """Store the site and return its number of runs. Figures come from made-up turns."""
    chance = random.Random(1)  # noqa: S311 (no secret)
    mirror_catalog()
    entries = ModelEntry.objects.bulk_create(
        ModelEntry(slug=f"model-{n}", name=f"Model {n} of the large site", kind="llm")
        for n in range(MODELS)
    )
    workloads = list(Workload.objects.filter(published=True))
    runs = Run.objects.bulk_create(
        Run(
            slug=f"run-{entry.pk}-{place}-{architecture}",
            source_key=f"run-{entry.pk}-{place}-{architecture}",
            entry=entry,
            workload=workload,
            architecture=architecture,
            prompt_set="standard",
            origin="published",
            turn_limit=TURN_LIMIT,
        )
        for entry in entries
        for place, workload in enumerate(workloads)
        for architecture in REPORTED_HARDWARE
    )
    RunSummary.objects.bulk_create(
        (row for run in runs for row in _summaries(run, chance)), batch_size=2000
    )
    DataVersion.bump()
    return len(runs)


def _summaries(run: Run, chance: random.Random) -> list[RunSummary]:
    level = chance.random()
    turns = [
        [TurnResult(number, *_ending(chance, level)) for number in range(TURN_LIMIT)]
        for _trajectory in range(TRAJECTORIES)
    ]
    return [_row(run, figures) for figures in summaries_by_limit(turns, TURN_LIMIT)]


def _ending(chance: random.Random, level: float) -> tuple[Outcome, float | None]:
    if chance.random() > level:
        return Outcome.COMPILE_ERROR, None
    return Outcome.SLOWER, chance.uniform(0.05, level)


def _row(run: Run, figures: Summary) -> RunSummary:
    return RunSummary(
        run=run,
        provenance="reported",
        hardware=REPORTED_HARDWARE[run.architecture],
        protocol=REPORTED_PROTOCOL,
        **columns_from(figures),
    )
