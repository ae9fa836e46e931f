"""Device functions that the attention kernels of all architectures have in common."""

import math
from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64
from cutlass.cute import arch

from msa.schedule.topology import SOFTMAX_SCALE

SCALE_LOG2 = SOFTMAX_SCALE * math.log2(math.e)
"""Scale of the logits as exponents of two."""


class View(NamedTuple):
    """How TMA sees a matrix: its descriptor, and the tensor of its coordinates."""

    atom: cute.CopyAtom
    tensor: cute.Tensor


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
