"""The student's part of the main kernel that does not depend on the architecture.

Its operands of an item by chunks, a warp's work, and what a query and a key add to the divergence.
"""

from collections.abc import Callable
from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64, const_expr
from cutlass.cute import arch

from msa.kernels.device.pipeline import two_stages
from msa.kernels.device.primitives import WARP, vector
from msa.kernels.device.tiles import View
from msa.kernels.index_kl.chunk import (
    Chunk,
    arrive_loaded,
    exp2,
    find_row,
    load_keys,
    load_queries,
    log2,
)
from msa.kernels.index_kl.gradients import gradient_scales
from msa.kernels.index_kl.interface import CHUNK_QUADS, CHUNK_QUERIES
from msa.kernels.index_kl.softmax import unpack_statistics
from msa.kernels.index_kl.walk import DOCUMENT, FIELDS, KEY_ROW, KEYS, QUADS, Walk
from msa.schedule.topology import GROUP_HEADS

FIRST, LAST, END = 1, 2, 4
"""What a chunk is: the first of its item, the last, past the last of all."""
FLAGS, FIRST_KEY_ROW, NUM_KEYS = range(3)
"""A chunk's words: flags, compact row of the block's first key, its keys."""

_LOG2_E = 1.4426950408889634


class Student(NamedTuple):
    """What the student reads in global memory."""

    index_q: cute.Pointer
    index_k: cute.Pointer
    sums: cute.Pointer
    bounds: cute.Pointer
    bases: cute.Pointer


class Chunks(NamedTuple):
    """Shared memory of the chunk that the student has.

    Attributes:
        chunk: its operands.
        words: int32, see above.
        maxima: FP32, of its rows the largest logit; None if it is subtracted from `shifts`.
        shifts: FP32, of its rows the logarithm of one over the sum of weights.
        scales: FP32, those of its item's gradients, of queries and of keys.
        full: barrier, `WARP` arrivals, and TMA's bytes.
        empty: barrier.
    """

    chunk: Chunk
    words: cute.Tensor
    maxima: cute.Tensor | None
    shifts: cute.Tensor
    scales: cute.Tensor
    full: cute.Pointer
    empty: cute.Pointer


class Items(NamedTuple):
    """Shared memory of items, two in turn: `fields` `[FIELDS, 2]`, and their barriers."""

    fields: cute.Tensor
    full: cute.Pointer
    empty: cute.Pointer


@cute.jit
def load_chunks(
    index_keys: View,
    student: Student,
    walk: Walk,
    items: Items,
    chunks: Chunks,
    slot_of: cutlass.Constexpr[Callable],
    fixed: cutlass.Constexpr[bool],
) -> None:
    """The work of a warp: loads the student's operands of all items, up to one without quads.

    `index_keys` is `index_k` as `index_keys_view` has it, `slot_of` the slot of a chunk whose query
    stands at a place of its tile; gradients in fixed point need scales.
    """
    lane = arch.lane_idx()
    item = cute.make_rmem_tensor(FIELDS, Int32)
    drawn, phase = Int32(0), Int32(0)
    size = Int32(1)
    while size > 0:
        stage, item_phase = two_stages(drawn)
        arch.mbarrier_wait(items.full + stage, item_phase)
        for i in cutlass.range_constexpr(FIELDS):
            item[i] = items.fields[i, stage]
        arch.mbarrier_arrive(items.empty + stage)  # of each lane, which has read
        drawn += 1
        size = item[QUADS]
        done = Int32(0)
        while done < size:
            first = done * (CHUNK_QUERIES // CHUNK_QUADS)
            rows, limits = [Int32(-1)] * 2, [Int32(-1)] * 2
            maxima, shifts = [Float32(0)] * 2, [Float32(0)] * 2
            for i in cutlass.range_constexpr(2):
                row, limit = find_row(walk, item, first + slot_of(lane + WARP * i))
                maximum, total, shift = Float32(0), Float32(1), Float32(0)
                if row >= 0:
                    maximum, total = unpack_statistics(vector(student.sums)[row])
                    base = vector(student.bases + Int64(row) * GROUP_HEADS)[0]
                    if const_expr(chunks.maxima is None):
                        shift = -maximum - log2(total)
                    # No weight, or no head of the teacher: the row is none.
                    if not (total > 0 and base == base):
                        row, limit = Int32(-1), Int32(-1)
                if const_expr(chunks.maxima is not None):
                    shift = -log2(total)
                rows[i], limits[i], maxima[i], shifts[i] = row, limit, maximum, shift
            arch.mbarrier_wait(chunks.empty, phase ^ 1)
            for i in cutlass.range_constexpr(2):
                place = lane + WARP * i
                chunks.chunk.rows[place] = rows[i]
                chunks.chunk.limits[place] = limits[i]
                if const_expr(chunks.maxima is not None):
                    chunks.maxima[place] = maxima[i]
                chunks.shifts[place] = shifts[i]
            flags = Int32(0)
            if done == 0:
                flags |= FIRST
                if const_expr(fixed):
                    scales = gradient_scales(
                        student.bounds, walk.cu_seqlens, item[DOCUMENT], walk.groups
                    )
                    for i in cutlass.range_constexpr(2):
                        chunks.scales[i] = scales[i]
            if done + CHUNK_QUADS >= size:
                flags |= LAST
            if lane == 0:
                chunks.words[FLAGS] = flags
                chunks.words[FIRST_KEY_ROW] = item[KEY_ROW]
                chunks.words[NUM_KEYS] = item[KEYS]
            arch.sync_warp()
            key_bytes = Int32(0)
            if done == 0:
                key_bytes = load_keys(chunks.chunk, index_keys, student.index_k, item, chunks.full)
            load_queries(chunks.chunk, student.index_q, item, lane, WARP)
            arrive_loaded(chunks.full, key_bytes)
            phase ^= 1
            done += CHUNK_QUADS
    arch.mbarrier_wait(chunks.empty, phase ^ 1)
    if lane == 0:
        chunks.words[FLAGS] = Int32(END)
    arch.mbarrier_arrive(chunks.full)


@cute.jit
def compare(exponent: Float32, mean: Float32, visible):
    """`P_idx - P̄` of a query and a key, and what they add to the divergence, in bits.

    Args:
        exponent: the logarithm of the student's probability.
        mean: the teacher's; whatever it is where a key is hidden.
        visible: whether the query sees the key.
    """
    p = Float32(cutlass.select_(visible, exp2(exponent), Float32(0)))
    # A head that is left out makes a mean NaN where its logit is inf.
    is_mean = visible and mean > 0
    mean = Float32(cutlass.select_(is_mean, mean, Float32(0)))
    term = Float32(cutlass.select_(is_mean, mean * (log2(mean) - exponent), Float32(0)))
    # The differences add up to 0, but with them no term is negative.
    return p - mean, term + (p - mean) * _LOG2_E
