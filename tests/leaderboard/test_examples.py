"""The examples that the submit page offers are what the readers accept."""

import json
from pathlib import Path

import pytest

from evaluation.artifacts.bundle import Hints, read_bundle
from leaderboard.examples import LONGEST_TEXT, example_file, examples

KINDS = {
    "turns": "turns",
    "evaluation": "ptxbench",
    "solutions": "solutions",
    "traces": "traces",
    "kernel": "kernel",
}


@pytest.mark.parametrize("name", KINDS)
def test_each_can_be_handed_in_as_it_is(tmp_path: Path, name: str) -> None:
    example = next(one for one in examples() if one.name == name)
    path = tmp_path / example.download
    path.write_bytes(example_file(example.download))
    # Only the single kernel needs the form, and its example says so.
    hints = Hints(task="gemm_n7168_k5120", architecture="hopper") if example.hints else Hints()
    bundle = read_bundle(path, example.download, hints)
    assert bundle.kind == KINDS[name]
    assert bundle.counts()["kernels"]
    assert [p for p in bundle.problems if p.severity == "error"] == []


def test_excerpts_are_short_and_still_of_the_form_they_show() -> None:
    shown = {example.name: example.text for example in examples()}
    assert all(len(json.loads(line)) > 3 for line in shown["turns"].splitlines())
    longest = max(len(line) for line in shown["solutions"].splitlines())
    assert longest < LONGEST_TEXT * 2


def test_an_archive_is_the_same_bytes_each_time() -> None:
    example_file.cache_clear()
    first = example_file("evaluation.zip")
    example_file.cache_clear()
    assert example_file("evaluation.zip") == first
