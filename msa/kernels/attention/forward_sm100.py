"""The attention forward on Blackwell: one kernel over (head, key block) items, in four modes.

What it computes, and what the modes are, is in forward.py. A *tile* is a task, two quads:
8 query slots x 16 query heads = 128 rows, against the 128 keys of an item.
"""

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync
from cutlass.cute.nvgpu.tcgen05 import OperandSource

from msa.kernels.attention.forward import Operands, draw_item, make_forward, slot_target
from msa.kernels.attention.forward_sm100_memory import (
    BARRIERS,
    CHUNK,
    END,
    FIRST,
    GROUPS,
    ITEM_SHIFT,
    LAST,
    OUT_COLUMN,
    STAGES,
    TILES,
    WARPS,
    WHOLE_BYTES,
    Shared,
    allocate,
    publish_tile,
    region,
    tile_boxes,
    wait_tile,
)
from msa.kernels.attention.forward_sm100_modes import MODES, Row, mask, to_bf16
from msa.kernels.attention.interface import FORWARD
from msa.kernels.device.pipeline import two_stages
from msa.kernels.device.primitives import WARP, name_kernels, vector
from msa.kernels.device.sm100 import (
    TILE,
    TMEM_COLUMNS,
    accumulators,
    arrive_tmem,
    commit,
    fence_after_sync,
    fence_before_sync,
    issue,
    load_rows,
    shared_operand_a,
    shared_operand_b,
    store_rows,
    tiled_mma,
    tmem_operand_a,
    wait_tmem,
    warp_lanes,
)
from msa.kernels.device.tiles import (
    SPAN,
    View,
    blocks_view,
    load_box,
    partition_boxes,
    queries_view,
)
from msa.kernels.schedule.interface import ITEM_FIELDS, QUAD_SLOTS
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, QUERY_CHUNK

_ITEM_WARP, _QUERY_WARP, _MMA_WARP, _ADD_WARP = range(GROUPS * WARPS, (GROUPS + 1) * WARPS)
_THREADS = (GROUPS + 1) * WARPS * WARP


class _Forward:
    """The kernel in one mode.

    A persistent CTA, alone on its SM, draws items from a counter. Its tiles are numbered through
    all items, and tile `t` is that of softmax warpgroup `t % 2`, one row to a thread. Warp `w` of a
    warpgroup has lanes `32 w` to `32 w + 31` of tensor memory: slots `2 w` and `2 w + 1`. The other
    four warps draw items and load K and V; load Q and write the words of the tiles; issue the
    products; and add what the warpgroups leave in shared memory to the pools.

    Products are issued as QK(0), QK(1), PV(0), QK(2), PV(1) and so on: the scores of a warpgroup's
    next tile are there when it has done with its output, and one exponentiates while the other's
    weights are multiplied.
    """

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
        queries = queries_view(load, q, operands.num_tokens * operands.num_groups)
        keys = blocks_view(load, k, operands.num_groups, num_kblocks)
        values = None
        if self.mode.has_values:
            values = blocks_view(load, v, operands.num_groups, num_kblocks)
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
        this_warp = arch.make_warp_uniform(arch.warp_idx())
        if this_warp == _MMA_WARP:
            arch.alloc_tmem(TMEM_COLUMNS, shared.tmem)
            arch.relinquish_tmem_alloc_permit()
        if this_warp == _ITEM_WARP:
            with arch.elect_one():
                BARRIERS.init(shared.barriers)
        arch.mbarrier_init_fence()
        fence_before_sync()
        arch.sync_threads()
        fence_after_sync()
        tmem = arch.retrieve_tmem_ptr(Float32, 16, shared.tmem)
        if this_warp == _ITEM_WARP:
            self.load_items(keys, values, operands, shared)
        elif this_warp == _QUERY_WARP:
            self.load_tiles(queries, operands, shared)
        elif this_warp == _MMA_WARP:
            self.multiply(shared, tmem)
        elif this_warp == _ADD_WARP:
            if const_expr(self.mode.has_values):
                self.add_tiles(pool, operands, shared)
        else:
            self.weigh(operands, shared, tmem, this_warp)
        # No warp reads tensor memory any more.
        fence_before_sync()
        arch.sync_threads()
        if this_warp == _MMA_WARP:
            fence_after_sync()
            arch.dealloc_tmem(tmem, TMEM_COLUMNS)

    @cute.jit
    def load_items(
        self, keys: View, values: View | None, operands: Operands, shared: Shared
    ) -> None:
        """The work of a warp: draws items, publishes them, loads their K and V.

        An item of no quads ends the walk.
        """
        lane = arch.lane_idx()
        key_boxes = partition_boxes(keys, (BLOCK_SIZE, SPAN), shared.keys, tile_boxes(BLOCK_SIZE))
        if const_expr(self.mode.has_values):
            value_boxes = partition_boxes(
                values, (BLOCK_SIZE, SPAN), shared.values, tile_boxes(BLOCK_SIZE)
            )
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
                arch.mbarrier_arrive_and_expect_tx(full, blocks * WHOLE_BYTES)
            arch.sync_warp()
            if size > 0:
                for half in cutlass.range_constexpr(2):
                    load_box(key_boxes, (kblock, half, head), (0, half, stage), full)
                if const_expr(self.mode.has_values):
                    for half in cutlass.range_constexpr(2):
                        load_box(value_boxes, (kblock, half, head), (0, half, stage), full)
            count += 1
        # The last item's products arrive here: a CTA must not end before.
        stage, phase = two_stages(count)
        shared.barriers.items.acquire(stage, phase)

    @cute.jit
    def load_tiles(self, queries: View, operands: Operands, shared: Shared) -> None:
        """The work of a warp: loads the queries of the tiles, and publishes their words."""
        lane = arch.lane_idx()
        boxes = partition_boxes(
            queries, (GROUP_HEADS, SPAN), shared.queries, tile_boxes(GROUP_HEADS)
        )
        item = Int32(0)
        tile = Int32(0)
        size = Int32(1)
        while size > 0:
            item_stage, item_phase = two_stages(item)
            shared.barriers.items.wait(item_stage, item_phase)
            first = shared.items[0, item_stage]
            size = shared.items[1, item_stage]
            head = shared.items[2, item_stage]
            kblock = shared.items[3, item_stage]
            arch.sync_warp()
            if lane == 0:
                arch.mbarrier_arrive(shared.barriers.item_empty + item_stage)
            half = self.mode.pool_half(kblock)
            slots = _read_slots(operands, first, size, 0)
            for quad in cutlass.range(0, size, 2, unroll=1):
                token, position = slots
                # A tile ahead: the latency passes under this one's wait and copies.
                slots = _read_slots(operands, first, size, quad + 2)
                token = self.mode.admit(operands, token, head)
                target, last_key = slot_target(operands, token, position, head, kblock, half)
                what = item << ITEM_SHIFT
                if quad == 0:
                    what |= FIRST
                if quad + 2 >= size:
                    what |= LAST
                publish_tile(shared, tile, what, target, last_key)
                group = tile % GROUPS
                full = shared.barriers.queries_full + group
                if lane == 0:
                    arch.mbarrier_arrive_and_expect_tx(full, WHOLE_BYTES)
                arch.sync_warp()
                for i in cutlass.range_constexpr(QUERY_CHUNK):
                    # The box of an empty slot is out of range: TMA fills it with zeros, and counts
                    # its bytes.
                    box = arch.shuffle_sync(target, i) >> 1
                    for channels in cutlass.range_constexpr(2):
                        load_box(boxes, (box, channels), (i, channels, group), full)
                tile += 1
            item += 1
        for _ in cutlass.range(GROUPS, unroll=1):
            publish_tile(shared, tile, Int32(END), Int32(-1), Int32(BLOCK_SIZE))
            tile += 1

    @cute.jit
    def multiply(self, shared: Shared, tmem: cute.Pointer) -> None:
        """The work of a warp: issues the products.

        They run in the order of their issue. So QK may overwrite the weights that the PV before it
        reads; and what S held before that, the warpgroup has read when those weights are there.
        """
        tile = Int32(0)
        before = Int32(0)
        what = Int32(0)
        while what & END == 0:
            what = wait_tile(shared, tile)
            if what & END == 0:
                group, phase = two_stages(tile)
                stage, block_phase = two_stages(what >> ITEM_SHIFT)
                if what & FIRST != 0:
                    arch.mbarrier_wait(shared.barriers.block_full + stage, block_phase)
                shared.barriers.queries.wait(group, phase)
                mma = _qk()
                queries = shared_operand_a(mma, shared.queries, group)
                keys = shared_operand_b(mma, shared.keys, stage)
                scores = accumulators(mma, region(tmem, group))
                issue(mma, scores, queries, keys, False)
                commit(shared.barriers.scores_full + group)
                commit(shared.barriers.queries_empty + group)
            if tile > 0:
                group, phase = two_stages(tile - 1)
                stage, _ = two_stages(before >> ITEM_SHIFT)
                if const_expr(self.mode.has_values):
                    arch.mbarrier_wait(shared.barriers.sums_empty + group, phase ^ 1)
                wait_tmem(shared.barriers.weights_full + group, phase)
                if const_expr(self.mode.has_values):
                    mma = _pv()
                    weights = tmem_operand_a(mma, region(tmem, group))
                    values = shared_operand_b(mma, shared.values, stage)
                    sums = accumulators(mma, region(tmem, group) + OUT_COLUMN)
                    issue(mma, sums, weights, values, False)
                    commit(shared.barriers.sums_full + group)
                if before & LAST != 0:
                    commit(shared.barriers.item_empty + stage)
            before = what
            tile += 1

    @cute.jit
    def add_tiles(self, pool: View | None, operands: Operands, shared: Shared) -> None:
        """The work of a warp: adds the tiles' outputs to the pools, part after part.

        A part's stage is handed on when the next part is on its way: so two are at a time.
        """
        boxes = self.mode.part_copies(pool, shared)
        tile = Int32(0)
        what = Int32(0)
        while what & END == 0:
            what = wait_tile(shared, tile)
            if what & END == 0:
                entry = tile % TILES
                for part in cutlass.range_constexpr(self.mode.parts):
                    stage = part % STAGES
                    use = tile * (self.mode.parts // STAGES) + part // STAGES
                    arch.mbarrier_wait(shared.barriers.part_full + stage, use & 1)
                    for slot in cutlass.range_constexpr(QUERY_CHUNK):
                        target = shared.slots[0, slot, entry]
                        if target >= 0:
                            row = operands.pool_row(target)
                            self.mode.add_part(boxes, operands, shared, row, target, slot, part)
                    arch.cp_async_bulk_commit_group()
                    arch.cp_async_bulk_wait_group(1, read=True)
                    arch.sync_warp()
                    # The part before has been read. The tile's last ones make way for the other
                    # warpgroup.
                    if const_expr(part == 0):
                        if tile > 0:
                            self.give_turn(shared, STAGES - 1, tile % GROUPS)
                    elif const_expr(part + 1 < self.mode.parts):
                        self.give_turn(shared, 1 - stage, tile % GROUPS)
                    else:
                        self.give_turn(shared, 1 - stage, (tile + 1) % GROUPS)
            tile += 1
        arch.cp_async_bulk_wait_group(0)

    @cute.jit
    def give_turn(self, shared: Shared, stage: cutlass.Constexpr[int], group: Int32) -> None:
        """Gives a stage of the output to a warpgroup."""
        with arch.elect_one():
            arch.mbarrier_arrive(shared.barriers.part_turn + stage * GROUPS + group)

    @cute.jit
    def weigh(self, operands: Operands, shared: Shared, tmem: cute.Pointer, warp: Int32) -> None:
        """The work of a warp of a softmax warpgroup: every other tile."""
        group = warp // WARPS
        scores = warp_lanes(region(tmem, group), warp)
        tile = group
        what = Int32(0)
        while what & END == 0:
            what = wait_tile(shared, tile)
            if what & END == 0:
                self.tile(operands, shared, scores, group, tile)
            tile += GROUPS

    @cute.jit
    def tile(
        self,
        operands: Operands,
        shared: Shared,
        scores: cute.Pointer,
        group: Int32,
        tile: Int32,
    ) -> None:
        """One tile: weights from its scores, and what they sum up to on its way to memory."""
        lane = arch.lane_idx()
        row_of_tile = arch.thread_idx()[0] % TILE
        entry = tile % TILES
        _, phase = two_stages(tile)
        target = shared.slots[0, row_of_tile // GROUP_HEADS, entry]
        last_key = shared.slots[1, row_of_tile // GROUP_HEADS, entry]
        row = Int64(target >> 1) * GROUP_HEADS + lane % GROUP_HEADS
        reference, scale = self.mode.load_parameters(operands, row)
        wait_tmem(shared.barriers.scores_full + group, phase)
        result = Float32(0)
        # Two versions without branches inside, so that loads pass under the exponentials before.
        if arch.vote_any_sync(last_key < BLOCK_SIZE - 1):
            result, reference = self.reduce(scores, reference, last_key)
        else:
            result, reference = self.reduce(scores, reference, None)
        if const_expr(self.mode.has_values):
            arch.fence_view_async_tmem_store()
        arrive_tmem(shared.barriers.weights_full + group)

        this_row = Row(group, tile, target, last_key, row, scores + OUT_COLUMN)
        self.mode.epilogue(operands, shared, this_row, result, reference, scale)

    @cute.jit
    def reduce(
        self, scores: cute.Pointer, reference: Float32, last_key: Int32 | None
    ) -> tuple[Float32, Float32]:
        """The maximum of a row's scores, or the sum of its weights, which it leaves over them.

        `last_key` is None where all keys are visible. The reference is a score, in FAST an exponent
        of two. Returns that of the weights, too.
        """
        chunks = BLOCK_SIZE // CHUNK
        result = Float32(self.mode.start)
        chunk = load_rows(scores, CHUNK)
        for i in cutlass.range_constexpr(chunks):
            arch.fence_view_async_tmem_load()
            values = chunk
            if const_expr(i + 1 < chunks):
                chunk = load_rows(scores + (i + 1) * CHUNK, CHUNK)
            if const_expr(last_key is not None):
                mask(values, last_key - i * CHUNK)
                if const_expr(i == 0):
                    reference = self.mode.few_keys_reference(values, last_key, reference)
            result = self.mode.step(values, reference, result)
            if const_expr(self.mode.has_values):
                # Over scores that have been read: 64 keys over half of theirs each.
                column = i // 2 * (BLOCK_SIZE // 2) + i % 2 * (CHUNK // 2)
                store_rows(scores + column, to_bf16(values))
        return result, reference


name_kernels(_Forward.attention_forward)


@cute.jit
def _read_slots(operands: Operands, first: Int32, size: Int32, quad: Int32):
    """This lane's slot of the tile from a quad of an item on: its compact and workspace row.

    Quads past the item's last are empty.
    """
    slot = arch.lane_idx() % QUERY_CHUNK
    quad += slot // QUAD_SLOTS
    last = cutlass.max(size - 1, 0)  # nothing is read of no quads
    at = Int64(first + cutlass.min(quad, last)) * QUAD_SLOTS + slot % QUAD_SLOTS
    row = vector(operands.task_qrows + at)[0]
    position = vector(operands.task_qpos + at)[0]
    if quad >= size:
        row = Int32(-1)
    return row, position


# Products.


def _qk() -> cute.TiledMma:
    """S = Q Kᵀ."""
    return tiled_mma(OperandMajorMode.K, OperandMajorMode.K, OperandSource.SMEM)


def _pv() -> cute.TiledMma:
    """O = P V."""
    return tiled_mma(OperandMajorMode.K, OperandMajorMode.MN, OperandSource.TMEM)


launch = make_forward(_Forward)
SIGNATURE = FORWARD
