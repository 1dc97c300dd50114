"""What a task asks of a kernel, in words and numbers."""

import pytest
from django.utils.translation import override

from evaluation.tasks import load_catalog
from leaderboard.quantities import milliseconds, quantity, short_number, three_digits, whole
from leaderboard.roofline import PEAKS, roofs
from leaderboard.task_sheet import task_sheet


def test_arguments_come_in_kernel_order_with_their_sizes():
    sheet = task_sheet(load_catalog()["gemm_n7168_k5120"])
    found = [
        (line.position, line.tensor.name, line.is_output, line.sizes) for line in sheet.tensors
    ]
    assert found == [
        (1, "A", False, (8192, 5120)),
        (2, "B", False, (7168, 5120)),
        (3, "C", True, (8192, 7168)),
    ]


def test_gemm_arithmetic_and_traffic():
    sheet = task_sheet(load_catalog()["gemm_n7168_k5120"])
    published = next(line for line in sheet.workloads if line.workload.published)
    assert published.flops == "601 GFLOP"  # 2 · 8192 · 7168 · 5120
    assert published.moved == "275 MB"
    assert sheet.baseline == "cuBLAS"
    assert sheet.formula == "2·M·N·K"


def test_the_roof_of_the_gemm_is_arithmetic():
    flops, moved = 2 * 8192 * 7168 * 5120, 274_726_912
    roof = {one.hardware: one for one in roofs(flops, moved)}
    assert roof["h100"].compute_bound
    assert roof["h100"].seconds == pytest.approx(flops / 989e12)
    assert set(roof) == set(PEAKS)
    assert not roofs(1, moved)[0].compute_bound


def test_a_task_without_definition_has_workloads_only():
    sheet = task_sheet(load_catalog()["gqa_paged_decode_h24_kv8_d128_ps1"])
    assert sheet.tensors == sheet.roofs == ()
    assert sheet.baseline is None
    assert [(line.flops, line.moved) for line in sheet.workloads] == [(None, None)]


def test_every_task_has_a_sheet():
    for task in load_catalog().values():
        assert len(task_sheet(task).roofs) == (len(PEAKS) if task.defined else 0)


def test_quantities_have_three_digits():
    assert quantity(0, "B") == "0.000 B"
    assert quantity(999, "B") == "999 B"
    assert quantity(1e15, "FLOP/s") == "1.00 PFLOP/s"
    assert milliseconds(0.000608) == "0.608 ms"
    assert [three_digits(v) for v in (9.996, 99.96, 1278.4)] == ["10.0", "100", "1278"]
    assert [short_number(p) for p in (0.25, 0.5, 1.0)] == ["0.25", "0.5", "1"]


def test_numbers_follow_the_language():
    with override("es"):
        assert quantity(32.3e9, "FLOP") == "32,3 GFLOP"
        assert short_number(0.25) == "0,25"
        assert whole(16311) != "16,311"
