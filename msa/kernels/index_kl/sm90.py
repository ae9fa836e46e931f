"""The index loss on Hopper: divergence and both unit gradients in one walk over items.

A CTA is 16 warps. Two *key warpgroups* have 64 keys of the block each, as rows: `Sᵀ = K Qᵀ` of a
quad, four queries of 16 heads. K is the left operand in registers for a whole item; the mean of the
16 heads' probabilities is a sum along a row. While a quad is averaged, the products of the next one
run. Means go through shared memory to the *student warpgroup*, which takes them by chunks of 64
queries, so that all its products are whole tiles: logits, then `D = P_idx - P̄` in the place of
the means, `dIQ = D IK` and `dIK += Dᵀ IQ`. Warp 12 draws items and loads keys and quads into one
ring, warp 13 loads the student's operands.

Nothing is masked before the student, which hides keys by a select: what keys behind a document's
end, or queries that are none, leave in a mean does not matter, be it NaN.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from cutlass.cute.nvgpu.warpgroup import OperandSource
from cutlass.memory import SmemAllocator

from msa.kernels.device.instructions import (
    bulk_add,
    load_matrices,
    nearest,
    pack,
    ptx,
    store_matrices,
    store_shared,
)
from msa.kernels.device.primitives import WARP, name_kernels, vector
from msa.kernels.device.sm90 import (
    MMA_ROWS,
    SLOT_BOX,
    SLOT_STRIDES,
    columns_tile,
    issue,
    operand_a,
    operand_b,
    partition_slots,
    rows_tile,
    slot_rows,
    slots_view,
    tiled_mma,
    transposed,
)
from msa.kernels.device.tiles import (
    SCALE_LOG2,
    SPAN,
    Boxes,
    View,
    load_box,
    partition_boxes,
    receive,
    ring,
    swizzled_rows,
    tile_view,
)
from msa.kernels.index_kl.chunk import (
    KEY_HALF,
    QUERY_HALF,
    ROW_BYTES,
    Chunk,
    allocate_chunks,
    arrive_loaded,
    exp2,
    find_row,
    index_keys_view,
    load_keys,
    load_queries,
    log2,
)
from msa.kernels.index_kl.gradients import gradient_scales
from msa.kernels.index_kl.interface import (
    CHUNK_QUADS,
    CHUNK_QUERIES,
    DIVERGENCE_ONE,
    GRADIENTS_FAST,
    GRADIENTS_FIXED,
    LOSS_ONLY,
    MAIN,
)
from msa.kernels.index_kl.softmax import unpack_statistics
from msa.kernels.index_kl.walk import (
    DOCUMENT,
    FIELDS,
    HEAD,
    KEY_ROW,
    KEYS,
    QUADS,
    Walk,
    draw,
    num_items,
    read_item,
    slot_row,
)
from msa.kernels.schedule.interface import QUAD_SLOTS
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM, INDEX_DIM

SIGNATURE = MAIN
_ROWS = QUAD_SLOTS * GROUP_HEADS  # of a quad
_KEYS = MMA_ROWS  # of a warpgroup
_QUAD = _ROWS * HEAD_DIM  # elements; the keys of a warpgroup take as many
assert _ROWS == _KEYS == CHUNK_QUERIES == 64
assert HEAD_DIM == INDEX_DIM == 2 * SPAN and BLOCK_SIZE == 2 * _KEYS
_PAIR = 2  # quads of a stage; the keys of both warpgroups take as much
_STAGES = 3
_STEPS = HEAD_DIM // 16  # of a product over the channels
# How many are issued before the sums of the pair before are shuffled: else ptxas puts the shuffles
# behind the first.
_STEPS_BEFORE_SUMS = 3
_AHEAD = 2  # slots whose bases are there before a warpgroup's turn
_BASES = 4  # pairs whose bases are there, a stage more: they are read after the products
_QUAD_BYTES = 2 * _QUAD
_BASE_BYTES = 4 * _ROWS
_CHUNK_PAIRS = CHUNK_QUADS // _PAIR
_GROUP = 8  # rows of a chunk whose means, and then D, lie together
_GROUP_BYTES = 4 * _GROUP * BLOCK_SIZE
_GROUP_ELEMENTS = _GROUP_BYTES // 2
_HALF_BYTES = _GROUP_BYTES // 2  # of a group, the means of half of the keys
_ROW_BYTES = 4 * _KEYS
_D_BYTES = _HALF_BYTES // 2  # of a group and half of the keys
_MEANS_BYTES = 4 * CHUNK_QUERIES * BLOCK_SIZE
_LOG2_E = 1.4426950408889634
_STUDENT_BARRIER = 1
_TURN_BARRIER = 2  # the first of one for each key warpgroup
_SMALLEST = 2.0**-126  # of a mean: it has a logarithm, and does not count
_HIDDEN = -1e20  # a logit without a weight, whose product with the least mean does not count

# Registers of a key warp's, a student's and a loader's thread.
_KEY_REGISTERS, _STUDENT_REGISTERS, _LOAD_REGISTERS = 128, 216, 40
assert 2 * _KEY_REGISTERS + _STUDENT_REGISTERS + _LOAD_REGISTERS <= 512

# What a chunk is: the first of its item, the last, behind the last.
_FIRST, _LAST, _CHUNKS_END = 1, 2, 4
_WORD, _KEY_ROW, _NUM_KEYS = range(3)


class _Views(NamedTuple):
    """How TMA sees operands: queries in boxes of a slot, its 16 heads; keys in boxes of 64, and of
    128 in the index branch, and half of the channels."""

    queries: View
    keys: View
    index_keys: View


class _Student(NamedTuple):
    """What the student reads in global memory."""

    index_q: cute.Pointer
    index_k: cute.Pointer
    sums: cute.Pointer
    bounds: cute.Pointer
    bases: cute.Pointer


class _Outputs(NamedTuple):
    divergences: cute.Pointer
    dq: cute.Pointer
    dk: cute.Pointer


class _Shared(NamedTuple):
    """Shared memory.

    Attributes:
        ring: bf16 `[stage][2]`, a quad's slots `[4][2][2][8][64]` (group of 8 heads, half) or a
            warpgroup's keys `[2][64][64]`.
        bases: FP32 `[pair % _BASES, quad, slot, head]`.
        means: FP32 `[2]`, `[8 groups][2 halves][8 queries][64 keys]`, keys swizzled by the query;
            then D in bf16, in the first kilobyte of each half's place `[8][64]`; then dIQ, half of
            a row in the kilobytes that D leaves, and half in D's.
        told: int32, of a stage of keys how many pairs of quads come behind them.
        items: of two items their fields.
        chunk: the student's operands.
        word: of the chunk: flags, compact row of the block's first key, its keys.
        offsets: of the chunk's rows: what their logits lack to be logarithms.
        scales: of the chunk's item.
    """

    ring: cute.Pointer
    bases: cute.Pointer
    means: cute.Pointer
    told: cute.Tensor
    items: cute.Tensor
    chunk: Chunk
    word: cute.Tensor
    offsets: cute.Tensor
    scales: cute.Tensor
    full: cute.Pointer
    empty: cute.Pointer
    item_full: cute.Pointer
    item_empty: cute.Pointer
    means_full: cute.Pointer
    means_empty: cute.Pointer
    chunk_full: cute.Pointer
    chunk_empty: cute.Pointer


# Products.

_K, _MN = OperandMajorMode.K, OperandMajorMode.MN


def _scores_mma():
    """Sᵀ: 64 keys x the rows of a pair of quads."""
    return tiled_mma(_PAIR * _ROWS, _K, _K, OperandSource.RMEM)


def _logits_mma():
    """Half of the student's logits: 64 queries x 64 keys."""
    return tiled_mma(_KEYS, _K, _K, OperandSource.SMEM)


def _dk_mma():
    """Half of dIK: 64 keys x channels."""
    return tiled_mma(INDEX_DIM, _MN, _MN, OperandSource.SMEM)


def _dq_mma():
    """Half of dIQ: 64 queries x 64 channels."""
    return tiled_mma(SPAN, _K, _MN, OperandSource.SMEM)


def _pair_tile(pointer: cute.Pointer) -> cute.Tensor:
    """`[rows, channels]` of a pair of quads."""
    return cute.make_tensor(pointer, slot_rows(_PAIR * _ROWS))


def _pair_slots(pairs: cute.Pointer) -> cute.Tensor:
    """The ring's pairs of quads as `[box, slot, stage]`."""
    layout = cute.make_layout(
        (SLOT_BOX, _PAIR * QUAD_SLOTS, _STAGES),
        stride=(SLOT_STRIDES, GROUP_HEADS * HEAD_DIM, _PAIR * _QUAD),
    )
    return cute.make_tensor(pairs, layout)


def _keys_view(op, pointer: cute.Pointer, tokens: Int32, groups: Int32) -> View:
    row = cute.assume(groups * HEAD_DIM, divby=HEAD_DIM)
    layout = cute.make_layout((tokens, HEAD_DIM, groups), stride=(row, 1, HEAD_DIM))
    return tile_view(op, pointer, layout, _KEYS)


def _key_boxes(view: View, shared: cute.Pointer, row: Int32) -> Boxes:
    """Boxes from a row on: `[part of 64 keys, half, head]`; in the ring `[half, part, stage]`."""
    layout = cute.make_layout(
        ((8, _KEYS // 8), SPAN, 2, _PAIR, _STAGES),
        stride=((SPAN, 8 * SPAN), 1, _KEYS * SPAN, _QUAD, _PAIR * _QUAD),
    )
    moved = View(view.atom, cute.domain_offset((row, 0, 0), view.tensor))
    return partition_boxes(moved, (_KEYS, SPAN), shared, layout)


# Barriers.


def _test(barrier: cute.Pointer, phase: Int32) -> Int32:
    """Whether a phase is complete, without waiting for it."""
    return ptx(
        "{{ .reg .pred complete; mbarrier.test_wait.parity.shared.b64 complete, [{$r0}], {$r1}; "
        "selp.s32 {$w0}, 1, 0, complete; }}",
        [Int32],
        barrier.toint(),
        phase,
    )


def _next(stage: Int32, phase: Int32):
    stage = stage + 1
    wrapped = stage == _STAGES
    return cutlass.select_(wrapped, 0, stage), cutlass.select_(wrapped, phase ^ 1, phase)


@cute.jit
def _init_barriers(shared: _Shared) -> None:
    with arch.elect_one():
        for i in cutlass.range_constexpr(_STAGES):
            arch.mbarrier_init(shared.full + i, 1)
            arch.mbarrier_init(shared.empty + i, 8 * WARP)
        for i in cutlass.range_constexpr(2):
            arch.mbarrier_init(shared.item_full + i, WARP)
            arch.mbarrier_init(shared.item_empty + i, WARP)
            arch.mbarrier_init(shared.means_full + i, 8 * WARP)
            arch.mbarrier_init(shared.means_empty + i, 4 * WARP)
        arch.mbarrier_init(shared.chunk_full, WARP)
        arch.mbarrier_init(shared.chunk_empty, 4 * WARP)


class _IndexKL:
    def __init__(self, mode: int):
        self.fixed = mode == GRADIENTS_FIXED
        self.gradients = mode != LOSS_ONLY

    @cute.jit
    def __call__(self, q, k, student, walk, outputs, tokens, ctas, stream):
        load = cpasync.CopyBulkTensorTileG2SOp()
        views = _Views(
            slots_view(load, q, tokens * walk.groups),
            _keys_view(load, k, tokens, walk.groups),
            index_keys_view(load, student.index_k, tokens),
        )
        self.index_kl(views, student, walk, outputs).launch(
            grid=[ctas, 1, 1], block=[16 * WARP, 1, 1], stream=stream, min_blocks_per_mp=1
        )

    @cute.kernel
    def index_kl(self, views: _Views, student: _Student, walk: Walk, outputs: _Outputs):
        shared = self.allocate()
        warp = arch.make_warp_uniform(arch.warp_idx())
        if warp == 0:
            _init_barriers(shared)
        arch.mbarrier_init_fence()
        arch.sync_threads()
        if warp >= 12:
            arch.setmaxregister_decrease(_LOAD_REGISTERS)
            if warp == 12:
                self.load(views, student.bases, walk, shared)
            elif warp == 13:
                self.load_chunks(views.index_keys, student, walk, shared)
        elif warp >= 8:
            arch.setmaxregister_increase(_STUDENT_REGISTERS)
            self.learn(shared, outputs, warp - 8)
        else:
            arch.setmaxregister_increase(_KEY_REGISTERS)
            self.teach(shared, warp)

    def allocate(self) -> _Shared:
        """Lays out shared memory, barriers first."""
        allocator = SmemAllocator()

        def tile(elements):
            layout, swizzle = cute.make_layout(elements), swizzled_rows().inner
            return allocator.allocate_tensor(BFloat16, layout, 1024, swizzle).iterator

        def array(dtype, *shape):
            return allocator.allocate_tensor(dtype, cute.make_layout(shape), 16)

        barriers = allocator.allocate_array(Int64, 2 * _STAGES + 10)
        pairs = barriers + 2 * _STAGES
        small = {
            "told": array(Int32, _STAGES),
            "items": array(Int32, FIELDS, 2),
            "word": array(Int32, 4),
            "offsets": array(Float32, CHUNK_QUERIES),
            "scales": array(Float32, 2),
            "bases": array(Float32, _BASES * _PAIR * _ROWS).iterator,
            "chunk": allocate_chunks(allocator, 1),
        }
        return _Shared(
            ring=tile(_STAGES * _PAIR * _QUAD),
            means=tile(_MEANS_BYTES),  # of two buffers, in elements of two bytes
            **small,
            full=barriers,
            empty=barriers + _STAGES,
            item_full=pairs,
            item_empty=pairs + 2,
            means_full=pairs + 4,
            means_empty=pairs + 6,
            chunk_full=pairs + 8,
            chunk_empty=pairs + 9,
        )

    # The loaders.

    @cute.jit
    def load(self, views: _Views, bases: cute.Pointer, walk: Walk, shared: _Shared) -> None:
        """One warp: draws items, and loads their keys and quads."""
        lane = arch.lane_idx()
        slot_boxes = partition_slots(views.queries, _pair_slots(shared.ring))
        count = num_items(walk)
        stage, phase = Int32(0), Int32(0)
        drawn, pairs = Int32(0), Int32(0)
        index = arch.block_idx()[0]
        item = cute.make_rmem_tensor(FIELDS, Int32)
        while index < count:
            read_item(walk, index, item)
            slot, slot_phase = ring(drawn)
            arch.mbarrier_wait(shared.item_empty + slot, slot_phase ^ 1)
            for i in cutlass.range_constexpr(FIELDS):
                if lane == i:
                    shared.items[i, slot] = item[i]
            arch.mbarrier_arrive(shared.item_full + slot)
            drawn += 1
            index = draw(walk)
            head = item[HEAD]
            size = (item[QUADS] + 1) // _PAIR
            key_boxes = _key_boxes(views.keys, shared.ring, item[KEY_ROW])
            full = shared.full + stage
            arch.mbarrier_wait(shared.empty + stage, phase ^ 1)
            if lane == 0:
                shared.told[stage] = size
                arch.mbarrier_arrive_and_expect_tx(full, _PAIR * _QUAD_BYTES)
            arch.sync_warp()
            for part in cutlass.range_constexpr(_PAIR):
                for half in cutlass.range_constexpr(2):
                    load_box(key_boxes, (part, half, head), (half, part, stage), full)
            stage, phase = _next(stage, phase)
            rows = cute.make_rmem_tensor(QUAD_SLOTS, Int32)
            for i in cutlass.range(size, unroll=1):
                # A lane finds the rows of one of 32 quads.
                first = i * _PAIR % WARP
                if first == 0:
                    for s in cutlass.range_constexpr(QUAD_SLOTS):
                        row = slot_row(walk, item, (i * _PAIR + lane) * QUAD_SLOTS + s)
                        rows[s] = cutlass.select_(row < 0, -1, row * walk.groups + head)
                at = [
                    arch.shuffle_sync(rows[s], first + quad)
                    for quad in range(_PAIR)
                    for s in range(QUAD_SLOTS)
                ]
                mine = [
                    arch.shuffle_sync(rows[s], first + lane // 4 % 2) for s in range(QUAD_SLOTS)
                ]
                even = cutlass.select_(lane & 2 == 0, mine[0], mine[2])
                odd = cutlass.select_(lane & 2 == 0, mine[1], mine[3])
                base_row = cutlass.max(cutlass.select_(lane & 1 == 0, even, odd), 0)
                full = shared.full + stage
                arch.mbarrier_wait(shared.empty + stage, phase ^ 1)
                if lane == 0:
                    size_bytes = _PAIR * (_QUAD_BYTES + _BASE_BYTES)
                    arch.mbarrier_arrive_and_expect_tx(full, size_bytes)
                arch.sync_warp()
                for s in cutlass.range_constexpr(_PAIR * QUAD_SLOTS):
                    load_box(slot_boxes, (at[s],), (s, stage), full)
                if lane < _PAIR * QUAD_SLOTS:
                    # Any row's do for an empty slot.
                    ptx(
                        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                        "[{$r0}], [{$r1}], {$r2}, [{$r3}];",
                        None,
                        shared.bases.toint()
                        + pairs % _BASES * (_PAIR * _BASE_BYTES)
                        + lane * (4 * GROUP_HEADS),
                        bases.toint() + Int64(base_row) * (4 * GROUP_HEADS),
                        Int32(4 * GROUP_HEADS),
                        full.toint(),
                    )
                arch.sync_warp()
                pairs += 1
                stage, phase = _next(stage, phase)
        slot, slot_phase = ring(drawn)
        arch.mbarrier_wait(shared.item_empty + slot, slot_phase ^ 1)
        if lane < FIELDS:
            shared.items[lane, slot] = Int32(0)
        arch.mbarrier_arrive(shared.item_full + slot)
        arch.mbarrier_wait(shared.empty + stage, phase ^ 1)
        if lane == 0:
            shared.told[stage] = Int32(0)
            arch.mbarrier_arrive(shared.full + stage)

    @cute.jit
    def load_chunks(self, index_keys: View, student: _Student, walk: Walk, shared: _Shared) -> None:
        """One warp: the student's operands of the same items."""
        lane = arch.lane_idx()
        item = cute.make_rmem_tensor(FIELDS, Int32)
        drawn, phase = Int32(0), Int32(0)
        size = Int32(1)
        while size > 0:
            slot, slot_phase = ring(drawn)
            arch.mbarrier_wait(shared.item_full + slot, slot_phase)
            for i in cutlass.range_constexpr(FIELDS):
                item[i] = shared.items[i, slot]
            arch.mbarrier_arrive(shared.item_empty + slot)
            drawn += 1
            size = item[QUADS]
            done = Int32(0)
            while done < size:
                rows, limits = [Int32(-1)] * 2, [Int32(-1)] * 2
                offsets = [Float32(0)] * 2
                for i in cutlass.range_constexpr(2):
                    slot = done * QUAD_SLOTS + lane + WARP * i
                    row, limit = find_row(walk, item, slot)
                    offset = Float32(0)
                    if row >= 0:
                        has_teacher, offset = self.statistics(student, row)
                        if not has_teacher:
                            row, limit = Int32(-1), Int32(-1)
                    rows[i], limits[i], offsets[i] = row, limit, offset
                arch.mbarrier_wait(shared.chunk_empty, phase ^ 1)
                for i in cutlass.range_constexpr(2):
                    place = lane + WARP * i
                    shared.chunk.rows[place] = rows[i]
                    shared.chunk.limits[place] = limits[i]
                    shared.offsets[place] = offsets[i]
                flags = Int32(0)
                if done == 0:
                    flags |= _FIRST
                    if const_expr(self.fixed):
                        scales = gradient_scales(
                            student.bounds, walk.cu_seqlens, item[DOCUMENT], walk.groups
                        )
                        for i in cutlass.range_constexpr(2):
                            shared.scales[i] = scales[i]
                if done + CHUNK_QUADS >= size:
                    flags |= _LAST
                if lane == 0:
                    shared.word[_WORD] = flags
                    shared.word[_KEY_ROW] = item[KEY_ROW]
                    shared.word[_NUM_KEYS] = item[KEYS]
                arch.sync_warp()
                size_bytes = Int32(0)
                if done == 0:
                    size_bytes = load_keys(
                        shared.chunk, index_keys, student.index_k, item, shared.chunk_full
                    )
                load_queries(shared.chunk, student.index_q, item, lane, WARP)
                arrive_loaded(shared.chunk_full, size_bytes)
                phase ^= 1
                done += CHUNK_QUADS
        arch.mbarrier_wait(shared.chunk_empty, phase ^ 1)
        if lane == 0:
            shared.word[_WORD] = Int32(_CHUNKS_END)
        arch.mbarrier_arrive(shared.chunk_full)

    @cute.jit
    def statistics(self, student: _Student, row: Int32):
        """Whether a row has weights and a teacher, and what its logits lack to be logarithms."""
        maximum, total = unpack_statistics(vector(student.sums)[row])
        base = vector(student.bases + Int64(row) * GROUP_HEADS)[0]
        return total > 0 and base == base, -maximum - log2(total)

    # The key warpgroups.

    @cute.jit
    def teach(self, shared: _Shared, warp: Int32) -> None:
        """Two warpgroups: the mean of the heads' probabilities, for 64 keys each."""
        mma = _scores_mma()
        keys = cute.make_rmem_tensor(mma.partition_shape_A((_KEYS, HEAD_DIM)), BFloat16)
        scores = cute.make_rmem_tensor(mma.partition_shape_C((_KEYS, _PAIR * _ROWS)), Float32)
        bases = cute.make_rmem_tensor(4 * _AHEAD, Float32)
        chunks, pairs = Int32(0), Int32(0)
        # Warpgroups take turns with the exponentials: those of one run under the products and sums
        # of the other. No product runs from one turn to the next, which ptxas would serialize.
        group = warp // 4
        mine, others = _TURN_BARRIER + group, _TURN_BARRIER + 1 - group
        if group == 1:
            arch.barrier_arrive(barrier_id=others, number_of_threads=8 * WARP)
        stage, phase = Int32(0), Int32(0)
        # The pair of quads whose scores are there, and how many pairs its item has: 0 at the end.
        index, size = Int32(0), Int32(0)
        arch.mbarrier_wait(shared.full, 0)
        stage, phase, size = self.take_keys(shared, warp, keys, stage, phase)
        self.multiply(shared, mma, keys, scores, stage, 0, _STEPS)
        stage_after, phase_after = _next(stage, phase)
        self.load_first_bases(shared, bases, pairs)
        warpgroup.wait_group(0)
        arch.mbarrier_arrive(shared.empty + stage)
        while size > 0:
            arch.barrier(barrier_id=mine, number_of_threads=8 * WARP)
            full = shared.full + stage_after
            is_full = _test(full, phase_after)  # early: the answer takes a while
            sums = self.weigh(shared, bases, scores, pairs)
            arch.barrier_arrive(barrier_id=others, number_of_threads=8 * WARP)
            stage, phase = stage_after, phase_after
            if is_full == 0:
                arch.mbarrier_wait(full, phase)
            index_after, size_after = index + 1, size
            if index_after == size:
                stage, phase, size_after = self.take_keys(shared, warp, keys, stage, phase)
                index_after = Int32(0)
            self.multiply(shared, mma, keys, scores, stage, 0, _STEPS_BEFORE_SUMS)
            stage_after, phase_after = _next(stage, phase)
            means = self.reduce(sums)
            self.multiply(shared, mma, keys, scores, stage, _STEPS_BEFORE_SUMS, _STEPS)
            chunks = self.store_means(shared, warp, means, index, size, chunks)
            pairs += 1
            self.load_first_bases(shared, bases, pairs)
            warpgroup.wait_group(0)
            arch.mbarrier_arrive(shared.empty + stage)
            index, size = index_after, size_after
        if group == 0:
            arch.barrier(barrier_id=mine, number_of_threads=8 * WARP)

    @cute.jit
    def take_keys(
        self, shared: _Shared, warp: Int32, keys: cute.Tensor, stage: Int32, phase: Int32
    ):
        """Takes the keys of a stage that is there, and waits for the pair of quads behind them.

        Returns the pair's stage and its phase, and how many pairs the item has: 0 if there is none.
        """
        (size,) = receive(cute.make_tensor(shared.told.iterator + stage, cute.make_layout(1)))
        if size > 0:
            self.load_keys(shared, stage, warp, keys)
            # Nothing has used them yet: without a fence TMA may overwrite what is still to be read.
            arch.fence_view_async_shared()
            arch.mbarrier_arrive(shared.empty + stage)
            stage, phase = _next(stage, phase)
            arch.mbarrier_wait(shared.full + stage, phase)
        return stage, phase, size

    def multiply(
        self,
        shared: _Shared,
        mma,
        keys: cute.Tensor,
        scores: cute.Tensor,
        stage: Int32,
        first: int,
        last: int,
    ) -> None:
        """Issues steps of the products of a stage's pair of quads, as a group with the last."""
        pair = operand_b(mma, _pair_tile(shared.ring + stage * (_PAIR * _QUAD)))
        if first == 0:
            warpgroup.fence()
        atom = cute.make_mma_atom(mma.op)
        for step in range(first, last):
            atom.set(warpgroup.Field.ACCUMULATE, step > 0)
            cute.gemm(atom, scores, keys[None, None, step], pair[None, None, step], scores)
        if last == _STEPS:
            warpgroup.commit_group()

    @cute.jit
    def load_keys(self, shared: _Shared, stage: Int32, warp: Int32, keys: cute.Tensor) -> None:
        """A warp's 16 keys as left operand."""
        lane = arch.lane_idx()
        words = cute.recast_tensor(keys, Int32)
        base = shared.ring.toint() + (stage * _PAIR + warp // 4) * _QUAD_BYTES
        base += (warp % 4 * 16 + lane % 16) * ROW_BYTES
        for j in cutlass.range_constexpr(HEAD_DIM // 16):
            piece = (j % 4 * 2 + lane // 16) ^ (lane % 8)
            values = load_matrices(base + j // 4 * (2 * _KEYS * SPAN) + piece * 16)
            for x in cutlass.range_constexpr(4):
                words[4 * j + x] = values[x]

    def load_bases(self, shared: _Shared, pairs: Int32, slot: int) -> list:
        """A lane's bases of a slot of a pair, four heads."""
        at = shared.bases.toint() + pairs % _BASES * (_PAIR * _BASE_BYTES)
        at += arch.lane_idx() % 4 * 16 + slot * (4 * GROUP_HEADS)
        text = "ld.shared.v4.f32 {{$w0}, {$w1}, {$w2}, {$w3}}, [{$r0}];"
        return list(ptx(text, [Float32] * 4, at))

    def load_first_bases(self, shared: _Shared, bases: cute.Tensor, pairs: Int32) -> None:
        """The bases of a pair's first slots."""
        for slot in range(_AHEAD):
            for i, base in enumerate(self.load_bases(shared, pairs, slot)):
                bases[4 * slot + i] = base

    def weigh(self, shared: _Shared, bases: cute.Tensor, scores: cute.Tensor, pairs: Int32) -> list:
        """Sums of P over a lane's four heads of each slot, for its two keys: `slot * 2 + key`.

        Accumulator i of a pair: key `lane // 4 + 8 * (i // 2 % 2)`, and row
        `i // 4 * 8 + lane % 4 * 2 + i % 2`.
        """
        slots = _PAIR * QUAD_SLOTS
        heads = [[bases[4 * slot + i] for i in range(4)] for slot in range(_AHEAD)]
        sums = []
        for slot in range(slots):
            if slot + _AHEAD < slots:
                heads.append(self.load_bases(shared, pairs, slot + _AHEAD))
            # One after the other, not in pairs: so there is an add between any two exponentials.
            slot_sums = [None, None]
            for i in range(4):
                for h in range(2):
                    at = 4 * (2 * slot + i // 2) + 2 * h + i % 2
                    weight = exp2(scores[at] * SCALE_LOG2 + heads[slot][i])
                    slot_sums[h] = weight if i == 0 else slot_sums[h] + weight
            sums += slot_sums
        return sums

    def reduce(self, sums: list) -> list:
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
        shared: _Shared,
        warp: Int32,
        means: list,
        index: Int32,
        size: Int32,
        chunks: Int32,
    ) -> Int32:
        """Stores the means of a pair of quads, those of `reduce`."""
        lane = arch.lane_idx()
        c = lane % 4
        buffer = chunks & 1
        within = index % _CHUNK_PAIRS
        if within == 0:
            arch.mbarrier_wait(shared.means_empty + buffer, (chunks >> 1) & 1 ^ 1)
        # A pair is a group of 8 queries.
        target = shared.means.toint() + buffer * _MEANS_BYTES + within * _GROUP_BYTES
        target += warp // 4 * _HALF_BYTES + c * _ROW_BYTES
        target += ((warp % 4 * 16 + lane // 4) ^ (c * 8)) * 4
        for i in cutlass.range_constexpr(4):
            at = (target ^ (32 * (i % 2))) + i // 2 * (QUAD_SLOTS * _ROW_BYTES)
            ptx("st.shared.f32 [{$r0}], {$r1};", None, at, means[i])
        if within == _CHUNK_PAIRS - 1 or index + 1 == size:
            arch.mbarrier_arrive(shared.means_full + buffer)
            chunks += 1
        return chunks

    # The student warpgroup.

    @cute.jit
    def learn(self, shared: _Shared, outputs: _Outputs, warp: Int32) -> None:
        """One warpgroup: logits, divergence, D and both gradients, by chunks."""
        lane = arch.lane_idx()
        r, c = lane // 4, lane % 4
        chunk = shared.chunk
        logits_mma, dk_mma, dq_mma = _logits_mma(), _dk_mma(), _dq_mma()
        logits = cute.make_rmem_tensor(
            logits_mma.partition_shape_C((CHUNK_QUERIES, _KEYS)), Float32
        )
        queries = operand_a(logits_mma, rows_tile(chunk.queries, CHUNK_QUERIES, QUERY_HALF))
        keys = [
            operand_b(logits_mma, rows_tile(chunk.keys + half * (_KEYS * SPAN), _KEYS, KEY_HALF))
            for half in range(2)
        ]
        if const_expr(self.gradients):
            shape = dk_mma.partition_shape_C((_KEYS, INDEX_DIM))
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
        store_at = store_row // _GROUP * _GROUP_BYTES + store_row % _GROUP * ROW_BYTES
        store_at += ((lane // 16) ^ (lane % 8)) * 16

        count = Int32(0)
        arch.mbarrier_wait(shared.chunk_full, 0)
        flags = shared.word[_WORD]
        while (flags & _CHUNKS_END) == 0:
            buffer = count & 1
            means_tile = shared.means + buffer * (_MEANS_BYTES // 2)
            means_at = shared.means.toint() + buffer * _MEANS_BYTES
            limits = [chunk.limits[slot + 8 * h] - c * 2 for h in range(2)]
            offsets = [shared.offsets[slot + 8 * h] for h in range(2)]
            terms, differences = ([Float32(0), Float32(0)] for _ in range(2))
            for half in cutlass.range_constexpr(2):
                issue(logits_mma, logits, queries, keys[half], False)
                if const_expr(half == 0):
                    arch.mbarrier_wait(shared.means_full + buffer, (count >> 1) & 1)
                warpgroup.wait_group(0)
                pairs = []
                row_at = means_at + warp * (2 * _GROUP_BYTES) + half * _HALF_BYTES
                row_at += r * _ROW_BYTES + c * 8
                if limits[0] < BLOCK_SIZE or limits[1] < BLOCK_SIZE:
                    self.hide(logits, limits, row_at, half)
                for i in cutlass.range_constexpr(8):
                    at = row_at + _mean_place(i)
                    for h in cutlass.range_constexpr(2):
                        means = ptx(
                            "ld.shared.v2.f32 {{$w0}, {$w1}}, [{$r0}];",
                            [Float32] * 2,
                            at + h * _GROUP_BYTES,
                        )
                        values = []
                        for x in cutlass.range_constexpr(2):
                            log_p = logits[4 * i + 2 * h + x] * SCALE_LOG2 + offsets[h]
                            p = exp2(log_p)
                            mean = arch.fmax(means[x], _SMALLEST)
                            terms[h] += mean * (log2(mean) - log_p)
                            # The differences add up to 0, but with them no term is negative.
                            differences[h] += p - mean
                            values.append(p - mean)
                        if const_expr(self.gradients):
                            pairs.append(pack(*values))
                if const_expr(self.gradients):
                    arch.sync_warp()  # a warp's D overwrites what it alone has read
                    for j in cutlass.range_constexpr(4):
                        at = means_at + half * _HALF_BYTES + (store_at ^ (32 * j))
                        store_matrices(at, *pairs[4 * j : 4 * j + 4])
            if const_expr(self.gradients):
                arch.fence_view_async_shared()
                self.sync()
                grads = operand_a(dq_mma, _grads_by_query(means_tile))
                accumulate = (flags & _FIRST) == 0
                issue(dq_mma, dq, grads, keys_by_channel[0], False)
                for half in cutlass.range_constexpr(2):
                    by_key = operand_a(dk_mma, _grads_by_key(means_tile, half))
                    issue(dk_mma, dk[half], by_key, queries_by_channel, accumulate)
            for h in cutlass.range_constexpr(2):
                total = terms[h] + differences[h] * _LOG2_E
                total += arch.shuffle_sync_bfly(total, offset=1)
                total += arch.shuffle_sync_bfly(total, offset=2)
                row = chunk.rows[slot + 8 * h]
                if c == 0 and row >= 0:
                    ptx(
                        "red.relaxed.gpu.global.add.u64 [{$r0}], {$r1};",
                        None,
                        outputs.divergences.toint() + Int64(row) * 8,
                        nearest(total * DIVERGENCE_ONE, Int64),
                    )
            sender = chunk.rows[warp * 16 + lane % 16]
            key_row, num_keys = shared.word[_KEY_ROW], shared.word[_NUM_KEYS]
            scales = None
            if const_expr(self.fixed):
                scales = [shared.scales[i] for i in range(2)]
            place = means_at + warp * (2 * _GROUP_BYTES)
            if const_expr(self.gradients):
                warpgroup.wait_group(2)
                self.send_queries(outputs, dq, place + _D_BYTES, sender, 0, scales)
                issue(dq_mma, dq, grads, keys_by_channel[1], False)
            warpgroup.wait_group(0)
            arch.mbarrier_arrive(shared.chunk_empty)
            if const_expr(self.gradients):
                self.sync()  # all warps' products have read D
                self.send_queries(outputs, dq, place, sender, 1, scales)
                if (flags & _LAST) != 0:
                    for half in cutlass.range_constexpr(2):
                        first = half * _KEYS + warp * 16
                        self.send_keys(outputs, dk[half], place, first, key_row, num_keys, scales)
                arch.cp_async_bulk_wait_group(0, read=True)
            arch.mbarrier_arrive(shared.means_empty + buffer)
            count += 1
            arch.mbarrier_wait(shared.chunk_full, count & 1)
            flags = shared.word[_WORD]
        if const_expr(self.gradients):
            arch.cp_async_bulk_wait_group(0)

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
                        at = row_at + _mean_place(i) + h * _GROUP_BYTES + 4 * x
                        ptx("st.shared.f32 [{$r0}], {$r1};", None, at, Float32(0))

    def sync(self) -> None:
        """Waits for all warps of the student."""
        arch.barrier(barrier_id=_STUDENT_BARRIER, number_of_threads=4 * WARP)

    @cute.jit
    def send_queries(
        self,
        outputs: _Outputs,
        dq: cute.Tensor,
        place: Int32,
        sender: Int32,
        half: cutlass.Constexpr[int],
        scales,
    ) -> None:
        """Adds half of a warp's 16 rows of dIQ, through half of its place, a row to a lane."""
        lane = arch.lane_idx()
        for h in cutlass.range_constexpr(2):
            at = place + h * _GROUP_BYTES + _row_place(lane // 4) + lane % 4 * 16
            for j in cutlass.range_constexpr(SPAN // 16):
                values = [dq[4 * (2 * j + y) + 2 * h + x] for y in range(2) for x in range(2)]
                if const_expr(self.fixed):
                    values = [nearest(value * scales[0], Int32) for value in values]
                store_shared(at + j * 64, values)
        arch.fence_view_async_shared()
        arch.sync_warp()
        if lane < 16 and sender >= 0:
            source = place + lane // _GROUP * _GROUP_BYTES + _row_place(lane % _GROUP)
            target = outputs.dq.toint() + Int64(sender) * (4 * INDEX_DIM) + half * (4 * SPAN)
            bulk_add("s32" if self.fixed else "f32", target, source, 4 * SPAN)
        arch.cp_async_bulk_commit_group()

    @cute.jit
    def send_keys(
        self,
        outputs: _Outputs,
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


def _row_place(row: Int32) -> Int32:
    """Where half a row of dIQ stands in a group's place: four rows to a kilobyte of each half."""
    return row // 4 * _HALF_BYTES + row % 4 * (4 * SPAN)


def _mean_place(block: int) -> Int32:
    """Where the means of 8 keys stand in half a row of a lane, which swizzles them."""
    row = arch.lane_idx() // 4
    return Int32(block // 4 * 128) + ((block % 4) ^ (row % 4)) * 32


def _grads_by_query(means: cute.Pointer) -> cute.Tensor:
    """D, 64 queries x 128 keys."""
    layout = cute.make_layout(
        ((_GROUP, CHUNK_QUERIES // _GROUP), (SPAN, 2)),
        stride=((SPAN, _GROUP_ELEMENTS), (1, _HALF_BYTES // 2)),
    )
    return cute.make_tensor(means, layout)


def _grads_by_key(means: cute.Pointer, half: int) -> cute.Tensor:
    """Dᵀ, 64 keys x 64 queries, of half of the keys."""
    layout = cute.make_layout(
        (SPAN, (_GROUP, CHUNK_QUERIES // _GROUP)), stride=(1, (SPAN, _GROUP_ELEMENTS))
    )
    return cute.make_tensor(means + half * (_HALF_BYTES // 2), layout)


name_kernels(_IndexKL.index_kl)


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
    student = _Student(index_q, index_k, sums, bounds, bases)
    outputs = _Outputs(divergences, dq_sums, dk_sums)
    if mode == LOSS_ONLY:
        _IndexKL(LOSS_ONLY)(q, k, student, walked, outputs, tokens, ctas, stream)
    elif mode == GRADIENTS_FAST:
        _IndexKL(GRADIENTS_FAST)(q, k, student, walked, outputs, tokens, ctas, stream)
    else:
        _IndexKL(GRADIENTS_FIXED)(q, k, student, walked, outputs, tokens, ctas, stream)
