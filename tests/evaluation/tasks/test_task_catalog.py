"""The catalog as shipped: names, order, interfaces, workloads and selectors."""

import csv
import os
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

from evaluation.tasks import (
    CORE_TASKS,
    FAMILIES,
    Task,
    UnknownTask,
    load_catalog,
    select_tasks,
)

PUBLISHED = {
    "gemm_n7168_k5120": "94920358-01a8-4c5b-9209-3103fd490e94",
    "mha_with_lse_d128": "bc38b351-d595-451b-9153-8e225702e53b",
    "mha_with_lse_d128_causal": "6d2f67a7-225a-4af5-87d3-cbb99b496325",
    "mha_bwd_d128": "38c3b07c-f006-5f5e-9860-ba214c805a6b",
    "mha_bwd_d128_causal": "c119b3f0-c051-5e96-9c2a-2268d992fe1a",
    "mha_with_lse_d64": "7d2575a0-bcc2-42a0-812f-6a7e9a57d97f",
    "mha_with_lse_d64_causal": "b69f7675-568f-40f2-9a4b-8bbe374b4a59",
    "mha_with_lse_d96": "e86112ff-2cd0-4e97-8efb-9ce6356ecb2b",
    "mha_with_lse_d96_causal": "982c9922-961f-452f-ab9e-574fdcd4e28c",
    "mha_bwd_d64": "d3bcb902-6a13-5ada-9251-fa841b10cd0b",
    "mha_bwd_d64_causal": "5799ea50-77aa-56cb-9f62-a4c1f5473770",
    "mha_bwd_d96": "082481a9-4a67-5c62-8093-560bb80e4c24",
    "mha_bwd_d96_causal": "3a45eb5c-3362-5705-bd42-80324d26a471",
    "gqa_paged_decode_h24_kv8_d128_ps1": "12e644fb-9783-46be-9763-f69561dfc700",
    "gqa_paged_prefill_causal_h24_kv8_d128_ps1": "2bcc7cdd-53db-4da4-844f-07ff4f3439b6",
    "gqa_ragged_prefill_causal_h32_kv4_d128": "007ddabb-3c8c-48a1-a693-c0618d32243c",
}
"""PTXBench's published workloads, in the catalog's display order."""

LENGTHS = [512, 1024, 2048, 4096, 8192, 16384]


def published_pairs() -> set[tuple[str, str]]:
    """(definition, workload) of the table above and, where the data is at hand, of PTXBench's."""
    pairs = set(PUBLISHED.items())
    root = Path(__file__).parents[3]
    folder = root / os.environ.get("PTXBENCH_PUBLISHED", "../shared/ptxbench-published")
    if folder.exists() or "PTXBENCH_PUBLISHED" in os.environ:
        with (folder / "experiments.csv").open(newline="") as file:
            pairs |= {(row["definition"], row["workload"]) for row in csv.DictReader(file)}
    return pairs


def tasks_of(*families: str) -> list[Task]:
    return [task for task in load_catalog().values() if task.family in families]


def test_display_order_is_core_then_families() -> None:
    catalog = load_catalog()
    assert list(catalog) == list(PUBLISHED)
    assert tuple(catalog)[:5] == CORE_TASKS
    assert [name for name, task in catalog.items() if task.core] == list(CORE_TASKS)
    assert {task.family for task in catalog.values()} == set(FAMILIES)


def test_every_published_workload_is_known() -> None:
    catalog = load_catalog()
    ours = {(name, task.published_workload.uuid) for name, task in catalog.items()}
    assert ours == published_pairs()


def test_catalog_is_cached_and_read_only() -> None:
    catalog = load_catalog()
    assert catalog is load_catalog()
    with pytest.raises(TypeError):
        catalog["new"] = catalog["mha_bwd_d128"]  # type: ignore[index]


def test_gemm_interface() -> None:
    task = load_catalog()["gemm_n7168_k5120"]
    assert task.title == "GEMM 7168×5120"
    assert [(axis.name, axis.size) for axis in task.axes] == [
        ("M", None),
        ("N", 7168),
        ("K", 5120),
    ]
    assert [(t.name, t.shape, t.dtype) for t in (*task.inputs, *task.outputs)] == [
        ("A", ("M", "K"), "bfloat16"),
        ("B", ("N", "K"), "bfloat16"),
        ("C", ("M", "N"), "bfloat16"),
    ]
    assert task.causal is None
    assert task.published_workload.axes == {"M": 8192}
    assert [workload.axes["M"] for workload in task.workloads] == [256, 2048, 8192]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dim", [64, 96, 128])
def test_forward_interface(dim: int, causal: bool) -> None:
    task = load_catalog()[f"mha_with_lse_d{dim}" + "_causal" * causal]
    assert task.title == f"Attention forward, d={dim}" + ", causal" * causal
    assert (task.family, task.causal) == ("forward", causal)
    assert {axis.name: axis.size for axis in task.axes} == {"B": 4, "H": 48, "D": dim, "S": None}
    full = ("B", "H", "S", "D")
    assert [(t.name, t.shape, t.dtype) for t in (*task.inputs, *task.outputs)] == [
        ("Q", full, "bfloat16"),
        ("K", full, "bfloat16"),
        ("V", full, "bfloat16"),
        ("O", full, "bfloat16"),
        ("LSE", full[:3], "float32"),
    ]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dim", [64, 96, 128])
def test_backward_interface(dim: int, causal: bool) -> None:
    task = load_catalog()[f"mha_bwd_d{dim}" + "_causal" * causal]
    assert task.title == f"Attention backward, d={dim}" + ", causal" * causal
    assert (task.family, task.causal) == ("backward", causal)
    assert {axis.name: axis.size for axis in task.axes} == {"B": 4, "H": 48, "d": dim, "S": None}
    full = ("B", "H", "S", "d")
    assert [t.name for t in task.inputs] == ["Q", "K", "V", "O", "dO", "L"]
    assert [t.name for t in task.outputs] == ["dQ", "dK", "dV"]
    for tensor in (*task.inputs, *task.outputs):
        expected = (full[:3], "float32") if tensor.name == "L" else (full, "bfloat16")
        assert (tensor.shape, tensor.dtype) == expected


def test_attention_workloads_follow_their_uuid_scheme() -> None:
    schemes = {"forward": "ptxbench-leaderboard", "backward": "accrl"}
    for task in tasks_of(*schemes):
        assert [workload.axes for workload in task.workloads] == [{"S": s} for s in LENGTHS]
        assert task.published_workload.axes == {"S": 4096}
        for workload in task.workloads:
            if workload.published and task.family == "forward":
                continue  # PTXBench drew these at random; the table above holds them
            url = f"{schemes[task.family]}://{task.name}/S={workload.axes['S']}"
            assert workload.uuid == str(uuid5(NAMESPACE_URL, url))


def test_gemm_workloads_follow_their_uuid_scheme() -> None:
    task = load_catalog()["gemm_n7168_k5120"]
    for workload in task.workloads[:2]:
        url = f"ptxbench-leaderboard://{task.name}/M={workload.axes['M']}"
        assert workload.uuid == str(uuid5(NAMESPACE_URL, url))


def test_gqa_tasks_are_listed_without_definition() -> None:
    decode, paged, ragged = tasks_of("gqa")
    assert decode.title == "GQA paged decode"
    assert [task.causal for task in (decode, paged, ragged)] == [None, True, True]
    for task in (decode, paged, ragged):
        assert not task.defined
        assert task.definition_json is None
        assert task.definition_sha256 is None
        assert (task.axes, task.inputs, task.outputs, task.reference) == ((), (), (), "")
        assert task.description
    assert decode.published_workload.axes == {
        "batch_size": 15,
        "num_pages": 42784,
        "len_indptr": 16,
        "num_kv_indices": 9625,
    }
    assert ragged.published_workload.label == "len_indptr=34, total_q=16294, total_kv=16294"


def test_definition_json_is_a_copy_and_hashed_in_order() -> None:
    task = load_catalog()["mha_bwd_d128"]
    definition = task.definition_json
    assert definition is not None
    assert list(definition["inputs"]) == ["Q", "K", "V", "O", "dO", "L"]
    definition["inputs"].clear()
    assert task.definition_json != definition
    hashes = [each.definition_sha256 for each in load_catalog().values() if each.defined]
    assert len(set(hashes)) == len(hashes) == 13
    assert all(digest is not None and len(digest) == 64 for digest in hashes)


def test_selectors() -> None:
    assert select_tasks("core") == CORE_TASKS
    assert select_tasks("gemm") == ("gemm_n7168_k5120",)
    assert select_tasks("forward") == ("mha_with_lse_d128", "mha_with_lse_d128_causal")
    assert select_tasks("backward") == ("mha_bwd_d128", "mha_bwd_d128_causal")
    for name in load_catalog():
        assert select_tasks(name) == (name,)


@pytest.mark.parametrize("selector", ["", "Core", "gqa", "mha_with_lse_d256"])
def test_unknown_selector_lists_the_known_ones(selector: str) -> None:
    with pytest.raises(UnknownTask) as caught:
        select_tasks(selector)
    for known in ("core", "gemm", "forward", "backward", *load_catalog()):
        assert f" {known}" in str(caught.value)


def test_sizes_and_shapes() -> None:
    task = load_catalog()["mha_with_lse_d96"]
    full = {"B": 4, "H": 48, "D": 96, "S": 512}
    assert task.sizes({"S": 512}) == full
    assert task.sizes(full) == full
    assert task.shape(task.outputs[1], {"S": 512}) == (4, 48, 512)


@pytest.mark.parametrize(
    ("axes", "problem"),
    [
        ({}, "needs a positive size for axis S"),
        ({"S": 0}, "needs a positive size for axis S"),
        ({"S": 512, "B": 8}, "has B=4, not 8"),
        ({"S": 512, "d": 96}, "has no axis d"),
    ],
)
def test_wrong_sizes_are_refused(axes: dict[str, int], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        load_catalog()["mha_with_lse_d96"].sizes(axes)


def test_workload_by_uuid() -> None:
    task = load_catalog()["mha_bwd_d64"]
    assert task.workload(PUBLISHED["mha_bwd_d64"]) == task.published_workload
    with pytest.raises(KeyError):
        task.workload(PUBLISHED["mha_bwd_d96"])
