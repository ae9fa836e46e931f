"""The compiler reports a kernel that spills, and says what is wrong with one that fails."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

_CUOBJDUMP = (
    pathlib.Path(__file__).parents[3] / "third_party/cutlass/cuda/nvidia/cu13/bin/cuobjdump"
)

# Many values that are all alive across a barrier, in a CTA that leaves 64 registers to a thread.
_KERNEL = """
import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
import torch
from cutlass import Float32
from cutlass.cute import arch

from msa.kernels.runtime.signature import Array, Signature


@cute.kernel
def hold(data: cute.Pointer):
    thread = arch.thread_idx()[0]
    memory = cute.make_tensor(data, cute.make_layout(1 << 20))
    values = cute.make_rmem_tensor(VALUES, Float32)
    for i in cutlass.range_constexpr(VALUES):
        values[i] = memory[i * 1024 + thread]
    arch.sync_threads()
    for i in cutlass.range_constexpr(VALUES):
        memory[i * 1024 + 1023 - thread] = values[VALUES - 1 - i]


SIGNATURE = Signature(data=Array(torch.float32, ("size",)))


@cute.jit
def launch(data: cute.Pointer, stream: cuda.CUstream):
    hold(data).launch(grid=[1, 1, 1], block=[1024, 1, 1], stream=stream)
"""


def compile_source(source: str, folder: pathlib.Path) -> subprocess.CompletedProcess:
    """Compiles `source` as module `kernel` for Hopper, into `folder`."""
    (folder / "kernel.py").write_text(source)
    program = [sys.executable, "-m", "msa.kernels.runtime.compile"]
    outputs = [folder / name for name in ("kernel.o", "kernel.cubin", "kernel.json")]
    return subprocess.run(
        [*program, "kernel", "sm_90a", _CUOBJDUMP, *outputs],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("values, spills", [(8, False), (128, True)])
def test_a_report_tells_what_spills(tmp_path, values, spills):
    process = compile_source(_KERNEL.replace("VALUES", str(values)), tmp_path)
    assert process.returncode == 0, process.stderr
    report = json.loads((tmp_path / "kernel.json").read_text())
    assert (report["kernel"], report["arch"]) == ("kernel", "sm_90a")
    (use,) = report["functions"].values()
    assert (use["spill_bytes"] > 0) == spills
    assert (use["stack_bytes"] > 0) == spills
    assert ("local" in use["instructions"]) == spills
    assert 0 < use["registers"] <= 64
    assert report["launch_shared_bytes"] == 0


def test_a_report_tells_what_a_launch_takes_of_shared_memory(tmp_path):
    source = _KERNEL.replace("VALUES", "8").replace(
        "    arch.sync_threads()\n",
        "    allocator = cutlass.memory.SmemAllocator()\n"
        "    tile = allocator.allocate_tensor(Float32, cute.make_layout(4096))\n"
        "    tile[thread] = values[0]\n"
        "    arch.sync_threads()\n",
    )
    source = source.replace("import cutlass\n", "import cutlass\nimport cutlass.memory\n")
    process = compile_source(source, tmp_path)
    assert process.returncode == 0, process.stderr
    report = json.loads((tmp_path / "kernel.json").read_text())
    assert 4 * 4096 <= report["launch_shared_bytes"] < 4 * 4096 + 1024


def test_a_failure_names_kernel_and_architecture_and_says_why(tmp_path):
    process = compile_source(_KERNEL.replace("VALUES", "undefined_name"), tmp_path)
    assert process.returncode != 0
    assert "kernel does not compile for sm_90a" in process.stderr
    assert "undefined_name" in process.stderr
