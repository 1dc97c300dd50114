"""Solutions that break their format's rules, that cannot be judged, or that have a trace."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.artifacts.bundle import Hints
from tests.evaluation.artifacts.uploads import (
    HINTS,
    NO_HINTS,
    SOURCE,
    TASK,
    archive,
    lines,
    messages,
    read,
    refusal,
    trace,
)


def solution(**changes: Any) -> dict[str, Any]:
    spec = {
        "language": "cuda",
        "binding": "tvm-ffi",
        "target_hardware": ["NVIDIA H100"],
        "entry_point": "kernel.cu::run",
    } | changes.pop("spec", {})
    whole = {
        "name": "fast",
        "definition": TASK,
        "author": "Somebody",
        "spec": spec,
        "sources": [{"path": "kernel.cu", "content": SOURCE}],
    }
    return whole | changes


@pytest.mark.parametrize("form", ["array", "single", "lines"])
def test_solution_becomes_a_turn_by_its_author(tmp_path: Path, form: str) -> None:
    rows = [solution()] if form != "lines" else [solution(), solution(name="b")]
    texts = {
        "array": json.dumps(rows, indent=1),
        "single": json.dumps(rows[0], indent=1),
        "lines": lines(*rows),
    }
    bundle = read(tmp_path, texts[form], "solutions.json", NO_HINTS)
    assert bundle.kind == "solutions"
    assert bundle.runs[0].model == "Somebody"
    assert bundle.counts()["turns"] == len(rows)
    assert bundle.counts()["kernels"] == 1


def test_form_names_the_model_unless_there_are_several_authors(tmp_path: Path) -> None:
    rows = [solution()]
    assert read(tmp_path, json.dumps(rows), "s.json").runs[0].model == "My model"
    rows.append(solution(name="b", author="Other"))
    bundle = read(tmp_path, json.dumps(rows), "s.json")
    assert [run.model for run in bundle.runs] == ["Somebody", "Other"]
    assert "several authors" in messages(bundle, "warning")[0]


def test_target_hardware_says_the_architectures(tmp_path: Path) -> None:
    both = solution(spec={"target_hardware": ["B200", "h100", "NVIDIA_H200"]})
    bundle = read(tmp_path, json.dumps(both), "s.json")
    assert [run.architecture for run in bundle.runs] == ["blackwell", "hopper"]
    none = solution(spec={"target_hardware": ["cuda"]})
    hints = Hints(architecture="blackwell")
    assert read(tmp_path, json.dumps(none), "s.json", hints).runs[0].architecture == "blackwell"
    assert "architecture is not named" in refusal(tmp_path, json.dumps(none), "s.json", NO_HINTS)


SOURCES = [{"path": "kernel.cu", "content": SOURCE}]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": None}, "$[0].name is missing"),
        ({"author": " "}, "$[0].author is not a text"),
        ({"definition": "gemm_n1"}, "unknown task"),
        ({"spec": {"language": "triton"}}, "$[0].spec.language is triton"),
        ({"spec": {"language": "fortran"}}, "$[0].spec.language is 'fortran', not one of"),
        ({"spec": {"binding": "torch"}}, "$[0].spec.binding is not tvm-ffi"),
        ({"spec": {"entry_point": "run"}}, "$[0].spec.entry_point is not <file>::<function>"),
        ({"spec": {"entry_point": "a.cu::run"}}, "not among the sources"),
        ({"spec": {"target_hardware": []}}, "$[0].spec.target_hardware is not an array"),
        ({"spec": {"destination_passing_style": False}}, "must be true"),
        ({"sources": []}, "$[0].sources is not an array"),
        ({"sources": [{"path": "../kernel.cu", "content": "x"}]}, "is not a relative path"),
        ({"sources": [{"path": "/kernel.cu", "content": "x"}]}, "is not a relative path"),
        ({"sources": [{"path": "kernel.cu", "content": ""}]}, "$[0].sources[0].content is not"),
        ({"sources": SOURCES * 2}, "$[0].sources[1].path stands twice"),
        ({"sources": [*SOURCES, {"path": "a.h", "content": "x"}]}, "has several files"),
    ],
)
def test_solution_that_cannot_be_judged_names_its_field(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    rows = [solution(**changes), solution(name="good")]
    bundle = read(tmp_path, json.dumps(rows), "solutions.json")
    assert bundle.counts()["turns"] == 1
    assert said in messages(bundle, "error")[0]


def test_name_that_stands_twice_is_left_out(tmp_path: Path) -> None:
    bundle = read(tmp_path, json.dumps([solution(), solution()]), "solutions.json")
    assert messages(bundle, "error") == [
        "solutions.json:1: $[1].name stands at solutions.json:$[0] already; solution left out"
    ]


def test_solution_and_its_trace_are_one_turn(tmp_path: Path) -> None:
    files = {
        "set/traces/gemm.jsonl": lines(trace(), trace() | {"solution": "lost"}).encode(),
        "set/solutions/gemm/fast.json": json.dumps(solution()).encode(),
        "set/definitions/gemm.json": b"{}",
    }
    bundle = read(tmp_path, archive("zip", files), "set.zip", HINTS)
    assert bundle.kind == "traces"
    assert bundle.counts() == {"runs": 1, "trajectories": 2, "turns": 2, "kernels": 1}
    joined, lost = (trajectory.turns[0] for trajectory in bundle.runs[0].trajectories)
    assert joined.kernel is not None
    assert joined.reported is not None
    assert joined.reported.speedup == 1.5
    assert lost.kernel is None
    assert lost.reported is not None
