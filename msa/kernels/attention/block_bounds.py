"""How large the keys and values of a block are: the units of fixed-point sums.

Bounds are of what is finite.
"""

import math

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32, Int64
from cutlass.cute import arch

from msa.kernels.attention.interface import BLOCK_BOUNDS, BOUND_FIELDS
from msa.kernels.device.primitives import (
    BF16_VECTOR,
    WARP,
    name_kernels,
    shared,
    vector,
)
from msa.schedule.topology import BLOCK_SIZE, HEAD_DIM

SIGNATURE = BLOCK_BOUNDS
_THREADS = 256
_WARPS = _THREADS // WARP
_LANES = HEAD_DIM // BF16_VECTOR  # lanes to a key
_STEP_KEYS = _THREADS // _LANES
_STEPS = BLOCK_SIZE // _STEP_KEYS
assert HEAD_DIM == _LANES * BF16_VECTOR and WARP % _LANES == 0 and BLOCK_SIZE % _STEP_KEYS == 0
_LARGEST_FLOAT = 2.0**128 - 2.0**104


@cute.kernel
def bound_blocks(
    k: cute.Pointer, v: cute.Pointer, wanted: cute.Pointer, filtered: Int32, bounds: cute.Pointer
):
    """A CTA to a key block and head; nothing is written unless it is `wanted`."""
    if filtered == 0 or vector(wanted)[0] != 0:
        thread, this_warp = arch.thread_idx()[0], arch.warp_idx()
        kblock, head, _ = arch.block_idx()
        num_kblocks, num_groups, _ = arch.grid_dim()
        tops = shared(Float32, (BOUND_FIELDS, _WARPS))
        key = Int64(kblock) * BLOCK_SIZE + thread // _LANES
        first = (key * num_groups + head) * HEAD_DIM + thread % _LANES * BF16_VECTOR
        k_top, _ = _largest(k + first, num_groups)
        v_top, v_square = _largest(v + first, num_groups)
        # Squares may overflow where their root would not.
        v_norm = arch.fmin(cute.math.sqrt(v_square), v_top * math.sqrt(HEAD_DIM))
        v_norm = arch.fmin(v_norm, Float32(_LARGEST_FLOAT))
        fields = (v_top, v_norm, k_top, Float32(0))
        for field in cutlass.range_constexpr(BOUND_FIELDS):
            top = fields[field]
            for i in cutlass.range_constexpr(WARP.bit_length() - 1):
                top = arch.fmax(top, arch.shuffle_sync_bfly(top, offset=1 << i))
            if arch.lane_idx() == 0:
                tops[field, this_warp] = top
        arch.sync_threads()
        if thread < BOUND_FIELDS:
            top = Float32(0)
            for i in cutlass.range_constexpr(_WARPS):
                top = arch.fmax(top, tops[thread, i])
            vector(bounds)[(head * num_kblocks + kblock) * BOUND_FIELDS + thread] = top


@cute.jit
def _largest(source: cute.Pointer, num_groups: Int32):
    """Largest magnitude, and largest sum of squares of a key, of what this thread's lanes hold."""
    stride = cute.assume(num_groups * (_STEP_KEYS * HEAD_DIM), divby=_STEP_KEYS * HEAD_DIM)
    memory = cute.make_tensor(source, cute.make_layout((BF16_VECTOR, _STEPS), stride=(1, stride)))
    values = cute.make_rmem_tensor((BF16_VECTOR, _STEPS), BFloat16)
    for step in cutlass.range_constexpr(_STEPS):
        cute.autovec_copy(memory[None, step], values[None, step])
    top, largest_square = Float32(0), Float32(0)
    for step in cutlass.range_constexpr(_STEPS):
        square = Float32(0)
        for i in cutlass.range_constexpr(BF16_VECTOR):
            magnitude = Float32(values[i, step])
            magnitude = cutlass.max(magnitude, -magnitude)
            # Neither infinity nor NaN, for which no comparison holds, is a bound.
            if not (magnitude < math.inf):
                magnitude = Float32(0)
            top = arch.fmax(top, magnitude)
            square += magnitude * magnitude
        for i in cutlass.range_constexpr(_LANES.bit_length() - 1):
            square += arch.shuffle_sync_bfly(square, offset=1 << i)
        largest_square = arch.fmax(largest_square, square)
    return top, largest_square


name_kernels(bound_blocks)


@cute.jit
def launch(
    k: cute.Pointer,
    v: cute.Pointer,
    wanted: cute.Pointer,
    filtered: Int32,
    num_groups: Int32,
    num_kblocks: Int32,
    bounds: cute.Pointer,
    stream: cuda.CUstream,
):
    """Writes FP32 `bounds` `[num_groups, num_kblocks, BOUND_FIELDS]` of each head and key block.

    `k` and `v` are bf16 `[128 * num_kblocks, num_groups, 128]`, in workspace rows. Where `filtered`
    is not 0, nothing is done unless `wanted`, int32 `[1]`, is not.
    """
    bound_blocks(k, v, wanted, filtered, bounds).launch(
        grid=[num_kblocks, num_groups, 1], block=[_THREADS, 1, 1], stream=stream
    )
