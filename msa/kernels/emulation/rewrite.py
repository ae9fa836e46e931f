"""Rewrites PTX for sm_100a into PTX for sm_90a that calls the emulator (emulator.cu).

Each family of instructions that Hopper lacks has a function here that says what to put in its
place (`_FAMILIES`). One of tensor memory that has none is an error; others that Hopper lacks are
refused by ptxas. Instructions of Hopper stay as they are, but for tests of an mbarrier: one that
fails asks the watchdog.

A product or a commit is issued by one elected thread, but emulated by its whole warp. So it must be
in a region of an elected thread; where that ends, the warp calls `emu_run`, which works off what
the thread has issued.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from msa.kernels.emulation.ptx import (
    Instruction,
    PtxError,
    Region,
    Statement,
    bodies,
    elected_regions,
    parse,
)

MODES = EAGER, LAZY = "eager", "lazy"
"""When products run: as soon as they are issued, or not before they are committed."""

_HEADER = re.compile(r"^\.(?:version|target|address_size)\b.*\n", re.MULTILINE)
_VERSION = ".version 9.0"  # of ptxas 13.0, whose cubins load with drivers for CUDA 13.0
_TARGET = ".target sm_90a"

_ADDRESS = re.compile(r"\[?\s*([%$\w]+)\s*(?:\+\s*(-?\w+))?\s*\]?")
_ISSUE = re.compile(r"tcgen05\.(?:mma|commit)\b")
_BARRIER_TEST = re.compile(r"mbarrier\.(?:try|test)_wait\b")
_REFUSED = re.compile(
    r"tcgen05\.|cta_group::|\.f32x2\b|clusterlaunchcontrol\.|tile::(?:gather|scatter)4"
)
# In the emulator's tensor memory, from one column to the next, and from one lane.
_COLUMN_BYTES, _LANE_BYTES = 512, 4


class Mutation(NamedTuple):
    """A defect to put into a kernel, to see that it is noticed.

    `drop_mma` and `drop_commit` leave the instruction out; `release_early` arrives on a commit's
    barrier without waiting for the products before it. `number` counts the products, or the
    commits, of the PTX.
    """

    kind: str
    number: int

    @classmethod
    def parse(cls, name: str) -> "Mutation":
        """The mutation called, for example, `drop_mma_3`."""
        match = re.fullmatch(r"(drop_mma|drop_commit|release_early)_(\d+)", name)
        if match is None:
            raise ValueError(
                "mutation must be drop_mma, drop_commit or release_early with _ and a number, "
                f"got {name!r}"
            )
        return cls(match[1], int(match[2]))


class _Options(NamedTuple):
    eager: bool
    watchdog_seconds: float


def rewrite(
    ptx: str,
    emulator: str,
    mode: str,
    mutation: Mutation | None = None,
    watchdog_seconds: float = 10,
) -> str:
    """Returns the PTX for sm_90a.

    Args:
        ptx: the kernel's, for sm_100a.
        emulator: that of emulator.cu.
        mode: EAGER or LAZY.
        mutation: a defect to put in.
        watchdog_seconds: how long a thread may wait for an mbarrier; then the kernel is stopped.

    Raises:
        PtxError: something cannot be emulated.
        ValueError: there is no such mode, or no instruction for the mutation.
    """
    if mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)}, got {mode!r}")
    options = _Options(mode == EAGER, watchdog_seconds)
    statements = parse(ptx)
    if mutation is not None:
        _mutate(statements, mutation)
    statements = _call_at_entry(_run_behind_regions(statements))
    lines = []
    for statement in statements:
        if statement.text.startswith(".version"):
            lines.append(_VERSION)
        elif statement.text.startswith(".target"):
            lines.append(_TARGET)
        elif statement.text.startswith(".address_size"):
            # Without `.visible`, functions that the kernel does not call are left out.
            functions = _HEADER.sub("", emulator).replace(".visible .func", ".func")
            lines += [statement.text, functions]
        else:
            lines += _rewrite_statement(statement, options)
    return "\n".join(lines) + "\n"


# Passes over all statements.


def _mutate(statements: list[Statement], mutation: Mutation) -> None:
    opcode = "tcgen05.mma." if mutation.kind == "drop_mma" else "tcgen05.commit."
    places = [i for i, statement in enumerate(statements) if opcode in statement.text]
    if mutation.number >= len(places):
        raise ValueError(
            f"mutation {mutation.kind}_{mutation.number} must be of one of the {len(places)} "
            f"instructions {opcode}*"
        )
    i = places[mutation.number]
    text = ""
    if mutation.kind == "release_early":
        commit = statements[i].instruction
        arrive = Instruction(commit.guard, "mbarrier.arrive.shared.b64", ("_", *commit.operands))
        text = str(arrive)
    statements[i] = statements[i]._replace(text=text)


def _run_behind_regions(statements: list[Statement]) -> list[Statement]:
    """Sends all that goes to the end of a region with products or commits past `emu_run`."""
    result = list(statements)
    behind = {}
    issues = {i for i, statement in enumerate(statements) if _ISSUE.search(statement.text)}
    joins = 0
    for body in bodies(statements):
        regions = [
            region
            for region in elected_regions(statements, body)
            if not issues.isdisjoint(region.members)
        ]
        for region in regions:
            name = f"$emu_join_{joins}"
            joins += 1
            end = statements[region.join]
            for i in {region.branch, *region.members}:
                instruction = statements[i].instruction
                if _goes_to(instruction, end.text[:-1]):
                    result[i] = statements[i]._replace(
                        text=str(instruction._replace(operands=(name,)))
                    )
            if region.join - 1 in region.members:
                behind.setdefault(region.join - 1, []).append(end._replace(text=f"bra.uni {name};"))
            behind.setdefault(body[-2], []).extend(
                end._replace(text=text)
                for text in (f"{name}:", "call.uni emu_run;", f"bra.uni {end.text[:-1]};")
            )
        _check_issues(statements, [i for i in body if i in issues], regions)
    return [s for i, statement in enumerate(result) for s in (statement, *behind.get(i, []))]


def _goes_to(instruction: Instruction | None, label: str) -> bool:
    return (
        instruction is not None
        and instruction.opcode in ("bra", "bra.uni")
        and instruction.operands == (label,)
    )


def _check_issues(statements: list[Statement], issues: list[int], regions: list[Region]) -> None:
    for i in issues:
        homes = sum(i in region.members for region in regions)
        if homes != 1:
            raise PtxError(
                f"line {statements[i].line}: '{statements[i].text}' must be in the region of an "
                f"elected thread, behind elect.sync and a branch around; it is in {homes}"
            )


def _call_at_entry(statements: list[Statement]) -> list[Statement]:
    """Sets the watchdog, and empties the queue of what an earlier kernel did not commit."""
    behind = {}
    for body in bodies(statements):
        begin = statements[body[0]]
        texts = []
        if any(_BARRIER_TEST.search(statements[i].text) for i in body):
            texts += [".reg .b64 %emu_progress;", "mov.u64 %emu_progress, %globaltimer;"]
        if any("tcgen05." in statements[i].text for i in body):
            texts += ["call.uni emu_begin;"]
        behind[body[0]] = [begin._replace(text=text, depth=1) for text in texts]
    return [s for i, statement in enumerate(statements) for s in (statement, *behind.get(i, []))]


# Single statements.


def _rewrite_statement(statement: Statement, options: _Options) -> list[str]:
    instruction = statement.instruction
    for opcode, number_of_operands, family in _FAMILIES if instruction else ():
        match = opcode.fullmatch(instruction.opcode)
        if match is None or number_of_operands not in (None, len(instruction.operands)):
            continue
        try:
            lines = family(statement, match, options)
        except PtxError as error:
            raise PtxError(f"line {statement.line}: '{statement.text}' {error}") from None
        return _block(instruction.guard, lines) if lines else []
    if _REFUSED.search(statement.text):
        raise PtxError(f"line {statement.line}: '{statement.text}' is not emulated")
    return [statement.text]


def _block(guard: str, lines: list[str]) -> list[str]:
    """The lines with names of their own, run if the guard holds."""
    if not guard:
        return ["{", *lines, "}"]
    otherwise = guard[1:] if guard.startswith("!") else f"!{guard}"
    return ["{", f"@{otherwise} bra EMU_END;", *lines, "EMU_END:", "}"]


def _sum(name: str, address: str) -> list[str]:
    """Declares a 32-bit register and puts an address such as `[%r1+16]` into it."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise PtxError(f"must have an address in the form [register+offset], got {address}")
    lines = [f".reg .b32 {name};", f"mov.b32 {name}, {match[1]};"]
    return lines + ([f"add.u32 {name}, {name}, {match[2]};"] if match[2] else [])


def _call(function: str, *arguments: tuple[str, str | int], result: str = "") -> list[str]:
    """Calls with arguments of the types given; `result` is a 64-bit register."""
    lines = []
    for i, (kind, value) in enumerate(arguments):
        lines += [f".param .{kind} emu_{i};", f"st.param.{kind} [emu_{i}], {value};"]
    names = ", ".join(f"emu_{i}" for i in range(len(arguments)))
    if not result:
        return [*lines, f"call {function}, ({names});"]
    return [
        *lines,
        ".param .b64 emu_result;",
        f"call (emu_result), {function}, ({names});",
        f"ld.param.b64 {result}, [emu_result];",
    ]


def _elements(vector: str) -> list[str]:
    """The registers in braces."""
    return [element.strip() for element in vector.strip("{} ").split(",")]


def _nothing(statement: Statement, match: re.Match, options: _Options) -> list[str]:
    """Of no effect on results here."""
    return []


def _mma(statement: Statement, match: re.Match, options: _Options) -> list[str]:
    d, a, b, descriptor, disabled, accumulate = statement.instruction.operands
    of_tensor = a.startswith("[")
    lines = _sum("%emu_d", d)
    if of_tensor:
        lines += _sum("%emu_a", a)
    lines += [".reg .b32 %emu_accumulate, %emu_disabled;"]
    lines += [f"selp.b32 %emu_accumulate, 1, 0, {accumulate};", "mov.b32 %emu_disabled, 0;"]
    lines += [f"or.b32 %emu_disabled, %emu_disabled, {mask};" for mask in _elements(disabled)]
    return lines + _call(
        "emu_mma_ts" if of_tensor else "emu_mma_ss",
        ("b32", "%emu_d"),
        ("b32", "%emu_a") if of_tensor else ("b64", a),
        ("b64", b),
        ("b32", descriptor),
        ("b32", "%emu_accumulate"),
        ("b32", "%emu_disabled"),
        ("b32", int(options.eager)),
    )


def _commit(statement: Statement, match: re.Match, options: _Options) -> list[str]:
    (barrier,) = statement.instruction.operands
    return _sum("%emu_barrier", barrier) + _call("emu_commit", ("b32", "%emu_barrier"))


def _allocation(statement: Statement, match: re.Match, options: _Options) -> list[str]:
    address, columns = statement.instruction.operands
    return _sum("%emu_address", address) + _call(
        f"emu_{match[1]}", ("b32", "%emu_address"), ("b32", columns)
    )


def _tensor_access(statement: Statement, match: re.Match, options: _Options) -> list[str]:
    """A load or store of tensor memory, register by register."""
    verb, shape, repetitions = match[1], match[2], int(match[3])
    vector, address = statement.instruction.operands[:: 1 if verb == "ld" else -1]
    columns, offsets = _SHAPES[shape](repetitions)
    lines = [*_sum("%emu_address", address), ".reg .b64 %emu_place;"]
    lines += _call(
        f"emu_tensor_{shape}", ("b32", "%emu_address"), ("b32", columns), result="%emu_place"
    )
    lines += ["cvta.to.global.u64 %emu_place, %emu_place;"]
    for register, offset in zip(_elements(vector), offsets, strict=True):
        place = f"[%emu_place+{offset}]"
        lines.append(
            f"ld.global.b32 {register}, {place};"
            if verb == "ld"
            else f"st.global.b32 {place}, {register};"
        )
    return lines


def _shape_32x32b(repetitions: int) -> tuple[int, list[int]]:
    """Columns, and where a thread's registers are, from its first: in a column each."""
    return repetitions, [_COLUMN_BYTES * i for i in range(repetitions)]


def _shape_16x256b(repetitions: int) -> tuple[int, list[int]]:
    """The same where of eight columns a thread has two in each of two lanes, eight apart."""
    return 8 * repetitions, [
        _COLUMN_BYTES * (8 * i + column) + _LANE_BYTES * lane
        for i in range(repetitions)
        for lane in (0, 8)
        for column in (0, 1)
    ]


_SHAPES = {"32x32b": _shape_32x32b, "16x256b": _shape_16x256b}


def _packed(statement: Statement, match: re.Match, options: _Options) -> list[str]:
    """Arithmetic of two FP32 in 64 bits, one by one."""
    result, *arguments = statement.instruction.operands
    lines = [".reg .f32 %emu_low, %emu_high;"]
    for i, argument in enumerate(arguments):
        lines += [f".reg .f32 %emu_low{i}, %emu_high{i};"]
        lines += [f"mov.b64 {{%emu_low{i}, %emu_high{i}}}, {argument};"]
    for half in ("%emu_low", "%emu_high"):
        halves = ", ".join(f"{half}{i}" for i in range(len(arguments)))
        lines += [f"{match[1]}.f32 {half}, {halves};"]
    return [*lines, f"mov.b64 {result}, {{%emu_low, %emu_high}};"]


def _mixed(statement: Statement, match: re.Match, options: _Options) -> list[str]:
    """Arithmetic in FP32 of which all arguments but the last are shorter."""
    result, *short, last = statement.instruction.operands
    lines = []
    for i, argument in enumerate(short):
        lines += [f".reg .f32 %emu_{i};", f"cvt.f32.{match[2]} %emu_{i}, {argument};"]
    wide = ", ".join(f"%emu_{i}" for i in range(len(short)))
    return [*lines, f"{match[1]}.f32 {result}, {wide}, {last};"]


def _three_way(statement: Statement, match: re.Match, options: _Options) -> list[str]:
    """The maximum or minimum of three."""
    result, a, b, c = statement.instruction.operands
    opcode = statement.instruction.opcode
    return [
        ".reg .f32 %emu_two;",
        f"{opcode} %emu_two, {a}, {b};",
        f"{opcode} {result}, %emu_two, {c};",
    ]


def _wide_access(statement: Statement, match: re.Match, options: _Options) -> list[str]:
    """A load or store of 256 bits, in two halves."""
    verb, modifiers, count, kind = match[1], match[2], int(match[3]), match[4]
    operands = statement.instruction.operands
    vector, address = operands[:2][:: 1 if verb == "ld" else -1]
    place = _ADDRESS.fullmatch(address)
    # Such hints only go with 256 bits.
    modifiers = re.sub(r"\.L2::evict\w+", "", modifiers)
    lines = [".reg .b64 %emu_address;", f"mov.b64 %emu_address, {place[1]};"]
    registers = _elements(vector)
    if "_" in registers:
        lines.append(f".reg .{kind} %emu_unused;")
        registers = [r if r != "_" else "%emu_unused" for r in registers]
    for half in range(2):
        part = "{" + ", ".join(registers[half * count // 2 :][: count // 2]) + "}"
        at = f"[%emu_address+{int(place[2] or 0) + 16 * half}]"
        both = (part, at) if verb == "ld" else (at, part)
        opcode = f"{verb}.global{modifiers}.v{count // 2}.{kind}"
        lines.append(str(Instruction("", opcode, (*both, *operands[2:]))))
    return lines


def _tma(statement: Statement, match: re.Match, options: _Options) -> list[str]:
    """A tensor copy: with one CTA to a group, as Hopper's."""
    instruction = statement.instruction
    opcode = instruction.opcode.replace(".cta_group::1", "")
    return [str(instruction._replace(guard="", opcode=opcode))]


def _barrier_test(statement: Statement, match: re.Match, options: _Options) -> list[str]:
    """Stays, and reports its outcome to the watchdog."""
    instruction = statement.instruction._replace(guard="")
    done, barrier = instruction.operands[:2]
    deadline = int(options.watchdog_seconds * 1e9)
    return [
        str(instruction),
        f"@{done} mov.u64 %emu_progress, %globaltimer;",
        f"@{done} bra EMU_DONE;",
        *_sum("%emu_barrier", barrier),
        *_call(
            "emu_watch",
            ("b64", "%emu_progress"),
            ("b64", deadline),
            ("b32", "%emu_barrier"),
            ("b32", statement.line),
        ),
        "EMU_DONE:",
    ]


# Opcode, number of operands if that matters, and what stands for it.
_FAMILIES: list[tuple[re.Pattern, int | None, Callable[..., list[str]]]] = [
    (re.compile(opcode), number_of_operands, family)
    for opcode, number_of_operands, family in [
        (
            r"tcgen05\.mma\.cta_group::1\.kind::f16"
            r"(?:\.collector::a::(?:discard|lastuse|fill|use))?",
            6,
            _mma,
        ),
        (
            r"tcgen05\.commit\.cta_group::1\.mbarrier::arrive::one\.shared::cluster\.b64",
            1,
            _commit,
        ),
        (r"tcgen05\.(alloc)\.cta_group::1\.sync\.aligned\.shared::cta\.b32", 2, _allocation),
        (r"tcgen05\.(dealloc)\.cta_group::1\.sync\.aligned\.b32", 2, _allocation),
        (
            r"tcgen05\.(ld|st)\.sync\.aligned\.(32x32b|16x256b)\.x(\d+)\.b32",
            2,
            _tensor_access,
        ),
        # Memory is ordered as for all threads of Hopper, and a warp keeps its registers: the
        # emulator's functions need some that a kernel's roles may give away.
        (r"tcgen05\.relinquish_alloc_permit\.cta_group::1\.sync\.aligned", None, _nothing),
        (r"tcgen05\.wait::(?:ld|st)\.sync\.aligned", None, _nothing),
        (r"tcgen05\.fence::(?:before|after)_thread_sync", None, _nothing),
        (r"setmaxnreg\..*", None, _nothing),
        (r"((?:add|sub|mul|fma)[.\w]*)\.f32x2", None, _packed),
        (r"((?:add|sub|fma)[.\w]*)\.f32\.(bf16|f16)", None, _mixed),
        (r"(?:max|min)(?:\.ftz|\.NaN)*\.f32", 4, _three_way),
        (
            r"(ld|st)\.global((?:\.\w+(?:::\w+)*)*)\.v(?=8\.\w32|4\.\w64)(\d)\.(\w+)",
            None,
            _wide_access,
        ),
        (r"cp\.async\.bulk\.tensor\..*\.cta_group::1\b.*", None, _tma),
        (r"mbarrier\.(?:try|test)_wait\..*\bshared\b.*", None, _barrier_test),
    ]
]
