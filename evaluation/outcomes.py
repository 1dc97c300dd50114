"""The words for how a turn ends, and the stage at which it ends.

A kernel passes three stages in order: *syntax* (it compiles and computes the
right thing), *target* (the architecture's own instructions did the work) and
*strategy* (it beats the frontier library). Every turn has exactly one outcome.
"""

from enum import StrEnum


class Stage(StrEnum):
    """Where a turn ends. `PASSED` means it went through all three stages."""

    SYNTAX = "syntax"
    TARGET = "target"
    STRATEGY = "strategy"
    PASSED = "passed"
    OUTSIDE = "outside"


class Outcome(StrEnum):
    """How a turn ends: one word per reason, grouped by the stage it belongs to."""

    EXTRACTION_ERROR = "extraction_error"
    BANNED_LIBRARY = "banned_library"
    COMPILE_ERROR = "compile_error"
    RUNTIME_ERROR = "runtime_error"
    TIMEOUT = "timeout"
    SANITIZER_ERROR = "sanitizer_error"
    WRONG_SHAPE = "wrong_shape"
    NUMERICAL_ERROR = "numerical_error"
    OTHER_ERROR = "other_error"
    TARGET_ABSENT = "target_absent"
    TARGET_NOT_EXECUTED = "target_not_executed"
    TARGET_PARTIAL = "target_partial"
    SLOWER = "slower"
    FASTER = "faster"
    REWARD_HACK = "reward_hack"
    QUARANTINED = "quarantined"
    INFRA_ERROR = "infra_error"
    WAITING = "waiting"

    @property
    def stage(self) -> Stage:
        """The stage at which a turn with this outcome ends."""
        return _STAGES[self]

    @property
    def correct(self) -> bool:
        """Whether the turn passed the syntax stage."""
        return self.stage in (Stage.TARGET, Stage.STRATEGY, Stage.PASSED)

    @property
    def target_passed(self) -> bool:
        """Whether the turn passed the target-instruction stage as well."""
        return self.stage in (Stage.STRATEGY, Stage.PASSED)

    @property
    def undecided(self) -> bool:
        """Whether nothing can be said yet: such turns count as not passed, and are shown."""
        return self in (Outcome.QUARANTINED, Outcome.INFRA_ERROR, Outcome.WAITING)

    @property
    def label(self) -> str:
        """English words for people; the site translates them."""
        return self.value.replace("_", " ")


_OUTSIDE = (Outcome.REWARD_HACK, Outcome.QUARANTINED, Outcome.INFRA_ERROR, Outcome.WAITING)
_LATER_STAGES = {
    Outcome.TARGET_ABSENT: Stage.TARGET,
    Outcome.TARGET_NOT_EXECUTED: Stage.TARGET,
    Outcome.TARGET_PARTIAL: Stage.TARGET,
    Outcome.SLOWER: Stage.STRATEGY,
    Outcome.FASTER: Stage.PASSED,
} | dict.fromkeys(_OUTSIDE, Stage.OUTSIDE)
_STAGES = {outcome: _LATER_STAGES.get(outcome, Stage.SYNTAX) for outcome in Outcome}


def strategy_outcome(speedup: float | None) -> Outcome:
    """Outcome of a turn that passed stage 2, by its reported speedup over the baseline.

    A speedup of exactly 1 is `FASTER`, so that the number of such turns is the
    count behind fast_p at p = 1. A turn without a figure has not shown that it wins.
    """
    return Outcome.FASTER if speedup is not None and speedup >= 1 else Outcome.SLOWER
