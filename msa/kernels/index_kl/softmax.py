"""The statistics of a row's softmax: found for a chunk, added to those of other chunks.

Powers of two, so that a weight is one instruction. A warp has 16 rows: of an accumulator's rows
`lane // 4` and that plus 8; their statistics end in lanes `4 r` and `4 r + 1`.
"""

import math
from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64, const_expr
from cutlass.cute import arch

from msa.kernels.device.instructions import nearest, ordered_bits, ptx
from msa.kernels.device.primitives import name_kernels, vector
from msa.kernels.device.tiles import SCALE_LOG2
from msa.kernels.index_kl.chunk import Chunk, bits_float, exp2, float_bits
from msa.kernels.index_kl.interface import (
    STATISTICS_MAXIMA,
    STATISTICS_MERGED,
    STATISTICS_SUMS,
    WEIGHT_ONE,
)
from msa.schedule.topology import BLOCK_SIZE

_MERGE_THREADS = 128


class Pending(NamedTuple):
    """A part that a lane adds to a row: it is there if the word that was seen was still there."""

    row: Int32
    maximum: Float32
    total: Float32
    seen: Int64
    was: Int64


def no_pending() -> Pending:
    """Nothing to add."""
    return Pending(Int32(-1), Float32(-math.inf), Float32(0), Int64(0), Int64(0))


@cute.jit
def row_of(chunk: Chunk, warp: Int32) -> Int32:
    """The row whose statistics a lane adds to, -1 for none."""
    lane = arch.lane_idx()
    row = Int32(-1)
    if lane % 4 < 2:
        row = chunk.rows[warp * 16 + lane // 4 + lane % 4 * 8]
    return row


def limits_of(chunk: Chunk, warp: Int32) -> list:
    """The last keys that a lane's two rows see, counted from the lane's first."""
    lane = arch.lane_idx()
    return [chunk.limits[warp * 16 + lane // 4 + 8 * h] - lane % 4 * 2 for h in range(2)]


@cute.jit
def reduce_logits(
    mode: cutlass.Constexpr[int],
    logits: cute.Tensor,
    limits: list,
    maxima: cute.Pointer,
    row: Int32,
):
    """Largest logit, and sum of weights below it, of a lane's row of `row_of`.

    Logit i is of row `lane // 4 + 8 * (i // 2 % 2)` and key `i // 4 * 8 + lane % 4 * 2 + i % 2`.
    """
    lane = arch.lane_idx()
    if limits[0] < BLOCK_SIZE or limits[1] < BLOCK_SIZE:
        for i in cutlass.range_constexpr(cute.size(logits)):
            hidden = i // 4 * 8 + i % 2 > limits[i // 2 % 2]
            logits[i] = Float32(cutlass.select_(hidden, Float32(-math.inf), logits[i]))
    found = []
    for h in cutlass.range_constexpr(2):
        places = [4 * i + 2 * h + x for i in range(BLOCK_SIZE // 8) for x in range(2)]
        maximum = Float32(-math.inf)
        if const_expr(mode == STATISTICS_SUMS):
            other = arch.shuffle_sync(row, lane // 4 * 4 + h)
            maximum = maximum_of(maxima, other)
        else:
            tops = [Float32(-math.inf)] * 4
            for n, i in enumerate(places):
                tops[n % 4] = arch.fmax(tops[n % 4], logits[i])
            maximum = arch.fmax(arch.fmax(tops[0], tops[1]), arch.fmax(tops[2], tops[3]))
            for offset in (1, 2):
                maximum = arch.fmax(maximum, arch.shuffle_sync_bfly(maximum, offset=offset))
            maximum = maximum * SCALE_LOG2
        total = Float32(0)
        if const_expr(mode != STATISTICS_MAXIMA):
            # -inf alone: no weight, and no difference of infinities.
            base = Float32(cutlass.select_(maximum == -math.inf, Float32(0), maximum))
            parts = [Float32(0)] * 4
            for n, i in enumerate(places):
                parts[n % 4] += exp2(logits[i] * SCALE_LOG2 - base)
            total = (parts[0] + parts[1]) + (parts[2] + parts[3])
            for offset in (1, 2):
                total += arch.shuffle_sync_bfly(total, offset=offset)
        found.append((maximum, total))
    return tuple(
        Float32(cutlass.select_(lane % 4 == 0, upper, lower))
        for upper, lower in zip(*found, strict=True)
    )


@cute.jit
def read_word(mode: cutlass.Constexpr[int], sums: cute.Pointer, row: Int32) -> Int64:
    """A row's merged word, in the mode that has them."""
    word = Int64(0)
    if const_expr(mode == STATISTICS_MERGED):
        word = _load_word(sums, row)
    return word


@cute.jit
def _load_word(sums: cute.Pointer, row: Int32) -> Int64:
    word = Int64(0)
    if row >= 0:
        address = sums.toint() + Int64(row) * 8
        word = ptx("ld.relaxed.gpu.global.b64 {$w0}, [{$r0}];", [Int64], address)
    return word


@cute.jit
def add(
    mode: cutlass.Constexpr[int],
    maxima: cute.Pointer,
    sums: cute.Pointer,
    row: Int32,
    maximum: Float32,
    total: Float32,
    seen: Int64,
):
    """Starts to add a part to a row's statistics; `resolve` ends it."""
    was = seen
    if row >= 0 and maximum > -math.inf:
        word = sums.toint() + Int64(row) * 8
        if const_expr(mode == STATISTICS_MAXIMA):
            ptx(
                "red.relaxed.gpu.global.max.s32 [{$r0}], {$r1};",
                None,
                maxima.toint() + Int64(row) * 4,
                ordered_bits(float_bits(maximum)),
            )
        elif const_expr(mode == STATISTICS_SUMS):
            units = nearest(total * WEIGHT_ONE, Int64)
            ptx("red.relaxed.gpu.global.add.u64 [{$r0}], {$r1};", None, word, units)
        else:
            was = _swap(word, seen, _merge(seen, maximum, total))
    return Pending(row, maximum, total, seen, was)


@cute.jit
def resolve(mode: cutlass.Constexpr[int], sums: cute.Pointer, pending: Pending):
    """Adds once more what another CTA came in between of: sum and maximum change together."""
    if const_expr(mode == STATISTICS_MERGED):
        word = sums.toint() + Int64(pending.row) * 8
        seen, was = pending.seen, pending.was
        while was != seen:
            seen = was
            was = _swap(word, seen, _merge(seen, pending.maximum, pending.total))
    return Pending(pending.row, pending.maximum, pending.total, Int64(0), Int64(0))


@cute.jit
def maximum_of(maxima: cute.Pointer, row: Int32) -> Float32:
    """A row's largest logit."""
    maximum = Float32(0)
    if row >= 0:
        maximum = bits_float(ordered_bits(vector(maxima)[row]))
    return maximum


def unpack_statistics(word: Int64):
    """Maximum and sum of a merged word."""
    total, maximum = ptx("mov.b64 {{$w0}, {$w1}}, {$r0};", [Float32, Float32], word)
    return maximum, total


def pack_statistics(maximum: Float32, total: Float32) -> Int64:
    """A merged word."""
    return ptx("mov.b64 {$w0}, {{$r0}, {$r1}};", [Int64], total, maximum)


def _merge(word: Int64, maximum: Float32, total: Float32) -> Int64:
    """A merged word with a part added."""
    old_maximum, old_total = unpack_statistics(word)
    # A word of 0 is that of no weight. Any other has the weight of its maximum, which is 1.
    old_maximum = Float32(cutlass.select_(old_total == 0, Float32(-math.inf), old_maximum))
    top = arch.fmax(maximum, old_maximum)
    return pack_statistics(top, total * exp2(maximum - top) + old_total * exp2(old_maximum - top))


def _swap(word: Int64, seen: Int64, wanted: Int64) -> Int64:
    """Writes `wanted` where `seen` stands; returns what stood there."""
    text = "atom.relaxed.gpu.global.cas.b64 {$w0}, [{$r0}], {$r1}, {$r2};"
    return ptx(text, [Int64], word, seen, wanted)


@cute.kernel
def merge_statistics(maxima: cute.Pointer, sums: cute.Pointer, rows: Int32):
    """A thread to a row: its integer sum becomes a merged word."""
    row = arch.block_idx()[0] * _MERGE_THREADS + arch.thread_idx()[0]
    if row < rows:
        words = vector(sums)
        total = Float32(words[row]) * (1 / WEIGHT_ONE)
        words[row] = pack_statistics(maximum_of(maxima, row), total)


name_kernels(merge_statistics)


@cute.jit
def merge(maxima: cute.Pointer, sums: cute.Pointer, rows: Int32, stream) -> None:
    """Makes merged words of maxima and integer sums."""
    merge_statistics(maxima, sums, rows).launch(
        grid=[cute.ceil_div(rows, _MERGE_THREADS), 1, 1],
        block=[_MERGE_THREADS, 1, 1],
        stream=stream,
    )
