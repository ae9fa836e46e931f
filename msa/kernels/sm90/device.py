"""Device functions that the attention kernels have in common."""

import math
from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32, Int64
from cutlass.cute import arch
from cutlass.cute.nvgpu import warpgroup
from cutlass.utils import hopper_helpers

from msa.schedule.topology import SOFTMAX_SCALE

SCALE_LOG2 = SOFTMAX_SCALE * math.log2(math.e)
"""Scale of the logits as exponents of two."""

MMA_ROWS = 64
"""Rows of a warpgroup's product."""


class View(NamedTuple):
    """How TMA sees a matrix: its descriptor, and the tensor of its coordinates."""

    atom: cute.CopyAtom
    tensor: cute.Tensor


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


def ptx(text: str, results, *arguments):
    """Inline PTX: `{$w0}` and so on are its results, of the types given, `{$r0}` its arguments."""
    return arch.inline_ptx(text, write_only_types=results, read_only_args=list(arguments))


def nearest(value: Float32, dtype: type[cutlass.Numeric]):
    """The nearest integer, ties to even, clamped."""
    return ptx(f"cvt.rni.s{dtype.width}.f32 {{$w0}}, {{$r0}};", [dtype], value)


def bulk_add(kind: str, target: Int64, source: Int32, size: int) -> None:
    """Adds shared to global memory, as a part of the calling lane's bulk group."""
    ptx(
        f"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.{kind} "
        "[{$r0}], [{$r1}], {$r2};",
        None,
        target,
        source,
        Int32(size),
    )
