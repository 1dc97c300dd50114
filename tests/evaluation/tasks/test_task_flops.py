"""FLOPs and bytes against figures worked out by hand."""

import pytest

from evaluation.tasks import flops_formula, load_catalog, matmul_flops, minimum_bytes

# 4·48 heads; one head of S=4096, d=128 in bf16 is 1 MiB, its LSE 16 KiB.
HEADS, MIB, KIB = 192, 2**20, 2**10


@pytest.mark.parametrize(
    ("name", "axes", "flops"),
    [
        ("gemm_n7168_k5120", {"M": 1}, 73_400_320),
        ("gemm_n7168_k5120", {"M": 8192}, 601_295_421_440),
        ("mha_with_lse_d128", {"S": 4096}, 1_649_267_441_664),
        ("mha_with_lse_d128_causal", {"S": 4096}, 824_835_047_424),
        ("mha_with_lse_d64", {"S": 2}, 4 * HEADS * 64 * 4),
        ("mha_with_lse_d64_causal", {"S": 2}, 4 * HEADS * 64 * 3),
        ("mha_bwd_d128", {"S": 4096}, 4_123_168_604_160),
        ("mha_bwd_d128_causal", {"S": 4096}, 2_062_087_618_560),
        ("mha_bwd_d96", {"S": 3}, 10 * HEADS * 96 * 9),
        ("mha_bwd_d96_causal", {"S": 3}, 10 * HEADS * 96 * 6),
        ("gqa_paged_decode_h24_kv8_d128_ps1", {"batch_size": 15}, None),
    ],
)
def test_matmul_flops(name: str, axes: dict[str, int], flops: int | None) -> None:
    assert matmul_flops(load_catalog()[name], axes) == flops


@pytest.mark.parametrize(
    ("name", "axes", "size"),
    [
        # A 80 MiB, B 70 MiB, C 112 MiB.
        ("gemm_n7168_k5120", {"M": 8192}, 262 * MIB),
        ("mha_with_lse_d128", {"S": 4096}, HEADS * (4 * MIB + 16 * KIB)),
        ("mha_with_lse_d64_causal", {"S": 4096}, HEADS * (2 * MIB + 16 * KIB)),
        ("mha_bwd_d128", {"S": 4096}, HEADS * (8 * MIB + 16 * KIB)),
        ("mha_bwd_d128", {"S": 16384}, 4 * HEADS * (8 * MIB + 16 * KIB)),
        ("gqa_ragged_prefill_causal_h32_kv4_d128", {"total_q": 16294}, None),
    ],
)
def test_minimum_bytes(name: str, axes: dict[str, int], size: int | None) -> None:
    assert minimum_bytes(load_catalog()[name], axes) == size


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("gemm_n7168_k5120", "2·M·N·K"),
        ("mha_with_lse_d128", "4·B·H·d·S²"),
        ("mha_with_lse_d128_causal", "4·B·H·d·S·(S+1)/2"),
        ("mha_bwd_d64", "10·B·H·d·S²"),
        ("mha_bwd_d64_causal", "10·B·H·d·S·(S+1)/2"),
        ("gqa_paged_decode_h24_kv8_d128_ps1", ""),
    ],
)
def test_flops_formula(name: str, formula: str) -> None:
    assert flops_formula(load_catalog()[name]) == formula


def test_constant_axes_may_be_repeated_but_not_contradicted() -> None:
    task = load_catalog()["mha_bwd_d128"]
    stated = {"B": 4, "H": 48, "S": 512, "d": 128}
    assert matmul_flops(task, stated) == matmul_flops(task, {"S": 512})
    with pytest.raises(ValueError, match="has B=4, not 2"):
        matmul_flops(task, stated | {"B": 2})
    with pytest.raises(ValueError, match="needs a positive size"):
        minimum_bytes(task, {})
