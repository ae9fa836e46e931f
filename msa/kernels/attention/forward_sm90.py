"""The attention forward on Hopper: one kernel over (head, key block) items, in four modes.

What it computes, and what the modes are for, is in forward.py. A *quad* is 4 query slots x 16
query heads = 64 rows, the tile of a warpgroup; an *item* is a run of quads on the same keys.

A CTA has an SM to itself and draws items from a counter. Its warps:

    0        draws items, publishes their fields to the other warps, loads their K and V
    1 to 3   load the quads of one consumer warpgroup each; in FAST add its results to the pool
    4 to 15  three consumer warpgroups: S = Q Kᵀ of a quad, weights, O = P V

Quads go round the three warpgroups, on through the items, so that a short item leaves none idle.
Warp `w` of a warpgroup holds slot `w`: a single query, hence a single limit for the causal mask,
and 4 KB of bf16 that are added in one piece.

What a quad goes through: its loader waits until the stage is free and fills it; the warpgroup
multiplies, masks, and calls the mode, which has a *step*, from scores to weights, and an
*epilogue*, which puts O where the queries were; then the stage goes back to the loader, which in
FAST sends O to the pool before it loads over it.

forward_sm90_memory.py has the stages and the barriers that guard them, forward_sm90_modes.py what
differs from mode to mode.

Shared memory bounds the kernel as much as the tensor cores do: a quad moves 133 KB, or 1036 cycles,
and its products take 1024 cycles. So nothing was gained by ordering the warpgroups, or by starting
the next QK under the epilogue.
"""

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from cutlass.cute.nvgpu.warpgroup import OperandSource

from msa.kernels.attention.forward import Operands, draw_item, make_forward, slot_target
from msa.kernels.attention.forward_sm90_memory import (
    BARRIERS,
    BLOCK_BYTES,
    GROUPS,
    QUAD_BYTES,
    ROWS,
    STAGES,
    Shared,
    allocate,
    block_view,
    group_queries,
    group_slots,
    key_stages,
    partition_blocks,
    value_stages,
)
from msa.kernels.attention.forward_sm90_modes import MODES, Slot, pv_mma, to_bf16
from msa.kernels.attention.interface import FORWARD
from msa.kernels.device.pipeline import two_stages
from msa.kernels.device.primitives import WARP, name_kernels, vector
from msa.kernels.device.sm90 import (
    WARPGROUP_WARPS,
    issue,
    mask_columns,
    operand_a,
    operand_b,
    partition_slots,
    reduce_lanes,
    slots_view,
    tiled_mma,
)
from msa.kernels.device.tiles import View, blocks_layout, load_box, receive
from msa.kernels.schedule.interface import ITEM_FIELDS, QUAD_SLOTS
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM

_THREADS = (GROUPS + 1) * WARPGROUP_WARPS * WARP
# A CTA of 512 threads starts with 128 registers each; the loaders leave theirs to the consumers.
_LOADER_REGISTERS, _CONSUMER_REGISTERS = 32, 160
assert _LOADER_REGISTERS + GROUPS * _CONSUMER_REGISTERS == (GROUPS + 1) * 128


class _Forward:
    """The kernel in one mode."""

    def __init__(self, mode: int):
        self.mode = MODES[mode]

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
        keys = block_view(load, k, block_rows, key_stages())
        values = None
        if self.mode.has_values:
            values = block_view(load, v, cute.select(block_rows, [1, 0, 2]), value_stages())
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
        shared = allocate(self.mode.has_values)
        if arch.thread_idx()[0] == 0:
            BARRIERS.init(shared.barriers)
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

    @cute.jit
    def load_items(
        self, keys: View, values: View | None, operands: Operands, shared: Shared
    ) -> None:
        """The work of warp 0: draws items, publishes their fields, loads their K and V.

        An item of no quads ends the walk.
        """
        lane = arch.lane_idx()
        key_boxes = partition_blocks(keys, shared.keys)
        if const_expr(self.mode.has_values):
            value_boxes = partition_blocks(values, shared.values)
        num_items = vector(operands.end)[0]
        count = Int32(0)
        size = Int32(1)
        while size > 0:
            # Drawn and read before the wait: the latencies pass under the items in flight.
            field, size, head, kblock = draw_item(operands, num_items)

            stage, phase = two_stages(count)
            full = shared.barriers.block_full + stage
            shared.barriers.items.acquire(stage, phase)
            if lane < ITEM_FIELDS:
                shared.items[lane, stage] = field
                shared.barriers.items.publish(stage)
            if lane == 0 and size > 0:
                blocks = 2 if self.mode.has_values else 1
                arch.mbarrier_arrive_and_expect_tx(full, blocks * BLOCK_BYTES)
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
        shared: Shared,
        group: Int32,
    ) -> None:
        """The work of warps 1 to 3: loads a warpgroup's quads and, in FAST, adds its results."""
        lane = arch.lane_idx()
        quads = shared.quads[None, None, None, group]
        boxes = partition_slots(queries, group_slots(shared.queries, group))
        self.mode.clear_adds(shared, group)
        item = Int32(0)
        count = Int32(0)  # of this warpgroup's quads
        quad = group  # its next, counted from the first of the item
        size = Int32(1)
        while size > 0:
            item_stage, item_phase = two_stages(item)
            shared.barriers.items.wait(item_stage, item_phase)
            first, size, head, kblock = receive(shared.items[None, item_stage])
            half = self.mode.pool_half(kblock)
            while quad < size:
                # Read before the wait, like the items: the latency passes under it.
                at = Int64(first + quad) * QUAD_SLOTS + lane % QUAD_SLOTS
                token = vector(operands.task_qrows + at)[0]
                position = vector(operands.task_qpos + at)[0]
                token = self.mode.admit(operands, token, head)

                stage, phase = two_stages(count)
                full = shared.barriers.quads(group).full + stage
                self.acquire_quad(pool, shared, group, stage, phase)
                target, last_key = slot_target(operands, token, position, head, kblock, half)
                if lane < QUAD_SLOTS:
                    quads[0, lane, stage] = target
                    quads[1, lane, stage] = last_key
                    self.mode.record_add(operands, shared, group, stage, target, half)
                    if lane == 0:
                        arch.mbarrier_expect_tx(full, QUAD_BYTES)
                    arch.mbarrier_arrive(full)
                arch.sync_warp()
                for i in cutlass.range_constexpr(QUAD_SLOTS):
                    # The box of an empty slot is out of range: TMA fills it with zeros, and counts
                    # its bytes.
                    box = arch.shuffle_sync(target, i) >> 1
                    load_box(boxes, (box,), (i, stage), full)
                count += 1
                quad += GROUPS
            quad -= size
            shared.barriers.items.release(item_stage)
            item += 1
        for _ in cutlass.range(STAGES, unroll=1):
            stage, phase = two_stages(count)
            self.acquire_quad(pool, shared, group, stage, phase)
            count += 1
        self.mode.wait_adds()

    @cute.jit
    def acquire_quad(
        self, pool: View | None, shared: Shared, group: Int32, stage: Int32, phase: Int32
    ) -> None:
        """Waits until the consumers have released a quad's stage, and sends its results away.

        `phase` is that of the stage's next use. A stage of no use yet is free, its slots empty.
        """
        shared.barriers.quads(group).acquire(stage, phase)
        self.mode.add_stage(pool, shared, group, stage)

    @cute.jit
    def consume(self, pool: View | None, operands: Operands, shared: Shared, group: Int32) -> None:
        """The work of a consumer warpgroup: the tiles of its quads."""
        item = Int32(0)
        count = Int32(0)
        quad = group
        size = Int32(1)
        while size > 0:
            item_stage, item_phase = two_stages(item)
            shared.barriers.items.wait(item_stage, item_phase)
            _, size, _, _ = receive(shared.items[None, item_stage])
            if quad < size:
                # K and V together, that is, no wait in the middle of a tile: one there kept ptxas
                # from mixing the exponentials with what follows them.
                shared.barriers.blocks.wait(item_stage, item_phase)
            while quad < size:
                stage, phase = two_stages(count)
                shared.barriers.quads(group).wait(stage, phase)
                self.tile(pool, operands, shared, group, stage, item_stage)
                count += 1
                quad += GROUPS
            quad -= size
            shared.barriers.items.release(item_stage)
            item += 1
        if const_expr(self.mode.has_values):
            arch.cp_async_bulk_wait_group(0)

    @cute.jit
    def tile(
        self,
        pool: View | None,
        operands: Operands,
        shared: Shared,
        group: Int32,
        stage: Int32,
        item_stage: Int32,
    ) -> None:
        """One quad against one key block; releases the quad's stage."""
        lane = arch.lane_idx()
        warp = arch.make_warp_uniform(arch.warp_idx()) % WARPGROUP_WARPS
        # From shared memory: as a load from global memory, this cost 10 %.
        target, last_key = receive(shared.quads[None, warp, stage, group])
        # The first row of this thread's accumulators; the second is 8 after it.
        row = Int64(target >> 1) * GROUP_HEADS + lane // 4
        parameters = self.mode.load_parameters(operands, row)

        scores = _scores(shared, group, stage, item_stage)
        if const_expr(not self.mode.has_values):
            self.release_quad(shared, group, stage)
        if last_key < BLOCK_SIZE - 1:
            mask_columns(scores, last_key)
        # This lane's row of the two, once they are reduced over the lanes.
        slot = Slot(
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
            # From here on each warp overwrites its own slot of the queries. Nothing reads them any
            # more: PV, a product of the whole warpgroup, is complete after each warp has issued it,
            # and each issues it when QK is complete. Were products each warp's own, QK would read
            # of a slot only what its warp multiplies.
            warpgroup.wait_group(0)
            result = self.mode.epilogue(pool, operands, shared, slot, out, result, parameters)
            self.release_quad(shared, group, stage)
        else:
            result = reduce_lanes(results, self.mode.combine)
        self.mode.reduce_row(operands, slot, result)

    @cute.jit
    def release_quad(self, shared: Shared, group: Int32, stage: Int32) -> None:
        """A warp's arrival: it has read its queries, and its O is in their place."""
        shared.barriers.quads(group).release(stage)


name_kernels(_Forward.attention_forward)


# Products.


def _qk() -> cute.TiledMma:
    """S = Q Kᵀ: rows of a quad x keys."""
    return tiled_mma(BLOCK_SIZE, OperandMajorMode.K, OperandMajorMode.K, OperandSource.SMEM)


def _product(mma: cute.TiledMma, columns: int, a: cute.Tensor, b: cute.Tensor) -> cute.Tensor:
    """Issues the product `a b`; returns its accumulators."""
    out = cute.make_rmem_tensor(mma.partition_shape_C((ROWS, columns)), Float32)
    issue(mma, out, a, b, False)
    return out


def _scores(shared: Shared, group: Int32, stage: Int32, item_stage: Int32) -> cute.Tensor:
    """S = Q Kᵀ of a quad, complete."""
    mma = _qk()
    queries = operand_a(mma, group_queries(shared.queries, group))
    keys = operand_b(mma, shared.keys)
    stages = queries[None, None, None, stage], keys[None, None, None, item_stage]
    scores = _product(mma, BLOCK_SIZE, *stages)
    warpgroup.wait_group(0)
    return scores


def _issue_pv(shared: Shared, weights: cute.Tensor, item_stage: Int32) -> cute.Tensor:
    """O = P V of a quad, issued; P in bf16 stays in registers."""
    mma = pv_mma()
    rounded = to_bf16(weights, mma.partition_shape_A((ROWS, BLOCK_SIZE)))
    values = operand_b(mma, shared.values)
    return _product(mma, HEAD_DIM, rounded, values[None, None, None, item_stage])


launch = make_forward(_Forward)
SIGNATURE = FORWARD
