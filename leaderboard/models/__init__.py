"""The site's tables, one module per subject."""

from leaderboard.models.catalog import ReferenceDate, Task, Workload
from leaderboard.models.entries import ModelEntry
from leaderboard.models.evaluations import Evaluation, Kernel, Runner, Verdict
from leaderboard.models.runs import Result, Run, Trajectory, Turn
from leaderboard.models.submissions import Submission, SubmissionEvent, SubmittedKernel
from leaderboard.models.summaries import DataVersion, OutcomeCount, RunSummary

__all__ = [
    "DataVersion",
    "Evaluation",
    "Kernel",
    "ModelEntry",
    "OutcomeCount",
    "ReferenceDate",
    "Result",
    "Run",
    "RunSummary",
    "Runner",
    "Submission",
    "SubmissionEvent",
    "SubmittedKernel",
    "Task",
    "Trajectory",
    "Turn",
    "Verdict",
    "Workload",
]
