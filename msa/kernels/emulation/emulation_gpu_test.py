"""The emulator computes what Blackwell does, and notices what is wrong with a kernel.

Most of it runs gemm.py: S = A Bᵀ, then O = bf16(S) W for each 128 columns of S by themselves.
"""

import os
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

import pytest
import torch

from msa.kernels.emulation.interface import ARITHMETIC, GEMM, TENSOR_MEMORY
from msa.kernels.runtime.declared import DeclaredKernel, on_hopper
from msa.kernels.runtime.signature import Signature
from msa.kernels.runtime.testing import needs_hopper, poison

pytestmark = needs_hopper

both_modes = pytest.mark.parametrize("mode", ["eager", "lazy"])

TILE = 128
# Of a sum of exact products in FP32, relative to the sum of their magnitudes.
TOLERANCE = 2.0**-18
# More tiles than a GPU has SMs; of K more steps than the kernel has stages, an odd number.
ROWS, COLUMNS, DEPTH = 2048, 1536, 448


def gpu() -> torch.device:
    return torch.device("cuda", torch.cuda.current_device())


class Errors(NamedTuple):
    """How far off the products are, at most, in units of the tolerance; O is judged by the S
    that there is."""

    s: float
    o: float


def error(got: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> float:
    """Of `got` as `a b`, in units of the tolerance."""
    a, b = a.double(), b.double()
    allowed = TOLERANCE * (a.abs() @ b.abs())
    return ((got - a @ b).abs() / allowed).nan_to_num(nan=torch.inf).max().item()


def run_gemm(folder: str, rows: int = ROWS, columns: int = COLUMNS, depth: int = DEPTH) -> Errors:
    """Runs the kernel of `folder` on fresh random operands."""
    a = torch.randn(depth, rows, device=gpu()).bfloat16()
    b = torch.randn(columns, depth, device=gpu()).bfloat16()
    w = torch.randn(TILE, TILE, device=gpu()).bfloat16()
    s, o = (poison(torch.empty(rows, columns, device=gpu())) for _ in range(2))
    emulated(GEMM, folder, "gemm")(
        gpu(), a=a, b=b, w=w, s=s, o=o, rows=rows, columns=columns, depth=depth
    )
    torch.cuda.synchronize()
    return Errors(error(s, a.t(), b.t()), error(o.view(-1, TILE), s.bfloat16().view(-1, TILE), w))


def emulated(signature: Signature, folder: str, name: str) -> DeclaredKernel:
    """A test kernel as it is emulated in `folder`."""
    return on_hopper(signature, f"emulation/{folder}", name)


def run_tensor_memory(column: int, lane: int) -> torch.Tensor:
    """Reads a column of which nothing was written; the lanes are those of each warp, and `lane`."""
    out = torch.zeros(TILE, device=gpu())
    emulated(TENSOR_MEMORY, "eager", "tensor_memory")(gpu(), column=column, lane=lane, out=out)
    torch.cuda.synchronize()
    return out


def output_of_failing(call: str) -> str:
    """What a process prints that calls a function of this module, and fails."""
    code = f"from msa.kernels.emulation.emulation_gpu_test import *; {call}"
    process = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert process.returncode != 0
    return process.stdout


@both_modes
@pytest.mark.parametrize(
    "sizes", [(128, 128, 64), (128, 128, 128), (256, 384, 192), (ROWS, COLUMNS, DEPTH)]
)
def test_products(mode, sizes):
    errors = run_gemm(mode, *sizes)
    assert errors.s < 1
    assert errors.o < 1


@both_modes
def test_a_kernel_leaves_nothing_behind_for_the_next(mode):
    for _ in range(5):
        assert max(run_gemm(mode)) < 1


@both_modes
def test_a_dropped_product_is_noticed(mode):
    errors = run_gemm(f"drop_mma_2/{mode}")
    assert errors.s > 100
    assert errors.o < 1


def test_operands_released_early_are_noticed_in_lazy_mode():
    assert run_gemm("release_early_0/lazy").s > 100


def test_operands_released_early_were_read_before_in_eager_mode():
    assert run_gemm("release_early_0/eager").s < 1


@both_modes
def test_the_watchdog_names_the_barrier_of_a_hang(mode):
    """Of the kernel's barriers, 8 bytes each from byte 0 on, the third waits for the commit."""
    folder = f"drop_commit_0/{mode}"
    output = output_of_failing(f"run_gemm({folder!r}, 128, 128)")
    hangs = re.findall(r"hangs.* mbarrier at byte (\d+) .* line (\d+) ", output)
    assert "16" in {barrier for barrier, _ in hangs}
    source = pathlib.Path(__file__).parent / folder / "gemm.sm_100a.ptx"
    ptx = source.read_text().splitlines()
    assert all("mbarrier.try_wait" in ptx[int(line) - 1] for _, line in hangs)


@pytest.mark.parametrize("column", [0, 63])
def test_tensor_memory_begins_as_nan(column):
    assert run_tensor_memory(column, 0).isnan().all()


@pytest.mark.parametrize(
    "column, lane, message",
    [
        (64, 0, "must use columns of tensor memory that are allocated"),
        (0, 32, "quarter of tensor memory's lanes that belongs to the warp"),
        (0, 16, "must use aligned lanes of tensor memory"),
    ],
)
def test_misuse_of_tensor_memory_is_told(column, lane, message):
    assert message in output_of_failing(f"run_tensor_memory({column}, {lane})")


def test_arithmetic():
    x, y, z = torch.randn(3, TILE, 8, device=gpu())
    x[5, 3] = torch.nan
    short = torch.randn(TILE, device=gpu()).bfloat16()
    out = poison(torch.empty(6, TILE, 8, device=gpu()))
    emulated(ARITHMETIC, "eager", "arithmetic")(gpu(), x=x, y=y, z=z, short=short, out=out)
    fma = (x.double() * y.double() + z.double()).float()
    expected = [
        x + y,
        x * y,
        fma,
        x.maximum(y).maximum(z),
        x.fmin(y).fmin(z),
        short.float()[:, None] + x,
    ]
    torch.testing.assert_close(out, torch.stack(expected), rtol=2e-7, atol=0, equal_nan=True)
