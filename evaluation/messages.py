"""The messages that site and runner exchange, as JSON: a judge request and its verdict.

While it works a runner also renews its lease, and it says who it is.

Both sides read them through `decode_…`, which takes nothing that is not exactly as
described here: an unknown field, a wrong type, a number that is not finite or a
message over its size is a `BadMessage` that names the place. Nothing is unpickled.
"""

from typing import Annotated, Literal, TypeVar

import msgspec

from evaluation import PROTOCOL
from evaluation.outcomes import Outcome

MESSAGE_BYTES = 1_000_000
"""Largest message, in bytes of JSON."""

LOG_CHARACTERS = 64 * 1024
"""Largest log of one step."""

ROWS = 50
"""Most SASS rows kept as evidence for one function."""

Status = Literal["pass", "fail", "not_reached", "unknown"]
StepName = Literal["static", "dynamic"]
Sha256 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
ShortText = Annotated[str, msgspec.Meta(max_length=200)]
Text = Annotated[str, msgspec.Meta(max_length=4_000)]
Log = Annotated[str, msgspec.Meta(max_length=LOG_CHARACTERS)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(ge=0)]
Positive = Annotated[float, msgspec.Meta(gt=0)]


class BadMessage(ValueError):
    """A message that is not as it must be. The text names the field."""


class _Message(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all parts of a message have in common."""


class JudgeRequest(_Message, frozen=True, kw_only=True):
    """One kernel to judge. The runner gets nothing else, and needs nothing else."""

    schema: Literal["ptxbench.judge-request/1"] = "ptxbench.judge-request/1"
    evaluation: Count
    attempt: Count
    lease: Name
    step: StepName
    protocol: Name
    architecture: Name
    hardware: Name
    task: Name
    definition_sha256: Sha256
    workload: Name
    language: Name
    source: Annotated[str, msgspec.Meta(min_length=1, max_length=512 * 1024)]
    source_sha256: Sha256


class Step(_Message, frozen=True, kw_only=True):
    """One check of the syntax stage; `seconds` is None where it was not reached."""

    name: Name
    status: Status
    seconds: Share | None = None
    log: Log = ""


class SyntaxStage(_Message, frozen=True, kw_only=True):
    """Whether the kernel compiles and computes the right thing."""

    status: Status
    steps: tuple[Step, ...]


class FunctionEvidence(_Message, frozen=True, kw_only=True):
    """One function of the binary: what it holds, and the resources it takes.

    `name` is mangled, `title` for people. `rows` are SASS rows of the target families,
    `spill_bytes` stores and loads together.
    """

    name: Annotated[str, msgspec.Meta(max_length=1_000)]
    title: Annotated[str, msgspec.Meta(max_length=200)]
    sha256: Sha256
    instructions: Count
    families: dict[Name, Count]
    registers: Count | None = None
    spill_bytes: Count | None = None
    shared_bytes: Count | None = None
    rows: Annotated[tuple[Text, ...], msgspec.Meta(max_length=ROWS)] = ()


class TargetStage(_Message, frozen=True, kw_only=True):
    """Whether the architecture's own instructions do the work.

    `in_binary` counts instructions by family, `functions_left_out` functions that are counted
    but have no evidence here. `executed` and the shares come from hardware
    counters and are None before a GPU ran the kernel; shares are uncapped.
    """

    status: Status
    in_binary: dict[Name, Count] = {}
    functions: Annotated[tuple[FunctionEvidence, ...], msgspec.Meta(max_length=64)] = ()
    functions_left_out: Count = 0
    executed: bool | None = None
    work_share: Share | None = None
    other_share: Share | None = None
    ptxbench_rule: bool | None = None


class StrategyStage(_Message, frozen=True, kw_only=True):
    """Whether the kernel beats the library. Times in milliseconds, speedup = baseline ÷ kernel."""

    status: Status
    baseline: str | None = None
    baseline_ms: Positive | None = None
    kernel_ms: Positive | None = None
    speedup: Positive | None = None
    interval: tuple[Positive, Positive] | None = None
    samples: tuple[Positive, ...] = ()
    diagnosis: Text = ""


class Stages(_Message, frozen=True, kw_only=True):
    """The three stages, in order."""

    syntax: SyntaxStage
    target: TargetStage
    strategy: StrategyStage


class Notice(_Message, frozen=True, kw_only=True):
    """Something worth knowing about the source; `line` counts from 1, 0 is the whole file."""

    rule: Name
    line: Count
    message: Text


class Verdict(_Message, frozen=True, kw_only=True):
    """What a judgement found. `outcome` is None where nothing failed and more is to come.

    `evaluation`, `attempt` and `lease` quote the request; they are None on the command line.
    `advice` says in plain words what to fix, most urgent first.
    """

    schema: Literal["ptxbench.verdict/1"] = "ptxbench.verdict/1"
    evaluation: Count | None = None
    attempt: Count | None = None
    lease: Name | None = None
    step: StepName
    protocol: Name = PROTOCOL
    architecture: Name
    task: Name
    source_sha256: Sha256
    outcome: Outcome | None = None
    reason: Text = ""
    stages: Stages
    notices: Annotated[tuple[Notice, ...], msgspec.Meta(max_length=100)] = ()
    advice: tuple[Text, ...] = ()
    hardware: Text | None = None
    toolchain: Text = ""
    runner: ShortText = ""


class LeaseRenewal(_Message, frozen=True, kw_only=True):
    """A runner's word that it works on a request; the first one says that it has begun."""

    schema: Literal["ptxbench.lease-renewal/1"] = "ptxbench.lease-renewal/1"
    evaluation: Count
    attempt: Count
    lease: Name
    runner: Name


class RunnerReport(_Message, frozen=True, kw_only=True):
    """A runner's description of itself, sent when it starts and every minute.

    `hardware` names the GPU, and is empty on a host that only checks; `lacks` says what is
    missing, in whole sentences.
    """

    schema: Literal["ptxbench.runner-report/1"] = "ptxbench.runner-report/1"
    name: Name
    queue: Name
    hardware: ShortText = ""
    toolchain: ShortText = ""
    host: ShortText = ""
    lacks: tuple[Text, ...] = ()


Kind = TypeVar("Kind", bound=_Message)


def encode(message: JudgeRequest | Verdict | LeaseRenewal | RunnerReport) -> bytes:
    """Return a message as JSON, `schema` first.

    Raises `BadMessage` if it breaks its own rules or is too large, so that nothing leaves
    here that the other side would refuse.
    """
    data = msgspec.json.encode(message)
    _decode(data, type(message))
    return data


def decode_request(data: bytes) -> JudgeRequest:
    """Read a judge request. Raises `BadMessage`."""
    return _decode(data, JudgeRequest)


def decode_verdict(data: bytes) -> Verdict:
    """Read a verdict. Raises `BadMessage`."""
    return _decode(data, Verdict)


def decode_renewal(data: bytes) -> LeaseRenewal:
    """Read a lease renewal. Raises `BadMessage`."""
    return _decode(data, LeaseRenewal)


def decode_report(data: bytes) -> RunnerReport:
    """Read a runner's report. Raises `BadMessage`."""
    return _decode(data, RunnerReport)


def _decode(data: bytes, kind: type[Kind]) -> Kind:
    if len(data) > MESSAGE_BYTES:
        raise BadMessage(f"a message has at most {MESSAGE_BYTES} bytes, not {len(data)}")
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadMessage(str(error)) from error
