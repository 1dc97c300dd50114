"""The static step of the judge: all that can be said about a kernel without a GPU."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluation.architectures import ARCHITECTURES, Architecture
from evaluation.artifacts.answers import ExtractionError, Kernel, read_kernel
from evaluation.messages import (
    LOG_CHARACTERS,
    ROWS,
    FunctionEvidence,
    Notice,
    Stages,
    Status,
    Step,
    StrategyStage,
    SyntaxStage,
    TargetStage,
    Verdict,
)
from evaluation.outcomes import Outcome
from gpu_runner import advice
from gpu_runner.builds import Build, Builder
from gpu_runner.compile_log import Resources
from gpu_runner.disassembly import Disassembly, disassemble
from gpu_runner.policy import Finding, inspect
from gpu_runner.sass import Function

STEPS = ("extract", "policy", "compile", "load", "run", "numerics", "memcheck")
"""The checks of the syntax stage, in order; the static step reaches the first three."""

MOST_FUNCTIONS = 64

_NOT_REACHED = TargetStage(status="not_reached")


@dataclass(slots=True)
class _Record:
    """What one check has found so far."""

    task: str
    architecture: Architecture
    toolchain: str
    steps: dict[str, Step] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    target: TargetStage = _NOT_REACHED

    def add(self, name: str, status: Status, started: float, log: str = "") -> None:
        """Note how a step ended."""
        seconds = round(time.monotonic() - started, 3)
        self.steps[name] = Step(name=name, status=status, seconds=seconds, log=_cut(log))

    def verdict(
        self, sha256: str, outcome: Outcome | None, reason: str, tips: Sequence[str]
    ) -> Verdict:
        """Return the verdict; steps that were not reached say so."""
        steps = [self.steps.get(n) or Step(name=n, status="not_reached") for n in STEPS]
        failed = any(step.status == "fail" for step in steps)
        return Verdict(
            step="static",
            architecture=self.architecture.slug,
            task=self.task,
            source_sha256=sha256,
            outcome=outcome,
            reason=reason[:4000],
            stages=Stages(
                syntax=SyntaxStage(status="fail" if failed else "unknown", steps=tuple(steps)),
                target=self.target,
                strategy=StrategyStage(status="not_reached"),
            ),
            notices=tuple(self.notices[:100]),
            advice=tuple(tip[:4000] for tip in tips),
            toolchain=self.toolchain,
        )


def check_source(data: bytes, name: str, task: str, architecture: str, builder: Builder) -> Verdict:
    """Check one kernel, handed in as the file `name`, and return its static verdict.

    Raises `BadSource` for bytes that cannot be a kernel, and `MissingSandbox`,
    `SandboxFailure` or `DisassemblyError` where this host cannot decide.
    """
    record = _Record(task, ARCHITECTURES[architecture], builder.toolchain.version)
    started = time.monotonic()
    try:
        kernel = read_kernel(data, name)
    except ExtractionError as error:
        record.add("extract", "fail", started, str(error))
        tips = advice.after_extraction()
        return record.verdict(advice.sha256(data), Outcome.EXTRACTION_ERROR, str(error), tips)
    record.add("extract", "pass", started)
    record.notices += [Notice(rule="extract", line=0, message=note) for note in kernel.notes]
    return _policy(record, kernel, builder)


def _policy(record: _Record, kernel: Kernel, builder: Builder) -> Verdict:
    started = time.monotonic()
    findings = inspect(kernel.source)
    banned = [one for one in findings if one.kind == "banned"]
    record.notices += [_notice(one) for one in findings if one.kind == "notice"]
    log = "\n".join(f"line {one.line}: {one.message}\n    {one.excerpt}" for one in banned)
    record.add("policy", "fail" if banned else "pass", started, log)
    if banned:
        reason = f"line {banned[0].line}: {banned[0].message}"
        tips = advice.after_policy(banned)
        return record.verdict(kernel.sha256, Outcome.BANNED_LIBRARY, reason, tips)
    return _compile(record, kernel, builder)


def _notice(finding: Finding) -> Notice:
    return Notice(rule=finding.rule, line=finding.line, message=finding.message)


def _compile(record: _Record, kernel: Kernel, builder: Builder) -> Verdict:
    started = time.monotonic()
    build = builder.compile_static(kernel.source, record.architecture.gencode)
    record.add("compile", "pass" if build.status == "ok" else "fail", started, build.log)
    if build.unsafe:
        record.notices.append(
            Notice(rule="sandbox", line=0, message="Compiled without a sandbox, as was asked.")
        )
    if build.status != "ok":
        reason = advice.compile_reason(build)
        tips = advice.after_compile(build, record.architecture)
        return record.verdict(kernel.sha256, Outcome.COMPILE_ERROR, reason, tips)
    return _instructions(record, kernel, build, builder)


def _instructions(record: _Record, kernel: Kernel, build: Build, builder: Builder) -> Verdict:
    found = Disassembly(record.architecture, ())
    if build.cubin is not None:
        found = disassemble(build.cubin, record.architecture, builder.toolchain, builder.sandbox)
    functions = sorted(found.functions, key=_target_rows, reverse=True)
    record.target = TargetStage(
        status="unknown" if found.has_target else "fail",
        in_binary=found.families,
        functions=tuple(
            _evidence(function, build.resources.get(function.name))
            for function in functions[:MOST_FUNCTIONS]
        ),
        functions_left_out=max(0, len(functions) - MOST_FUNCTIONS),
    )
    tips = advice.after_disassembly(found, build)
    if found.has_target:
        return record.verdict(kernel.sha256, None, "", tips)
    return record.verdict(kernel.sha256, Outcome.TARGET_ABSENT, advice.absent_reason(found), tips)


def _target_rows(function: Function) -> int:
    return len(function.target_rows)


def _evidence(function: Function, taken: Resources | None) -> FunctionEvidence:
    return FunctionEvidence(
        name=function.name[:1000],
        title=function.title[:200],
        sha256=function.sha256,
        instructions=function.instructions,
        families=dict(function.families),
        registers=taken.registers if taken else None,
        spill_bytes=taken.spill_stores + taken.spill_loads if taken else None,
        shared_bytes=taken.shared if taken else None,
        rows=tuple(f"{offset:#06x} {text}"[:400] for offset, text in function.target_rows[:ROWS]),
    )


def _cut(log: str) -> str:
    """Keep a log within a message: its head and its tail, with a marker between."""
    if len(log) <= LOG_CHARACTERS:
        return log
    half = LOG_CHARACTERS // 2 - 40
    return f"{log[:half]}\n… {len(log) - 2 * half} characters left out …\n{log[-half:]}"
