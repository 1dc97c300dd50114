"""Whatever stands where something else is expected, a file is understood or refused."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.artifacts.bundle import Refused, read_bundle
from tests.evaluation.artifacts.uploads import (
    EXAMPLES,
    HINTS,
    answer,
    conversation,
    feedback,
    line,
    trace,
)

ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 10**30, 1.5, "", "x", "\u202e", [], [None], {}, {"a": {}}, [[]], ["x"]]
)
DOCUMENTS: dict[str, Any] = {
    "turns.jsonl": json.loads(line()),
    "traces.jsonl": trace(),
    "solutions.json": json.loads((EXAMPLES / "solutions.json").read_text()),
    "exp_000.json": json.loads(
        conversation(answer(), feedback(0, event="evaluation", traces=[trace()]))
    ),
}


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values inside a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, member in items:
        found.append((*path, key))
        if isinstance(member, dict | list):
            found += spots(member, (*path, key))
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("name", DOCUMENTS)
@given(data=st.data())
def test_odd_value_anywhere_is_understood_or_refused(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    document = copy.deepcopy(DOCUMENTS[name])
    *path, last = data.draw(st.sampled_from(spots(document)))
    parent = document
    for step in path:
        parent = parent[step]
    parent[last] = data.draw(ODD)
    (tmp_path / name).write_text(json.dumps(document))
    try:
        report = read_bundle(tmp_path / name, name, HINTS).report()
    except Refused as refused:
        report = refused.report()
    assert all(problem["line"] >= 1 for problem in report["problems"])
    json.dumps(report, allow_nan=False)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200), st.sampled_from(["x.zip", "x.json", "x.jsonl", "x.cu", "x"]))
def test_any_bytes_are_understood_or_refused(tmp_path: Path, content: bytes, name: str) -> None:
    (tmp_path / "upload").write_bytes(content)
    try:
        read_bundle(tmp_path / "upload", name, HINTS)
    except Refused as refused:
        assert refused.problems


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([b"PK\3\4", b"PK\5\6", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"]), st.binary())
def test_any_bytes_behind_an_archives_mark_are_refused(
    tmp_path: Path, mark: bytes, content: bytes
) -> None:
    (tmp_path / "upload").write_bytes(mark + content)
    with pytest.raises(Refused):
        read_bundle(tmp_path / "upload", "upload", HINTS)
