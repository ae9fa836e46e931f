"""What the resource gate reads: opcodes, spills, and the advisories that ptxas gives."""

import pytest

from msa.kernels.runtime import report


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


@pytest.mark.parametrize("size", ["128", "%r9"])
def test_columns_of_tensor_memory(size):
    alloc = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32"
    ptx = f"mov.b32 \t%r9, 64;\nmov.b32 \t%r9, 128;\n{alloc} \t[%r2], {size};\nmov.b32 \t%r9, 32;\n"
    assert report.tmem_columns(ptx) == 128
    assert report.tmem_columns(ptx + ptx) == 256
    assert report.tmem_columns("ret;") == 0


def test_shared_memory_of_launches():
    config = "!llvm.ptr, !llvm.struct<(array<3 x i32>, array<3 x i32>, i64, ptr, ptr, i32)>"
    launches = [
        f"""
        %25 = llvm.mlir.constant({size} : i64) : i64
        %197 = llvm.getelementptr %191[0, 2] : (!llvm.ptr) -> {config}
        llvm.store %25, %197 : i64, !llvm.ptr
        %198 = llvm.getelementptr %191[0, 0, 0] : (!llvm.ptr) -> {config}
        llvm.store %23, %198 : i32, !llvm.ptr
        """
        for size in (1024, 231764, 0)
    ]
    assert report.launch_shared_bytes("".join(launches)) == 231764
    assert report.launch_shared_bytes(launches[2]) == 0
    assert report.launch_shared_bytes("") == 0
