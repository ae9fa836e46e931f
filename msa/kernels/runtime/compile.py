"""Compiles one kernel for one architecture, without a GPU and without a driver.

Run as `compile.py MODULE ARCH CUOBJDUMP OBJECT CUBIN REPORT [INSTRUCTIONS SPILL_BYTES]`. MODULE
defines the kernel's host function, the `cute.jit` function `launch`, and its `SIGNATURE`, which it
must agree with. OBJECT gets the host function with the device code inside, to be linked into a
shared library; CUBIN the device code alone; REPORT what it uses (`report.py`), the symbol to call,
and what the gate holds it to: instruction families that it must have, with commas between them, and
how many bytes a function may spill.
"""

import contextlib
import ctypes
import importlib
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator

import cutlass
import cutlass.cute as cute
from cutlass._mlir import ir

from msa.kernels.runtime import report
from msa.kernels.runtime.stand_ins import check_host_function, stand_ins

# Cubins of this flavour of the toolkit load from driver 580 (CUDA 13.0) on.
_RUNTIME = pathlib.Path(cutlass.__file__).parents[2] / "cu13" / "lib" / "libcute_dsl_runtime.so"
_ENTRY = re.compile(r"^void (_mlir_\w*_mlir_ciface_\w+)\(void \*\*args", re.MULTILINE)


@contextlib.contextmanager
def _output_into(path: pathlib.Path) -> Iterator[None]:
    """Sends what the process and its libraries print to a file: ptxas' word is only there."""
    saved = [os.dup(stream) for stream in (1, 2)]
    with path.open("w") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
        try:
            yield
        finally:
            for stream, copy in zip((1, 2), saved, strict=True):
                os.dup2(copy, stream)
                os.close(copy)


def _kernel_name(module: str) -> str:
    """What the report calls a kernel: by its room and its module."""
    return "/".join(module.split(".")[-2:])


def compile_kernel(
    module: str,
    arch: str,
    folder: pathlib.Path,
    edit: Callable[[ir.Module, str], None] | None = None,
) -> str:
    """Compiles the kernel of `module` for `arch` into `folder`; returns what ptxas said.

    `edit` may change what is exported: it gets the host code, which has the device code in it, and
    the PTX.
    """
    name = module.rpartition(".")[2]
    # export_to_c calls into the DSL's runtime library, which must be there for all to see.
    ctypes.CDLL(str(_RUNTIME), ctypes.RTLD_GLOBAL)
    log = folder / "log"
    try:
        with _output_into(log):
            source = importlib.import_module(module)
            check_host_function(source.launch, source.SIGNATURE)
            compiled = cute.compile(
                source.launch,
                *stand_ins(source.SIGNATURE),
                options=f"--gpu-arch {arch} --keep-ptx --keep-cubin --dump-dir={folder} "
                "remarks{ptx}",
            )
            if edit is not None:
                edit(compiled.ir_module, read_ptx(folder))
            compiled.export_to_c(file_path=str(folder), file_name=name, function_prefix=name)
    except Exception as error:
        raise SystemExit(
            f"{log.read_text()}\n{module} does not compile for {arch}: {error}"
        ) from None
    return log.read_text()


def read_ptx(folder: pathlib.Path) -> str:
    """The PTX of the kernel that was compiled into `folder`."""
    (ptx,) = folder.glob("*.ptx")
    return ptx.read_text().rstrip("\0")


def read_entry(folder: pathlib.Path, name: str) -> str:
    """The symbol to call of the kernel that was compiled into `folder`."""
    return _ENTRY.search((folder / f"{name}.h").read_text()).group(1)


def main(
    module: str,
    arch: str,
    cuobjdump: str,
    object_file: str,
    cubin_file: str,
    report_file: str,
    instructions: str = "",
    spill_bytes: str = "0",
) -> None:
    """Compiles, and writes the three files."""
    name = module.rpartition(".")[2]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        host_code = []
        ptxas_output = compile_kernel(
            module, arch, folder, lambda host, _: host_code.append(str(host))
        )
        (cubin,) = folder.glob("*.cubin")
        shutil.copyfile(folder / f"{name}.o", object_file)
        shutil.copyfile(cubin, cubin_file)
        summary = {
            "kernel": _kernel_name(module),
            "arch": arch,
            "entry": read_entry(folder, name),
            "required_instructions": [name for name in instructions.split(",") if name],
            "allowed_spill_bytes": int(spill_bytes),
            "advisories": report.advisories(ptxas_output),
            "launch_shared_bytes": report.launch_shared_bytes(*host_code),
            "functions": report.read_functions(
                cubin_file, cuobjdump, read_ptx(folder), ptxas_output
            ),
        }
    pathlib.Path(report_file).write_text(json.dumps(summary, indent=2) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
