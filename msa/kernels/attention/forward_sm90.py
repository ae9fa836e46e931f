"""The attention forward on Hopper: one kernel over (head, key block) items, in four modes.

What it computes, and what the modes are, is in forward.py. A *quad* is 4 query slots x 16
query heads = 64 rows, the tile of a warpgroup; an item is a run of quads.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warp, warpgroup
from cutlass.cute.nvgpu.warpgroup import OperandSource
from cutlass.memory import SmemAllocator
from cutlass.utils import LayoutEnum, hopper_helpers

from msa.kernels.attention.forward import (
    FAST,
    FEW_KEYS,
    FIXED,
    LARGEST_SUMMAND,
    MAX,
    SUM,
    Operands,
    draw_item,
    drop_unflagged,
    fixed_scale,
    make_forward,
    mark_nan,
    maximum,
    read_reference,
    reduce_into,
    select,
    slot_target,
)
from msa.kernels.attention.interface import BOUND_FIELDS, FORWARD, SUM_ONE
from msa.kernels.device.instructions import bulk_add, floor, nearest, ordered_bits
from msa.kernels.device.primitives import WARP, name_kernels, vector
from msa.kernels.device.sm90 import (
    MMA_ROWS,
    SLOT_BOX,
    SLOT_STRIDES,
    issue,
    mask_columns,
    operand_a,
    operand_b,
    partition_slots,
    reduce_columns,
    reduce_lanes,
    slot_rows,
    slots_view,
    tiled_mma,
)
from msa.kernels.device.tiles import (
    SCALE_LOG2,
    Boxes,
    View,
    blocks_layout,
    load_box,
    receive,
    ring,
    swizzled_rows,
)
from msa.kernels.schedule.interface import ITEM_FIELDS, QUAD_SLOTS
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM

_ROWS = QUAD_SLOTS * GROUP_HEADS
_SLOT = GROUP_HEADS * HEAD_DIM  # elements of a slot
_SLOT_BYTES = 2 * _SLOT
_QUAD = QUAD_SLOTS * _SLOT
_QUAD_BYTES = 2 * _QUAD
_BLOCK = (BLOCK_SIZE, HEAD_DIM)
_BLOCK_BYTES = 2 * BLOCK_SIZE * HEAD_DIM
_POOL_BYTES = 2 * _SLOT_BYTES

_GROUPS = 3  # consumer warpgroups
_WARPS = 4  # of a warpgroup
_THREADS = (_GROUPS + 1) * _WARPS * WARP
# A CTA of 512 threads starts with 128 registers each; the loaders leave theirs to the consumers.
_LOADER_REGISTERS, _CONSUMER_REGISTERS = 32, 160
assert _LOADER_REGISTERS + _GROUPS * _CONSUMER_REGISTERS == (_GROUPS + 1) * 128
# Items, and quads of each warpgroup, in flight: they fill shared memory. A third quad at the price
# of the second item measured 4.55 ms instead of 3.92.
_STAGES = 2

assert _ROWS == MMA_ROWS and _WARPS == QUAD_SLOTS  # warp `w` of a warpgroup holds slot `w`


class _Shared(NamedTuple):
    """Shared memory: the stages, and their barriers, one for each stage (and warpgroup).

    `items` is `[field, stage]`. `quads` `[2, slot, stage, warpgroup]` tells of each slot what
    `slot_target` says, `adds` `[slot, stage, warpgroup]` to which half pool its result goes in
    FAST, or -1.
    """

    keys: cute.Tensor
    values: cute.Tensor | None
    queries: cute.Tensor
    items: cute.Tensor
    quads: cute.Tensor
    adds: cute.Tensor
    item_full: cute.Pointer
    item_empty: cute.Pointer
    block_full: cute.Pointer
    quad_full: cute.Pointer
    quad_empty: cute.Pointer


class _Forward:
    """The kernel in one mode.

    A persistent CTA draws items from a counter. Warp 0 does so and loads K and V; warps 1 to 3 load
    the quads of one consumer warpgroup each and, in FAST, add its results. The warpgroups take the
    quads in turn, on through the items, so that a short item does not leave one idle. Warp `w` of a
    warpgroup holds slot `w`: a single query, hence a single limit for the causal mask, and 4 KB of
    bf16 that are added in one piece.

    Shared memory bounds it as much as the tensor cores do: 133 KB or 1036 cycles a quad, beside
    1024 cycles of products. So nothing was gained by ordering the
    warpgroups, or by starting the next QK below the epilogue.
    """

    def __init__(self, mode: int):
        self.mode = mode
        self.has_values = mode in (FAST, FIXED)

    def __call__(
        self,
        q: cute.Pointer,
        k: cute.Pointer,
        v: cute.Pointer,
        operands: Operands,
        num_kblocks: Int32,
        num_sms: Int32,
        stream: cuda.CUstream,
    ) -> None:
        """Launches the kernel; the arguments are those of `make_forward`'s."""
        load = cpasync.CopyBulkTensorTileG2SOp()
        rows = operands.num_tokens * operands.num_groups
        block_rows = blocks_layout(operands.num_groups, num_kblocks)
        queries = slots_view(load, q, rows)
        keys = _block_view(load, k, block_rows, _key_stages())
        values = None
        if self.has_values:
            values = _block_view(load, v, cute.select(block_rows, [1, 0, 2]), _value_stages())
        pool = None
        if self.mode == FAST:
            add = cpasync.CopyReduceBulkTensorTileS2GOp()
            pool = slots_view(add, operands.pool, operands.num_pools * 2)
        self.attention_forward(queries, keys, values, pool, operands).launch(
            grid=[num_sms, 1, 1], block=[_THREADS, 1, 1], stream=stream, min_blocks_per_mp=1
        )

    @cute.kernel
    def attention_forward(
        self,
        queries: View,
        keys: View,
        values: View | None,
        pool: View | None,
        operands: Operands,
    ):
        """Gives each warp its role; `values` and `pool` are None in a mode without them."""
        shared = self._allocate()
        if arch.thread_idx()[0] == 0:
            _init_barriers(shared)
        arch.mbarrier_init_fence()
        arch.sync_threads()
        this_warp = arch.make_warp_uniform(arch.warp_idx())
        if this_warp < _WARPS:
            arch.setmaxregister_decrease(_LOADER_REGISTERS)
            if this_warp == 0:
                self.load_items(keys, values, operands, shared)
            else:
                self.load_quads(queries, pool, operands, shared, this_warp - 1)
        else:
            arch.setmaxregister_increase(_CONSUMER_REGISTERS)
            self.consume(pool, operands, shared, this_warp // _WARPS - 1)

    def _allocate(self) -> _Shared:
        allocator = SmemAllocator()

        def allocate(dtype, layout, alignment=16, swizzle=None):
            return allocator.allocate_tensor(dtype, layout, alignment, swizzle)

        def blocks(stages):
            return allocate(BFloat16, stages.outer, 1024, stages.inner)

        barriers = allocator.allocate_array(Int64, (3 + 2 * _GROUPS) * _STAGES)
        return _Shared(
            keys=blocks(_key_stages()),
            values=blocks(_value_stages()) if self.has_values else None,
            queries=allocate(
                BFloat16, cute.make_layout(_GROUPS * _STAGES * _QUAD), 1024, swizzled_rows().inner
            ),
            items=allocate(Int32, cute.make_layout((ITEM_FIELDS, _STAGES))),
            quads=allocate(Int32, cute.make_layout((2, QUAD_SLOTS, _STAGES, _GROUPS))),
            adds=allocate(Int32, cute.make_layout((QUAD_SLOTS, _STAGES, _GROUPS))),
            item_full=barriers,
            item_empty=barriers + _STAGES,
            block_full=barriers + 2 * _STAGES,
            quad_full=barriers + 3 * _STAGES,
            quad_empty=barriers + (3 + _GROUPS) * _STAGES,
        )

    @cute.jit
    def load_items(
        self, keys: View, values: View | None, operands: Operands, shared: _Shared
    ) -> None:
        """The work of warp 0: draws items, tells all roles of them, loads their K and V.

        An item of no quads tells that there are no more.
        """
        lane = arch.lane_idx()
        key_boxes = _partition_blocks(keys, shared.keys)
        if const_expr(self.has_values):
            value_boxes = _partition_blocks(values, shared.values)
        num_items = vector(operands.end)[0]
        count = Int32(0)
        size = Int32(1)
        while size > 0:
            # Drawn and read before the wait: the latencies pass under the items in flight.
            field, size, head, kblock = draw_item(operands, num_items)

            stage, phase = ring(count)
            full = shared.block_full + stage
            arch.mbarrier_wait(shared.item_empty + stage, phase ^ 1)
            if lane < ITEM_FIELDS:
                shared.items[lane, stage] = field
                arch.mbarrier_arrive(shared.item_full + stage)
            if lane == 0 and size > 0:
                blocks = 2 if self.has_values else 1
                arch.mbarrier_arrive_and_expect_tx(full, blocks * _BLOCK_BYTES)
            arch.sync_warp()
            if size > 0:
                load_box(key_boxes, (kblock, 0, head), (stage,), full)
                if const_expr(self.has_values):
                    load_box(value_boxes, (0, kblock, head), (stage,), full)
            count += 1

    @cute.jit
    def load_quads(
        self,
        queries: View,
        pool: View | None,
        operands: Operands,
        shared: _Shared,
        group: Int32,
    ) -> None:
        """The work of warps 1 to 3: loads a warpgroup's quads and, in FAST, adds its results."""
        lane = arch.lane_idx()
        quads = shared.quads[None, None, None, group]
        boxes = partition_slots(queries, _group_slots(shared.queries, group))
        if const_expr(self.mode == FAST):
            if lane < QUAD_SLOTS:
                for stage in cutlass.range_constexpr(_STAGES):
                    shared.adds[lane, stage, group] = -1  # nothing before the first quad
            arch.sync_warp()
        item = Int32(0)
        count = Int32(0)  # of this warpgroup's quads
        quad = group  # its next, counted from the first of the item
        size = Int32(1)
        while size > 0:
            item_stage, item_phase = ring(item)
            arch.mbarrier_wait(shared.item_full + item_stage, item_phase)
            first, size, head, kblock = receive(shared.items[None, item_stage])
            half = Int32(0)
            if const_expr(self.mode == FAST):
                half = Int32(arch.popc(kblock)) & 1
            while quad < size:
                # Read before the wait, like the items: the use is behind it.
                at = Int64(first + quad) * QUAD_SLOTS + lane % QUAD_SLOTS
                token = vector(operands.task_qrows + at)[0]
                position = vector(operands.task_qpos + at)[0]
                if const_expr(self.mode != FAST):
                    token = drop_unflagged(operands, token, head)

                stage, phase = ring(count)
                full = shared.quad_full + group * _STAGES + stage
                self.release(pool, shared, group, stage, phase)
                target, last_key = slot_target(operands, token, position, head, kblock, half)
                if lane < QUAD_SLOTS:
                    quads[0, lane, stage] = target
                    quads[1, lane, stage] = last_key
                    if const_expr(self.mode == FAST):
                        to = operands.pool_row(target) * 2 + half
                        shared.adds[lane, stage, group] = cutlass.select_(target < 0, -1, to)
                    if lane == 0:
                        arch.mbarrier_expect_tx(full, _QUAD_BYTES)
                    arch.mbarrier_arrive(full)
                arch.sync_warp()
                for i in cutlass.range_constexpr(QUAD_SLOTS):
                    # The box of an empty slot is out of range: TMA fills it with zeros, and counts
                    # its bytes.
                    box = arch.shuffle_sync(target, i) >> 1
                    load_box(boxes, (box,), (i, stage), full)
                count += 1
                quad += _GROUPS
            quad -= size
            arch.sync_warp()
            if lane == 0:
                arch.mbarrier_arrive(shared.item_empty + item_stage)
            item += 1
        for _ in cutlass.range(_STAGES, unroll=1):
            stage, phase = ring(count)
            self.release(pool, shared, group, stage, phase)
            count += 1
        if const_expr(self.mode == FAST):
            arch.cp_async_bulk_wait_group(0)

    @cute.jit
    def release(
        self, pool: View | None, shared: _Shared, group: Int32, stage: Int32, phase: Int32
    ) -> None:
        """Waits until the consumer has done with a quad's stage and its results have left.

        `phase` is that of the stage's next use. A stage of no use yet is free, its slots empty.
        """
        arch.mbarrier_wait(shared.quad_empty + group * _STAGES + stage, phase ^ 1)
        if const_expr(self.mode == FAST):
            boxes = partition_slots(pool, _group_slots(shared.queries, group))
            for i in cutlass.range_constexpr(QUAD_SLOTS):
                to = shared.adds[i, stage, group]
                if to >= 0:
                    cute.copy(boxes.atom, boxes.shared[None, i, stage], boxes.memory[None, to])
            arch.cp_async_bulk_commit_group()
            arch.cp_async_bulk_wait_group(0, read=True)
            arch.sync_warp()

    @cute.jit
    def consume(self, pool: View | None, operands: Operands, shared: _Shared, group: Int32) -> None:
        """The work of a consumer warpgroup: the tiles of its quads."""
        lane = arch.lane_idx()
        item = Int32(0)
        count = Int32(0)
        quad = group
        size = Int32(1)
        while size > 0:
            item_stage, item_phase = ring(item)
            arch.mbarrier_wait(shared.item_full + item_stage, item_phase)
            _, size, _, _ = receive(shared.items[None, item_stage])
            if quad < size:
                # K and V together, that is, no wait in the middle of a tile: one there kept ptxas
                # from mixing the exponentials with what follows them.
                arch.mbarrier_wait(shared.block_full + item_stage, item_phase)
            while quad < size:
                stage, phase = ring(count)
                arch.mbarrier_wait(shared.quad_full + group * _STAGES + stage, phase)
                self.tile(pool, operands, shared, group, stage, item_stage)
                count += 1
                quad += _GROUPS
            quad -= size
            arch.sync_warp()
            if lane == 0:
                arch.mbarrier_arrive(shared.item_empty + item_stage)
            item += 1
        if const_expr(self.has_values):
            arch.cp_async_bulk_wait_group(0)

    @cute.jit
    def tile(
        self,
        pool: View | None,
        operands: Operands,
        shared: _Shared,
        group: Int32,
        stage: Int32,
        item_stage: Int32,
    ) -> None:
        """One quad against one key block; gives the quad's stage back."""
        lane = arch.lane_idx()
        slot = arch.make_warp_uniform(arch.warp_idx()) % _WARPS
        empty = shared.quad_empty + group * _STAGES + stage
        # From shared memory: as a load from global memory, this cost 10 %.
        target, last_key = receive(shared.quads[None, slot, stage, group])
        # The first row of this thread's accumulators; the second is 8 behind.
        row = Int64(target >> 1) * GROUP_HEADS + lane // 4
        references = Float32(0), Float32(0)  # scores; in FAST exponents of two
        scales = Float32(0), Float32(0)
        if const_expr(self.mode in (SUM, FIXED)):
            # The latency passes under the product. An empty slot may take any row's.
            at = cutlass.max(row, Int64(0))
            first = vector(operands.references + at)
            references = tuple(read_reference(first[i]) for i in (0, 8))
            if const_expr(self.mode == FIXED):
                # Weights are relative to the largest, as in SUM: that one is exact.
                bound = vector(operands.bounds + at // GROUP_HEADS * BOUND_FIELDS)[0]
                sums = vector(cute.recast_ptr(operands.sums, dtype=Int32) + at)
                scales = tuple(fixed_scale(bound, sums[i]) for i in (0, 8))

        scores = _scores(shared, group, stage, item_stage)
        if const_expr(not self.has_values):
            arch.sync_warp()
            if lane == 0:
                arch.mbarrier_arrive(empty)
        if last_key < BLOCK_SIZE - 1:
            mask_columns(scores, last_key)
        # This lane's row of the two, once they are reduced over the lanes.
        reduced_row = row + lane % 2 * 8
        is_reduced = target >= 0 and lane % 4 < 2
        if const_expr(self.mode == MAX):
            top = reduce_lanes(reduce_columns(scores, maximum), maximum)
            if is_reduced:
                reduce_into(
                    operands.references + reduced_row,
                    ordered_bits(top.bitcast(Int32)),
                    Int32,
                    "max",
                )
        else:
            if const_expr(self.mode == FAST):
                if last_key < FEW_KEYS:
                    references = _fractions(scores)
                _exponentiate(scores, references)
            else:
                _exponentiate_below(scores, references)
            sums = reduce_columns(scores, _plus)
            if const_expr(self.mode == SUM):
                total = reduce_lanes(sums, _plus)
                if is_reduced:
                    reduce_into(
                        operands.sums + reduced_row, nearest(total * SUM_ONE, Int32), Int32, "add"
                    )
            else:
                out = _issue_pv(shared, scores, item_stage)
                total = reduce_lanes(sums, _plus)
                # From here on each warp writes over its own slot of the queries. All reads of them
                # are over: if a product runs for the warpgroup as one, PV ends after every warp has
                # issued it, which each does behind the end of QK; if it ran for each warp alone, a
                # warp would read no rows of QK's left operand but those of its own slot.
                warpgroup.wait_group(0)
                if const_expr(self.mode == FAST):
                    if last_key < FEW_KEYS and target >= 0:
                        factors = [cute.math.exp2(x, fastmath=True) for x in references]
                        _scale_rows(out, factors)
                        total = total * select(lane % 2 == 1, factors[1], factors[0])
                        to = operands.pool_row(target) * 2 + (~target & 1)
                        _add_residual(pool, shared, group, stage, slot, to, out)
                    _stage_out(shared, group, stage, _round(out, out.shape))
                else:
                    stages = group * _STAGES + stage
                    self.add_out(operands, shared, stages, slot, target, out, scales)
                    peak = reduce_lanes(reduce_columns(out, _max_magnitude), _max_magnitude)
                    scale = select(lane % 2 == 1, scales[1], scales[0])
                    if target >= 0 and not (peak * scale <= LARGEST_SUMMAND):
                        mark_nan(operands.sums + reduced_row)
                arch.sync_warp()
                if lane == 0:
                    arch.mbarrier_arrive(empty)
                if const_expr(self.mode == FAST) and is_reduced:
                    reduce_into(operands.sums + reduced_row, total, Float32, "add")

    @cute.jit
    def add_out(
        self,
        operands: Operands,
        shared: _Shared,
        stage: Int32,
        slot: Int32,
        target: Int32,
        out: cute.Tensor,
        scales: tuple[Float32, Float32],
    ) -> None:
        """Adds a warp's tile in FIXED: 8 KB, in two halves through the 4 KB of its slot.

        `stage` counts those of all warpgroups.
        """
        lane = arch.lane_idx()
        address = shared.queries.iterator.toint() + stage * _QUAD_BYTES + slot * _SLOT_BYTES
        pool = operands.pool.toint() + Int64(operands.pool_row(target)) * _POOL_BYTES
        pieces = cute.make_tensor(
            cute.make_ptr(Int32, address, cute.AddressSpace.smem, assumed_align=16),
            cute.make_layout((4, WARP, _SLOT_BYTES // (16 * WARP))),
        )
        for half in cutlass.range_constexpr(2):
            for i in cutlass.range_constexpr(cute.size(pieces, mode=[2])):
                piece = cute.make_rmem_tensor(4, Int32)
                for j in cutlass.range_constexpr(4):
                    piece[j] = nearest(out[half * 32 + i * 4 + j] * scales[j // 2], Int32)
                cute.autovec_copy(piece, pieces[None, lane, i])
            arch.fence_view_async_shared()
            arch.sync_warp()
            if target >= 0 and lane == 0:
                bulk_add("s32", pool + half * _SLOT_BYTES, address, _SLOT_BYTES)
            arch.cp_async_bulk_commit_group()
            arch.cp_async_bulk_wait_group(0, read=True)
            arch.sync_warp()


name_kernels(_Forward.attention_forward)


# Layouts and views.


def _key_stages() -> cute.ComposedLayout:
    """`[keys, channels, stages]`."""
    shape = (_ROWS, BLOCK_SIZE, HEAD_DIM)
    return hopper_helpers.make_smem_layout_b(LayoutEnum.ROW_MAJOR, shape, BFloat16, _STAGES)


def _value_stages() -> cute.ComposedLayout:
    """`[channels, keys, stages]`."""
    shape = (_ROWS, HEAD_DIM, BLOCK_SIZE)
    return hopper_helpers.make_smem_layout_b(LayoutEnum.COL_MAJOR, shape, BFloat16, _STAGES)


def _group_queries(queries: cute.Tensor, group: Int32) -> cute.Tensor:
    """A warpgroup's quads as `[rows, channels, stages]`."""
    rows, (shape, stride) = slot_rows(_ROWS), ((_STAGES, _GROUPS), (_QUAD, _STAGES * _QUAD))
    layout = cute.make_layout((*rows.shape, *shape), stride=(*rows.stride, *stride))
    return cute.make_tensor(queries.iterator, layout)[None, None, None, group]


def _group_slots(queries: cute.Tensor, group: Int32) -> cute.Tensor:
    """The same as `[box, slots, stages]`."""
    layout = cute.make_layout(
        (SLOT_BOX, QUAD_SLOTS, _STAGES, _GROUPS),
        stride=(SLOT_STRIDES, _SLOT, _QUAD, _STAGES * _QUAD),
    )
    return cute.make_tensor(queries.iterator, layout)[None, None, None, group]


def _block_view(op, pointer: cute.Pointer, layout: cute.Layout, stages) -> View:
    """K or V, in boxes of a key block and head."""
    stage = cute.slice_(stages, (None, None, 0))
    matrix = cute.make_tensor(pointer, layout)
    return View(*cpasync.make_tiled_tma_atom(op, matrix, stage, _BLOCK))


def _partition_blocks(view: View, stages: cute.Tensor) -> Boxes:
    """The sides of a block's copies: `[box, stage]` in shared memory, `[box, ..., head]`."""
    boxes = cute.group_modes(cute.flat_divide(view.tensor, _BLOCK), 0, 2)
    stages = cute.group_modes(stages, 0, 2)
    shared, memory = cpasync.tma_partition(view.atom, 0, cute.make_layout(1), stages, boxes)
    return Boxes(view.atom, memory, shared)


# Barriers.


@cute.jit
def _init_barriers(shared: _Shared) -> None:
    """TMA's bytes and each lane that wrote fill a stage; each warp that read empties it."""
    for stage in cutlass.range_constexpr(_STAGES):
        arch.mbarrier_init(shared.item_full + stage, ITEM_FIELDS)
        arch.mbarrier_init(shared.item_empty + stage, _GROUPS * (_WARPS + 1))
        arch.mbarrier_init(shared.block_full + stage, 1)
    for stage in cutlass.range_constexpr(_GROUPS * _STAGES):
        arch.mbarrier_init(shared.quad_full + stage, QUAD_SLOTS)
        arch.mbarrier_init(shared.quad_empty + stage, _WARPS)


# The parts of a tile. Accumulator `i` of a thread belongs to the row `lane // 4 + 8 * (i // 2 % 2)`
# of its warp's slot and the column `i // 4 * 8 + lane % 4 * 2 + i % 2`.


def _qk() -> cute.TiledMma:
    return tiled_mma(BLOCK_SIZE, OperandMajorMode.K, OperandMajorMode.K, OperandSource.SMEM)


def _pv() -> cute.TiledMma:
    return tiled_mma(HEAD_DIM, OperandMajorMode.K, OperandMajorMode.MN, OperandSource.RMEM)


def _product(mma: cute.TiledMma, columns: int, a: cute.Tensor, b: cute.Tensor) -> cute.Tensor:
    """Issues the product `a b`; returns its accumulators."""
    out = cute.make_rmem_tensor(mma.partition_shape_C((_ROWS, columns)), Float32)
    issue(mma, out, a, b, False)
    return out


def _scores(shared: _Shared, group: Int32, stage: Int32, item_stage: Int32) -> cute.Tensor:
    """S = Q Kᵀ of a quad, complete."""
    tiled_mma = _qk()
    queries = operand_a(tiled_mma, _group_queries(shared.queries, group))
    keys = operand_b(tiled_mma, shared.keys)
    stages = queries[None, None, None, stage], keys[None, None, None, item_stage]
    scores = _product(tiled_mma, BLOCK_SIZE, *stages)
    warpgroup.wait_group(0)
    return scores


def _issue_pv(shared: _Shared, weights: cute.Tensor, item_stage: Int32) -> cute.Tensor:
    """O = P V of a quad, issued; P in bf16 stays in registers."""
    tiled_mma = _pv()
    rounded = _round(weights, tiled_mma.partition_shape_A((_ROWS, BLOCK_SIZE)))
    values = operand_b(tiled_mma, shared.values)
    return _product(tiled_mma, HEAD_DIM, rounded, values[None, None, None, item_stage])


def _exponentiate(scores: cute.Tensor, exponents) -> None:
    """P = exp2(S * scale - exponent) in place, with the exponents of a thread's two rows."""
    for i in range(cute.size(scores)):
        exponent = scores[i] * SCALE_LOG2 - exponents[i // 2 % 2]
        scores[i] = cute.math.exp2(exponent, fastmath=True)


def _exponentiate_below(scores: cute.Tensor, references) -> None:
    """P = exp2((S - reference) * scale) in place: exactly 1 where they are equal."""
    for i in range(cute.size(scores)):
        exponent = (scores[i] - references[i // 2 % 2]) * SCALE_LOG2
        scores[i] = cute.math.exp2(exponent, fastmath=True)


@cute.jit
def _fractions(scores: cute.Tensor) -> tuple[Float32, Float32]:
    """What of the two rows' largest scores, as exponents of two, is not whole."""
    fractions = []
    for top in reduce_columns(scores, maximum):
        for offset in (1, 2):
            top = maximum(top, arch.shuffle_sync_bfly(top, offset=offset))
        top = top * SCALE_LOG2
        fractions.append(top - floor(top))
    return tuple(fractions)


def _scale_rows(values: cute.Tensor, factors) -> None:
    for i in range(cute.size(values)):
        values[i] = values[i] * factors[i // 2 % 2]


def _round(values: cute.Tensor, shape) -> cute.Tensor:
    """The same values in bf16 and the same order, in another shape."""
    rounded = cute.make_rmem_tensor(shape, BFloat16)
    line = cute.make_layout(cute.size(values))
    values = cute.make_tensor(values.iterator, line)
    cute.make_tensor(rounded.iterator, line).store(values.load().to(BFloat16))
    return rounded


def _plus(a: Float32, b: Float32) -> Float32:
    return a + b


def _max_magnitude(a: Float32, b: Float32) -> Float32:
    """The greater of two magnitudes, or NaN if one is."""
    return maximum(maximum(a, -a), maximum(b, -b))


def _stage_out(shared: _Shared, group: Int32, stage: Int32, out: cute.Tensor) -> None:
    """Writes O, rounded to bf16, over the quad's queries, for TMA to add.

    By stmatrix: 16-byte stores from registers to the pool held up the next tile (3.78 ms, not
    3.55).
    """
    atom = cute.make_copy_atom(warp.StMatrix8x8x16bOp(False, 4), BFloat16)
    copy = cute.make_tiled_copy_C(atom, _pv())
    thread = arch.thread_idx()[0] % (_WARPS * WARP)
    slots = copy.get_slice(thread).partition_D(_group_queries(shared.queries, group))
    cute.copy(copy, copy.retile(out), slots[None, None, None, stage])
    arch.fence_view_async_shared()


@cute.jit
def _add_residual(
    pool: View,
    shared: _Shared,
    group: Int32,
    stage: Int32,
    slot: Int32,
    to: Int32,
    out: cute.Tensor,
) -> None:
    """Adds what rounding takes from a warp's O to the half pool `to`, not that of the rest."""
    rounded = _round(out, out.shape)
    residual = cute.make_rmem_tensor(out.shape, BFloat16)
    residual.store((out.load() - rounded.load().to(Float32)).to(BFloat16))
    _stage_out(shared, group, stage, residual)
    arch.sync_warp()
    boxes = partition_slots(pool, _group_slots(shared.queries, group))
    cute.copy(boxes.atom, boxes.shared[None, slot, stage], boxes.memory[None, to])
    arch.cp_async_bulk_commit_group()
    arch.cp_async_bulk_wait_group(0, read=True)
    arch.sync_warp()


launch = make_forward(_Forward)
SIGNATURE = FORWARD
