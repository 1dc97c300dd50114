"""The answer to a request for the static step: a verdict, whatever happens on the way."""

import hashlib
import logging
from collections.abc import Callable

from celery.exceptions import SoftTimeLimitExceeded
from msgspec.structs import replace

from evaluation import PROTOCOL
from evaluation.architectures import ARCHITECTURES
from evaluation.artifacts.answers import BadSource
from evaluation.messages import (
    BadMessage,
    JudgeRequest,
    Stages,
    Step,
    StrategyStage,
    SyntaxStage,
    TargetStage,
    Verdict,
    encode,
)
from evaluation.outcomes import Outcome
from evaluation.tasks import load_catalog
from gpu_runner.builds import Builder
from gpu_runner.check import STEPS, check_source
from gpu_runner.disassembly import DisassemblyError
from gpu_runner.sandbox import MissingSandbox, SandboxFailure
from gpu_runner.supervision import Interrupted
from gpu_runner.toolchain import MissingToolchain

SOURCE_NAME = "kernel.cu"
REASON_CHARACTERS = 400

_HOST_FAULTS = (MissingSandbox, SandboxFailure, MissingToolchain, DisassemblyError, Interrupted)
_log = logging.getLogger(__name__)


def answer(request: JudgeRequest, find_builder: Callable[[], Builder], runner: str) -> Verdict:
    """Check the kernel of a request; return the verdict, signed and small enough to send.

    A fault of this host or of the request is the outcome `infra_error` with its reason: the
    site tries again elsewhere. A source that cannot be a kernel is an `extraction_error`,
    because no other host would find one in it.
    """
    try:
        found = _checked(request, find_builder)
    except SoftTimeLimitExceeded:
        found = _undecided(request, "The check ran into the worker's time limit.")
    except (*_HOST_FAULTS, OSError) as error:
        found = _undecided(request, str(error))
    except Exception as error:
        _log.exception("Evaluation %d cannot be checked", request.evaluation)
        found = _undecided(request, f"The runner failed: {type(error).__name__}: {error}")
    return _fitting(
        replace(
            found,
            evaluation=request.evaluation,
            attempt=request.attempt,
            lease=request.lease,
            protocol=request.protocol,
            source_sha256=request.source_sha256,
            runner=runner,
        )
    )


def _checked(request: JudgeRequest, find_builder: Callable[[], Builder]) -> Verdict:
    data = request.source.encode()
    if problem := _problem(request, data):
        return _undecided(request, problem)
    try:
        return check_source(data, SOURCE_NAME, request.task, request.architecture, find_builder())
    except BadSource as error:
        return _ended(request, Outcome.EXTRACTION_ERROR, str(error), failed="extract")


def _problem(request: JudgeRequest, data: bytes) -> str:
    """Say why this runner cannot answer a request that is well formed."""
    if request.protocol != PROTOCOL:
        return f"This runner judges by {PROTOCOL}, not by {request.protocol}: update one of both."
    if request.step != "static":
        return f"This runner does the static step, not the {request.step} one."
    if request.architecture not in ARCHITECTURES:
        return f"This runner knows no architecture {request.architecture!r}: update it."
    if request.task not in load_catalog():
        return f"This runner knows no task {request.task!r}: update it."
    if hashlib.sha256(data).hexdigest() != request.source_sha256:
        return "The source is not the one that its SHA-256 names."
    return ""


def _undecided(request: JudgeRequest, reason: str) -> Verdict:
    return _ended(request, Outcome.INFRA_ERROR, reason)


def _ended(request: JudgeRequest, outcome: Outcome, reason: str, failed: str = "") -> Verdict:
    """Return a verdict that has a reason and no evidence."""
    line = " ".join(reason.split())[:REASON_CHARACTERS]
    steps = tuple(
        Step(name=name, status="fail" if name == failed else "not_reached") for name in STEPS
    )
    return Verdict(
        step=request.step,
        architecture=request.architecture,
        task=request.task,
        source_sha256=request.source_sha256,
        outcome=outcome,
        reason=line,
        stages=Stages(
            syntax=SyntaxStage(status="fail" if failed else "unknown", steps=steps),
            target=TargetStage(status="not_reached"),
            strategy=StrategyStage(status="not_reached"),
        ),
    )


def _fitting(verdict: Verdict) -> Verdict:
    """Leave evidence out where all of it is too large for a message, rather than the verdict."""
    for functions, rows, characters in ((64, 50, 64 * 1024), (32, 10, 8_000), (4, 0, 2_000)):
        small = _cut(verdict, functions, rows, characters)
        try:
            encode(small)
        except BadMessage:
            continue
        break
    return small


def _cut(verdict: Verdict, functions: int, rows: int, characters: int) -> Verdict:
    target, syntax = verdict.stages.target, verdict.stages.syntax
    kept = tuple(replace(one, rows=one.rows[:rows]) for one in target.functions[:functions])
    left_out = target.functions_left_out + len(target.functions) - len(kept)
    steps = tuple(replace(step, log=step.log[:characters]) for step in syntax.steps)
    stages = replace(
        verdict.stages,
        target=replace(target, functions=kept, functions_left_out=left_out),
        syntax=replace(syntax, steps=steps),
    )
    return replace(verdict, stages=stages)
