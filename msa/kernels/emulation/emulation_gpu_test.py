"""The emulator computes what tcgen05 does, and notices what is wrong with a kernel.

What it runs is gemm.py: S = A Bᵀ, then O = bf16(S) W for each 128 columns of S by themselves.
"""

import os
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

import pytest
import torch

from msa.kernels import library
from msa.kernels.library import Kernel
from msa.kernels.testing import needs_hopper, poison

pytestmark = needs_hopper

both_modes = pytest.mark.parametrize("mode", ["eager", "lazy"])

TILE = 128
# Of a sum of exact products in FP32, relative to the sum of their magnitudes.
TOLERANCE = 2.0**-18
# More tiles than a GPU has SMs, and of K more stages than the kernel has.
ROWS, COLUMNS, DEPTH = 2048, 1536, 448


class Result(NamedTuple):
    """The products, and how far off they are in units of the tolerance; O, from the S there is."""

    s: torch.Tensor
    o: torch.Tensor
    s_error: float
    o_error: float


def error(got: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> float:
    """Of `got` as `a b`, in units of the tolerance."""
    a, b = a.double(), b.double()
    allowed = TOLERANCE * (a.abs() @ b.abs())
    return ((got - a @ b).abs() / allowed).nan_to_num(nan=torch.inf).max().item()


def run(folder: str, rows: int = ROWS, columns: int = COLUMNS, depth: int = DEPTH) -> Result:
    """Runs the kernel of `folder` on fresh random operands."""
    device = torch.device("cuda", torch.cuda.current_device())
    a = torch.randn(depth, rows, device=device).bfloat16()
    b = torch.randn(columns, depth, device=device).bfloat16()
    w = torch.randn(TILE, TILE, device=device).bfloat16()
    s, o = (poison(torch.empty(rows, columns, device=device)) for _ in range(2))
    Kernel(f"emulation/{folder}", "gemm")(device, a, b, w, s, o, rows, columns, depth)
    torch.cuda.synchronize()
    s_error = error(s, a.t(), b.t())
    o_error = error(o.view(-1, TILE), s.bfloat16().view(-1, TILE), w)
    return Result(s, o, s_error, o_error)


@both_modes
@pytest.mark.parametrize(
    "sizes", [(128, 128, 64), (128, 128, 128), (256, 384, 192), (ROWS, COLUMNS, DEPTH)]
)
def test_products(mode, sizes):
    result = run(mode, *sizes)
    assert result.s_error < 1
    assert result.o_error < 1


@both_modes
def test_a_kernel_runs_again_and_again(mode):
    for _ in range(5):
        assert max(run(mode)[2:]) < 1


@both_modes
def test_a_dropped_product_is_noticed(mode):
    result = run(f"drop_mma_2/{mode}")
    assert result.s_error > 100
    assert result.o_error < 1


def test_operands_released_early_are_noticed_in_lazy_mode():
    assert run("release_early_0/lazy").s_error > 100


def test_operands_released_early_are_too_late_to_notice_in_eager_mode():
    assert run("release_early_0/eager").s_error < 1


@both_modes
def test_the_watchdog_names_the_barrier_of_a_hang(mode):
    """Of the stages' barriers, 8 bytes each from byte 0 on, `empty` are the third and fourth."""
    folder = f"drop_commit_0/{mode}"
    code = f"from msa.kernels.emulation import emulation_gpu_test as t; t.run({folder!r}, 128, 128)"
    process = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert process.returncode != 0
    hangs = re.findall(r"hangs.*?mbarrier at byte (\d+).*?line (\d+)", process.stdout)
    assert "16" in {barrier for barrier, _ in hangs}
    kernel = pathlib.Path(library.__file__).parent / "emulation" / folder / "gemm.sm_100a.ptx"
    ptx = kernel.read_text().splitlines()
    assert all("mbarrier.try_wait" in ptx[int(line) - 1] for _, line in hangs)
