"""Small and real data for the tests of the site."""

from collections.abc import Callable, Sequence
from itertools import count

import pytest

from evaluation import REPORTED_PROTOCOL
from evaluation.architectures import REPORTED_HARDWARE
from evaluation.outcomes import Outcome
from evaluation.published.figures import read_figures
from leaderboard.management.commands.load_catalog import mirror_catalog
from leaderboard.models import DataVersion, ModelEntry, Result, Run, Trajectory, Turn, Workload
from leaderboard.publication.bundled import publish_figures
from leaderboard.summaries import refresh

Turns = Sequence[tuple[Outcome, float | None]]
"""Outcome and speedup of each turn of a trajectory, in order."""


@pytest.fixture
def catalog(db: None) -> None:
    """The task catalog in the database."""
    mirror_catalog()


@pytest.fixture
def bundled(catalog: None) -> None:
    """The catalog and the bundled figures, as on a fresh machine."""
    publish_figures(read_figures())


@pytest.fixture
def make_entry(db: None) -> Callable[..., ModelEntry]:
    """Return a function that stores a model entry."""

    def make(name: str = "Model", **fields: object) -> ModelEntry:
        slug = name.lower().replace(" ", "-")
        return ModelEntry.objects.create(name=name, **{"slug": slug, "kind": "llm", **fields})

    return make


@pytest.fixture
def make_run(catalog: None) -> Callable[..., Run]:
    """Return a function that stores a run with the turns of its trajectories, and its figures."""
    numbers = count()

    def make(
        entry: ModelEntry,
        trajectories: Sequence[Turns],
        task: str = "gemm_n7168_k5120",
        provenance: str = "reported",
        **fields: object,
    ) -> Run:
        slug = f"run-{next(numbers)}"
        values = {"architecture": "hopper", "prompt_set": "standard", "origin": "published"}
        run = Run.objects.create(
            **{"slug": slug, "source_key": f"/runs/{slug}", "turn_limit": 8, **values, **fields},
            entry=entry,
            workload=Workload.objects.get(task__slug=task, published=True),
        )
        for index, turns in enumerate(trajectories):
            _store_turns(run, index, turns, provenance)
        refresh([run])
        DataVersion.bump()
        return run

    return make


def _store_turns(run: Run, index: int, turns: Turns, provenance: str) -> None:
    trajectory = Trajectory.objects.create(run=run, key=f"exp_{index:03}")
    for number, (outcome, speedup) in enumerate(turns):
        Result.objects.create(
            turn=Turn.objects.create(trajectory=trajectory, number=number, reasoning_tokens=100),
            provenance=provenance,
            hardware=REPORTED_HARDWARE[run.architecture],
            protocol=REPORTED_PROTOCOL,
            outcome=outcome,
            target_passed=outcome.target_passed,
            speedup=speedup,
        )
