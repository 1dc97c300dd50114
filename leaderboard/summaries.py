"""From turns to the figures that everything else reads.

Figures are always derived anew from the results in the database, never added up
as results come in, so a result that arrives twice cannot count twice.
"""

from collections import defaultdict
from collections.abc import Iterable

from evaluation.metrics import TurnResult, outcome_counts, summaries_by_limit
from evaluation.outcomes import Outcome
from leaderboard.models import OutcomeCount, Result, Run, RunSummary, Trajectory
from leaderboard.models.summaries import columns_from
from leaderboard.publication.reconcile import Changes, reconcile

Source = tuple[str, str, str]
"""Provenance, hardware and protocol of a result: figures never mix two of them."""

Trajectories = dict[int, list[TurnResult]]


def refresh(runs: Iterable[Run]) -> Changes:
    """Recompute the summaries of `runs`, public or not, from their results.

    Call it inside a transaction that holds the runs' rows, or two results that come in at
    once may each be missing from the other's figures.
    """
    limits = {run.pk: run.turn_limit for run in runs}
    summaries: list[RunSummary] = []
    counts: list[OutcomeCount] = []
    for run_id, sources in _results(list(limits)).items():
        for source, trajectories in sources.items():
            summaries += _summaries(run_id, source, trajectories, limits[run_id])
            counts += _counts(run_id, source, trajectories)
    source_key = ("run_id", "provenance", "hardware", "protocol")
    stored = RunSummary.everything.filter(run_id__in=limits)
    done = reconcile(stored, summaries, (*source_key, "k")).changes
    stored_counts = OutcomeCount.everything.filter(run_id__in=limits)
    return done + reconcile(stored_counts, counts, (*source_key, "turn", "outcome")).changes


def _results(run_ids: list[int]) -> dict[int, dict[Source, Trajectories]]:
    """Group results by run, source and trajectory; a trajectory without turns is kept, empty."""
    rows = Result.everything.filter(turn__trajectory__run_id__in=run_ids).values_list(
        "turn__trajectory__run_id",
        "provenance",
        "hardware",
        "protocol",
        "turn__trajectory_id",
        "turn__number",
        "outcome",
        "speedup",
    )
    grouped: dict[int, dict[Source, Trajectories]] = defaultdict(dict)
    members = _members(run_ids)
    outcomes = {outcome.value: outcome for outcome in Outcome}
    for run_id, provenance, hardware, protocol, trajectory, number, outcome, speedup in rows:
        source = (provenance, hardware, protocol)
        if source not in grouped[run_id]:
            grouped[run_id][source] = {member: [] for member in members[run_id]}
        turn = TurnResult(number, outcomes[outcome], speedup)
        grouped[run_id][source][trajectory].append(turn)
    return grouped


def _members(run_ids: list[int]) -> dict[int, list[int]]:
    members: dict[int, list[int]] = defaultdict(list)
    # The order fixes the order of floating-point sums, so a second refresh changes nothing.
    rows = Trajectory.objects.filter(run_id__in=run_ids).order_by("run_id", "key")
    for run_id, trajectory in rows.values_list("run_id", "pk"):
        members[run_id].append(trajectory)
    return members


def _summaries(
    run_id: int, source: Source, trajectories: Trajectories, limit: int
) -> list[RunSummary]:
    return [
        RunSummary(run_id=run_id, **_named(source), **columns_from(figures))
        for figures in summaries_by_limit(trajectories.values(), limit)
    ]


def _counts(run_id: int, source: Source, trajectories: Trajectories) -> list[OutcomeCount]:
    return [
        OutcomeCount(run_id=run_id, **_named(source), turn=turn, outcome=outcome, count=count)
        for (turn, outcome), count in outcome_counts(trajectories.values()).items()
    ]


def _named(source: Source) -> dict[str, str]:
    return dict(zip(("provenance", "hardware", "protocol"), source, strict=True))
