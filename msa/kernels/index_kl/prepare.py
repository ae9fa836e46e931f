"""What the main kernel reads of the teacher, and bounds for sums in fixed point."""

import math

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32, Int64
from cutlass.cute import arch

from msa.kernels.attention.interface import LARGEST_LSE
from msa.kernels.device.instructions import ptx
from msa.kernels.device.primitives import WARP, name_kernels, upper_bound, vector
from msa.kernels.index_kl.chunk import float_bits, log2
from msa.kernels.index_kl.interface import BASE_ORDER, BOUNDS, PREPARE
from msa.schedule.topology import GROUP_HEADS, INDEX_DIM

SIGNATURE = PREPARE
_THREADS = 256
_WARPS = _THREADS // WARP
_LOG2_E = math.log2(math.e)
_VECTOR = INDEX_DIM // WARP  # elements of a lane


@cute.kernel
def teacher_bases(lse: cute.Pointer, bases: cute.Pointer, rows: Int32):
    """A thread to a query and group."""
    row = arch.block_idx()[0] * _THREADS + arch.thread_idx()[0]
    if row < rows:
        at = Int64(row) * GROUP_HEADS
        heads = cute.make_rmem_tensor(GROUP_HEADS, Float32)
        cute.autovec_copy(_words(lse + at, GROUP_HEADS), heads)
        left = Float32(0)
        for i in cutlass.range_constexpr(GROUP_HEADS):
            left += Float32(cutlass.select_(_is_left(heads[i]), Float32(1), Float32(0)))
        shift = log2(left)
        out = cute.make_rmem_tensor(GROUP_HEADS, Float32)
        for i in cutlass.range_constexpr(GROUP_HEADS):
            value = heads[BASE_ORDER[i]]
            base = -value * _LOG2_E - shift
            base = cutlass.select_(_is_left(value), base, Float32(-math.inf))
            out[i] = cutlass.select_(left > 0, base, Float32(math.nan))
        cute.autovec_copy(out, _words(bases + at, GROUP_HEADS))


@cute.kernel
def document_bounds(
    index_q: cute.Pointer,
    index_k: cute.Pointer,
    cu_seqlens: cute.Pointer,
    bounds: cute.Pointer,
    documents: Int32,
    groups: Int32,
    tokens: Int32,
):
    """A warp to a token: raises the bounds of its document."""
    token = arch.block_idx()[0] * _WARPS + arch.warp_idx()
    if token < tokens:
        document = upper_bound(vector(cu_seqlens), documents + 1, token) - 1
        largest_key = _largest(index_k + Int64(token) * INDEX_DIM)
        largest_query = Float32(0)
        for group in cutlass.range(groups, unroll=1):
            row = Int64(token) * groups + group
            largest_query = arch.fmax(largest_query, _largest(index_q + row * INDEX_DIM))
        for i, largest in enumerate((largest_key, largest_query)):
            for step in cutlass.range_constexpr(5):
                largest = arch.fmax(largest, arch.shuffle_sync_bfly(largest, offset=1 << step))
            if arch.lane_idx() == 0:
                target = bounds.toint() + (Int64(document) * BOUNDS + i) * 4
                # Of numbers that are not negative the bits order as they do.
                ptx(
                    "red.relaxed.gpu.global.max.s32 [{$r0}], {$r1};",
                    None,
                    target,
                    float_bits(largest),
                )


def _is_left(lse: Float32):
    """Whether a head is part of the mean; NaN is not."""
    return arch.fmax(lse, -lse) < LARGEST_LSE


@cute.jit
def _largest(row: cute.Pointer) -> Float32:
    """The largest magnitude in a lane's part of a row."""
    values = cute.make_rmem_tensor(_VECTOR, BFloat16)
    cute.autovec_copy(_words(row + arch.lane_idx() * _VECTOR, _VECTOR), values)
    largest = Float32(0)
    for i in cutlass.range_constexpr(_VECTOR):
        value = values[i].to(Float32)
        largest = arch.fmax(largest, arch.fmax(value, -value))
    return largest


def _words(pointer: cute.Pointer, count: int) -> cute.Tensor:
    """Elements that are read or written in 16 bytes at a time, or in 8."""
    width = pointer.dtype.width // 8
    aligned = pointer.align(min(16, count * width))
    return cute.make_tensor(aligned, cute.make_layout(count))


name_kernels(teacher_bases, document_bounds)


@cute.jit
def launch(
    lse: cute.Pointer,
    index_q: cute.Pointer,
    index_k: cute.Pointer,
    cu_seqlens: cute.Pointer,
    bases: cute.Pointer,
    bounds: cute.Pointer,
    documents: Int32,
    groups: Int32,
    tokens: Int32,
    with_bounds: Int32,
    stream: cuda.CUstream,
):
    """Writes bases, and raises bounds if asked to; arguments are those of `SIGNATURE`."""
    rows = tokens * groups
    teacher_bases(lse, bases, rows).launch(
        grid=[cute.ceil_div(rows, _THREADS), 1, 1], block=[_THREADS, 1, 1], stream=stream
    )
    if with_bounds != 0:
        document_bounds(index_q, index_k, cu_seqlens, bounds, documents, groups, tokens).launch(
            grid=[cute.ceil_div(tokens, _WARPS), 1, 1], block=[_THREADS, 1, 1], stream=stream
        )
