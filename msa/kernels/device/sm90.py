"""Device functions that the Hopper attention kernels have in common."""

import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32
from cutlass.cute.nvgpu import warpgroup
from cutlass.utils import hopper_helpers

MMA_ROWS = 64
"""Rows of a warpgroup's product."""


def tiled_mma(columns: int, a_major, b_major, a_source) -> cute.TiledMma:
    """A warpgroup's product of bf16 operands, 64 rows, in FP32.

    An operand is K-major where the elements that are summed over lie next to each other.
    """
    shape = (MMA_ROWS, columns)
    return hopper_helpers.make_trivial_tiled_mma(
        BFloat16, BFloat16, a_major, b_major, Float32, (1, 1, 1), shape, a_source
    )


@cute.jit
def issue(mma: cute.TiledMma, sums: cute.Tensor, a: cute.Tensor, b: cute.Tensor, accumulate):
    """Issues `sums = a b`, or `sums += a b`, as a group of its own.

    A run-time `accumulate` is a predicate and costs nothing.
    """
    warpgroup.fence()
    atom = cute.make_mma_atom(mma.op)
    atom.set(warpgroup.Field.ACCUMULATE, accumulate)
    for k in cutlass.range_constexpr(cute.size(a, mode=[2])):
        cute.gemm(atom, sums, a[None, None, k], b[None, None, k], sums)
        atom.set(warpgroup.Field.ACCUMULATE, True)
    warpgroup.commit_group()
