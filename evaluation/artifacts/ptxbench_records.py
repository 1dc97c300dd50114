"""What PTXBench's published tables hold, as plain records.

Source of the tables: the PTXBench repository, `benchmark/plot_viewer_v1/data/`
(Zhang et al., arXiv 2608.17379).
"""

from dataclasses import dataclass
from datetime import date
from typing import Literal, NamedTuple

from evaluation.artifacts.problems import Problem
from evaluation.outcomes import Outcome

ModelKind = Literal["llm", "variant", "method", "reference"]
PromptSet = Literal["standard", "unpatched", "ablation", "earlier"]

MAX_NAME = 200
"""Longest name or key kept, in characters; the longest published one has 90."""


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A model entry: a language model, or one with a method.

    `released` is the published date, also when it is doubtful: then `released_note`
    says why. `base` names the entry that a variant or a method builds on. An
    empty `organisation` and an `open_weights` of None mean "not known".
    """

    name: str
    slug: str
    kind: ModelKind
    base: str | None
    organisation: str
    open_weights: bool | None
    released: date | None
    released_as_published: str
    released_note: str
    released_source: str


@dataclass(frozen=True, slots=True)
class PublishedTurn:
    """One turn, with its outcome in the words of this benchmark.

    `number` counts from 0. `reason` is PTXBench's own label. `speedup` is the
    baseline's time ÷ the kernel's, of correct turns only; None is "not known".
    """

    number: int
    reasoning_tokens: int | None
    token_source: str
    result: Outcome
    reason: str
    target_passed: bool
    speedup: float | None


class PublishedTrajectory(NamedTuple):
    """One conversation, its turns by number; numbers may be missing."""

    key: str
    turns: tuple[PublishedTurn, ...]


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """One evaluation run. `source_key` is its whole `exp_dir`; `turn_limit` is 0 without turns."""

    source_key: str
    model: str
    task: str
    workload_uuid: str
    architecture: str
    prompt_set: PromptSet
    turn_limit: int
    trajectories: tuple[PublishedTrajectory, ...]


@dataclass(frozen=True, slots=True)
class ReferenceDate:
    """When a PTX target or a FlashAttention version came out, to be drawn beside the models.

    `architecture` may be one that no task targets, such as `ampere`.
    """

    kind: Literal["ptx", "flash_attention"]
    name: str
    architecture: str
    released: date | None
    as_published: str


@dataclass(frozen=True, slots=True)
class Tables:
    """All five tables. Rows that could not be kept are counted, and named in `problems`."""

    models: tuple[PublishedModel, ...]
    runs: tuple[PublishedRun, ...]
    reference_dates: tuple[ReferenceDate, ...]
    problems: tuple[Problem, ...]
    runs_left_out: int
    turns_left_out: int

    @property
    def turn_count(self) -> int:
        """Number of turns kept."""
        return sum(len(turns) for run in self.runs for _, turns in run.trajectories)
