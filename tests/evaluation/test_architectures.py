"""Instruction families, on opcodes that the pinned disassembler printed."""

import pytest

from evaluation.architectures import ARCHITECTURES, HARDWARE, REPORTED_HARDWARE

HOPPER = {
    "HGMMA.64x64x16.F32.BF16": "wgmma",
    "HGMMA.SP.64x8x32.F32.BF16": "wgmma",
    "HGMMA.64x8x8.F32.TF32": "wgmma",
    "QGMMA.64x8x32.F32.E4M3.E4M3": "wgmma",
    "IGMMA.64x8x32.S8.S8": "wgmma",
    "BGMMA.64x8x256.AND.POPC": "wgmma",
    "BMMA.168256.AND.POPC": "mma_sync",
}
BLACKWELL = {
    "UTCHMMA": "tcgen05",
    "UTCHMMA.2CTA": "tcgen05",
    "UTCHMMA.WS": "tcgen05",
    "UTCQMMA": "tcgen05",
    "UTCIMMA": "tcgen05",
    "UTCOMMA.4X": "tcgen05",
    "LDTM.x8": "tmem",
    "STTM": "tmem",
}
BOTH = {
    "UTMALDG.2D": "tma",
    "UTMALDG.2D.MULTICAST": "tma",
    "UTMALDG.4D.IM2COL": "tma",
    "UTMASTG.2D": "tma",
    "UTMAREDG.2D.ADD": "tma",
    "HMMA.16816.F32.BF16": "mma_sync",
    "HMMA.1688.F32.TF32": "mma_sync",
    "IMMA.16832.S8.S8": "mma_sync",
    "DMMA.8x8x4": "mma_sync",
}
NEITHER = (
    # A multiply-add pair that the compiler uses to load constants: no tensor instruction.
    "HFMA2.MMA",
    "FFMA",
    "IMAD.MOV.U32",
    # Hints, flushes and waits of the same units, which move and multiply nothing.
    "UTMAPF.L2.2D",
    "UTMACCTL.PF",
    "UTMACMDFLUSH",
    "WARPGROUP.ARRIVE",
    "WARPGROUP.DEPBAR.LE",
    "UTCBAR",
    "UTCATOMSWS.FIND_AND_SET.ALIGN",
    "UTCCP.T.S",
    "UTCSHIFT.DOWN",
    # Bulk copies without a tensor map, and the older asynchronous copy.
    "UBLKCP.S.G",
    "UBLKRED.G.S.ADD",
    "LDGSTS.E.BYPASS.128",
    "",
    "hgmma.64x64x16",
)

EXPECTED = [
    *(("hopper", opcode, family) for opcode, family in (HOPPER | BOTH).items()),
    *(("blackwell", opcode, family) for opcode, family in (BLACKWELL | BOTH).items()),
    *((slug, opcode, None) for slug in ARCHITECTURES for opcode in NEITHER),
    *(("hopper", opcode, None) for opcode in BLACKWELL),
    *(("blackwell", opcode, None) for opcode in HOPPER if "GMMA" in opcode),
]


@pytest.mark.parametrize(("architecture", "opcode", "expected"), EXPECTED)
def test_an_opcode_belongs_to_one_family_or_none(architecture, opcode, expected):
    families = [f.slug for f in ARCHITECTURES[architecture].families if f.matches(opcode)]
    assert families == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("slug", "decides", "gencode"),
    [
        ("hopper", "wgmma", "arch=compute_90a,code=sm_90a"),
        ("blackwell", "tcgen05", "arch=compute_100a,code=sm_100a"),
    ],
)
def test_each_architecture_has_one_deciding_family_and_its_own_target(slug, decides, gencode):
    architecture = ARCHITECTURES[slug]
    assert [family.slug for family in architecture.families if family.decides] == [decides]
    assert architecture.mma_family.slug == decides
    assert architecture.mma_family.target
    assert architecture.gencode == gencode


def test_older_tensor_instructions_are_no_target():
    for architecture in ARCHITECTURES.values():
        targets = {family.slug for family in architecture.families if family.target}
        assert targets in ({"wgmma", "tma"}, {"tcgen05", "tmem", "tma"})


def test_hardware_belongs_to_known_architectures():
    assert {hardware.architecture for hardware in HARDWARE.values()} == set(ARCHITECTURES)
    assert set(REPORTED_HARDWARE) == set(ARCHITECTURES)
    for slug, hardware in REPORTED_HARDWARE.items():
        assert HARDWARE[hardware].architecture == slug
