"""What one row of PTXBench's table of turns says, in the words of this benchmark."""

import math
from typing import NamedTuple

from evaluation.architectures import ARCHITECTURES
from evaluation.artifacts.problems import ProblemLog, shown
from evaluation.artifacts.ptxbench_records import MAX_NAME, PublishedTurn
from evaluation.outcomes import Outcome, strategy_outcome

MAX_TOKENS = 1_000_000_000
"""Reasoning tokens of one turn from which a figure is taken for a mistake."""

_CORRECT = "Correct"
LABELS = {
    "Compilation error": Outcome.COMPILE_ERROR,
    "Runtime error": Outcome.RUNTIME_ERROR,
    "Numerical error": Outcome.NUMERICAL_ERROR,
    "Extraction error": Outcome.EXTRACTION_ERROR,
    "Kernel Execution Timeout": Outcome.TIMEOUT,
    "Sanitize Timeout": Outcome.TIMEOUT,
    "Profiling Service Timeout": Outcome.OTHER_ERROR,
    "Other error": Outcome.OTHER_ERROR,
}
"""Outcomes of incorrect turns by PTXBench's own labels."""


LARGEST_SPEEDUP = 10_000
"""No kernel beats a library by more; a larger figure is a slip of its writer."""


class TurnRow(NamedTuple):
    """The columns used of `reasoning_tokens_vs_performance.csv`, under their own names."""

    model: str
    arch: str
    definition: str
    workload: str
    exp_dir: str
    trajectory_id: str
    turn: str
    reasoning_tokens: str
    reasoning_token_source: str
    correctness: str
    speedup: str
    arch_tag: str
    required_arch_tag: str
    correct_with_arch: str


def build_turn(
    number: int, row: TurnRow, architecture: str, line: int, log: ProblemLog
) -> PublishedTurn:
    """The turn a row describes; values that cannot be right are dropped and reported.

    `architecture` is the run's. A turn passed the target stage if it is correct and
    its tags hold the architecture's letter; tags of incorrect turns mean nothing.
    """
    correct = row.correctness == _CORRECT
    letter = ARCHITECTURES[architecture].ptxbench_tag
    passed = correct and letter in (tag.strip() for tag in row.arch_tag.split(","))
    _check_flags(row, letter, passed, line, log)
    speedup = _speedup(row, correct, line, log)
    result, reason = _outcome(row.correctness, line, log)
    if correct:
        result = strategy_outcome(speedup) if passed else Outcome.TARGET_NOT_EXECUTED
    return PublishedTurn(
        number=number,
        reasoning_tokens=_tokens(row.reasoning_tokens, line, log),
        token_source=row.reasoning_token_source[:MAX_NAME],
        result=result,
        reason=reason,
        target_passed=passed,
        speedup=speedup,
    )


def natural_number(text: str, limit: int) -> int:
    """Read a whole number in [0, limit), written in ASCII digits only.

    Raises `ValueError` with the reason.
    """
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{shown(text)} is not a whole number of 0 or more")
    # Python refuses to read numbers of thousands of digits, so length is looked at first.
    if len(text.lstrip("0")) > len(str(limit)) or int(text) >= limit:
        raise ValueError(f"{shown(text)} is not below {limit:,}")
    return int(text)


def _outcome(label: str, line: int, log: ProblemLog) -> tuple[Outcome, str]:
    """Outcome and reason of a label; that of a correct turn depends on more than the label."""
    if label == _CORRECT:
        return Outcome.TARGET_NOT_EXECUTED, label
    if label in LABELS:
        return LABELS[label], label
    log.add("error", line, f"unknown correctness {shown(label)}; taken as other error")
    return Outcome.OTHER_ERROR, f"unknown label {shown(label)}"


def _speedup(row: TurnRow, correct: bool, line: int, log: ProblemLog) -> float | None:
    """The speedup of a correct turn, finite and above 0, or None."""
    text = row.speedup
    if not correct and text in ("0.0", "0", ""):  # what PTXBench writes for them
        return None
    try:
        speedup = math.nan if "_" in text else float(text)
    except ValueError:
        speedup = math.nan
    if not correct:
        if speedup != 0:
            message = f"speedup {shown(text)} of a turn that is not correct; ignored"
            log.add("warning", line, message)
        return None
    if 0 < speedup <= LARGEST_SPEEDUP:
        return speedup
    message = (
        f"speedup {shown(text)} of a correct turn is not above 0 and at most "
        f"{LARGEST_SPEEDUP:,}; left out"
    )
    log.add("error", line, message)
    return None


def _tokens(text: str, line: int, log: ProblemLog) -> int | None:
    """Reasoning tokens; None if not given or not a possible number."""
    if not text:
        return None
    try:
        return natural_number(text, MAX_TOKENS)
    except ValueError as error:
        log.add("error", line, f"reasoning_tokens {error}; left out")
        return None


def _check_flags(row: TurnRow, letter: str, passed: bool, line: int, log: ProblemLog) -> None:
    """Report where PTXBench's two derived columns differ from what its tags say."""
    if row.required_arch_tag != letter:
        message = f"required_arch_tag is {shown(row.required_arch_tag)}; {letter} is used"
        log.add("warning", line, message)
    if row.correct_with_arch != ("1" if passed else "0"):
        message = (
            f"correct_with_arch is {shown(row.correct_with_arch)}, but correctness "
            f"{shown(row.correctness)} and arch_tag {shown(row.arch_tag)} say "
            f"{int(passed)}, which is used"
        )
        log.add("warning", line, message)
