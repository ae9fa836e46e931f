"""Compiles one kernel for Blackwell into a library that runs on Hopper.

Run as `compile.py MODULE MODE MUTATION WATCHDOG_SECONDS EMULATOR PTXAS OBJECT PTX REPORT`. The
first four are the kernel's module, as for msa/kernels/runtime/compile.py, and how its PTX is
rewritten (`rewrite.py`; a MUTATION may be empty); EMULATOR is the PTX of emulator.cu. OBJECT gets
the host function with the device code inside; PTX the kernel's own, to whose lines the watchdog
refers; REPORT what the loader has to know.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from cutlass._mlir import ir

from msa.kernels.emulation.rewrite import Mutation, rewrite
from msa.kernels.runtime.compile import compile_kernel, read_entry, read_ptx

_EMULATED, _ARCH = "sm_100a", "sm_90a"
# The global variable of the host code that is the device code.
_DEVICE_CODE = "kernels_binary"


def assemble(ptxas: str, ptx: str, folder: pathlib.Path) -> bytes:
    """Returns the cubin of PTX for Hopper.

    Raises:
        ValueError: ptxas refuses it; with what ptxas said.
    """
    source, cubin = folder / "emulated.ptx", folder / "emulated.cubin"
    source.write_text(ptx)
    process = subprocess.run(
        [ptxas, f"--gpu-name={_ARCH}", str(source), f"--output-file={cubin}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode:
        raise ValueError(f"ptxas refuses what it was rewritten to:\n{process.stderr}")
    return cubin.read_bytes()


def replace_device_code(host_code: ir.Module, cubin: bytes) -> None:
    """Puts a cubin in the place of the device code."""
    (variable,) = (
        op.operation
        for op in host_code.body.operations
        if op.operation.name == "llvm.mlir.global"
        and ir.StringAttr(op.operation.attributes["sym_name"]).value == _DEVICE_CODE
    )
    with host_code.context:
        size = ir.Type.parse(f"!llvm.array<{len(cubin)} x i8>")
        variable.attributes["value"] = ir.StringAttr.get(cubin)
        variable.attributes["global_type"] = ir.TypeAttr.get(size)


def main(
    module: str,
    mode: str,
    mutation: str,
    watchdog_seconds: str,
    emulator: str,
    ptxas: str,
    object_file: str,
    ptx_file: str,
    report_file: str,
) -> None:
    """Compiles, and writes the three files."""
    name = module.rpartition(".")[2]
    mutated = Mutation.parse(mutation) if mutation else None
    functions = pathlib.Path(emulator).read_text()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)

        def emulate(host_code: ir.Module, ptx: str) -> None:
            rewritten = rewrite(ptx, functions, mode, mutated, float(watchdog_seconds))
            with tempfile.TemporaryDirectory() as assembly:
                replace_device_code(host_code, assemble(ptxas, rewritten, pathlib.Path(assembly)))

        compile_kernel(module, _EMULATED, folder, emulate)
        shutil.copyfile(folder / f"{name}.o", object_file)
        pathlib.Path(ptx_file).write_text(read_ptx(folder))
        summary = {
            "kernel": name,
            "arch": _ARCH,
            "entry": read_entry(folder, name),
            "emulates": _EMULATED,
            "mode": mode,
            "mutation": mutation,
        }
    pathlib.Path(report_file).write_text(json.dumps(summary, indent=2) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
