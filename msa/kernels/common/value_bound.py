"""The largest finite magnitude of V, in which the fixed-point forward counts its sums."""

import math

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32, Int64
from cutlass.cute import arch
from cutlass.cute.runtime import make_fake_stream

from msa.kernels.common.device import WARP, fake_pointer, name_kernels, vector
from msa.schedule.topology import HEAD_DIM, NUM_KV_HEADS

_ROW = NUM_KV_HEADS * HEAD_DIM
_THREADS = 256
_VECTOR = 8  # bf16 values of a 16-byte access
_STEPS = 8  # of a thread, all loads before the first use


@cute.kernel
def raise_bound(
    v: cute.Pointer, num_vectors: Int32, wanted: cute.Pointer, filtered: Int32, bound: cute.Pointer
):
    """Raises `bound` to what this CTA's vectors hold, unless nothing is `wanted`."""
    if filtered == 0 or vector(wanted)[0] != 0:
        first = arch.block_idx()[0] * (_THREADS * _STEPS) + arch.thread_idx()[0]
        values = cute.make_rmem_tensor((_VECTOR, _STEPS), BFloat16)
        for step in cutlass.range_constexpr(_STEPS):
            # Behind the end, the last vector once more: a load without a branch.
            at = Int64(cutlass.min(first + step * _THREADS, num_vectors - 1)) * _VECTOR
            source = cute.make_tensor(v + at, cute.make_layout(_VECTOR))
            cute.autovec_copy(source, values[None, step])
        top = Float32(0)
        for i in cutlass.range_constexpr(cute.size(values)):
            magnitude = Float32(values[i])
            magnitude = cutlass.max(magnitude, -magnitude)
            # Neither infinity nor NaN, for which no comparison holds, is a bound.
            if magnitude < math.inf:
                top = cutlass.max(top, magnitude)
        for i in cutlass.range_constexpr(WARP.bit_length() - 1):
            top = arch.fmax(top, arch.shuffle_sync_bfly(top, offset=1 << i))
        if arch.lane_idx() == 0:
            # Floats that are not negative order as their bits do.
            arch.red(bound, top.bitcast(Int32), op="max", dtype=Int32, sem="relaxed", scope="gpu")


name_kernels(raise_bound)


@cute.jit
def value_bound(
    v: cute.Pointer,
    num_tokens: Int32,
    wanted: cute.Pointer,
    filtered: Int32,
    bound: cute.Pointer,
    stream: cuda.CUstream,
):
    """Raises `bound`, FP32 `[1]`, to the largest finite magnitude of `v`, bf16 `[T, 4, 128]`.

    Where `filtered` is not 0, it does so only if `wanted`, int32 `[1]`, is not 0: the fast forward
    needs no bound unless it has flagged a row.
    """
    num_vectors = num_tokens * (_ROW // _VECTOR)
    raise_bound(v, num_vectors, wanted, filtered, cute.recast_ptr(bound, dtype=Int32)).launch(
        grid=[cute.ceil_div(num_vectors, _THREADS * _STEPS), 1, 1],
        block=[_THREADS, 1, 1],
        stream=stream,
    )


def compile_arguments():
    """Stand-ins for the arguments of `value_bound`."""
    int32, size = fake_pointer(Int32), Int32(1)
    return fake_pointer(BFloat16), size, int32, size, fake_pointer(Float32), make_fake_stream()
