"""The second pass gives exactly the kernels that the first one named; the examples are good."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.artifacts.answers import read_kernel
from evaluation.artifacts.bundle import Bundle, Hints, Refused, read_bundle, read_sources
from tests.evaluation.artifacts.uploads import (
    EXAMPLES,
    HINTS,
    answer,
    archive,
    conversation,
    feedback,
    line,
)

FORMS = ("zip", "tar.gz", "tar.zst")
FILES = ("kernel.cu", "turns.jsonl", "solutions.json", "traces.jsonl")
ANSWERS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=80) | st.builds(
    "text\n```{}\n{}\n```\n".format,
    st.sampled_from(["cpp", "cuda", "python"]),
    st.text(alphabet="ab \r\n`;", max_size=20),
)


def hashes(bundle: Bundle) -> set[str]:
    turns = [
        turn for run in bundle.runs for trajectory in run.trajectories for turn in trajectory.turns
    ]
    return {turn.kernel for turn in turns if turn.kernel} | {k.kernel for k in bundle.kernels}


def sources(path: Path, hints: Hints, wanted: set[str]) -> list[tuple[str, str]]:
    return list(read_sources(path, path.name, hints, wanted))


def check_passes(path: Path, hints: Hints = HINTS) -> set[str]:
    wanted = hashes(read_bundle(path, path.name, hints))
    found = sources(path, hints, wanted)
    assert len(found) == len(wanted)
    assert {sha for sha, _source in found} == wanted
    for sha, source in found:
        assert sha256(source.encode()).hexdigest() == sha
        assert read_kernel(source.encode(), "kernel.cu").sha256 == sha
    return wanted


def example_archive(form: str, folder: Path) -> Path:
    """The example directory as an archive."""
    top = EXAMPLES / "evaluation"
    files = {
        path.relative_to(EXAMPLES).as_posix(): path.read_bytes()
        for path in sorted(top.rglob("*.json"))
    }
    path = folder / f"evaluation.{form}"
    path.write_bytes(archive(form, files))
    return path


@pytest.mark.parametrize("name", FILES)
def test_example_is_understood_without_a_fault(name: str) -> None:
    bundle = read_bundle(EXAMPLES / name, name, HINTS)
    assert not bundle.problems
    check_passes(EXAMPLES / name)


@pytest.mark.parametrize("form", FORMS)
def test_example_directory_is_understood_in_each_archive(tmp_path: Path, form: str) -> None:
    path = example_archive(form, tmp_path)
    bundle = read_bundle(path, path.name, HINTS)
    assert {problem.severity for problem in bundle.problems} == {"note"}
    assert bundle.counts() == {"runs": 1, "trajectories": 2, "turns": 5, "kernels": 3}
    assert len(check_passes(path)) == 3


def test_examples_of_all_forms_hold_the_same_kernels(tmp_path: Path) -> None:
    of_turns = check_passes(EXAMPLES / "turns.jsonl")
    assert check_passes(example_archive("zip", tmp_path)) == of_turns
    assert check_passes(EXAMPLES / "kernel.cu") < of_turns
    assert check_passes(EXAMPLES / "solutions.json") < of_turns


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.lists(ANSWERS, min_size=1, max_size=6))
def test_both_passes_agree_on_any_answers(tmp_path: Path, texts: list[str]) -> None:
    exchanges = [part for text in texts for part in (answer(text), feedback())]
    path = tmp_path / "exp_000.json"
    path.write_bytes(conversation(*exchanges))
    check_passes(path)
    rows = "".join(line(turn=number, source=text) for number, text in enumerate(texts))
    (tmp_path / "turns.jsonl").write_text(rows, encoding="utf-8", newline="")
    check_passes(tmp_path / "turns.jsonl")


def test_only_wanted_sources_come_and_rows_left_out_are_not_wanted(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text(line() + line(turn=0, source="other") + line(turn=1, source="third"))
    wanted = hashes(read_bundle(path, path.name, HINTS))
    assert len(wanted) == 2
    (one,) = sources(path, HINTS, {min(wanted)})
    assert one[0] == min(wanted)
    assert not sources(path, HINTS, set())


def test_sources_come_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text(line() + '{"not": ')
    given_sources = read_sources(path, path.name, HINTS, {read_kernel(b"x", "").sha256})
    with pytest.raises(Refused):
        list(given_sources)
    first = next(read_sources(path, path.name, HINTS, _Everything()))
    assert first[1].startswith("__global__")


class _Everything:
    def __contains__(self, _sha: object) -> bool:
        return True


def test_report_is_plain_json() -> None:
    report = read_bundle(EXAMPLES / "turns.jsonl", "turns.jsonl", HINTS).report()
    assert json.loads(json.dumps(report)) == report
    assert report["kind"] == "turns"
    assert report["parts"][0]["kernels"] == report["kernels"] == 3
