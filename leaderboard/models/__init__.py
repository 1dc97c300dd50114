"""The site's tables, one module per subject."""

from leaderboard.models.catalog import ReferenceDate, Task, Workload
from leaderboard.models.entries import ModelEntry
from leaderboard.models.runs import Kernel, Result, Run, Trajectory, Turn
from leaderboard.models.summaries import DataVersion, OutcomeCount, RunSummary

__all__ = [
    "DataVersion",
    "Kernel",
    "ModelEntry",
    "OutcomeCount",
    "ReferenceDate",
    "Result",
    "Run",
    "RunSummary",
    "Task",
    "Trajectory",
    "Turn",
    "Workload",
]
