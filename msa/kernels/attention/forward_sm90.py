"""The attention forward on Hopper: one kernel over (head, key block) items, in four modes.

What it computes, and what the modes are for, is in forward.py. A *quad* is 4 query slots x 16
query heads = 64 rows, the tile of a warpgroup; an *item* is a run of quads on the same keys.

A CTA has an SM to itself and draws items from a counter. Its warps:

    0        draws items, tells the other warps of them, loads their K and V
    1 to 3   load the quads of one consumer warpgroup each; in FAST add its results to the pool
    4 to 15  three consumer warpgroups: S = Q Kᵀ of a quad, weights, O = P V

The warpgroups take the quads in turn, on through the items, so that a short item leaves none idle.
Warp `w` of a warpgroup holds slot `w`: a single query, hence a single limit for the causal mask,
and 4 KB of bf16 that are added in one piece.

What a quad goes through: its loader waits until the stage is free and fills it; the warpgroup
multiplies, masks, and calls the mode, which has a *step*, from scores to weights, and an
*epilogue*, which puts O where the queries were; then the stage goes back to the loader, which in
FAST sends O to the pool before it loads over it.

Shared memory bounds the kernel as much as the tensor cores do: a quad moves 133 KB, or 1036 cycles,
and its products take 1024 cycles. So nothing was gained by ordering the warpgroups, or by starting
the next QK under the epilogue.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Boolean, Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from cutlass.cute.nvgpu.warp import StMatrix8x8x16bOp
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
    WARPGROUP_WARPS,
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
_THREADS = (_GROUPS + 1) * WARPGROUP_WARPS * WARP
# A CTA of 512 threads starts with 128 registers each; the loaders leave theirs to the consumers.
_LOADER_REGISTERS, _CONSUMER_REGISTERS = 32, 160
assert _LOADER_REGISTERS + _GROUPS * _CONSUMER_REGISTERS == (_GROUPS + 1) * 128
# Items, and quads of each warpgroup, in flight: they fill shared memory. A third quad at the price
# of the second item measured 4.55 ms instead of 3.92.
_STAGES = 2

assert _ROWS == MMA_ROWS and WARPGROUP_WARPS == QUAD_SLOTS  # warp `w` of a warpgroup holds slot `w`


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
    """The kernel in one mode."""

    def __init__(self, mode: int):
        self.mode = _MODES[mode]

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
        if self.mode.has_values:
            values = _block_view(load, v, cute.select(block_rows, [1, 0, 2]), _value_stages())
        pool = self.mode.pool_view(operands)
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
        if this_warp < WARPGROUP_WARPS:
            arch.setmaxregister_decrease(_LOADER_REGISTERS)
            if this_warp == 0:
                self.load_items(keys, values, operands, shared)
            else:
                self.load_quads(queries, pool, operands, shared, this_warp - 1)
        else:
            arch.setmaxregister_increase(_CONSUMER_REGISTERS)
            self.consume(pool, operands, shared, this_warp // WARPGROUP_WARPS - 1)

    def _allocate(self) -> _Shared:
        allocator = SmemAllocator()

        def allocate(dtype, layout, alignment=16, swizzle=None):
            return allocator.allocate_tensor(dtype, layout, alignment, swizzle)

        def blocks(stages):
            return allocate(BFloat16, stages.outer, 1024, stages.inner)

        barriers = allocator.allocate_array(Int64, (3 + 2 * _GROUPS) * _STAGES)
        return _Shared(
            keys=blocks(_key_stages()),
            values=blocks(_value_stages()) if self.mode.has_values else None,
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
        if const_expr(self.mode.has_values):
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
                blocks = 2 if self.mode.has_values else 1
                arch.mbarrier_arrive_and_expect_tx(full, blocks * _BLOCK_BYTES)
            arch.sync_warp()
            if size > 0:
                load_box(key_boxes, (kblock, 0, head), (stage,), full)
                if const_expr(self.mode.has_values):
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
        self.mode.clear_adds(shared, group)
        item = Int32(0)
        count = Int32(0)  # of this warpgroup's quads
        quad = group  # its next, counted from the first of the item
        size = Int32(1)
        while size > 0:
            item_stage, item_phase = ring(item)
            arch.mbarrier_wait(shared.item_full + item_stage, item_phase)
            first, size, head, kblock = receive(shared.items[None, item_stage])
            half = self.mode.pool_half(kblock)
            while quad < size:
                # Read before the wait, like the items: the use is behind it.
                at = Int64(first + quad) * QUAD_SLOTS + lane % QUAD_SLOTS
                token = vector(operands.task_qrows + at)[0]
                position = vector(operands.task_qpos + at)[0]
                token = self.mode.admit(operands, token, head)

                stage, phase = ring(count)
                full = shared.quad_full + group * _STAGES + stage
                self.acquire_quad(pool, shared, group, stage, phase)
                target, last_key = slot_target(operands, token, position, head, kblock, half)
                if lane < QUAD_SLOTS:
                    quads[0, lane, stage] = target
                    quads[1, lane, stage] = last_key
                    self.mode.record_add(operands, shared, group, stage, target, half)
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
            self.acquire_quad(pool, shared, group, stage, phase)
            count += 1
        self.mode.wait_adds()

    @cute.jit
    def acquire_quad(
        self, pool: View | None, shared: _Shared, group: Int32, stage: Int32, phase: Int32
    ) -> None:
        """Waits until the consumers have done with a quad's stage and its results have left.

        `phase` is that of the stage's next use. A stage of no use yet is free, its slots empty.
        """
        arch.mbarrier_wait(shared.quad_empty + group * _STAGES + stage, phase ^ 1)
        self.mode.add_stage(pool, shared, group, stage)

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
        if const_expr(self.mode.has_values):
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
        warp = arch.make_warp_uniform(arch.warp_idx()) % WARPGROUP_WARPS
        # From shared memory: as a load from global memory, this cost 10 %.
        target, last_key = receive(shared.quads[None, warp, stage, group])
        # The first row of this thread's accumulators; the second is 8 behind.
        row = Int64(target >> 1) * GROUP_HEADS + lane // 4
        parameters = self.mode.load_parameters(operands, row)

        scores = _scores(shared, group, stage, item_stage)
        if const_expr(not self.mode.has_values):
            self.release_quad(shared, group, stage)
        if last_key < BLOCK_SIZE - 1:
            mask_columns(scores, last_key)
        # This lane's row of the two, once they are reduced over the lanes.
        slot = _Slot(
            group=group,
            stage=stage,
            warp=warp,
            target=target,
            last_key=last_key,
            row=row + lane % 2 * 8,
            has_row=target >= 0 and lane % 4 < 2,
        )
        results, parameters = self.mode.step(scores, slot, parameters)
        if const_expr(self.mode.has_values):
            out = _issue_pv(shared, scores, item_stage)
            result = reduce_lanes(results, self.mode.combine)
            # From here on each warp writes over its own slot of the queries. All reads of them
            # are over: if a product runs for the warpgroup as one, PV ends after every warp has
            # issued it, which each does behind the end of QK; if it ran for each warp alone, a
            # warp would read no rows of QK's left operand but those of its own slot.
            warpgroup.wait_group(0)
            result = self.mode.epilogue(pool, operands, shared, slot, out, result, parameters)
            self.release_quad(shared, group, stage)
        else:
            result = reduce_lanes(results, self.mode.combine)
        self.mode.reduce_row(operands, slot, result)

    @cute.jit
    def release_quad(self, shared: _Shared, group: Int32, stage: Int32) -> None:
        """A warp's arrival: it has read its queries, and its O is in their place."""
        arch.sync_warp()
        if arch.lane_idx() == 0:
            arch.mbarrier_arrive(shared.quad_empty + group * _STAGES + stage)


name_kernels(_Forward.attention_forward)


# The modes: what of the kernel differs.


class _Slot(NamedTuple):
    """A warp's slot of a quad in a stage.

    Attributes:
        group, stage, warp: of the slot.
        target, last_key: see `slot_target`.
        row: the row of `[T, 16 G]` whose results this lane has once a thread's two rows are
            reduced over the lanes that share them.
        has_row: whether this lane is to add them to memory: one lane of each row that there is.
    """

    group: Int32
    stage: Int32
    warp: Int32
    target: Int32
    last_key: Int32
    row: Int64
    has_row: Boolean


class _Parameters(NamedTuple):
    """Of a thread's two rows: what scores are relative to, and in FIXED the scales of O."""

    references: tuple[Float32, Float32]
    scales: tuple[Float32, Float32]


class _Mode:
    """What the modes have in common, and what the kernel asks of one; see forward.py.

    In the order in which they are called, of a loader: `clear_adds`, `pool_half`, `admit`,
    `record_add`, `add_stage`, `wait_adds`; of a consumer: `load_parameters`, `step`, with values
    `epilogue`, and `reduce_row`.
    """

    has_values = False
    """Whether there is a product with V."""

    def pool_view(self, operands: Operands) -> View | None:
        """The pool, for the loader's adds."""
        return None

    def pool_half(self, kblock: Int32) -> Int32:
        """The half of the pool that a key block adds to."""
        return Int32(0)

    def admit(self, operands: Operands, token: Int32, head: Int32) -> Int32:
        """The token of a slot, or -1 if the pass leaves it out."""
        return drop_unflagged(operands, token, head)

    def clear_adds(self, shared: _Shared, group: Int32) -> None:
        """Nothing is to be added before the first quads."""

    def record_add(self, operands, shared, group, stage, target, half) -> None:
        """Keeps where a lane's slot is to be added when the consumers have done with it."""

    def add_stage(self, pool: View | None, shared: _Shared, group: Int32, stage: Int32) -> None:
        """Adds what the consumers left in a stage, and waits until it has been read."""

    def wait_adds(self) -> None:
        """Waits until all that was added has arrived."""

    def load_parameters(self, operands: Operands, row: Int64) -> _Parameters:
        """Starts to load what a thread's rows need, `row` and the one 8 behind.

        The latency passes under the product.
        """
        return _Parameters((Float32(0), Float32(0)), (Float32(0), Float32(0)))

    @staticmethod
    def combine(a: Float32, b: Float32) -> Float32:
        """Combines the results of a row's columns."""
        return a + b


class _Fast(_Mode):
    """Weights without a reference; O and their sums are added as floats."""

    has_values = True

    def pool_view(self, operands: Operands) -> View:
        add = cpasync.CopyReduceBulkTensorTileS2GOp()
        return slots_view(add, operands.pool, operands.num_pools * 2)

    def pool_half(self, kblock: Int32) -> Int32:
        return Int32(arch.popc(kblock)) & 1

    def admit(self, operands: Operands, token: Int32, head: Int32) -> Int32:
        return token

    @cute.jit
    def clear_adds(self, shared: _Shared, group: Int32) -> None:
        lane = arch.lane_idx()
        if lane < QUAD_SLOTS:
            for stage in cutlass.range_constexpr(_STAGES):
                shared.adds[lane, stage, group] = -1
        arch.sync_warp()

    def record_add(self, operands, shared, group, stage, target, half) -> None:
        to = operands.pool_row(target) * 2 + half
        shared.adds[arch.lane_idx(), stage, group] = cutlass.select_(target < 0, -1, to)

    @cute.jit
    def add_stage(self, pool: View, shared: _Shared, group: Int32, stage: Int32) -> None:
        boxes = partition_slots(pool, _group_slots(shared.queries, group))
        for i in cutlass.range_constexpr(QUAD_SLOTS):
            to = shared.adds[i, stage, group]
            if to >= 0:
                cute.copy(boxes.atom, boxes.shared[None, i, stage], boxes.memory[None, to])
        arch.cp_async_bulk_commit_group()
        arch.cp_async_bulk_wait_group(0, read=True)
        arch.sync_warp()

    def wait_adds(self) -> None:
        arch.cp_async_bulk_wait_group(0)

    @cute.jit
    def step(self, scores: cute.Tensor, slot: _Slot, parameters: _Parameters) -> tuple:
        """Leaves weights, relative to a fraction of a power of two where keys are few."""
        exponents = parameters.references
        if slot.last_key < FEW_KEYS:
            exponents = _fractions(scores)
        _exponentiate(scores, exponents)
        return reduce_columns(scores, self.combine), _Parameters(exponents, parameters.scales)

    @cute.jit
    def epilogue(
        self,
        pool: View,
        operands: Operands,
        shared: _Shared,
        slot: _Slot,
        out: cute.Tensor,
        total: Float32,
        parameters: _Parameters,
    ) -> Float32:
        """Puts O in bf16 where the queries were; returns the sum of weights.

        Where keys are few, also adds what rounding leaves.
        """
        if slot.last_key < FEW_KEYS and slot.target >= 0:
            factors = [cute.math.exp2(x, fastmath=True) for x in parameters.references]
            _scale_rows(out, factors)
            total = total * select(arch.lane_idx() % 2 == 1, factors[1], factors[0])
            to = operands.pool_row(slot.target) * 2 + (~slot.target & 1)
            _add_residual(pool, shared, slot, to, out)
        _stage_out(shared, slot, _round(out, out.shape))
        return total

    @cute.jit
    def reduce_row(self, operands: Operands, slot: _Slot, total: Float32) -> None:
        """Adds a row's sum of weights."""
        if slot.has_row:
            reduce_into(operands.sums + slot.row, total, Float32, "add")


class _Max(_Mode):
    """Raises the references to the largest scores."""

    combine = staticmethod(maximum)

    def step(self, scores: cute.Tensor, slot: _Slot, parameters: _Parameters) -> tuple:
        """Finds the largest scores."""
        return reduce_columns(scores, maximum), parameters

    @cute.jit
    def reduce_row(self, operands: Operands, slot: _Slot, top: Float32) -> None:
        """Raises a row's reference."""
        if slot.has_row:
            bits = ordered_bits(top.bitcast(Int32))
            reduce_into(operands.references + slot.row, bits, Int32, "max")


class _Sum(_Mode):
    """Adds the sums of weights below the references, as integers."""

    def load_parameters(self, operands: Operands, row: Int64) -> _Parameters:
        # An empty slot may take any row's.
        references = _load_references(operands, cutlass.max(row, Int64(0)))
        return _Parameters(references, (Float32(0), Float32(0)))

    def step(self, scores: cute.Tensor, slot: _Slot, parameters: _Parameters) -> tuple:
        """Leaves weights relative to the references."""
        _exponentiate_below(scores, parameters.references)
        return reduce_columns(scores, self.combine), parameters

    @cute.jit
    def reduce_row(self, operands: Operands, slot: _Slot, total: Float32) -> None:
        """Adds a row's sum of weights."""
        if slot.has_row:
            units = nearest(total * SUM_ONE, Int32)
            reduce_into(operands.sums + slot.row, units, Int32, "add")


class _Fixed(_Sum):
    """Adds O as integers, with the references and sums that MAX and SUM left."""

    has_values = True

    def load_parameters(self, operands: Operands, row: Int64) -> _Parameters:
        at = cutlass.max(row, Int64(0))
        references = _load_references(operands, at)
        # Weights are relative to the largest, as in SUM: that one is exact.
        bound = vector(operands.bounds + at // GROUP_HEADS * BOUND_FIELDS)[0]
        sums = vector(cute.recast_ptr(operands.sums, dtype=Int32) + at)
        return _Parameters(references, tuple(fixed_scale(bound, sums[i]) for i in (0, 8)))

    @cute.jit
    def epilogue(
        self,
        pool: View | None,
        operands: Operands,
        shared: _Shared,
        slot: _Slot,
        out: cute.Tensor,
        total: Float32,
        parameters: _Parameters,
    ) -> Float32:
        """Adds O, and marks rows that met a value that is not finite."""
        scales = parameters.scales
        _add_integers(operands, shared, slot, out, scales)
        peak = reduce_lanes(reduce_columns(out, _max_magnitude), _max_magnitude)
        scale = select(arch.lane_idx() % 2 == 1, scales[1], scales[0])
        if slot.target >= 0 and not (peak * scale <= LARGEST_SUMMAND):
            mark_nan(operands.sums + slot.row)
        return total

    def reduce_row(self, operands: Operands, slot: _Slot, total: Float32) -> None:
        """Sums of weights are there."""


_MODES = {FAST: _Fast(), MAX: _Max(), SUM: _Sum(), FIXED: _Fixed()}


def _load_references(operands: Operands, row: Int64) -> tuple[Float32, Float32]:
    numbers = vector(operands.references + row)
    return tuple(read_reference(numbers[i]) for i in (0, 8))


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
        arch.mbarrier_init(shared.item_empty + stage, _GROUPS * (WARPGROUP_WARPS + 1))
        arch.mbarrier_init(shared.block_full + stage, 1)
    for stage in cutlass.range_constexpr(_GROUPS * _STAGES):
        arch.mbarrier_init(shared.quad_full + stage, QUAD_SLOTS)
        arch.mbarrier_init(shared.quad_empty + stage, WARPGROUP_WARPS)


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


def _max_magnitude(a: Float32, b: Float32) -> Float32:
    """The greater of two magnitudes, or NaN if one is."""
    return maximum(maximum(a, -a), maximum(b, -b))


def _stage_out(shared: _Shared, slot: _Slot, out: cute.Tensor) -> None:
    """Writes O, rounded to bf16, over the slot's queries, for TMA to add.

    By stmatrix: 16-byte stores from registers to the pool held up the next tile (3.78 ms, not
    3.55).
    """
    atom = cute.make_copy_atom(StMatrix8x8x16bOp(False, 4), BFloat16)
    copy = cute.make_tiled_copy_C(atom, _pv())
    thread = arch.thread_idx()[0] % (WARPGROUP_WARPS * WARP)
    quads = copy.get_slice(thread).partition_D(_group_queries(shared.queries, slot.group))
    cute.copy(copy, copy.retile(out), quads[None, None, None, slot.stage])
    arch.fence_view_async_shared()


@cute.jit
def _add_residual(pool: View, shared: _Shared, slot: _Slot, to: Int32, out: cute.Tensor) -> None:
    """Adds what rounding takes from a warp's O to the half pool `to`, not that of the rest."""
    rounded = _round(out, out.shape)
    residual = cute.make_rmem_tensor(out.shape, BFloat16)
    residual.store((out.load() - rounded.load().to(Float32)).to(BFloat16))
    _stage_out(shared, slot, residual)
    arch.sync_warp()
    boxes = partition_slots(pool, _group_slots(shared.queries, slot.group))
    cute.copy(boxes.atom, boxes.shared[None, slot.warp, slot.stage], boxes.memory[None, to])
    arch.cp_async_bulk_commit_group()
    arch.cp_async_bulk_wait_group(0, read=True)
    arch.sync_warp()


@cute.jit
def _add_integers(
    operands: Operands,
    shared: _Shared,
    slot: _Slot,
    out: cute.Tensor,
    scales: tuple[Float32, Float32],
) -> None:
    """Adds a warp's O as integers, in fragment order: 8 KB, in two halves through its slot's 4."""
    lane = arch.lane_idx()
    stage = slot.group * _STAGES + slot.stage
    address = shared.queries.iterator.toint() + stage * _QUAD_BYTES + slot.warp * _SLOT_BYTES
    pool = operands.pool.toint() + Int64(operands.pool_row(slot.target)) * _POOL_BYTES
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
        if slot.target >= 0 and lane == 0:
            bulk_add("s32", pool + half * _SLOT_BYTES, address, _SLOT_BYTES)
        arch.cp_async_bulk_commit_group()
        arch.cp_async_bulk_wait_group(0, read=True)
        arch.sync_warp()


launch = make_forward(_Forward)
SIGNATURE = FORWARD
