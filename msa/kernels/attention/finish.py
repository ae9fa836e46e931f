"""Ends a forward: from pools and sums of weights to the output and its lse.

A row is a query and group, 16 heads of 128 channels. A warp takes a row at a time, and is bound by
the memory that it moves: 8 KB of pool in, 4 KB of output out.
"""

import math
from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Boolean, Float32, Int32, Int64
from cutlass.cute import arch

from msa.kernels.attention.fragment import (
    FRAGMENT_ROWS,
    fragment_vectors,
    load_fragment,
    row_of_lane,
    store_vectors,
)
from msa.kernels.attention.interface import (
    BOUND_FIELDS,
    FINISH,
    FINISH_FAST,
    FIXED_ONE,
    NAN_OUT,
    NO_REFERENCE,
    SUM_ONE,
    V_BOUND_FLOOR,
)
from msa.kernels.device.instructions import ordered_bits
from msa.kernels.device.primitives import BF16_VECTOR, WARP, name_kernels, vector
from msa.schedule.topology import GROUP_HEADS, HEAD_DIM, SOFTMAX_SCALE

SIGNATURE = FINISH
_LN_2 = math.log(2)
assert GROUP_HEADS == FRAGMENT_ROWS  # a row's heads are the rows of one fragment
_ROW = GROUP_HEADS * HEAD_DIM
_WARPS = 4
_STEPS = _ROW // (WARP * BF16_VECTOR)
_HEAD_LANES = HEAD_DIM // BF16_VECTOR  # lanes to a head
_POOLS = 2
assert WARP % GROUP_HEADS == 0 and HEAD_DIM == _HEAD_LANES * BF16_VECTOR and WARP % _HEAD_LANES == 0
assert _ROW % (WARP * BF16_VECTOR) == 0

# Sums outside may be what an overflow, or an underflow of most weights, has left.
_SMALLEST_SUM = 2.0**-64
_LARGEST_SUM = 2.0**64


class _Rows(NamedTuple):
    """The rows of some heads, numbered in the order of the output.

    In the order of the pool, which has head after head, it took 5 % longer.
    """

    num_tokens: Int32
    num_groups: Int32
    first_head: Int32
    num_heads: Int32

    @property
    def count(self) -> Int32:
        return self.num_tokens * self.num_heads

    def at(self, number: Int32) -> tuple[Int32, Int32]:
        """A row, `token * num_groups + head`, and where its pool is."""
        token = number // self.num_heads
        head = number - token * self.num_heads
        return token * self.num_groups + self.first_head + head, head * self.num_tokens + token


@cute.kernel
def divide_pools(
    pool: cute.Pointer,
    sums: cute.Pointer,
    references: cute.Pointer,
    flags: cute.Pointer,
    flagged: cute.Pointer,
    out: cute.Pointer,
    lse: cute.Pointer,
    rows: _Rows,
):
    """Divides the two pools of a row by its sums; or flags the row and clears what it has."""
    lane = arch.lane_idx()
    number = arch.block_idx()[0] * _WARPS + arch.warp_idx()
    if number < rows.count:
        row, place = rows.at(number)
        head = lane % GROUP_HEADS
        heads = Int64(row) * GROUP_HEADS
        total = vector(sums + heads)[head]
        pools = cute.make_tensor(
            pool + Int64(place) * (_POOLS * _ROW) + lane * BF16_VECTOR,
            cute.make_layout((BF16_VECTOR, _STEPS, _POOLS), stride=(1, WARP * BF16_VECTOR, _ROW)),
        )
        values = cute.make_rmem_tensor((BF16_VECTOR, _STEPS, _POOLS), BFloat16)
        for step in cutlass.range_constexpr(_STEPS):
            for i in cutlass.range_constexpr(_POOLS):
                cute.autovec_copy(pools[None, step, i], values[None, step, i])

        # A branch of its own: it keeps the compiler from putting off some of the loads.
        flag = arch.vote_any_sync(not (total >= _SMALLEST_SUM and total <= _LARGEST_SUM))
        if not flag:
            flag = arch.vote_any_sync(not _all_finite(values))
        if flag:
            zeros = cute.make_rmem_tensor((BF16_VECTOR,), BFloat16)
            zeros.fill(0)
            for step in cutlass.range_constexpr(_STEPS):
                for i in cutlass.range_constexpr(_POOLS):
                    cute.autovec_copy(zeros, pools[None, step, i])
            if lane < GROUP_HEADS:
                vector(sums + heads)[head] = Float32(0)
                vector(references + heads)[head] = Int32(NO_REFERENCE)
            if lane == 0:
                arch.atomic_add(flagged, Int32(1))
        else:
            outs = cute.make_tensor(
                out + Int64(row) * _ROW + lane * BF16_VECTOR,
                cute.make_layout((BF16_VECTOR, _STEPS), stride=(1, WARP * BF16_VECTOR)),
            )
            inverse = arch.rcp_approx(total)
            result = cute.make_rmem_tensor((BF16_VECTOR,), BFloat16)
            for step in cutlass.range_constexpr(_STEPS):
                step_head = step * (WARP // _HEAD_LANES) + lane // _HEAD_LANES
                scale = arch.shuffle_sync(inverse, offset=step_head)
                one, other = (values[None, step, i].load().to(Float32) for i in range(_POOLS))
                result.store(((one + other) * scale).to(BFloat16))
                cute.autovec_copy(result, outs[None, step])
            if lane < GROUP_HEADS:
                vector(lse + heads)[head] = cute.math.log2(total, fastmath=True) * _LN_2
        if lane == 0:
            vector(flags)[row] = Int32(flag)


@cute.jit
def _all_finite(values: cute.Tensor) -> Boolean:
    """Whether this lane's values of either pool, and their sums, are finite."""
    # A product of zero with anything that is not finite is NaN, and then stays it.
    zeros = cute.make_rmem_tensor((BF16_VECTOR,), BFloat16)
    zeros.fill(0)
    for step in cutlass.range_constexpr(_STEPS):
        both = values[None, step, 0].load() + values[None, step, 1].load()
        zeros.store(zeros.load() + both * zeros.load())
    zero = zeros.load().to(Float32).reduce(cute.ReductionOp.ADD, 0.0, reduction_profile=0)
    return zero == 0


@cute.kernel
def divide_fixed_point(
    pool: cute.Pointer,
    sums: cute.Pointer,
    references: cute.Pointer,
    bounds: cute.Pointer,
    flags: cute.Pointer,
    filtered: Int32,
    rows_per_warp: Int32,
    out: cute.Pointer,
    lse: cute.Pointer,
    rows: _Rows,
):
    """Divides the fixed-point pool of a row by its sums: of all rows, or of the flagged ones.

    A warp looks at `rows_per_warp` rows, at most 32: flagged ones are few.
    """
    lane = arch.lane_idx()
    first = (arch.block_idx()[0] * _WARPS + arch.warp_idx()) * rows_per_warp
    size = cutlass.min(rows_per_warp, rows.count - first)
    wanted = Boolean(lane < size)
    if wanted and filtered != 0:
        row, _ = rows.at(first + lane)
        wanted = vector(flags)[row] != 0
    todo = arch.vote_ballot_sync(wanted)
    for i in cutlass.range(size, unroll=1):
        if (todo >> i) & 1 != 0:
            row, place = rows.at(first + i)
            _divide_row(pool, sums, references, bounds, out, lse, place, row)


@cute.jit
def _divide_row(
    pool: cute.Pointer,
    sums: cute.Pointer,
    references: cute.Pointer,
    bounds: cute.Pointer,
    out: cute.Pointer,
    lse: cute.Pointer,
    place: Int32,
    row: Int32,
) -> None:
    lane = arch.lane_idx()
    head = lane % GROUP_HEADS
    heads = Int64(row) * GROUP_HEADS
    row_sum = vector(sums + heads)[head]
    total = Float32(row_sum & ~NAN_OUT)
    reference = vector(references + heads)[head]
    score = _score(reference)
    bound = vector(bounds + Int64(row) * BOUND_FIELDS)[0]
    values = load_fragment(pool + Int64(place) * _ROW, _ROW)

    scale = arch.fmax(bound, Float32(V_BOUND_FLOOR)) * (1 / FIXED_ONE)
    log2_sum = cute.math.log2(total * (1 / SUM_ONE), fastmath=True)
    row_lse = score * SOFTMAX_SCALE + log2_sum * _LN_2
    if total <= 0:
        row_lse = Float32(math.nan)
    if row_lse != row_lse or row_sum < 0:  # NaN where the reference is
        scale = Float32(math.nan)
    if reference == NO_REFERENCE or score == -math.inf:
        scale = Float32(0)
        row_lse = Float32(-math.inf)

    upper = arch.shuffle_sync(scale, offset=row_of_lane(0))
    lower = arch.shuffle_sync(scale, offset=row_of_lane(1))
    vectors = fragment_vectors(values, upper, lower)
    for half in cutlass.range_constexpr(2):
        store_vectors(vectors, half, out + Int64(row) * _ROW + row_of_lane(half) * HEAD_DIM)
    if lane < GROUP_HEADS:
        vector(lse + heads)[head] = row_lse


def _score(reference: Int32) -> Float32:
    """The score, `q k`, of an integer that orders as scores do."""
    return ordered_bits(reference).bitcast(Float32)


name_kernels(divide_pools, divide_fixed_point)


@cute.jit
def launch(
    mode: Int32,
    pool: cute.Pointer,
    sums: cute.Pointer,
    references: cute.Pointer,
    bounds: cute.Pointer,
    flags: cute.Pointer,
    filtered: Int32,
    flagged: cute.Pointer,
    out: cute.Pointer,
    lse: cute.Pointer,
    num_tokens: Int32,
    num_groups: Int32,
    first_head: Int32,
    num_heads: Int32,
    stream: cuda.CUstream,
):
    """Writes bf16 `out` `[T, G, 16, 128]` and natural-log FP32 `lse` `[T, G, 16]`, G `num_groups`.

    Of each token, the rows of `num_heads` heads from `first_head` on; `pool` has no others.

    `FINISH_FAST`: `out = (pool[0] + pool[1]) / sum` and `lse = ln(sum)`; `pool` is bf16
    `[num_heads, T, 2, 16, 128]`, `sums` FP32 `[T, G, 16]`. A row of which a sum is not in
    [2**-64, 2**64], or a value of the pools or of their sum is not finite, is *flagged*: its
    `flags`, int32 `[T, G]`, is 1 instead of 0 and counts in `flagged`, int32 `[1]`, its pools and
    sums become zero and its `references`, int32 `[T, G, 16]`, `NO_REFERENCE`, while `out` and `lse`
    stay as they are.

    `FINISH_FIXED`: of all rows, or where `filtered` of those with `flags` that are not zero, `out =
    pool bound / FIXED_ONE` and `lse = reference SOFTMAX_SCALE + ln(sum / SUM_ONE)`; `pool` is int32
    `[num_heads, T, 16 * 128]`, 16 rows by 128 columns in fragment order, `sums` int32, `references`
    as the forward leaves them, `bounds` FP32 `[T, G, BOUND_FIELDS]`, of which the first counts. A
    head without a reference, or with one of -inf, has 0 and -inf, whatever its sum. Of the others,
    one whose reference is NaN or whose sum is 0 has NaN, and one whose sum has `NAN_OUT` set an
    output of NaN, and its lse.
    """
    rows = _Rows(num_tokens, num_groups, first_head, num_heads)
    block = [_WARPS * WARP, 1, 1]
    if mode == FINISH_FAST:
        divide_pools(
            cute.recast_ptr(pool, dtype=BFloat16),
            cute.recast_ptr(sums, dtype=Float32),
            references,
            flags,
            flagged,
            out,
            lse,
            rows,
        ).launch(grid=[cute.ceil_div(rows.count, _WARPS), 1, 1], block=block, stream=stream)
    else:
        rows_per_warp = Int32(1)
        if filtered != 0:
            rows_per_warp = Int32(WARP)
        divide_fixed_point(
            pool,
            sums,
            references,
            bounds,
            flags,
            filtered,
            rows_per_warp,
            out,
            lse,
            rows,
        ).launch(
            grid=[cute.ceil_div(rows.count, _WARPS * rows_per_warp), 1, 1],
            block=block,
            stream=stream,
        )
