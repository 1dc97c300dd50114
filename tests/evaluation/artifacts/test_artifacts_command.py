"""The command line gives the same answer as page and API."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.artifacts.__main__ import main
from evaluation.artifacts.bundle import read_bundle
from tests.evaluation.artifacts.uploads import EXAMPLES, HINTS, NO_HINTS, TASK, line

OPTIONS = ["--model", "My model", "--task", TASK, "--arch", "hopper"]


@pytest.mark.parametrize("name", ["kernel.cu", "turns.jsonl", "solutions.json", "traces.jsonl"])
def test_json_is_the_report(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(EXAMPLES / name), *OPTIONS, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == read_bundle(EXAMPLES / name, name, HINTS).report()


def test_people_get_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text(line() + line(task="no"))
    assert main([str(path)]) == 0
    first, part, error = capsys.readouterr().out.splitlines()
    assert first == "Understood (turns): 1 runs, 1 trajectories, 1 turns, 1 kernels."
    assert part == f"  My model, {TASK}, hopper: 1 trajectories, 1 turns, 1 kernels"
    assert error.startswith("turns.jsonl:2: error: unknown task 'no'")


def test_refusal_ends_with_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "empty.cu"
    path.touch()
    assert main([str(path), "--json"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert (report["kind"], report["turns"]) == ("", 0)
    assert report["problems"][0]["file"] == "empty.cu"
    assert main([str(tmp_path / "missing")]) == 2
    assert "cannot be read" in capsys.readouterr().out


def test_name_may_differ_from_the_stored_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "0f3a"
    path.write_text(line())
    assert main([str(path), "--name", "mine.jsonl", "--json"]) == 0
    path.write_text("[]")
    assert main([str(path), "--name", "mine.jsonl"]) == 2
    assert "mine.jsonl:1: error" in capsys.readouterr().out


def test_it_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "evaluation.artifacts", str(EXAMPLES / "turns.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "5 turns, 3 kernels" in done.stdout
    assert read_bundle(EXAMPLES / "turns.jsonl", "turns.jsonl", NO_HINTS).kind == "turns"
