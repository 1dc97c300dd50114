"""A stored verdict, decoded for a page: stages, logs, instructions, notices and advice."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from evaluation.messages import (
    BadMessage,
    FunctionEvidence,
    Step,
    StrategyStage,
    TargetStage,
    decode_verdict,
)
from evaluation.messages import Verdict as VerdictMessage
from evaluation.outcomes import Outcome
from leaderboard.models import Verdict
from leaderboard.shown_text import Excerpt, Room

LOG_BYTES = 40_000
ROW_BYTES = 60
"""What a page may put around a short line such as a SASS row."""


@dataclass(frozen=True, slots=True)
class StepShown:
    """One check of the syntax stage; `seconds` is None where it was not reached."""

    name: str
    status: str
    seconds: float | None
    log: Excerpt


@dataclass(frozen=True, slots=True)
class FunctionShown:
    """One function of the binary. `families` pairs instruction families with their counts."""

    title: str
    instructions: int
    families: tuple[tuple[str, int], ...]
    registers: int | None
    spill_bytes: int | None
    shared_bytes: int | None
    rows: tuple[str, ...]
    rows_left_out: int


@dataclass(frozen=True, slots=True)
class TargetShown:
    """What the binary holds and, after a GPU ran it, what was executed (shares, uncapped)."""

    status: str
    in_binary: tuple[tuple[str, int], ...]
    functions: tuple[FunctionShown, ...]
    functions_left_out: int
    executed: bool | None
    work_share: float | None
    other_share: float | None
    ptxbench_rule: bool | None


@dataclass(frozen=True, slots=True)
class NoticeShown:
    """Something worth knowing about the source; line 0 is the whole file."""

    rule: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class VerdictEvidence:
    """What one step found. Without `readable`, the stored message can't be decoded any more.

    `outcome` is None where nothing failed. `diagnosis` and the times of `strategy` come
    from a GPU only.
    """

    step: str
    recorded_at: datetime
    readable: bool
    outcome: Outcome | None = None
    reason: str = ""
    hardware: str = ""
    toolchain: str = ""
    syntax_status: str = "unknown"
    steps: tuple[StepShown, ...] = ()
    target: TargetShown | None = None
    strategy: StrategyStage | None = None
    diagnosis: str = ""
    advice: tuple[str, ...] = ()
    notices: tuple[NoticeShown, ...] = ()
    notices_left_out: int = 0


def verdict_evidence(stored: Verdict, room: Room) -> VerdictEvidence:
    """Return what a stored verdict says, in the room that the page has left."""
    try:
        said = decode_verdict(stored.message.encode())
    except (BadMessage, UnicodeEncodeError):
        return VerdictEvidence(stored.step, stored.recorded_at, readable=False)
    # What tells most comes first, so that it is last to be cut.
    reason, advice = room.excerpt(said.reason).text, room.lines(said.advice, ROW_BYTES)
    notices, stages = _notices(said, room), said.stages
    return VerdictEvidence(
        step=stored.step,
        recorded_at=stored.recorded_at,
        readable=True,
        outcome=said.outcome,
        reason=reason,
        hardware=room.excerpt(said.hardware or "").text,
        toolchain=room.excerpt(said.toolchain).text,
        syntax_status=stages.syntax.status,
        steps=tuple(_step(one, room) for one in stages.syntax.steps),
        target=_target(stages.target, room),
        strategy=stages.strategy,
        diagnosis=room.excerpt(stages.strategy.diagnosis).text,
        advice=advice,
        notices=notices,
        notices_left_out=len(said.notices) - len(notices),
    )


def _notices(said: VerdictMessage, room: Room) -> tuple[NoticeShown, ...]:
    messages = room.lines((one.message for one in said.notices), ROW_BYTES)
    return tuple(
        NoticeShown(room.excerpt(one.rule).text, one.line, message)
        for one, message in zip(said.notices, messages, strict=False)
    )


def _step(step: Step, room: Room) -> StepShown:
    name = room.excerpt(step.name).text
    return StepShown(name, step.status, step.seconds, room.excerpt(step.log, LOG_BYTES))


def _target(stage: TargetStage, room: Room) -> TargetShown:
    functions = [_function(one, room) for one in stage.functions]
    return TargetShown(
        status=stage.status,
        in_binary=_families(stage.in_binary.items(), room),
        functions=tuple(functions),
        functions_left_out=stage.functions_left_out,
        executed=stage.executed,
        work_share=stage.work_share,
        other_share=stage.other_share,
        ptxbench_rule=stage.ptxbench_rule,
    )


def _function(found: FunctionEvidence, room: Room) -> FunctionShown:
    title = room.excerpt(found.title).text
    families = _families(found.families.items(), room)
    rows = room.lines(found.rows, ROW_BYTES)
    return FunctionShown(
        title=title,
        instructions=found.instructions,
        families=families,
        registers=found.registers,
        spill_bytes=found.spill_bytes,
        shared_bytes=found.shared_bytes,
        rows=rows,
        rows_left_out=len(found.rows) - len(rows),
    )


def _families(counts: Iterable[tuple[str, int]], room: Room) -> tuple[tuple[str, int], ...]:
    counts = list(counts)
    names = room.lines((name for name, _count in counts), ROW_BYTES)
    return tuple((name, n) for name, (_family, n) in zip(names, counts, strict=False))
