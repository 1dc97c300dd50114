"""A request always gets a verdict: what the kernel deserves, or what the runner lacks."""

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from msgspec.structs import replace

from evaluation.messages import LOG_CHARACTERS, MESSAGE_BYTES, decode_verdict, encode
from gpu_runner import static_verdict
from gpu_runner.build_cache import CacheFailure
from gpu_runner.builds import Builder
from gpu_runner.disassembly import DisassemblyError
from gpu_runner.sandbox import MissingSandbox, SandboxFailure
from gpu_runner.static_verdict import answer
from gpu_runner.supervision import Interrupted
from gpu_runner.toolchain import MissingToolchain
from tests.gpu_runner.requests import request
from tests.gpu_runner.sources import GOOD, KERNELS

WGMMA = (KERNELS / "wgmma_gemm.cu").read_text()


def no_builder() -> Builder:
    raise AssertionError("this request needs no compiler")


def failing(error: Exception):
    def find() -> Builder:
        raise error

    return find


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        (WGMMA, None),
        (GOOD, "target_absent"),
        (f"{GOOD}\nint x = nothing;", "compile_error"),
        (f"#include <cublas_v2.h>\n{GOOD}", "banned_library"),
    ],
)
def test_a_kernel_gets_its_verdict_which_quotes_the_request(builder, source, outcome):
    asked = request(source)

    verdict = answer(asked, lambda: builder, "here/static")

    assert verdict.outcome == outcome
    assert (verdict.evaluation, verdict.attempt, verdict.lease) == (7, 2, "a-lease")
    assert (verdict.source_sha256, verdict.step) == (asked.source_sha256, "static")
    assert verdict.runner == "here/static"
    assert verdict.toolchain == builder.toolchain.version
    assert decode_verdict(encode(verdict)) == verdict


@pytest.mark.parametrize(
    "fault",
    [MissingSandbox, SandboxFailure, CacheFailure, MissingToolchain, DisassemblyError, Interrupted],
)
def test_a_fault_of_the_host_is_no_fault_of_the_kernel(fault):
    verdict = answer(request(GOOD), failing(fault("Install this.")), "here/static")

    assert (verdict.outcome, verdict.reason) == ("infra_error", "Install this.")
    assert verdict.stages.syntax.status == "unknown"
    assert (verdict.evaluation, verdict.attempt, verdict.lease) == (7, 2, "a-lease")


def test_running_out_of_the_workers_time_is_said():
    verdict = answer(request(GOOD), failing(SoftTimeLimitExceeded()), "here/static")

    assert (verdict.outcome, "time limit" in verdict.reason) == ("infra_error", True)


def test_an_error_nobody_thought_of_is_one_line_and_its_traceback_is_logged(caplog):
    verdict = answer(request(GOOD), failing(ValueError("two\nlines")), "here/static")

    assert verdict.outcome == "infra_error"
    assert verdict.reason == "The runner failed: ValueError: two lines"
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("source", ["a\0b", "  \n", "é" * 262_145])
def test_what_cannot_be_a_kernel_anywhere_is_the_authors_to_mend(builder, source):
    verdict = answer(request(source), lambda: builder, "here/static")

    assert verdict.outcome == "extraction_error"
    assert verdict.stages.syntax.steps[0].status == "fail"
    assert verdict.reason


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"protocol": "0"}, "update one of both"),
        ({"step": "dynamic"}, "does the static step"),
        ({"architecture": "volta"}, "no architecture 'volta'"),
        ({"task": "sort"}, "no task 'sort'"),
        ({"source_sha256": "0" * 64}, "not the one that its SHA-256 names"),
    ],
)
def test_a_request_for_another_runner_goes_back_with_the_reason(fields, reason):
    asked = request(GOOD, **fields)

    verdict = answer(asked, no_builder, "here/static")

    assert verdict.outcome == "infra_error"
    assert reason in verdict.reason
    assert (verdict.protocol, verdict.step) == (asked.protocol, asked.step)


def test_a_verdict_too_large_to_send_loses_evidence_and_not_its_outcome(builder, monkeypatch):
    found = answer(request(f"{GOOD}\nint x = nothing;"), lambda: builder, "here/static")
    loud = [replace(step, log="\1" * LOG_CHARACTERS) for step in found.stages.syntax.steps]
    syntax = replace(found.stages.syntax, steps=tuple(loud))
    stages = replace(found.stages, syntax=syntax)
    large = replace(found, stages=stages)
    monkeypatch.setattr(static_verdict, "check_source", lambda *_arguments: large)

    verdict = answer(request(GOOD), lambda: builder, "here/static")

    assert len(encode(verdict)) <= MESSAGE_BYTES
    assert (verdict.outcome, verdict.reason) == (found.outcome, found.reason)
    assert all(step.log for step in verdict.stages.syntax.steps)
