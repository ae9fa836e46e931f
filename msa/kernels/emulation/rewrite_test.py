"""PTX for Blackwell comes out as PTX for Hopper that does the same, or not at all."""

import functools
import pathlib
import re
import subprocess

import pytest

from msa.kernels.emulation.ptx import PtxError, parse
from msa.kernels.emulation.rewrite import EAGER, LAZY, MODES, Mutation, rewrite

_PTXAS = (
    pathlib.Path(__file__).parents[3] / "third_party/cutlass/cuda_compilers/nvidia/cu13/bin/ptxas"
)

MMA = (
    "tcgen05.mma.cta_group::1.kind::f16.collector::a::discard "
    "[%r0], %rd0, %rd1, %r1, {%r2, %r2, %r2, %r2}, %p0;"
)
MMA_TS = (
    "tcgen05.mma.cta_group::1.kind::f16 [%r0+128], [%r3], %rd1, %r1, {%r2, %r2, %r2, %r2}, %p0;"
)
COMMIT = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r0+8];"


def names(prefix: str, count: int) -> str:
    return "{" + ", ".join(f"%{prefix}{i}" for i in range(count)) + "}"


def kernel(*body: str) -> str:
    """A module whose kernel is `body`, which begins in line 11."""
    return "\n".join(
        [
            ".version 9.4",
            ".target sm_100a",
            ".address_size 64",
            ".visible .entry kernel()",
            "{",
            ".reg .pred %p<9>;",
            ".reg .b16 %rs<9>;",
            ".reg .b32 %r<200>;",
            ".reg .b64 %rd<9>;",
            ".reg .f32 %f<9>;",
            *body,
            "ret;",
            "}",
        ]
    )


FIRST_LINE = 11


def elected(*body: str, label: str = "$L_end") -> list[str]:
    """`body` run by one elected thread."""
    return [
        "elect.sync %r100|%p1, -1;",
        "not.pred %p2, %p1;",
        f"@%p2 bra {label};",
        *body,
        f"{label}:",
    ]


@functools.cache
def emulator() -> str:
    return pathlib.Path(__file__).with_name("emulator.ptx").read_text()


def rewritten(*body: str, mode: str = EAGER, **options) -> list[str]:
    """The statements that become of a kernel's `body`."""
    texts = [s.text for s in parse(rewrite(kernel(*body), "", mode, **options))]
    return texts[texts.index(".reg .f32 %f<9>;") + 1 :]


def assembles(ptx: str, folder: pathlib.Path) -> bool:
    """Whether ptxas takes it for Hopper."""
    source = folder / "kernel.ptx"
    source.write_text(ptx)
    command = [_PTXAS, "--gpu-name=sm_90a", source, f"--output-file={folder / 'kernel.cubin'}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    "body",
    [
        elected(MMA),
        elected(MMA_TS),
        elected("@!%p3 " + MMA),
        elected(COMMIT),
        elected(MMA, MMA_TS, COMMIT),
        ["tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 512;"],
        ["tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r0, %r1;"],
        ["tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;"],
        [f"tcgen05.ld.sync.aligned.32x32b.x1.b32 {names('r', 1)}, [%r190];"],
        [f"tcgen05.ld.sync.aligned.32x32b.x128.b32 {names('r', 128)}, [%r190+16];"],
        [f"tcgen05.st.sync.aligned.32x32b.x8.b32 [%r190], {names('r', 8)};"],
        [f"tcgen05.ld.sync.aligned.16x256b.x16.b32 {names('r', 64)}, [%r190+-128];"],
        [f"tcgen05.st.sync.aligned.16x256b.x1.b32 [%r190], {names('r', 4)};"],
        ["tcgen05.wait::ld.sync.aligned;", "tcgen05.wait::st.sync.aligned;"],
        ["tcgen05.fence::before_thread_sync;", "tcgen05.fence::after_thread_sync;"],
        ["add.rn.f32x2 %rd0, %rd1, %rd2;"],
        ["mul.f32x2 %rd0, %rd1, %rd2;"],
        ["fma.rn.ftz.f32x2 %rd0, %rd1, %rd2, %rd0;"],
        ["max.NaN.f32 %f0, %f1, %f2, %f3;"],
        ["@%p0 min.f32 %f0, %f1, %f0, %f3;"],
        ["add.f32.bf16 %f0, %rs1, %f2;"],
        ["fma.rn.f32.bf16 %f0, %rs1, %rs2, %f0;"],
        [f"ld.global.v8.b32 {names('r', 8)}, [%rd0+32];"],
        [f"ld.global.nc.L2::evict_last.v4.b64 {names('rd', 4)}, [%rd0];"],
        ["ld.global.v8.f32 {%f0, _, %f2, %f3, %f4, %f5, %f6, _}, [%rd0];"],
        [f"@%p0 st.global.v8.b32 [%rd0], {names('r', 8)};"],
        [
            "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
            ".cta_group::1 [%r0], [%rd0, {%r1, %r2}], [%r3];"
        ],
        [
            "{ .reg .pred P1; AGAIN: mbarrier.try_wait.parity.shared.b64 P1, [%r0+8], 0, 10000; "
            "@P1 bra.uni DONE; bra.uni AGAIN; DONE: }"
        ],
    ],
    ids=lambda body: re.sub(r"[^\w.]+", " ", body[-2] if "end" in body[-1] else body[0])[:40],
)
@pytest.mark.parametrize("mode", MODES)
def test_what_is_emulated_assembles_for_hopper(tmp_path, mode, body):
    assert assembles(rewrite(kernel(*body), emulator(), mode), tmp_path)


@pytest.mark.parametrize(
    "instruction",
    [
        "mov.b32 %r0, %r1;",
        "max.f32 %f0, %f1, %f2;",
        "add.f32 %f0, %f1, %f2;",
        "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd0];",
        "ld.global.v2.b64 {%rd1, %rd2}, [%rd0];",
        "st.shared.v4.b32 [%r0], {%r0, %r1, %r2, %r3};",
        "red.global.add.v4.f32 [%rd0], {%f0, %f1, %f2, %f3};",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
        "[%r0], [%rd0, {%r1, %r2}], [%r3];",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%rd0], [%r0], 128;",
        "@%p0 mbarrier.arrive.shared.b64 _, [%r0];",
    ],
)
def test_instructions_of_hopper_stay_as_they_are(instruction):
    assert rewritten(instruction)[:-2] == [instruction]


@pytest.mark.parametrize(
    "instruction",
    [
        MMA.replace("cta_group::1", "cta_group::2"),
        MMA.replace("kind::f16", "kind::f8f6f4"),
        MMA.replace(".mma.", ".mma.ws."),
        MMA.replace("%p0;", "%p0, 2;"),
        COMMIT.replace(".b64 [%r0+8]", ".multicast::cluster.b64 [%r0+8], %rs0"),
        COMMIT.replace("cta_group::1", "cta_group::2"),
        "tcgen05.cp.cta_group::1.128x256b [%r0], %rd0;",
        "tcgen05.shift.cta_group::1.down [%r0];",
        "tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r0}, [%r1];",
        "tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%r0, %r1}, [%r2];",
        "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r0], 512;",
        "copysign.f32x2 %rd0, %rd1, %rd2;",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
        "[%r0], [%r1];",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
        "[%r0], [%rd0, {%r1, %r2, %r3, %r4, %r5}], [%r6];",
    ],
)
def test_what_is_not_emulated_is_refused_by_name(instruction):
    with pytest.raises(PtxError, match=re.escape(instruction)) as error:
        rewrite(kernel(*elected(instruction)), "", EAGER)
    assert f"line {FIRST_LINE + 3}:" in str(error.value)


# Arithmetic, by running what comes out.


def run(texts: list[str], registers: dict) -> dict:
    """Runs arithmetic in straight line; a pair of numbers stands for 64 bits."""
    values = dict(registers)
    operations = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "fma": lambda a, b, c: a * b + c,
        "max": max,
        "min": min,
        "cvt": lambda a: a,
    }
    for text in texts:
        if text in ("{", "}") or text.startswith("."):
            continue
        opcode, operands = text.rstrip(";").split(" ", 1)
        target, *sources = re.findall(r"\{[^}]*\}|[%\w]+", operands)
        if opcode == "mov.b64" and target.startswith("{"):
            values |= dict(zip(re.findall(r"%\w+", target), values[sources[0]], strict=True))
        elif opcode == "mov.b64":
            values[target] = tuple(values[name] for name in re.findall(r"%\w+", sources[0]))
        else:
            values[target] = operations[opcode[:3]](*(values[name] for name in sources))
    return values


@pytest.mark.parametrize(
    "instruction, expected",
    [
        ("add.rn.f32x2 %rd0, %rd1, %rd2;", (11, 22)),
        ("sub.rn.f32x2 %rd0, %rd2, %rd1;", (9, 18)),
        ("mul.rn.f32x2 %rd0, %rd1, %rd2;", (10, 40)),
        ("fma.rn.f32x2 %rd0, %rd1, %rd2, %rd0;", (110, 240)),
    ],
)
def test_packed_arithmetic(instruction, expected):
    registers = {"%rd0": (100, 200), "%rd1": (1, 2), "%rd2": (10, 20)}
    assert run(rewritten(instruction)[:-2], registers)["%rd0"] == expected


@pytest.mark.parametrize(
    "instruction, expected",
    [
        ("max.f32 %f0, %f1, %f2, %f3;", 3),
        ("min.f32 %f3, %f3, %f2, %f1;", 1),
        ("add.f32.bf16 %f0, %rs1, %f2;", 12),
        ("sub.f32.bf16 %f0, %rs1, %f2;", 8),
        ("fma.rn.f32.bf16 %f2, %rs1, %rs2, %f2;", 202),
    ],
)
def test_arithmetic_of_three_and_of_mixed_types(instruction, expected):
    registers = {"%f1": 1, "%f2": 2, "%f3": 3, "%rs1": 10, "%rs2": 20}
    target = re.search(r"%f\d", instruction)[0]
    assert run(rewritten(instruction)[:-2], registers)[target] == expected


@pytest.mark.parametrize("modifier", [".ftz", ".NaN"])
def test_modifiers_of_three_way_maxima_stay(modifier):
    texts = rewritten(f"max{modifier}.f32 %f0, %f1, %f2, %f3;")
    assert sum(text.startswith(f"max{modifier}.f32 ") for text in texts) == 2


# Memory, by the places that registers go to.


def places(texts: list[str]) -> dict[str, int]:
    """Of each register that is loaded or stored, the offset of its four bytes."""
    found = {}
    for text in texts:
        match = re.fullmatch(r"(?:ld|st)\.global\S* (.*);", text)
        if match:
            offset = int(re.search(r"\[%\w+\+(\d+)\]", match[1])[1])
            registers = re.findall(r"%r\d+", re.sub(r"\[.*?\]", "", match[1]))
            found |= {register: offset + 4 * i for i, register in enumerate(registers)}
    return found


@pytest.mark.parametrize(
    "access", ["ld.sync.aligned.{0} {1}, {2};", "st.sync.aligned.{0} {2}, {1};"]
)
def test_places_in_tensor_memory(access):
    """A column is 512 bytes, a lane 4."""
    access = "tcgen05." + access
    texts = rewritten(access.format("32x32b.x4.b32", names("r", 4), "[%r190]"))
    assert places(texts) == {f"%r{i}": 512 * i for i in range(4)}
    # As an accumulator of mma.sync: two columns in a lane, the same eight lanes on, then 8 columns.
    texts = rewritten(access.format("16x256b.x2.b32", names("r", 8), "[%r190]"))
    expected = [0, 512, 32, 544, 4096, 4608, 4128, 4640]
    assert places(texts) == {f"%r{i}": place for i, place in enumerate(expected)}


@pytest.mark.parametrize("access", ["ld.global.v8.b32 {0}, {1};", "st.global.v8.b32 {1}, {0};"])
def test_places_of_256_bits(access):
    texts = rewritten(access.format(names("r", 8), "[%rd0+64]"))
    assert places(texts) == {f"%r{i}": 64 + 4 * i for i in range(8)}


def test_a_load_may_overwrite_its_address():
    texts = rewritten("ld.global.v4.b64 {%rd0, %rd1, %rd2, %rd3}, [%rd0];")
    assert not any("[%rd0" in text for text in texts)


# Regions of elected threads.


def reaches_without_running(texts: list[str], begin: int, label: str) -> bool:
    """Whether control can get from a statement to `label` past no call of `emu_run`."""
    labels = {text[:-1]: i for i, text in enumerate(texts) if text.endswith(":")}
    reached, seen = [begin], set()
    while reached:
        i = reached.pop()
        if i in seen or texts[i] == "call.uni emu_run;":
            continue
        seen.add(i)
        match = re.fullmatch(r"(@\S+ )?bra(?:\.uni)? (\S+);", texts[i])
        if match and match[2] in labels:
            reached.append(labels[match[2]])
        if texts[i] != "ret;" and not (match and not match[1]):
            reached.append(i + 1)
    return labels[label] in seen


@pytest.mark.parametrize(
    "body",
    [
        [MMA],
        [MMA, COMMIT],
        ["add.s32 %r7, %r7, 1;", COMMIT, "bra.uni $L_end;", "$L_other:", "ret;"],
        ["$L_loop:", MMA, "setp.ne.b32 %p5, %r7, 0;", "@%p5 bra $L_loop;", COMMIT],
        ["@%p5 bra $L_end;", MMA],
        ["@%p5 bra $L_skip;", MMA, "bra.uni $L_end;", "$L_skip:", MMA_TS],
        [MMA, "{ .reg .pred P1; mbarrier.try_wait.parity.shared.b64 P1, [%r0], 0; }"],
    ],
)
def test_a_warp_runs_what_its_elected_thread_issued(body):
    texts = rewritten("@%p6 bra $L_other;" if "$L_other:" in body else "", *elected(*body))
    (elect,) = (i for i, text in enumerate(texts) if text.startswith("elect.sync"))
    assert not reaches_without_running(texts, elect, "$L_end")


def test_regions_without_products_stay_as_they_are():
    body = elected("mbarrier.arrive.shared.b64 _, [%r0];")
    assert rewritten(*body)[:-2] == body


@pytest.mark.parametrize("issue", [MMA, COMMIT])
@pytest.mark.parametrize(
    "body",
    [
        ["ISSUE"],
        ["setp.ne.b32 %p2, %r0, 0;", "@%p2 bra $L_end;", "ISSUE", "$L_end:"],
        ["elect.sync %r100|%p1, -1;", "@%p1 bra $L_end;", "ISSUE", "$L_end:"],
        ["@%p0 bra $L_inside;", *elected("$L_inside:", "ISSUE")],
        elected("ISSUE", "ret;"),
        elected("ISSUE", "@%p0 ret;", "ret;"),
        elected(*elected("ISSUE", label="$L_inner")),
    ],
)
def test_issuing_outside_of_an_elected_region_is_refused(body, issue):
    with pytest.raises(PtxError, match=r"line \d+: '.*' .*elected"):
        rewritten(*(issue if line == "ISSUE" else line for line in body))


# Modes, mutations and the watchdog.

PROGRAM = [
    *elected(MMA, label="$L_0"),
    *elected(MMA_TS, label="$L_1"),
    *elected(COMMIT, label="$L_2"),
    *elected(COMMIT.replace("+8", "+16"), label="$L_3"),
]


def calls(texts: list[str]) -> list[str]:
    """The emulator's functions that are called to issue something, in order."""
    return [match[1] for text in texts if (match := re.match(r"call emu_(mma_\w+|commit),", text))]


def test_calls_in_order():
    assert calls(rewritten(*PROGRAM)) == ["mma_ss", "mma_ts", "commit", "commit"]


def test_modes_differ_in_the_products_alone():
    eager, lazy = (rewritten(*elected(MMA), mode=mode) for mode in (EAGER, LAZY))
    assert len(eager) == len(lazy)
    assert [(a, b) for a, b in zip(eager, lazy, strict=True) if a != b] == [
        ("st.param.b32 [emu_6], 1;", "st.param.b32 [emu_6], 0;")
    ]
    assert rewritten(*elected(COMMIT), mode=EAGER) == rewritten(*elected(COMMIT), mode=LAZY)


@pytest.mark.parametrize(
    "mutation, left",
    [
        ("drop_mma_0", ["mma_ts", "commit", "commit"]),
        ("drop_mma_1", ["mma_ss", "commit", "commit"]),
        ("drop_commit_1", ["mma_ss", "mma_ts", "commit"]),
        ("release_early_0", ["mma_ss", "mma_ts", "commit"]),
    ],
)
def test_mutations(mutation, left):
    texts = rewritten(*PROGRAM, mutation=Mutation.parse(mutation))
    assert calls(texts) == left
    arrivals = [text for text in texts if text.startswith("mbarrier.arrive.")]
    assert arrivals == ["mbarrier.arrive.shared.b64 _, [%r0+8];"] * ("early" in mutation)


@pytest.mark.parametrize("name", ["", "drop_mma", "drop_mma_-1", "drop_wait_0", "drop_mma_0_"])
def test_other_mutations_are_refused(name):
    with pytest.raises(ValueError, match="drop_mma, drop_commit or release_early"):
        Mutation.parse(name)


@pytest.mark.parametrize("name", ["drop_mma_2", "drop_commit_2", "release_early_2"])
def test_there_must_be_something_to_mutate(name):
    with pytest.raises(ValueError, match=f"{name} must be of one of the 2 instructions"):
        rewritten(*PROGRAM, mutation=Mutation.parse(name))


def test_other_modes_are_refused():
    with pytest.raises(ValueError, match="mode must be one of eager, lazy, got 'late'"):
        rewritten(mode="late")


@pytest.mark.parametrize("test", ["try_wait.parity.shared", "test_wait.shared::cta"])
def test_the_watchdog_hears_of_barrier_line_and_deadline(test):
    texts = rewritten(
        "mov.b32 %r5, %r6;", f"mbarrier.{test}.b64 %p3, [%r5+24], %r6;", watchdog_seconds=3
    )
    assert "add.u32 %emu_barrier, %emu_barrier, 24;" in texts
    arguments = [re.fullmatch(r"st\.param\.b\d+ \[emu_\d\], (.*);", text) for text in texts]
    assert [match[1] for match in arguments if match] == [
        "%emu_progress",
        "3000000000",
        "%emu_barrier",
        str(FIRST_LINE + 1),
    ]
