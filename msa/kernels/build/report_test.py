"""What the resource gate reads: opcodes, spills, and the advisories that ptxas gives."""

import pytest

from msa.kernels.build import report


@pytest.mark.parametrize(
    "said, codes",
    [
        ("", []),
        ("ptxas info    : Used 128 registers, used 1 barriers", []),
        (
            "ptxas info    : (C7517) wgmma.wait_group is injected in around line 1532 by compiler\n"
            "ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are "
            "serialized due to insufficient register resources for the wgmma pipeline",
            ["C7511", "C7517"],
        ),
    ],
)
def test_advisories(said, codes):
    assert report.advisories(said) == codes


@pytest.mark.parametrize(
    "opcode, family",
    [
        ("HGMMA.64x128x16.F32.BF16", "wgmma"),
        ("UTCHMMA", "tcgen05_mma"),
        ("LDTM.x32", "tmem_load"),
        ("STTM.x32", "tmem_store"),
        ("UBLKCP.S.G", "bulk_load"),
        ("UTMALDG.4D", "bulk_load"),
        ("UTMASTG.3D", "bulk_store"),
        ("UBLKRED.G.S.ADD.U64", "bulk_reduce"),
        ("UTMAREDG.3D.ADD", "bulk_reduce"),
        ("USETMAXREG.DEALLOC.CTAPOOL", "setmaxnreg"),
        ("LDG.E.128", "global_load_128"),
        ("LDG.E.128.CONSTANT", "global_load_128"),
        ("STG.E.128", "global_store_128"),
        ("STG.E.EF.128", "global_store_128"),
        ("MATCH.ANY", "match"),
        ("LDL.LU", "local"),
        ("STL.64", "local"),
    ],
)
@pytest.mark.parametrize("guard", ["", "@P0 ", "@!PT ", "@UP1 "])
def test_instruction_families(opcode, family, guard):
    line = f"        /*01f0*/              {guard}{opcode} R4, R8 ;     /* 0x00000a00ff017b82 */\n"
    assert report.count_instructions(line) == {"all": 1, family: 1}


@pytest.mark.parametrize(
    "opcode", ["HMMA.16816.F32", "LDG.E.64", "LDS.128", "STG.E.64", "STS.128", "FFMA"]
)
def test_other_instructions_are_of_no_family(opcode):
    line = f"        /*01f0*/                   {opcode} R4, R8 ;     /* 0x00000a00ff017b82 */\n"
    assert report.count_instructions(line) == {"all": 1}
