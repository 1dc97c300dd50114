"""A broken catalog is refused with the file and the JSON path of what is wrong."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evaluation.tasks
from evaluation.tasks import CatalogError, load_catalog, read_catalog

GEMM = "definitions/gemm_n7168_k5120.json"
GEMM_LINES = "workloads/gemm_n7168_k5120.jsonl"
GQA_LINES = "workloads/gqa_ragged_prefill_causal_h32_kv4_d128.jsonl"
UUID = "94920358-01a8-4c5b-9209-3103fd490e94"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the catalog's files, to be broken."""
    source = Path(evaluation.tasks.__file__).parent
    for part in ("definitions", "workloads"):
        shutil.copytree(source / part, tmp_path / part)
    shutil.copy(source / "catalog.json", tmp_path)
    return tmp_path


def edit(file: Path, change: Callable[[Any], object]) -> None:
    """Rewrite a JSON file, or a JSON Lines file as a list, after `change` altered it."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".json":
        document = json.loads(text)
        change(document)
        file.write_text(json.dumps(document), encoding="utf-8")
    else:
        lines = [json.loads(line) for line in text.splitlines()]
        change(lines)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def refusal(folder: Path) -> str:
    with pytest.raises(CatalogError) as caught:
        read_catalog(folder)
    return str(caught.value)


def set_reference(source: str) -> Callable[[Any], object]:
    return lambda document: document.update(reference=source)


def test_an_intact_copy_is_accepted(folder: Path) -> None:
    assert read_catalog(folder) == load_catalog()


CATALOG_CASES: list[tuple[Callable[[Any], object], str]] = [
    (lambda c: c.update(version=1), "$: has unknown fields: version"),
    (lambda c: c.update(tasks={}), "$.tasks: must be an array"),
    (lambda c: c["tasks"].reverse(), "$.tasks: must start with the core tasks"),
    (lambda c: c["tasks"].pop(0), "$.tasks: must start with the core tasks"),
    (lambda c: c["tasks"].append(c["tasks"][5]), "$.tasks[16]: repeats the name mha_with_lse_d64"),
    (lambda c: c["tasks"][0].pop("title"), "$.tasks[0]: lacks title"),
    (lambda c: c["tasks"][0].update(title=" "), "$.tasks[0].title: must be a non-empty string"),
    (lambda c: c["tasks"][1].update(title="GEMM 7168×5120"), "$.tasks[1]: repeats the title"),
    (lambda c: c["tasks"][0].update(family="conv"), "$.tasks[0].family: must be one of gemm, "),
    (lambda c: c["tasks"][0].update(causal=False), "$.tasks[0].causal: must be null for a GEMM"),
    (lambda c: c["tasks"][1].update(causal=None), "$.tasks[1].causal: must be true or false"),
    (lambda c: c["tasks"][1].update(causal="no"), "$.tasks[1].causal: must be true, false or null"),
    (
        lambda c: c["tasks"][0].update(description="A product."),
        "$.tasks[0].description: is only for tasks without a definition",
    ),
]


@pytest.mark.parametrize(("change", "problem"), CATALOG_CASES)
def test_broken_catalog(folder: Path, change: Callable[[Any], object], problem: str) -> None:
    edit(folder / "catalog.json", change)
    assert f"catalog.json: {problem}" in refusal(folder)


DEFINITION_CASES: list[tuple[Callable[[Any], object], str]] = [
    (lambda d: d.pop("op_type"), "$: lacks op_type"),
    (lambda d: d.update(family="gemm"), "$: has unknown fields: family"),
    (lambda d: d.update(name="gemm"), "$.name: must be one of gemm_n7168_k5120"),
    (lambda d: d.update(axes={}), "$.axes: must not be empty"),
    (lambda d: d["axes"].update(N=7168), "$.axes.N: must be an object"),
    (lambda d: d["axes"]["N"].update(type="fixed"), "$.axes.N.type: must be one of const, var"),
    (lambda d: d["axes"]["N"].pop("type"), "$.axes.N.type: must be one of const, var"),
    (lambda d: d["axes"]["N"].pop("value"), "$.axes.N: lacks value"),
    (lambda d: d["axes"]["N"].update(value=0), "$.axes.N.value: must be a positive integer"),
    (lambda d: d["axes"]["N"].update(value=True), "$.axes.N.value: must be a positive integer"),
    (lambda d: d["axes"]["N"].update(value=1.5), "$.axes.N.value: must be a positive integer"),
    (lambda d: d["axes"]["M"].update(value=1), "$.axes.M: has unknown fields: value"),
    (lambda d: d["axes"].update(Z={"type": "var"}), "$.axes: variable axis Z is in no input"),
    (lambda d: d.update(inputs=[]), "$.inputs: must be an object"),
    (lambda d: d.update(outputs={}), "$.outputs: must not be empty"),
    (lambda d: d["inputs"]["A"].update(shape=["M", "Z"]), "$.inputs.A.shape[1]: must be one of"),
    (lambda d: d["inputs"]["A"].update(shape=None), "$.inputs.A.shape: must be an array"),
    (lambda d: d["outputs"]["C"].update(dtype="bf16"), "$.outputs.C.dtype: must be one of"),
    (lambda d: d.update(outputs={"A": d["inputs"]["A"]}), "$.outputs: names inputs again: A"),
    (lambda d: d.update(tags=["core", ""]), "$.tags[1]: must be a non-empty string"),
    (lambda d: d.update(constraints=["N ="]), "$.constraints[0]: is not a Python expression"),
    (set_reference("def run(A, B"), "$.reference: is not valid Python"),
    (set_reference("def main(A, B): ..."), "$.reference: must define one top-level function run"),
    (set_reference("def run(B, A): ..."), "$.reference: run takes B, A, not the inputs"),
]


@pytest.mark.parametrize(("change", "problem"), DEFINITION_CASES)
def test_broken_definition(folder: Path, change: Callable[[Any], object], problem: str) -> None:
    edit(folder / GEMM, change)
    assert f"{GEMM}: {problem}" in refusal(folder)


def test_definition_without_the_axes_of_its_family(folder: Path) -> None:
    file = folder / GEMM
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"K"', '"L"'), encoding="utf-8")
    assert f"{GEMM}: $.axes: lacks K" in refusal(folder)


WORKLOAD_CASES: list[tuple[str, Callable[[Any], object], str]] = [
    (GEMM_LINES, lambda lines: lines.clear(), ": $: must have at least one line"),
    (GEMM_LINES, lambda lines: lines.pop(2), f":1: $: no line holds the published workload {UUID}"),
    (GEMM_LINES, lambda lines: lines[0].pop("solution"), ":1: $: lacks solution"),
    (GEMM_LINES, lambda lines: lines[1].update(solution="x"), ":2: $.solution: must be null"),
    (GEMM_LINES, lambda lines: lines[0].update(definition="x"), ":1: $.definition: must be one of"),
    (
        GEMM_LINES,
        lambda lines: lines[1]["workload"].update(uuid=UUID.upper()),
        ":2: $.workload.uuid: must be a UUID in lower case",
    ),
    (
        GEMM_LINES,
        lambda lines: lines[1]["workload"].update(uuid=UUID),
        f":3: $: repeats uuid {UUID}",
    ),
    (
        GEMM_LINES,
        lambda lines: lines[1]["workload"].update(axes={"M": 256}),
        ":2: $: repeats the sizes M=256",
    ),
    (
        GEMM_LINES,
        lambda lines: lines[0]["workload"].update(axes={"M": "256"}),
        ":1: $.workload.axes.M: must be a positive integer",
    ),
    (
        GEMM_LINES,
        lambda lines: lines[0]["workload"]["axes"].update(N=7168),
        ":1: $.workload.axes: has unknown fields: N",
    ),
    (
        GEMM_LINES,
        lambda lines: lines[0]["workload"]["inputs"].pop("B"),
        ":1: $.workload.inputs: lacks B",
    ),
    (
        GEMM_LINES,
        lambda lines: lines[0]["workload"]["inputs"]["A"].update(type="zeros"),
        ":1: $.workload.inputs.A.type: must be one of random",
    ),
    (
        GQA_LINES,
        lambda lines: lines[0]["workload"].update(inputs={"q": {"type": "random"}}),
        ":1: $.workload.inputs: has unknown fields: q",
    ),
]


@pytest.mark.parametrize(("file", "change", "problem"), WORKLOAD_CASES)
def test_broken_workloads(
    folder: Path, file: str, change: Callable[[Any], object], problem: str
) -> None:
    edit(folder / file, change)
    assert f"{file}{problem}" in refusal(folder)


def test_uuid_shared_by_two_tasks(folder: Path) -> None:
    lines = "workloads/mha_with_lse_d128.jsonl"
    edit(folder / lines, lambda lines: lines[0]["workload"].update(uuid=UUID))
    assert f"catalog.json: $.tasks[1]: shares workload {UUID}" in refusal(folder)


@pytest.mark.parametrize("name", [GEMM, GEMM_LINES, "catalog.json"])
def test_missing_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert f"{name}: $: cannot be read" in refusal(folder)


@pytest.mark.parametrize("text", ["{", "", '{"a": NaN}', '{"name": "a", "name": "b"}', "[1] [2]"])
def test_invalid_json(folder: Path, text: str) -> None:
    (folder / GEMM).write_text(text, encoding="utf-8")
    assert f"{GEMM}: $: is not valid JSON" in refusal(folder)


def test_text_that_is_not_utf8(folder: Path) -> None:
    (folder / GEMM).write_bytes(b"\xff")
    assert f"{GEMM}: $: cannot be read" in refusal(folder)


@pytest.mark.parametrize("name", ["definitions/extra.json", "workloads/extra.jsonl"])
def test_leftover_file(folder: Path, name: str) -> None:
    (folder / name).write_text("{}", encoding="utf-8")
    assert f"{name}: $: is not listed in catalog.json" in refusal(folder)
