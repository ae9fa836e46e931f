"""The student's warpgroup of the index loss on Hopper.

It takes chunks of 64 queries against a key block of 128, so that all its products are whole tiles:
logits; then the divergence, and `D = P_idx - P̄` in the place of the means P̄; then `dIQ = D IK` and
`dIK += Dᵀ IQ`. dIQ leaves after every chunk, dIK with the last chunk of an item.
"""

from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, warpgroup
from cutlass.cute.nvgpu.warpgroup import OperandSource

from msa.kernels.device.instructions import (
    bulk_add,
    nearest,
    pack,
    ptx,
    store_matrices,
    store_shared,
)
from msa.kernels.device.primitives import WARP
from msa.kernels.device.sm90 import (
    WARPGROUP_WARPS,
    columns_tile,
    issue,
    operand_a,
    operand_b,
    rows_tile,
    tiled_mma,
    transposed,
)
from msa.kernels.device.tiles import SCALE_LOG2, SPAN
from msa.kernels.index_kl.chunk import KEY_HALF, QUERY_HALF, ROW_BYTES, Chunk, exp2, log2
from msa.kernels.index_kl.interface import CHUNK_QUERIES, DIVERGENCE_ONE, GRADIENTS_FIXED, LOSS_ONLY
from msa.kernels.index_kl.sm90_memory import (
    GROUP,
    GROUP_BYTES,
    HALF_BYTES,
    MEANS_BYTES,
    MEANS_ROW_BYTES,
    WARPGROUP_KEYS,
    Shared,
)
from msa.kernels.index_kl.student import END, FIRST, FIRST_KEY_ROW, FLAGS, LAST, NUM_KEYS
from msa.schedule.topology import BLOCK_SIZE, INDEX_DIM

_D_BYTES = HALF_BYTES // 2  # of a group and half of the keys
_BARRIER = 1  # a named one, of the warpgroup
_LOG2_E = 1.4426950408889634
_SMALLEST = 2.0**-126  # of a mean: it has a logarithm, and does not count
_HIDDEN = -1e20  # a logit without a weight, whose product with the least mean does not count


class Outputs(NamedTuple):
    """Where divergences and gradients are added; see `interface`."""

    divergences: cute.Pointer
    dq: cute.Pointer
    dk: cute.Pointer


class StudentWarpgroup:
    """The warpgroup in one mode of the kernel."""

    def __init__(self, mode: int):
        self.fixed = mode == GRADIENTS_FIXED
        self.gradients = mode != LOSS_ONLY

    @cute.jit
    def run(self, shared: Shared, outputs: Outputs, warp: Int32) -> None:
        """The work of a warp of the warpgroup: its 16 queries of every chunk."""
        lane = arch.lane_idx()
        r, c = lane // 4, lane % 4
        chunk = shared.chunks.chunk
        logits_mma, dk_mma, dq_mma = _logits_mma(), _dk_mma(), _dq_mma()
        logits = cute.make_rmem_tensor(
            logits_mma.partition_shape_C((CHUNK_QUERIES, WARPGROUP_KEYS)), Float32
        )
        queries = operand_a(logits_mma, rows_tile(chunk.queries, CHUNK_QUERIES, QUERY_HALF))
        keys = [
            operand_b(
                logits_mma,
                rows_tile(chunk.keys + half * (WARPGROUP_KEYS * SPAN), WARPGROUP_KEYS, KEY_HALF),
            )
            for half in range(2)
        ]
        if const_expr(self.gradients):
            shape = dk_mma.partition_shape_C((WARPGROUP_KEYS, INDEX_DIM))
            dk = [cute.make_rmem_tensor(shape, Float32) for _ in range(2)]
            for x in dk:
                x.fill(0.0)
            dq = cute.make_rmem_tensor(dq_mma.partition_shape_C((CHUNK_QUERIES, SPAN)), Float32)
            queries_by_channel = operand_b(
                dk_mma, transposed(rows_tile(chunk.queries, CHUNK_QUERIES, QUERY_HALF))
            )
            keys_by_channel = [
                operand_b(dq_mma, columns_tile(chunk.keys + half * KEY_HALF, BLOCK_SIZE))
                for half in range(2)
            ]
        slot = warp * 16 + r
        # A row of a matrix of D that a lane stores: its group's place, and in it the row.
        store_row = warp * 16 + lane % 16
        store_at = store_row // GROUP * GROUP_BYTES + store_row % GROUP * ROW_BYTES
        store_at += ((lane // 16) ^ (lane % 8)) * 16

        count = Int32(0)
        arch.mbarrier_wait(shared.chunks.full, 0)
        flags = shared.chunks.words[FLAGS]
        while (flags & END) == 0:
            buffer = count & 1
            means_tile = shared.means + buffer * (MEANS_BYTES // 2)
            means_at = shared.means.toint() + buffer * MEANS_BYTES
            limits = [chunk.limits[slot + 8 * h] - c * 2 for h in range(2)]
            offsets = [shared.chunks.shifts[slot + 8 * h] for h in range(2)]
            terms, differences = ([Float32(0), Float32(0)] for _ in range(2))
            for half in cutlass.range_constexpr(2):
                issue(logits_mma, logits, queries, keys[half], False)
                if const_expr(half == 0):
                    shared.barriers.means.wait(buffer, (count >> 1) & 1)
                warpgroup.wait_group(0)
                row_at = means_at + warp * (2 * GROUP_BYTES) + half * HALF_BYTES
                row_at += r * MEANS_ROW_BYTES + c * 8
                if limits[0] < BLOCK_SIZE or limits[1] < BLOCK_SIZE:
                    self.hide(logits, limits, row_at, half)
                pairs = self.compare(logits, row_at, offsets, terms, differences)
                if const_expr(self.gradients):
                    arch.sync_warp()  # a warp's D overwrites what it alone has read
                    for j in cutlass.range_constexpr(4):
                        at = means_at + half * HALF_BYTES + (store_at ^ (32 * j))
                        store_matrices(at, *pairs[4 * j : 4 * j + 4])
            if const_expr(self.gradients):
                arch.fence_view_async_shared()
                self.sync()
                grads = operand_a(dq_mma, _grads_by_query(means_tile))
                accumulate = (flags & FIRST) == 0
                issue(dq_mma, dq, grads, keys_by_channel[0], False)
                for half in cutlass.range_constexpr(2):
                    by_key = operand_a(dk_mma, _grads_by_key(means_tile, half))
                    issue(dk_mma, dk[half], by_key, queries_by_channel, accumulate)
            for h in cutlass.range_constexpr(2):
                total = terms[h] + differences[h] * _LOG2_E
                self.add_divergence(outputs, chunk, slot + 8 * h, total)
            query_row = chunk.rows[warp * 16 + lane % 16]
            key_row, num_keys = shared.chunks.words[FIRST_KEY_ROW], shared.chunks.words[NUM_KEYS]
            scales = None
            if const_expr(self.fixed):
                scales = [shared.chunks.scales[i] for i in range(2)]
            place = means_at + warp * (2 * GROUP_BYTES)
            if const_expr(self.gradients):
                warpgroup.wait_group(2)
                self.add_query_grads(outputs, dq, place + _D_BYTES, query_row, 0, scales)
                issue(dq_mma, dq, grads, keys_by_channel[1], False)
            warpgroup.wait_group(0)
            arch.mbarrier_arrive(shared.chunks.empty)
            if const_expr(self.gradients):
                self.sync()  # all warps' products have read D
                self.add_query_grads(outputs, dq, place, query_row, 1, scales)
                if (flags & LAST) != 0:
                    for half in cutlass.range_constexpr(2):
                        first = half * WARPGROUP_KEYS + warp * 16
                        self.add_key_grads(
                            outputs, dk[half], place, first, key_row, num_keys, scales
                        )
                arch.cp_async_bulk_wait_group(0, read=True)
            shared.barriers.means.release_lane(buffer)
            count += 1
            arch.mbarrier_wait(shared.chunks.full, count & 1)
            flags = shared.chunks.words[FLAGS]
        if const_expr(self.gradients):
            arch.cp_async_bulk_wait_group(0)

    def compare(
        self, logits: cute.Tensor, row_at: Int32, offsets: list, terms: list, differences: list
    ) -> list:
        """D of a lane's keys in half of a block, as bf16 pairs; adds to its rows' divergences.

        The differences add up to 0 over all keys, but with them no term is negative.
        """
        pairs = []
        for i in range(8):
            at = row_at + _mean_place(i)
            for h in range(2):
                text = "ld.shared.v2.f32 {{$w0}, {$w1}}, [{$r0}];"
                means = ptx(text, [Float32] * 2, at + h * GROUP_BYTES)
                grads = []
                for x in range(2):
                    log_p = logits[4 * i + 2 * h + x] * SCALE_LOG2 + offsets[h]
                    p = exp2(log_p)
                    mean = arch.fmax(means[x], _SMALLEST)
                    terms[h] += mean * (log2(mean) - log_p)
                    differences[h] += p - mean
                    grads.append(p - mean)
                if self.gradients:
                    pairs.append(pack(*grads))
        return pairs

    @cute.jit
    def add_divergence(self, outputs: Outputs, chunk: Chunk, place: Int32, total: Float32) -> None:
        """Adds what four lanes have, in bits, to the divergence of the chunk's query at a place."""
        total += arch.shuffle_sync_bfly(total, offset=1)
        total += arch.shuffle_sync_bfly(total, offset=2)
        row = chunk.rows[place]
        if arch.lane_idx() % 4 == 0 and row >= 0:
            ptx(
                "red.relaxed.gpu.global.add.u64 [{$r0}], {$r1};",
                None,
                outputs.divergences.toint() + Int64(row) * 8,
                nearest(total * DIVERGENCE_ONE, Int64),
            )

    @cute.jit
    def hide(
        self,
        logits: cute.Tensor,
        limits: list,
        row_at: Int32,
        half: cutlass.Constexpr[int],
    ) -> None:
        """Takes away the weights of keys that a lane's rows do not see, and their means."""
        for i in cutlass.range_constexpr(8):
            block = half * 8 + i
            for h in cutlass.range_constexpr(2):
                for x in cutlass.range_constexpr(2):
                    if 8 * block + x > limits[h]:
                        logits[4 * i + 2 * h + x] = Float32(_HIDDEN)
                        at = row_at + _mean_place(i) + h * GROUP_BYTES + 4 * x
                        ptx("st.shared.f32 [{$r0}], {$r1};", None, at, Float32(0))

    def sync(self) -> None:
        """Waits for all warps of the student."""
        arch.barrier(barrier_id=_BARRIER, number_of_threads=WARPGROUP_WARPS * WARP)

    @cute.jit
    def add_query_grads(
        self,
        outputs: Outputs,
        dq: cute.Tensor,
        place: Int32,
        query_row: Int32,
        half: cutlass.Constexpr[int],
        scales,
    ) -> None:
        """Adds half of a warp's 16 rows of dIQ, through half of its place, a row to a lane."""
        lane = arch.lane_idx()
        for h in cutlass.range_constexpr(2):
            at = place + h * GROUP_BYTES + _row_place(lane // 4) + lane % 4 * 16
            for j in cutlass.range_constexpr(SPAN // 16):
                values = [dq[4 * (2 * j + y) + 2 * h + x] for y in range(2) for x in range(2)]
                if const_expr(self.fixed):
                    values = [nearest(value * scales[0], Int32) for value in values]
                store_shared(at + j * 64, values)
        arch.fence_view_async_shared()
        arch.sync_warp()
        if lane < 16 and query_row >= 0:
            source = place + lane // GROUP * GROUP_BYTES + _row_place(lane % GROUP)
            target = outputs.dq.toint() + Int64(query_row) * (4 * INDEX_DIM) + half * (4 * SPAN)
            bulk_add("s32" if self.fixed else "f32", target, source, 4 * SPAN)
        arch.cp_async_bulk_commit_group()

    @cute.jit
    def add_key_grads(
        self,
        outputs: Outputs,
        dk: cute.Tensor,
        place: Int32,
        first: Int32,
        key_row: Int32,
        num_keys: Int32,
        scales,
    ) -> None:
        """Adds a warp's 16 keys of half of dIK, 8 at a time."""
        lane = arch.lane_idx()
        r, c = lane // 4, lane % 4
        row_bytes = (8 if self.fixed else 4) * INDEX_DIM
        for h in cutlass.range_constexpr(2):
            arch.cp_async_bulk_wait_group(0, read=True)
            arch.sync_warp()
            for j in cutlass.range_constexpr(INDEX_DIM // 16):
                values = [dk[4 * (2 * j + y) + 2 * h + x] for y in range(2) for x in range(2)]
                at = place + r * row_bytes + (4 * j + c) * (row_bytes // 32)
                if const_expr(self.fixed):
                    values = [nearest(value * scales[1], Int64) for value in values]
                    store_shared(at, values[:2])
                    store_shared(at + 16, values[2:])
                else:
                    store_shared(at, values)
            arch.fence_view_async_shared()
            arch.sync_warp()
            rows = cutlass.min(num_keys - (first + 8 * h), 8)
            if lane == 0 and rows > 0:
                target = outputs.dk.toint() + Int64(key_row + first + 8 * h) * row_bytes
                bulk_add("u64" if self.fixed else "f32", target, place, rows * row_bytes)
            arch.cp_async_bulk_commit_group()


# Products.


def _logits_mma():
    """Half of the student's logits: 64 queries x 64 keys."""
    return tiled_mma(WARPGROUP_KEYS, OperandMajorMode.K, OperandMajorMode.K, OperandSource.SMEM)


def _dk_mma():
    """Half of dIK: 64 keys x channels."""
    return tiled_mma(INDEX_DIM, OperandMajorMode.MN, OperandMajorMode.MN, OperandSource.SMEM)


def _dq_mma():
    """Half of dIQ: 64 queries x 64 channels."""
    return tiled_mma(SPAN, OperandMajorMode.K, OperandMajorMode.MN, OperandSource.SMEM)


# Tiles, and places in the means.


def _row_place(row: Int32) -> Int32:
    """Where half a row of dIQ stands in a group's place: four rows to a kilobyte of each half."""
    return row // 4 * HALF_BYTES + row % 4 * (4 * SPAN)


def _mean_place(block: int) -> Int32:
    """Where the means of 8 keys stand in half a row of a lane, which swizzles them."""
    row = arch.lane_idx() // 4
    return Int32(block // 4 * 128) + ((block % 4) ^ (row % 4)) * 32


def _grads_by_query(means: cute.Pointer) -> cute.Tensor:
    """D, 64 queries x 128 keys."""
    layout = cute.make_layout(
        ((GROUP, CHUNK_QUERIES // GROUP), (SPAN, 2)),
        stride=((SPAN, GROUP_BYTES // 2), (1, HALF_BYTES // 2)),
    )
    return cute.make_tensor(means, layout)


def _grads_by_key(means: cute.Pointer, half: int) -> cute.Tensor:
    """Dᵀ, 64 keys x 64 queries, of half of the keys."""
    layout = cute.make_layout(
        (SPAN, (GROUP, CHUNK_QUERIES // GROUP)), stride=(1, (SPAN, GROUP_BYTES // 2))
    )
    return cute.make_tensor(means + half * (HALF_BYTES // 2), layout)
