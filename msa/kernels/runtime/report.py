"""What a compiled kernel uses, read from its cubin and from what ptxas said of it.

A report is the JSON beside each kernel's library:
    {"kernel", "arch", "entry", "required_instructions", "allowed_spill_bytes", "advisories",
     "launch_shared_bytes", "functions": {name:
     {"registers", "stack_bytes", "local_bytes", "shared_bytes", "spill_bytes", "tmem_columns",
     "instructions": {family: n}}}}
`shared_bytes` is what the cubin reserves, `launch_shared_bytes` the most that a launch of any of
the functions adds to that.
"""

import re
import subprocess

# Instruction families by the opcodes of their SASS.
FAMILIES = {
    "wgmma": re.compile(r"[HQIB]?GMMA"),
    "tcgen05_mma": re.compile(r"UTC\w*MMA"),
    "tmem_load": re.compile(r"LDTM"),
    "tmem_store": re.compile(r"STTM"),
    "bulk_load": re.compile(r"UBLKCP|UTMALDG"),
    "bulk_store": re.compile(r"UTMASTG"),
    "bulk_reduce": re.compile(r"UBLKRED|UTMAREDG"),
    "setmaxnreg": re.compile(r"USETMAXREG"),
    "global_load_128": re.compile(r"LDG\.E(?:\.\w+)*\.128"),
    "global_store_128": re.compile(r"STG\.E(?:\.\w+)*\.128"),
    "match": re.compile(r"MATCH"),
    "local": re.compile(r"LDL|STL"),
}

_RESOURCES = re.compile(r"Function (\S+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)")
_SECTION = re.compile(r"^\s*Function : (\S+)$", re.MULTILINE)
_OPCODE = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?([A-Z][\w.]*)")
_SPILLS = re.compile(
    r"Function properties for\s+(\S+).*?"
    r"(\d+) bytes\s+spill\s+stores,\s+(\d+) bytes\s+spill\s+loads",
    re.DOTALL,
)
_ADVISORY = re.compile(r"\bC7\d{3}\b")
_TMEM_ALLOC = re.compile(r"tcgen05\.alloc[\w.:]*\s+\[[^\]]*\],\s*(%?\w+);")
# In the host code, a launch's configuration, whose third field is the size of shared memory.
_LAUNCH_SHARED = re.compile(
    r"(%\w+) = llvm\.getelementptr %\w+\[0, 2\] : "
    r"[^\n]*struct<\(array<3 x i32>, array<3 x i32>, i64,[^\n]*\n\s*llvm\.store (%\w+), \1 : i64"
)


def count_instructions(sass: str) -> dict[str, int]:
    """Counts the instructions of a SASS listing: `all`, and those of each family that occurs."""
    opcodes = _OPCODE.findall(sass)
    counts = {
        family: sum(map(bool, map(pattern.match, opcodes))) for family, pattern in FAMILIES.items()
    }
    return {"all": len(opcodes), **{family: count for family, count in counts.items() if count}}


def read_functions(cubin: str, cuobjdump: str, ptx: str, ptxas_output: str) -> dict[str, dict]:
    """Returns the resources of each device function of a cubin.

    Args:
        cubin: path of the cubin.
        cuobjdump: path of the program.
        ptx: text of the PTX it was made from, which names the columns of tensor memory.
        ptxas_output: what ptxas printed; it only speaks of a function that spills.
    """

    def dump(option: str) -> str:
        return subprocess.run(
            [cuobjdump, option, cubin], capture_output=True, text=True, check=True
        ).stdout

    spills = {
        name: int(stores) + int(loads) for name, stores, loads in _SPILLS.findall(ptxas_output)
    }
    name_and_sass = _SECTION.split(dump("-sass"))[1:]
    sass = dict(zip(name_and_sass[::2], name_and_sass[1::2], strict=True))
    name_and_ptx = re.split(r"^\.visible \.entry (\w+)", ptx, flags=re.MULTILINE)[1:]
    entries = dict(zip(name_and_ptx[::2], name_and_ptx[1::2], strict=True))
    return {
        name: {
            "registers": int(registers),
            "stack_bytes": int(stack),
            "local_bytes": int(local),
            "shared_bytes": int(shared),
            "spill_bytes": spills.get(name, 0),
            "tmem_columns": tmem_columns(entries[name]),
            "instructions": count_instructions(sass[name]),
        }
        for name, registers, stack, shared, local in _RESOURCES.findall(
            dump("--dump-resource-usage")
        )
    }


def tmem_columns(ptx: str) -> int:
    """Columns of tensor memory that a function allocates, by its PTX."""
    columns = 0
    for alloc in _TMEM_ALLOC.finditer(ptx):
        size = alloc.group(1)
        if size.startswith("%"):
            size = re.findall(rf"mov\.b32\s+{size}, (\d+);", ptx[: alloc.start()])[-1]
        columns += int(size)
    return columns


def launch_shared_bytes(host_code: str) -> int:
    """The most shared memory that a launch asks for, by the host function in LLVM's dialect."""
    sizes = [0]
    for launch in _LAUNCH_SHARED.finditer(host_code):
        # Names of values are a function's own: the last definition before is the one.
        constant = rf"{launch.group(2)} = llvm\.mlir\.constant\((\d+) : i64\)"
        sizes.append(int(re.findall(constant, host_code[: launch.start()])[-1]))
    return max(sizes)


def advisories(ptxas_output: str) -> list[str]:
    """Codes of ptxas' performance advisories, such as C7510: asynchronous wgmma serialized."""
    return sorted(set(_ADVISORY.findall(ptxas_output)))
