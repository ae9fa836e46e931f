"""The index loss on Hopper: divergence and both unit gradients in one walk over items.

An item is a head, a key block of 128 and queries that see it, in quads of four queries x 16 heads.
A CTA has an SM to itself; its warps:

    0 to 7    two key warpgroups: `Sᵀ = K Qᵀ` with 64 keys of the block each as rows, and P̄, the
              mean of the heads' probabilities
    8 to 11   the student's warpgroup: divergence and gradients, by chunks of 64 queries
    12        draws items, and loads their keys, quads and the quads' bases
    13        loads the student's operands

K is the left operand in registers for a whole item, so that the mean over the 16 heads is a sum
along a row. A *pair* of quads at a time: while one is averaged, the products of the next one run.
Keys and pairs go through one ring of stages; means through two buffers to the student.

Nothing is masked before the student, which hides keys by a select: what keys after a document's
end, or empty slots, leave in a mean does not matter, be it NaN.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32, Int64
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from cutlass.cute.nvgpu.warpgroup import OperandSource

from msa.kernels.device.instructions import bulk_load, load_matrices, ptx
from msa.kernels.device.pipeline import next_use, two_stages
from msa.kernels.device.primitives import WARP, name_kernels
from msa.kernels.device.sm90 import (
    WARPGROUP_WARPS,
    operand_b,
    partition_slots,
    slots_view,
    tiled_mma,
)
from msa.kernels.device.tiles import SCALE_LOG2, SPAN, View, load_box, receive
from msa.kernels.index_kl.chunk import (
    ROW_BYTES,
    exp2,
    index_keys_view,
)
from msa.kernels.index_kl.interface import (
    GRADIENTS_FAST,
    GRADIENTS_FIXED,
    LOSS_ONLY,
    MAIN,
)
from msa.kernels.index_kl.sm90_memory import (
    BARRIERS,
    BASE_BYTES,
    BASE_PAIRS,
    CHUNK_PAIRS,
    GROUP_BYTES,
    HALF_BYTES,
    MEANS_BYTES,
    MEANS_ROW_BYTES,
    PAIR,
    QUAD_BYTES,
    ROWS,
    STAGE_BYTES,
    STAGES,
    WARPGROUP_KEYS,
    Shared,
    allocate,
    is_complete,
    key_boxes,
    keys_view,
    pair_slots,
    pair_tile,
)
from msa.kernels.index_kl.sm90_student import Outputs, StudentWarpgroup
from msa.kernels.index_kl.student import Student, load_chunks
from msa.kernels.index_kl.walk import (
    FIELDS,
    HEAD,
    KEY_ROW,
    QUADS,
    Walk,
    draw,
    num_items,
    read_item,
    slot_row,
)
from msa.kernels.schedule.interface import QUAD_SLOTS
from msa.schedule.topology import GROUP_HEADS, HEAD_DIM

SIGNATURE = MAIN
_KEY_WARPS = 2 * WARPGROUP_WARPS
_LOAD_WARP = _KEY_WARPS + WARPGROUP_WARPS
_CHUNK_WARP = _LOAD_WARP + 1
_WARPS = _LOAD_WARP + WARPGROUP_WARPS  # the last two end
# Registers of a key warp's, a student's and a loader's thread.
_KEY_REGISTERS, _STUDENT_REGISTERS, _LOAD_REGISTERS = 128, 216, 40
assert 2 * _KEY_REGISTERS + _STUDENT_REGISTERS + _LOAD_REGISTERS <= 512

_STEPS = HEAD_DIM // 16  # of a product over the channels
# How many are issued before the sums of the pair before are shuffled: else ptxas puts the shuffles
# after the first.
_STEPS_BEFORE_SUMS = 3
_SLOT_BASE_BYTES = 4 * GROUP_HEADS
_SLOTS_AHEAD = 2  # whose bases are loaded before the exponentials begin
_ORDER_BARRIER = 2  # the first of two named ones, which order the exponentials of the warpgroups


class _Views(NamedTuple):
    """How TMA sees operands: queries in boxes of a slot, its 16 heads; keys in boxes of 64, and of
    128 in the index branch, and half of the channels."""

    queries: View
    keys: View
    index_keys: View


class _IndexKL:
    """The kernel in one of its three modes."""

    def __init__(self, mode: int):
        self.fixed = mode == GRADIENTS_FIXED
        self.student = StudentWarpgroup(mode)

    @cute.jit
    def __call__(self, q, k, student, walk, outputs, tokens, ctas, stream):
        """Launches the kernel; the arguments are those of `launch`."""
        load = cpasync.CopyBulkTensorTileG2SOp()
        views = _Views(
            slots_view(load, q, tokens * walk.groups),
            keys_view(load, k, tokens, walk.groups),
            index_keys_view(load, student.index_k, tokens),
        )
        self.index_kl(views, student, walk, outputs).launch(
            grid=[ctas, 1, 1], block=[_WARPS * WARP, 1, 1], stream=stream, min_blocks_per_mp=1
        )

    @cute.kernel
    def index_kl(self, views: _Views, student: Student, walk: Walk, outputs: Outputs):
        """Gives each warp its role."""
        shared = allocate()
        warp = arch.make_warp_uniform(arch.warp_idx())
        if warp == 0:
            with arch.elect_one():
                BARRIERS.init(shared.barriers)
        arch.mbarrier_init_fence()
        arch.sync_threads()
        if warp >= _LOAD_WARP:
            arch.setmaxregister_decrease(_LOAD_REGISTERS)
            if warp == _LOAD_WARP:
                self.load(views, student.bases, walk, shared)
            elif warp == _CHUNK_WARP:
                load_chunks(
                    views.index_keys,
                    student,
                    walk,
                    shared.items,
                    shared.chunks,
                    lambda place: place,
                    self.fixed,
                )
        elif warp >= _KEY_WARPS:
            arch.setmaxregister_increase(_STUDENT_REGISTERS)
            self.student.run(shared, outputs, warp - _KEY_WARPS)
        else:
            arch.setmaxregister_increase(_KEY_REGISTERS)
            self.average(shared, warp)

    @cute.jit
    def load(self, views: _Views, bases: cute.Pointer, walk: Walk, shared: Shared) -> None:
        """The work of a warp: draws items, and loads their keys, quads and bases.

        An item without quads, for the chunks' loader, and keys before no pair end the walk.
        """
        lane = arch.lane_idx()
        slot_boxes = partition_slots(views.queries, pair_slots(shared))
        count = num_items(walk)
        stage, phase = Int32(0), Int32(0)
        drawn, pairs = Int32(0), Int32(0)
        index = arch.block_idx()[0]
        item = cute.make_rmem_tensor(FIELDS, Int32)
        while index < count:
            read_item(walk, index, item)
            slot, slot_phase = two_stages(drawn)
            shared.barriers.items.acquire(slot, slot_phase)
            for i in cutlass.range_constexpr(FIELDS):
                if lane == i:
                    shared.items.fields[i, slot] = item[i]
            shared.barriers.items.publish(slot)
            drawn += 1
            index = draw(walk)
            head = item[HEAD]
            size = (item[QUADS] + 1) // PAIR
            boxes = key_boxes(views.keys, shared, item[KEY_ROW])
            full = shared.barriers.stage_full + stage
            shared.barriers.stages.acquire(stage, phase)
            if lane == 0:
                shared.num_pairs[stage] = size
                arch.mbarrier_arrive_and_expect_tx(full, STAGE_BYTES)
            arch.sync_warp()
            for part in cutlass.range_constexpr(PAIR):
                for half in cutlass.range_constexpr(2):
                    load_box(boxes, (part, half, head), (half, part, stage), full)
            stage, phase = next_use(stage, phase, STAGES)
            rows = cute.make_rmem_tensor(QUAD_SLOTS, Int32)
            for i in cutlass.range(size, unroll=1):
                # A lane finds the rows of one of 32 quads.
                first = i * PAIR % WARP
                if first == 0:
                    for s in cutlass.range_constexpr(QUAD_SLOTS):
                        row = slot_row(walk, item, (i * PAIR + lane) * QUAD_SLOTS + s)
                        rows[s] = cutlass.select_(row < 0, -1, row * walk.groups + head)
                at = [
                    arch.shuffle_sync(rows[s], first + quad)
                    for quad in range(PAIR)
                    for s in range(QUAD_SLOTS)
                ]
                mine = [
                    arch.shuffle_sync(rows[s], first + lane // 4 % 2) for s in range(QUAD_SLOTS)
                ]
                even = cutlass.select_(lane & 2 == 0, mine[0], mine[2])
                odd = cutlass.select_(lane & 2 == 0, mine[1], mine[3])
                base_row = cutlass.max(cutlass.select_(lane & 1 == 0, even, odd), 0)
                full = shared.barriers.stage_full + stage
                shared.barriers.stages.acquire(stage, phase)
                if lane == 0:
                    arch.mbarrier_arrive_and_expect_tx(full, STAGE_BYTES + PAIR * BASE_BYTES)
                arch.sync_warp()
                for s in cutlass.range_constexpr(PAIR * QUAD_SLOTS):
                    load_box(slot_boxes, (at[s],), (s, stage), full)
                if lane < PAIR * QUAD_SLOTS:
                    # Any row's do for an empty slot.
                    target = shared.bases.toint() + pairs % BASE_PAIRS * (PAIR * BASE_BYTES)
                    bulk_load(
                        target + lane * _SLOT_BASE_BYTES,
                        bases.toint() + Int64(base_row) * _SLOT_BASE_BYTES,
                        Int32(_SLOT_BASE_BYTES),
                        full,
                    )
                arch.sync_warp()
                pairs += 1
                stage, phase = next_use(stage, phase, STAGES)
        slot, slot_phase = two_stages(drawn)
        shared.barriers.items.acquire(slot, slot_phase)
        if lane < FIELDS:
            shared.items.fields[lane, slot] = Int32(0)
        shared.barriers.items.publish(slot)
        shared.barriers.stages.acquire(stage, phase)
        if lane == 0:
            shared.num_pairs[stage] = Int32(0)
            shared.barriers.stages.publish(stage)

    @cute.jit
    def average(self, shared: Shared, warp: Int32) -> None:
        """The work of a warp of the key warpgroups: means of the heads' probabilities."""
        mma = _scores_mma()
        keys = cute.make_rmem_tensor(mma.partition_shape_A((WARPGROUP_KEYS, HEAD_DIM)), BFloat16)
        scores = cute.make_rmem_tensor(
            mma.partition_shape_C((WARPGROUP_KEYS, PAIR * ROWS)), Float32
        )
        bases = cute.make_rmem_tensor(4 * _SLOTS_AHEAD, Float32)
        chunks, pairs = Int32(0), Int32(0)
        # Warpgroups exponentiate one after the other: under the products and sums of the other. No
        # product of a warpgroup runs while it does, which ptxas would serialize.
        group = warp // WARPGROUP_WARPS
        mine, others = _ORDER_BARRIER + group, _ORDER_BARRIER + 1 - group
        if group == 1:
            arch.barrier_arrive(barrier_id=others, number_of_threads=_KEY_WARPS * WARP)
        stage, phase = Int32(0), Int32(0)
        # The pair of quads whose scores are there, and how many pairs its item has: 0 at the end.
        index, size = Int32(0), Int32(0)
        arch.mbarrier_wait(shared.barriers.stage_full, 0)
        stage, phase, size = self.take_keys(shared, warp, keys, stage, phase)
        self.multiply(shared, mma, keys, scores, stage, 0, _STEPS)
        stage_after, phase_after = next_use(stage, phase, STAGES)
        self.load_first_bases(shared, bases, pairs)
        warpgroup.wait_group(0)
        shared.barriers.stages.release_lane(stage)
        while size > 0:
            arch.barrier(barrier_id=mine, number_of_threads=_KEY_WARPS * WARP)
            full = shared.barriers.stage_full + stage_after
            is_full = is_complete(full, phase_after)  # early: the answer takes a while
            sums = self.sum_weights(shared, bases, scores, pairs)
            arch.barrier_arrive(barrier_id=others, number_of_threads=_KEY_WARPS * WARP)
            stage, phase = stage_after, phase_after
            if is_full == 0:
                arch.mbarrier_wait(full, phase)
            index_after, size_after = index + 1, size
            if index_after == size:
                stage, phase, size_after = self.take_keys(shared, warp, keys, stage, phase)
                index_after = Int32(0)
            self.multiply(shared, mma, keys, scores, stage, 0, _STEPS_BEFORE_SUMS)
            stage_after, phase_after = next_use(stage, phase, STAGES)
            means = self.add_lanes(sums)
            self.multiply(shared, mma, keys, scores, stage, _STEPS_BEFORE_SUMS, _STEPS)
            chunks = self.store_means(shared, warp, means, index, size, chunks)
            pairs += 1
            self.load_first_bases(shared, bases, pairs)
            warpgroup.wait_group(0)
            shared.barriers.stages.release_lane(stage)
            index, size = index_after, size_after
        if group == 0:
            arch.barrier(barrier_id=mine, number_of_threads=_KEY_WARPS * WARP)

    @cute.jit
    def take_keys(self, shared: Shared, warp: Int32, keys: cute.Tensor, stage: Int32, phase: Int32):
        """Takes the keys of a stage that is full, and waits for the pair of quads after them.

        Returns the pair's stage and its phase, and how many pairs the item has: 0 if there is none.
        """
        (size,) = receive(cute.make_tensor(shared.num_pairs.iterator + stage, cute.make_layout(1)))
        if size > 0:
            self.load_keys(shared, stage, warp, keys)
            # Nothing has used them yet: without a fence TMA may overwrite what is still to be read.
            arch.fence_view_async_shared()
            shared.barriers.stages.release_lane(stage)
            stage, phase = next_use(stage, phase, STAGES)
            shared.barriers.stages.wait(stage, phase)
        return stage, phase, size

    def multiply(
        self,
        shared: Shared,
        mma,
        keys: cute.Tensor,
        scores: cute.Tensor,
        stage: Int32,
        first: int,
        last: int,
    ) -> None:
        """Issues steps of the products of a stage's pair of quads, as a group with the last."""
        pair = operand_b(mma, pair_tile(shared, stage))
        if first == 0:
            warpgroup.fence()
        atom = cute.make_mma_atom(mma.op)
        for step in range(first, last):
            atom.set(warpgroup.Field.ACCUMULATE, step > 0)
            cute.gemm(atom, scores, keys[None, None, step], pair[None, None, step], scores)
        if last == _STEPS:
            warpgroup.commit_group()

    @cute.jit
    def load_keys(self, shared: Shared, stage: Int32, warp: Int32, keys: cute.Tensor) -> None:
        """A warp's 16 keys as left operand."""
        lane = arch.lane_idx()
        words = cute.recast_tensor(keys, Int32)
        base = shared.ring.toint() + (stage * PAIR + warp // WARPGROUP_WARPS) * QUAD_BYTES
        base += (warp % WARPGROUP_WARPS * 16 + lane % 16) * ROW_BYTES
        for j in cutlass.range_constexpr(HEAD_DIM // 16):
            piece = (j % 4 * 2 + lane // 16) ^ (lane % 8)
            values = load_matrices(base + j // 4 * (2 * WARPGROUP_KEYS * SPAN) + piece * 16)
            for x in cutlass.range_constexpr(4):
                words[4 * j + x] = values[x]

    def load_bases(self, shared: Shared, pairs: Int32, slot: int) -> list:
        """A lane's bases of a slot of a pair, four heads."""
        at = shared.bases.toint() + pairs % BASE_PAIRS * (PAIR * BASE_BYTES)
        at += arch.lane_idx() % 4 * 16 + slot * (4 * GROUP_HEADS)
        text = "ld.shared.v4.f32 {{$w0}, {$w1}, {$w2}, {$w3}}, [{$r0}];"
        return list(ptx(text, [Float32] * 4, at))

    def load_first_bases(self, shared: Shared, bases: cute.Tensor, pairs: Int32) -> None:
        """The bases of a pair's first slots."""
        for slot in range(_SLOTS_AHEAD):
            for i, base in enumerate(self.load_bases(shared, pairs, slot)):
                bases[4 * slot + i] = base

    def sum_weights(
        self, shared: Shared, bases: cute.Tensor, scores: cute.Tensor, pairs: Int32
    ) -> list:
        """Sums of P over a lane's four heads of each slot, for its two keys: `slot * 2 + key`."""
        slots = PAIR * QUAD_SLOTS
        heads = [[bases[4 * slot + i] for i in range(4)] for slot in range(_SLOTS_AHEAD)]
        sums = []
        for slot in range(slots):
            if slot + _SLOTS_AHEAD < slots:
                heads.append(self.load_bases(shared, pairs, slot + _SLOTS_AHEAD))
            # One after the other, not in pairs: so there is an add between any two exponentials.
            slot_sums = [None, None]
            for i in range(4):
                for h in range(2):
                    at = 4 * (2 * slot + i // 2) + 2 * h + i % 2
                    weight = exp2(scores[at] * SCALE_LOG2 + heads[slot][i])
                    slot_sums[h] = weight if i == 0 else slot_sums[h] + weight
            sums += slot_sums
        return sums

    def add_lanes(self, sums: list) -> list:
        """Adds the sums of four lanes: of each quad, slot c to lane c, for its two keys."""
        lane = arch.lane_idx()
        c = lane % 4
        upper, odd = c >= 2, c % 2 == 1
        means = []
        for first in range(0, len(sums), 8):
            halves = []
            for i in range(first, first + 4):
                kept = Float32(cutlass.select_(upper, sums[4 + i], sums[i]))
                sent = Float32(cutlass.select_(upper, sums[i], sums[4 + i]))
                halves.append(kept + arch.shuffle_sync_bfly(sent, offset=2))
            for h in range(2):
                kept = Float32(cutlass.select_(odd, halves[2 + h], halves[h]))
                sent = Float32(cutlass.select_(odd, halves[h], halves[2 + h]))
                means.append(kept + arch.shuffle_sync_bfly(sent, offset=1))
        return means

    @cute.jit
    def store_means(
        self,
        shared: Shared,
        warp: Int32,
        means: list,
        index: Int32,
        size: Int32,
        chunks: Int32,
    ) -> Int32:
        """Stores the means of a pair of quads, those of `add_lanes`."""
        lane = arch.lane_idx()
        c = lane % 4
        buffer = chunks & 1
        within = index % CHUNK_PAIRS
        if within == 0:
            shared.barriers.means.acquire(buffer, (chunks >> 1) & 1)
        # A pair is a group of 8 queries.
        target = shared.means.toint() + buffer * MEANS_BYTES + within * GROUP_BYTES
        target += warp // WARPGROUP_WARPS * HALF_BYTES + c * MEANS_ROW_BYTES
        target += ((warp % WARPGROUP_WARPS * 16 + lane // 4) ^ (c * 8)) * 4
        for i in cutlass.range_constexpr(4):
            at = (target ^ (32 * (i % 2))) + i // 2 * (QUAD_SLOTS * MEANS_ROW_BYTES)
            ptx("st.shared.f32 [{$r0}], {$r1};", None, at, means[i])
        if within == CHUNK_PAIRS - 1 or index + 1 == size:
            shared.barriers.means.publish(buffer)
            chunks += 1
        return chunks


name_kernels(_IndexKL.index_kl)


def _scores_mma() -> cute.TiledMma:
    """Sᵀ: 64 keys x the rows of a pair of quads."""
    return tiled_mma(PAIR * ROWS, OperandMajorMode.K, OperandMajorMode.K, OperandSource.RMEM)


@cute.jit
def launch(
    mode: Int32,
    q: cute.Pointer,
    k: cute.Pointer,
    bases: cute.Pointer,
    index_q: cute.Pointer,
    index_k: cute.Pointer,
    sums: cute.Pointer,
    bounds: cute.Pointer,
    divergences: cute.Pointer,
    dq_sums: cute.Pointer,
    dk_sums: cute.Pointer,
    counter: Int32,
    quad_rows: cute.Pointer,
    quad_positions: cute.Pointer,
    items: cute.Pointer,
    control: cute.Pointer,
    cu_seqlens: cute.Pointer,
    workspace_starts: cute.Pointer,
    counters: cute.Pointer,
    walk: Int32,
    documents: Int32,
    groups: Int32,
    tokens: Int32,
    ctas: Int32,
    stream: cuda.CUstream,
):
    """Adds divergences and gradients; arguments are those of `SIGNATURE`."""
    walked = Walk(
        quad_rows,
        quad_positions,
        items,
        control,
        cu_seqlens,
        workspace_starts,
        counters + counter,
        walk,
        documents,
        groups,
    )
    student = Student(index_q, index_k, sums, bounds, bases)
    outputs = Outputs(divergences, dq_sums, dk_sums)
    if mode == LOSS_ONLY:
        _IndexKL(LOSS_ONLY)(q, k, student, walked, outputs, tokens, ctas, stream)
    elif mode == GRADIENTS_FAST:
        _IndexKL(GRADIENTS_FAST)(q, k, student, walked, outputs, tokens, ctas, stream)
    else:
        _IndexKL(GRADIENTS_FIXED)(q, k, student, walked, outputs, tokens, ctas, stream)
