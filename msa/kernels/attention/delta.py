"""The row statistics of the attention backward: lse and delta, side by side.

`delta = rowsum(dO * O)` in FP32 for each query and head. The backward reads both statistics of a
query's 16 heads of a group as one row of 128 bytes: 16 of `lse * log2(e)`, so that it can take
powers of two, then 16 of `SOFTMAX_SCALE * delta`, so that one multiply-add scales and subtracts:
`SOFTMAX_SCALE * dS = P * (SOFTMAX_SCALE * dP - SOFTMAX_SCALE * delta)`. Where lse is -inf, all
logits are, or there are none: inf stands there, below which each has the weight 0. So it does where
lse is so large that FP32 does not hold its difference to a logit.
"""

import math

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32, Int64
from cutlass.cute import arch

from msa.kernels.attention.interface import DELTA, LARGEST_LSE
from msa.kernels.device.primitives import BF16_VECTOR, WARP, name_kernels, vector
from msa.schedule.topology import GROUP_HEADS, HEAD_DIM, SOFTMAX_SCALE

SIGNATURE = DELTA
_LOG2_E = math.log2(math.e)
_WARPS = 8
_LANES = HEAD_DIM // BF16_VECTOR  # lanes to a head: a warp takes two heads at a time
_STEPS = GROUP_HEADS * _LANES // WARP
assert HEAD_DIM == _LANES * BF16_VECTOR and WARP % _LANES == 0
assert GROUP_HEADS * _LANES % WARP == 0 and GROUP_HEADS <= WARP


@cute.kernel
def row_statistics(
    grad_out: cute.Pointer,
    out: cute.Pointer,
    lse: cute.Pointer,
    statistics: cute.Pointer,
    num_rows: Int32,
):
    """A warp to a query and group: 4 KB of each operand, all loads before the first use."""
    lane = arch.lane_idx()
    row = arch.block_idx()[0] * _WARPS + arch.warp_idx()
    if row < num_rows:
        first = Int64(row) * (GROUP_HEADS * HEAD_DIM) + lane * BF16_VECTOR
        parts = cute.make_layout((BF16_VECTOR, _STEPS), stride=(1, WARP * BF16_VECTOR))
        grads = cute.make_tensor(grad_out + first, parts)
        outs = cute.make_tensor(out + first, parts)
        a = cute.make_rmem_tensor((BF16_VECTOR, _STEPS), BFloat16)
        b = cute.make_rmem_tensor((BF16_VECTOR, _STEPS), BFloat16)
        for step in cutlass.range_constexpr(_STEPS):
            cute.autovec_copy(grads[None, step], a[None, step])
            cute.autovec_copy(outs[None, step], b[None, step])
        target = vector(statistics + Int64(row) * (2 * GROUP_HEADS))
        for step in cutlass.range_constexpr(_STEPS):
            total = Float32(0)
            for i in cutlass.range_constexpr(BF16_VECTOR):
                total += a[i, step].to(Float32) * b[i, step].to(Float32)
            for i in cutlass.range_constexpr(_LANES.bit_length() - 1):
                total += arch.shuffle_sync_bfly(total, offset=1 << i)
            if lane % _LANES == 0:
                target[GROUP_HEADS + step * (WARP // _LANES) + lane // _LANES] = (
                    total * SOFTMAX_SCALE
                )
        if lane < GROUP_HEADS:
            row_lse = vector(lse + Int64(row) * GROUP_HEADS)[lane]
            if row_lse <= -LARGEST_LSE or row_lse >= LARGEST_LSE:
                row_lse = Float32(math.inf)
            target[lane] = row_lse * _LOG2_E


name_kernels(row_statistics)


@cute.jit
def launch(
    grad_out: cute.Pointer,
    out: cute.Pointer,
    lse: cute.Pointer,
    statistics: cute.Pointer,
    num_rows: Int32,
    stream: cuda.CUstream,
):
    """Writes FP32 `statistics` `[num_rows, 32]` of bf16 `grad_out`, `out` `[num_rows, 16, 128]`.

    A row is a query and group; `lse` is FP32 `[num_rows, 16]`.
    """
    row_statistics(grad_out, out, lse, statistics, num_rows).launch(
        grid=[cute.ceil_div(num_rows, _WARPS), 1, 1], block=[_WARPS * WARP, 1, 1], stream=stream
    )
