"""The messages: exact on the way out, strict on the way in."""

import json
from typing import Any

import msgspec
import pytest

from evaluation.messages import (
    LOG_CHARACTERS,
    BadMessage,
    JudgeRequest,
    Stages,
    Step,
    StrategyStage,
    SyntaxStage,
    TargetStage,
    Verdict,
    decode_request,
    decode_verdict,
    encode,
)
from evaluation.outcomes import Outcome

SHA = "0" * 64


def request(**changes: Any) -> JudgeRequest:
    values: dict[str, Any] = {
        "evaluation": 7,
        "attempt": 1,
        "lease": "token",
        "step": "static",
        "protocol": "1",
        "architecture": "hopper",
        "hardware": "h200",
        "task": "gemm_n7168_k5120",
        "definition_sha256": SHA,
        "workload": "94920358-01a8-4c5b-9209-3103fd490e94",
        "language": "cuda",
        "source": "int x;",
        "source_sha256": SHA,
    }
    return JudgeRequest(**values | changes)


def verdict(**changes: Any) -> Verdict:
    stages = Stages(
        syntax=SyntaxStage(
            status="pass", steps=(Step(name="compile", status="pass", seconds=1.5),)
        ),
        target=TargetStage(status="unknown", in_binary={"wgmma": 4}),
        strategy=StrategyStage(status="not_reached"),
    )
    values: dict[str, Any] = {
        "step": "static",
        "architecture": "hopper",
        "task": "t",
        "source_sha256": SHA,
    }
    return Verdict(**values | {"stages": stages} | changes)


def changed(message: JudgeRequest | Verdict, *path: str, value: Any) -> bytes:
    """Return a message's JSON with one value replaced."""
    tree = json.loads(encode(message))
    place = tree
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return json.dumps(tree).encode()


def test_messages_come_back_as_they_were() -> None:
    assert decode_request(encode(request())) == request()
    full = verdict(outcome=Outcome.TARGET_ABSENT, reason="no wgmma", advice=("use wgmma",))
    assert decode_verdict(encode(full)) == full


def test_the_schema_comes_first() -> None:
    assert encode(request()).startswith(b'{"schema":"ptxbench.judge-request/1"')
    assert encode(verdict()).startswith(b'{"schema":"ptxbench.verdict/1"')


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["schema"], "ptxbench.verdict/2", "schema"),
        (["surprise"], 1, "surprise"),
        (["outcome"], "excellent", "outcome"),
        (["step"], "later", "step"),
        (["source_sha256"], "abc", "source_sha256"),
        (["attempt"], -1, "attempt"),
        (["attempt"], 1.5, "attempt"),
        (["stages", "syntax", "status"], "maybe", "stages.syntax.status"),
        (["stages", "strategy", "speedup"], 0, "speedup"),
        (["stages", "strategy", "speedup"], -2.0, "speedup"),
        (["stages", "strategy", "speedup"], "1.0", "speedup"),
        (["stages", "target", "in_binary"], {"wgmma": -1}, "in_binary"),
        (["stages", "target", "surprise"], 1, "surprise"),
    ],
)
def test_what_is_not_as_described_is_refused_by_place(
    path: list[str], value: Any, words: str
) -> None:
    with pytest.raises(BadMessage, match=words):
        decode_verdict(changed(verdict(), *path, value=value))


@pytest.mark.parametrize("figure", ["NaN", "Infinity", "1e400", "-1e-400"])
def test_figures_are_finite(figure: str) -> None:
    data = encode(verdict(stages=verdict().stages)).replace(
        b'"speedup":null', b'"speedup":' + figure.encode()
    )
    assert figure.encode() in data
    with pytest.raises(BadMessage):
        decode_verdict(data)


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"null", b"\x80\x04.", b"{", b'{"schema": "\xff"}', b"[" * 100_000]
)
def test_anything_else_is_refused(data: bytes) -> None:
    for decode in (decode_request, decode_verdict):
        with pytest.raises(BadMessage):
            decode(data)


def test_a_missing_field_is_named() -> None:
    tree = json.loads(encode(request()))
    del tree["lease"]
    with pytest.raises(BadMessage, match="lease"):
        decode_request(json.dumps(tree).encode())


def test_nothing_leaves_that_the_other_side_would_refuse() -> None:
    long = Step(name="compile", status="fail", log="x" * (LOG_CHARACTERS + 1))
    stages = msgspec.structs.replace(
        verdict().stages, syntax=SyntaxStage(status="fail", steps=(long,))
    )
    with pytest.raises(BadMessage, match="log"):
        encode(verdict(stages=stages))
    logs = tuple(Step(name="s", status="fail", log="x" * LOG_CHARACTERS) for _ in range(20))
    stages = msgspec.structs.replace(stages, syntax=SyntaxStage(status="fail", steps=logs))
    with pytest.raises(BadMessage, match="at most"):
        encode(verdict(stages=stages))
