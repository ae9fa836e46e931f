"""The attention forward on Blackwell: one kernel over (head, key block) items, in four modes.

What it computes, and what the modes are, is in forward.py. A *tile* is a task, two quads:
8 query slots x 16 query heads = 128 rows, against the 128 keys of an item.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Boolean, Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync
from cutlass.cute.nvgpu.tcgen05 import OperandSource
from cutlass.memory import SmemAllocator

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
from msa.kernels.device.instructions import (
    bulk_add,
    floor,
    nearest,
    ordered_bits,
    ptx,
    store_shared,
)
from msa.kernels.device.pipeline import BarrierTable, Ring, two_stages
from msa.kernels.device.primitives import WARP, name_kernels, vector
from msa.kernels.device.sm100 import (
    TILE,
    TMEM_COLUMNS,
    accumulators,
    arrive,
    arrive_tmem,
    commit,
    fence_after_sync,
    fence_before_sync,
    issue,
    load_fragments,
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
    SCALE_LOG2,
    SPAN,
    View,
    blocks_view,
    load_box,
    partition_boxes,
    queries_view,
    swizzled_rows,
)
from msa.kernels.schedule.interface import ITEM_FIELDS, QUAD_SLOTS
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM, QUERY_CHUNK

assert QUERY_CHUNK * GROUP_HEADS == BLOCK_SIZE == HEAD_DIM == TILE and GROUP_HEADS == 16
_HALF, _WHOLE = TILE * SPAN, TILE * HEAD_DIM  # elements of a tile of shared memory
_WHOLE_BYTES = 2 * _WHOLE
_POOL_BYTES = 4 * GROUP_HEADS * HEAD_DIM

_GROUPS = 2  # softmax warpgroups
_WARPS = 4  # of a warpgroup
_ITEM_WARP, _QUERY_WARP, _MMA_WARP, _ADD_WARP = range(_GROUPS * _WARPS, (_GROUPS + 1) * _WARPS)
_THREADS = (_GROUPS + 1) * _WARPS * WARP
_STAGES = 2  # of items, and of the output on its way to the pools
_TOLD = 8  # tiles that are told of

# Columns of tensor memory: a warpgroup has S, over which it writes P, and O.
_GROUP_COLUMNS = TMEM_COLUMNS // _GROUPS
_OUT_COLUMN = TILE

_CHUNK = 32  # columns of S at a time
# The output leaves in parts of 16 KB, 2 KB a slot: 64 channels of bf16, or 32 of int32.
_PART_BYTES = 16384
_SLOT_PART_BYTES = _PART_BYTES // QUERY_CHUNK

assert FEW_KEYS <= _CHUNK  # the first chunk holds all of them

# What is told of a tile: bits, and above them the number of its item.
_FIRST = 1  # of its item
_LAST = 2  # of its item
_END = 4  # there is no such tile
_ITEM_SHIFT = 3


class _Barriers(NamedTuple):
    """The mbarriers; see `_BARRIERS`. A commit is one arrival.

    | barrier [number] | arrivals of a phase | waited for by, before |
    |---|---|---|
    | item_full [stage] | 4 lanes that wrote a field | queries' warp: reads the item |
    | item_empty [stage] | queries' warp; commit of the last product | items' warp: the next |
    | block_full [stage] | 1 and the bytes of K (and V) | MMA warp: an item's first QK |
    | told [entry] | 8 lanes that wrote a slot | MMA, adding, softmax warps: read them |
    | queries_full [group] | 1 and the bytes of Q | MMA warp: QK |
    | queries_empty [group] | commit of QK | queries' warp: loads the next |
    | scores_full [group] | commit of QK | softmax warps: load S |
    | weights_full [group] | 4 warps that stored P, or have read S | MMA warp: PV, and the next QK |
    | sums_full [group] | commit of PV | softmax warps: load O |
    | sums_empty [group] | 4 warps that loaded O | MMA warp: the next PV |
    | part_full [stage] | 4 warps that wrote | adding warp: adds |
    | part_turn [stage, group] | adding warp, whose adds have read | softmax warps: write |

    What is told of a tile gives way to the tile 8 later without a barrier. That one is told when
    the QK of 2 tiles before it is complete, which was issued behind the PV of 4 before: so the
    warpgroup had come to that tile, done with the one of 6 before, in which it got the last turn
    from the adding warp, at the same tile. Without values the argument is shorter.
    """

    item_full: cute.Pointer
    item_empty: cute.Pointer
    block_full: cute.Pointer
    told: cute.Pointer
    queries_full: cute.Pointer
    queries_empty: cute.Pointer
    scores_full: cute.Pointer
    weights_full: cute.Pointer
    sums_full: cute.Pointer
    sums_empty: cute.Pointer
    part_full: cute.Pointer

    @property
    def items(self) -> Ring:
        return Ring(self.item_full, self.item_empty)

    @property
    def queries(self) -> Ring:
        return Ring(self.queries_full, self.queries_empty)

    part_turn: cute.Pointer


_BARRIERS = BarrierTable(
    numbers=_Barriers(
        item_full=_STAGES,
        item_empty=_STAGES,
        block_full=_STAGES,
        told=_TOLD,
        queries_full=_GROUPS,
        queries_empty=_GROUPS,
        scores_full=_GROUPS,
        weights_full=_GROUPS,
        sums_full=_GROUPS,
        sums_empty=_GROUPS,
        part_full=_STAGES,
        part_turn=_STAGES * _GROUPS,
    ),
    arrivals=_Barriers(
        item_full=ITEM_FIELDS,
        item_empty=2,
        block_full=1,
        told=QUERY_CHUNK,
        queries_full=1,
        queries_empty=1,
        scores_full=1,
        weights_full=_WARPS,
        sums_full=1,
        sums_empty=_WARPS,
        part_full=_WARPS,
        part_turn=1,
    ),
)


class _Shared(NamedTuple):
    """Shared memory.

    Tiles are `[stage][half of the channels][128 rows][64]`. `items` is `[field, stage]`. Of each
    tile, `tiles` `[entry]` says what it is, and `slots` `[2, slot, entry]` of each slot what
    `slot_target` does.
    """

    keys: cute.Pointer
    values: cute.Pointer | None
    queries: cute.Pointer
    out: cute.Pointer | None
    items: cute.Tensor
    tiles: cute.Tensor
    slots: cute.Tensor
    tmem: cute.Pointer
    barriers: _Barriers


class _Forward:
    """The kernel in one mode.

    A persistent CTA, alone on its SM, draws items from a counter. Its tiles are numbered through
    all items, and tile `t` is that of softmax warpgroup `t % 2`, one row to a thread. Warp `w` of a
    warpgroup has lanes `32 w` to `32 w + 31` of tensor memory: slots `2 w` and `2 w + 1`. The other
    four warps draw items and load K and V; load Q, and tell all of the tiles; issue the products;
    and add what the warpgroups leave in shared memory to the pools.

    Products are issued as QK(0), QK(1), PV(0), QK(2), PV(1) and so on: the scores of a warpgroup's
    next tile are there when it has done with its output, and one exponentiates while the other's
    weights are multiplied.
    """

    def __init__(self, mode: int):
        self.mode = mode
        self.has_values = mode in (FAST, FIXED)
        # Parts of a tile's output, and how often it uses each of the two stages for them.
        self.parts = 4 if mode == FIXED else 2
        self.uses = self.parts // _STAGES

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
        if self.has_values:
            values = blocks_view(load, v, operands.num_groups, num_kblocks)
        pool = None
        if self.mode == FAST:
            add = cpasync.CopyReduceBulkTensorTileS2GOp()
            pool = queries_view(add, operands.pool, operands.num_pools * 2)  # of two halves
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
        this_warp = arch.make_warp_uniform(arch.warp_idx())
        if this_warp == _MMA_WARP:
            arch.alloc_tmem(TMEM_COLUMNS, shared.tmem)
            arch.relinquish_tmem_alloc_permit()
        if this_warp == _ITEM_WARP:
            with arch.elect_one():
                _BARRIERS.init(shared.barriers)
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
            if const_expr(self.has_values):
                self.add_tiles(pool, operands, shared)
        else:
            self.weigh(operands, shared, tmem, this_warp)
        # No warp reads tensor memory any more.
        fence_before_sync()
        arch.sync_threads()
        if this_warp == _MMA_WARP:
            fence_after_sync()
            arch.dealloc_tmem(tmem, TMEM_COLUMNS)

    def _allocate(self) -> _Shared:
        allocator = SmemAllocator()

        def tiles(count):
            layout = cute.make_layout(count * _WHOLE)
            return allocator.allocate_tensor(BFloat16, layout, 1024, swizzled_rows().inner).iterator

        def array(*shape):
            return allocator.allocate_tensor(Int32, cute.make_layout(shape), 16)

        return _Shared(
            keys=tiles(_STAGES),
            values=tiles(_STAGES) if self.has_values else None,
            queries=tiles(_GROUPS),
            out=tiles(1) if self.has_values else None,
            items=array(ITEM_FIELDS, _STAGES),
            tiles=array(_TOLD),
            slots=array(2, QUERY_CHUNK, _TOLD),
            tmem=allocator.allocate_array(Int32, 1),
            barriers=_BARRIERS.allocate(allocator),
        )

    @cute.jit
    def load_items(
        self, keys: View, values: View | None, operands: Operands, shared: _Shared
    ) -> None:
        """The work of a warp: draws items, tells of them, loads their K and V.

        An item of no quads tells that there are no more.
        """
        lane = arch.lane_idx()
        key_boxes = partition_boxes(keys, (BLOCK_SIZE, SPAN), shared.keys, _stages(BLOCK_SIZE))
        if const_expr(self.has_values):
            value_boxes = partition_boxes(
                values, (BLOCK_SIZE, SPAN), shared.values, _stages(BLOCK_SIZE)
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
                blocks = 2 if self.has_values else 1
                arch.mbarrier_arrive_and_expect_tx(full, blocks * _WHOLE_BYTES)
            arch.sync_warp()
            if size > 0:
                for half in cutlass.range_constexpr(2):
                    load_box(key_boxes, (kblock, half, head), (0, half, stage), full)
                if const_expr(self.has_values):
                    for half in cutlass.range_constexpr(2):
                        load_box(value_boxes, (kblock, half, head), (0, half, stage), full)
            count += 1
        # The last item's products arrive here: a CTA must not end before.
        stage, phase = two_stages(count)
        shared.barriers.items.acquire(stage, phase)

    @cute.jit
    def load_tiles(self, queries: View, operands: Operands, shared: _Shared) -> None:
        """The work of a warp: loads the queries of the tiles, and tells the other warps of them."""
        lane = arch.lane_idx()
        boxes = partition_boxes(queries, (GROUP_HEADS, SPAN), shared.queries, _stages(GROUP_HEADS))
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
            half = Int32(0)
            if const_expr(self.mode == FAST):
                half = Int32(arch.popc(kblock)) & 1
            slots = _read_slots(operands, first, size, 0)
            for quad in cutlass.range(0, size, 2, unroll=1):
                token, position = slots
                # A tile ahead: the latency passes under this one's wait and copies.
                slots = _read_slots(operands, first, size, quad + 2)
                if const_expr(self.mode != FAST):
                    token = drop_unflagged(operands, token, head)
                target, last_key = slot_target(operands, token, position, head, kblock, half)
                what = item << _ITEM_SHIFT
                if quad == 0:
                    what |= _FIRST
                if quad + 2 >= size:
                    what |= _LAST
                _tell(shared, tile, what, target, last_key)
                group = tile % _GROUPS
                full = shared.barriers.queries_full + group
                if lane == 0:
                    arch.mbarrier_arrive_and_expect_tx(full, _WHOLE_BYTES)
                arch.sync_warp()
                for i in cutlass.range_constexpr(QUERY_CHUNK):
                    # The box of an empty slot is out of range: TMA fills it with zeros, and counts
                    # its bytes.
                    box = arch.shuffle_sync(target, i) >> 1
                    for channels in cutlass.range_constexpr(2):
                        load_box(boxes, (box, channels), (i, channels, group), full)
                tile += 1
            item += 1
        for _ in cutlass.range(_GROUPS, unroll=1):
            _tell(shared, tile, Int32(_END), Int32(-1), Int32(BLOCK_SIZE))
            tile += 1

    @cute.jit
    def multiply(self, shared: _Shared, tmem: cute.Pointer) -> None:
        """The work of a warp: issues the products.

        They run in the order of their issue. So QK may overwrite the weights that the PV before it
        reads; and what S held before that, the warpgroup has read when those weights are there.
        """
        tile = Int32(0)
        before = Int32(0)
        what = Int32(0)
        while what & _END == 0:
            what = _wait_told(shared, tile)
            if what & _END == 0:
                group, phase = two_stages(tile)
                stage, block_phase = two_stages(what >> _ITEM_SHIFT)
                if what & _FIRST != 0:
                    arch.mbarrier_wait(shared.barriers.block_full + stage, block_phase)
                shared.barriers.queries.wait(group, phase)
                mma = _qk()
                queries = shared_operand_a(mma, shared.queries, group)
                keys = shared_operand_b(mma, shared.keys, stage)
                scores = accumulators(mma, _region(tmem, group))
                issue(mma, scores, queries, keys, False)
                commit(shared.barriers.scores_full + group)
                commit(shared.barriers.queries_empty + group)
            if tile > 0:
                group, phase = two_stages(tile - 1)
                stage, _ = two_stages(before >> _ITEM_SHIFT)
                if const_expr(self.has_values):
                    arch.mbarrier_wait(shared.barriers.sums_empty + group, phase ^ 1)
                wait_tmem(shared.barriers.weights_full + group, phase)
                if const_expr(self.has_values):
                    mma = _pv()
                    weights = tmem_operand_a(mma, _region(tmem, group))
                    values = shared_operand_b(mma, shared.values, stage)
                    sums = accumulators(mma, _region(tmem, group) + _OUT_COLUMN)
                    issue(mma, sums, weights, values, False)
                    commit(shared.barriers.sums_full + group)
                if before & _LAST != 0:
                    commit(shared.barriers.item_empty + stage)
            before = what
            tile += 1

    @cute.jit
    def add_tiles(self, pool: View | None, operands: Operands, shared: _Shared) -> None:
        """The work of a warp: adds the tiles' outputs to the pools, part after part.

        A part's stage is handed on when the next part is on its way: so two are at a time.
        """
        if const_expr(self.mode == FAST):
            layout = _part_stages()
            boxes = partition_boxes(pool, (GROUP_HEADS, SPAN), shared.out, layout)
        tile = Int32(0)
        what = Int32(0)
        while what & _END == 0:
            what = _wait_told(shared, tile)
            if what & _END == 0:
                entry = tile % _TOLD
                for part in cutlass.range_constexpr(self.parts):
                    stage = part % _STAGES
                    use = tile * self.uses + part // _STAGES
                    arch.mbarrier_wait(shared.barriers.part_full + stage, use & 1)
                    for slot in cutlass.range_constexpr(QUERY_CHUNK):
                        target = shared.slots[0, slot, entry]
                        if target >= 0:
                            row = operands.pool_row(target)
                            if const_expr(self.mode == FAST):
                                source = boxes.shared[None, slot, stage]
                                to = boxes.memory[None, row * 2 + (target & 1), part]
                                cute.copy(boxes.atom, source, to)
                            else:
                                _add_integers(operands, shared, row, slot, part)
                    arch.cp_async_bulk_commit_group()
                    arch.cp_async_bulk_wait_group(1, read=True)
                    arch.sync_warp()
                    # The part before has been read. The tile's last ones make way for the other
                    # warpgroup.
                    if const_expr(part == 0):
                        if tile > 0:
                            self.give_turn(shared, _STAGES - 1, tile % _GROUPS)
                    elif const_expr(part + 1 < self.parts):
                        self.give_turn(shared, 1 - stage, tile % _GROUPS)
                    else:
                        self.give_turn(shared, 1 - stage, (tile + 1) % _GROUPS)
            tile += 1
        arch.cp_async_bulk_wait_group(0)

    @cute.jit
    def give_turn(self, shared: _Shared, stage: cutlass.Constexpr[int], group: Int32) -> None:
        """Gives a stage of the output to a warpgroup."""
        with arch.elect_one():
            arch.mbarrier_arrive(shared.barriers.part_turn + stage * _GROUPS + group)

    @cute.jit
    def wait_turn(
        self, shared: _Shared, part: cutlass.Constexpr[int], tile: Int32, group: Int32
    ) -> Int32:
        """Waits for a part's stage, which is returned as an address.

        Each warpgroup has barriers of its own for its turns: with one for both, a warpgroup could
        take the end of the turn before the last for that of the last. The first turn is given.
        """
        stage = part % _STAGES
        turn = tile // _GROUPS * self.uses + part // _STAGES
        arch.mbarrier_wait(
            shared.barriers.part_turn + stage * _GROUPS + group, (turn + group + 1) & 1
        )
        return shared.out.toint() + stage * _PART_BYTES

    @cute.jit
    def weigh(self, operands: Operands, shared: _Shared, tmem: cute.Pointer, warp: Int32) -> None:
        """The work of a warp of a softmax warpgroup: every other tile."""
        group = warp // _WARPS
        scores = warp_lanes(_region(tmem, group), warp)
        tile = group
        what = Int32(0)
        while what & _END == 0:
            what = _wait_told(shared, tile)
            if what & _END == 0:
                self.tile(operands, shared, scores, group, tile)
            tile += _GROUPS

    @cute.jit
    def tile(
        self,
        operands: Operands,
        shared: _Shared,
        scores: cute.Pointer,
        group: Int32,
        tile: Int32,
    ) -> None:
        """One tile: weights from its scores, and what they sum up to on its way to memory."""
        lane = arch.lane_idx()
        row_of_tile = arch.thread_idx()[0] % TILE
        entry = tile % _TOLD
        _, phase = two_stages(tile)
        target = shared.slots[0, row_of_tile // GROUP_HEADS, entry]
        last_key = shared.slots[1, row_of_tile // GROUP_HEADS, entry]
        row = Int64(target >> 1) * GROUP_HEADS + lane % GROUP_HEADS
        sums = scores + _OUT_COLUMN
        reference = Float32(0)
        scale = Float32(0)
        if const_expr(self.mode in (SUM, FIXED)):
            # The latency passes under the product. An empty slot may take any row's.
            at = cutlass.max(row, Int64(0))
            reference = read_reference(vector(operands.references + at)[0])
            if const_expr(self.mode == FIXED):
                # Weights are relative to the largest, as in SUM: that one is exact.
                bound = vector(operands.bounds + at // GROUP_HEADS * BOUND_FIELDS)[0]
                total = vector(cute.recast_ptr(operands.sums, dtype=Int32) + at)[0]
                scale = fixed_scale(bound, total)
        wait_tmem(shared.barriers.scores_full + group, phase)
        result = Float32(0)
        # Two versions without branches inside, so that loads pass under the exponentials before.
        if arch.vote_any_sync(last_key < BLOCK_SIZE - 1):
            result, reference = self.reduce(scores, reference, last_key)
        else:
            result, reference = self.reduce(scores, reference, None)
        if const_expr(self.has_values):
            arch.fence_view_async_tmem_store()
        arrive_tmem(shared.barriers.weights_full + group)

        if const_expr(self.mode == MAX):
            if target >= 0:
                top = ordered_bits(result.bitcast(Int32))
                reduce_into(operands.references + row, top, Int32, "max")
        elif const_expr(self.mode == SUM):
            if target >= 0:
                reduce_into(operands.sums + row, nearest(result * SUM_ONE, Int32), Int32, "add")
        elif const_expr(self.mode == FAST):
            factor = cute.math.exp2(reference, fastmath=True)
            if target >= 0:
                reduce_into(operands.sums + row, result * factor, Float32, "add")
            wait_tmem(shared.barriers.sums_full + group, phase)
            if arch.vote_any_sync(last_key < FEW_KEYS):
                _add_residual(operands, sums, target, last_key < FEW_KEYS, factor)
            self.round_out(shared, sums, group, tile, factor)
        else:
            wait_tmem(shared.barriers.sums_full + group, phase)
            self.scale_out(operands, shared, sums, group, tile, target, scale)

    @cute.jit
    def reduce(
        self, scores: cute.Pointer, reference: Float32, last_key: Int32 | None
    ) -> tuple[Float32, Float32]:
        """The maximum of a row's scores, or the sum of its weights, which it leaves over them.

        `last_key` is None where all keys are visible. The reference is a score, in FAST an exponent
        of two. Returns that of the weights, too.
        """
        chunks = BLOCK_SIZE // _CHUNK
        result = Float32(-Float32.inf if self.mode == MAX else 0)
        chunk = load_rows(scores, _CHUNK)
        for i in cutlass.range_constexpr(chunks):
            arch.fence_view_async_tmem_load()
            values = chunk
            if const_expr(i + 1 < chunks):
                chunk = load_rows(scores + (i + 1) * _CHUNK, _CHUNK)
            if const_expr(last_key is not None):
                _mask(values, last_key - i * _CHUNK)
                if const_expr(self.mode == FAST and i == 0):
                    fraction = _fraction(_reduce(values, maximum))
                    reference = select(last_key < FEW_KEYS, fraction, reference)
            if const_expr(self.mode == MAX):
                result = maximum(result, _reduce(values, maximum))
            else:
                if const_expr(self.mode == FAST):
                    _exponentiate(values, reference)
                else:
                    _exponentiate_below(values, reference)
                result += _sum(values)
                if const_expr(self.has_values):
                    # Over scores that have been read: 64 keys over half of theirs each.
                    column = i // 2 * (BLOCK_SIZE // 2) + i % 2 * (_CHUNK // 2)
                    store_rows(scores + column, _round(values))
        return result, reference

    @cute.jit
    def round_out(
        self, shared: _Shared, sums: cute.Pointer, group: Int32, tile: Int32, factor: Float32
    ) -> None:
        """Leaves a row of O times a factor in bf16 for TMA to add, in swizzled rows."""
        row = arch.thread_idx()[0] % TILE
        out = load_rows(sums, SPAN)
        for part in cutlass.range_constexpr(self.parts):
            arch.fence_view_async_tmem_load()
            words = _round(_scaled(out, factor))
            if const_expr(part + 1 < self.parts):
                out = load_rows(sums + (part + 1) * SPAN, SPAN)
            else:
                arrive_tmem(shared.barriers.sums_empty + group)
            address = self.wait_turn(shared, part, tile, group)
            address += row * (2 * SPAN) + row % 8 * 16
            for i in cutlass.range_constexpr(SPAN // 8):
                store_shared(address ^ (16 * i), [words[4 * i + j] for j in range(4)])
            arch.fence_view_async_shared()
            arrive(shared.barriers.part_full + part % _STAGES)

    @cute.jit
    def scale_out(
        self,
        operands: Operands,
        shared: _Shared,
        sums: cute.Pointer,
        group: Int32,
        tile: Int32,
        target: Int32,
        scale: Float32,
    ) -> None:
        """Leaves O as integers, in fragment order.

        A lane has rows `lane // 4` and 8 more of either slot of its warp.
        """
        lane = arch.lane_idx()
        slot = arch.thread_idx()[0] % TILE // WARP * 2
        channels = HEAD_DIM // self.parts
        scales = [
            [arch.shuffle_sync(scale, GROUP_HEADS * i + 8 * j + lane // 4) for j in range(2)]
            for i in range(2)
        ]
        peaks = cute.make_rmem_tensor((2, 2), Float32)
        peaks.fill(0.0)
        out = load_fragments(sums, channels)
        for part in cutlass.range_constexpr(self.parts):
            arch.fence_view_async_tmem_load()
            values = out
            if const_expr(part + 1 < self.parts):
                out = load_fragments(sums + (part + 1) * channels, channels)
            else:
                arrive_tmem(shared.barriers.sums_empty + group)
            address = self.wait_turn(shared, part, tile, group)
            address += slot * _SLOT_PART_BYTES + lane * 16
            for i in cutlass.range_constexpr(2):
                for piece in cutlass.range_constexpr(channels // 8):
                    terms = []
                    for j in cutlass.range_constexpr(4):
                        value = values[j, piece, i]
                        peaks[j // 2, i] = _max_magnitude(peaks[j // 2, i], value)
                        terms.append(nearest(value * scales[i][j // 2], Int32))
                    offset = i * _SLOT_PART_BYTES + piece * (16 * WARP)
                    store_shared(address + offset, terms)
            arch.fence_view_async_shared()
            arrive(shared.barriers.part_full + part % _STAGES)
        for i in cutlass.range_constexpr(2):
            slot_target = arch.shuffle_sync(target, GROUP_HEADS * i)
            for j in cutlass.range_constexpr(2):
                peak = peaks[j, i]
                for offset in cutlass.range_constexpr(1, 3):
                    peak = maximum(peak, arch.shuffle_sync_bfly(peak, offset=offset))
                is_fine = peak * scales[i][j] <= LARGEST_SUMMAND
                if lane % 4 == 0 and slot_target >= 0 and not is_fine:
                    row = Int64(slot_target >> 1) * GROUP_HEADS + 8 * j + lane // 4
                    mark_nan(operands.sums + row)


name_kernels(_Forward.attention_forward)


# Views and boxes.


def _stages(rows: int) -> cute.Layout:
    """Tiles in boxes of so many rows: `[rows, channels, box, half, stage]`."""
    return cute.make_layout(
        ((8, rows // 8), SPAN, TILE // rows, 2, 2),
        stride=((SPAN, 8 * SPAN), 1, rows * SPAN, _HALF, _WHOLE),
    )


def _part_stages() -> cute.Layout:
    """Stages of output, half of a tile each: `[heads, channels, slot, stage]`."""
    return cute.make_layout(
        ((8, GROUP_HEADS // 8), SPAN, QUERY_CHUNK, _STAGES),
        stride=((SPAN, 8 * SPAN), 1, GROUP_HEADS * SPAN, _HALF),
    )


# Barriers.


@cute.jit
def _tell(shared: _Shared, tile: Int32, what: Int32, target: Int32, last_key: Int32) -> None:
    """Tells of a tile, when its queries' stage is free; each of the first lanes has a slot."""
    lane = arch.lane_idx()
    entry = tile % _TOLD
    group, phase = two_stages(tile)
    shared.barriers.queries.acquire(group, phase)
    if lane < QUERY_CHUNK:
        shared.slots[0, lane, entry] = target
        shared.slots[1, lane, entry] = last_key
        if lane == 0:
            shared.tiles[entry] = what
        arch.mbarrier_arrive(shared.barriers.told + entry)


@cute.jit
def _wait_told(shared: _Shared, tile: Int32) -> Int32:
    """Waits until there is word of a tile, and returns what it is."""
    entry = tile % _TOLD
    arch.mbarrier_wait(shared.barriers.told + entry, (tile // _TOLD) & 1)
    return shared.tiles[entry]


@cute.jit
def _read_slots(operands: Operands, first: Int32, size: Int32, quad: Int32):
    """This lane's slot of the tile from a quad of an item on: its compact and workspace row.

    Quads behind the item's last are empty.
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


def _region(tmem: cute.Pointer, group: Int32) -> cute.Pointer:
    """A warpgroup's columns of tensor memory."""
    return tmem + cute.assume(group * _GROUP_COLUMNS, divby=_GROUP_COLUMNS)


# The parts of a tile, a row to a thread.


@cute.jit
def _mask(scores: cute.Tensor, last_key: Int32) -> None:
    """Selects, so that nothing behind the last visible key counts, be it NaN."""
    for i in cutlass.range_constexpr(cute.size(scores)):
        scores[i] = cutlass.select_(i > last_key, -Float32.inf, scores[i])


def _exponentiate(scores: cute.Tensor, exponent: Float32) -> None:
    """P = exp2(S * scale - exponent) in place."""
    scale = Float32(SCALE_LOG2)
    for i in range(0, cute.size(scores), 2):
        pair = (scores[i], scores[i + 1])
        pair = arch.fma_packed_f32x2(pair, (scale, scale), (-exponent, -exponent))
        for j in range(2):
            scores[i + j] = cute.math.exp2(pair[j], fastmath=True)


def _exponentiate_below(scores: cute.Tensor, reference: Float32) -> None:
    """P = exp2((S - reference) * scale) in place: exactly 1 where they are equal."""
    scale = Float32(SCALE_LOG2)
    for i in range(0, cute.size(scores), 2):
        pair = (scores[i], scores[i + 1])
        pair = arch.add_packed_f32x2(pair, (-reference, -reference))
        pair = arch.mul_packed_f32x2(pair, (scale, scale))
        for j in range(2):
            scores[i + j] = cute.math.exp2(pair[j], fastmath=True)


def _reduce(values: cute.Tensor, combine) -> Float32:
    """Reduces in four chains, which do not wait for each other."""
    chains = [values[i] for i in range(4)]
    for i in range(4, cute.size(values)):
        chains[i % 4] = combine(chains[i % 4], values[i])
    return combine(combine(chains[0], chains[1]), combine(chains[2], chains[3]))


def _scaled(values: cute.Tensor, factor: Float32) -> cute.Tensor:
    scaled = cute.make_rmem_tensor(values.shape, Float32)
    for i in range(0, cute.size(values), 2):
        pair = arch.mul_packed_f32x2((values[i], values[i + 1]), (factor, factor))
        scaled[i], scaled[i + 1] = pair
    return scaled


def _sum(values: cute.Tensor) -> Float32:
    """The sum, in pairs as the hardware adds them."""
    pairs = [(values[i], values[i + 1]) for i in range(0, cute.size(values), 2)]
    chains = pairs[:2]
    for i, pair in enumerate(pairs[2:]):
        chains[i % 2] = arch.add_packed_f32x2(chains[i % 2], pair)
    even, odd = arch.add_packed_f32x2(*chains)
    return even + odd


def _fraction(score: Float32) -> Float32:
    """What of a score, as an exponent of two, is not whole."""
    exponent = score * SCALE_LOG2
    return exponent - floor(exponent)


def _round(values: cute.Tensor) -> cute.Tensor:
    """The values in bf16, two to a word."""
    rounded = cute.make_rmem_tensor(values.shape, BFloat16)
    rounded.store(values.load().to(BFloat16))
    return cute.recast_tensor(rounded, Int32)


def _max_magnitude(a: Float32, b: Float32) -> Float32:
    """The greater of a magnitude and that of a value, or NaN if one is."""
    return maximum(a, maximum(b, -b))


# Memory.


@cute.jit
def _add_residual(
    operands: Operands, sums: cute.Pointer, target: Int32, has_few: Boolean, factor: Float32
) -> None:
    """Adds what rounding takes from a row of O to the half of the pool that the rest is not for.

    So few rows have it that they need not be staged for TMA.
    """
    head = arch.lane_idx() % GROUP_HEADS
    half = operands.pool_row(target) * 2 + (~target & 1)
    row = operands.pool.toint() + (Int64(half) * GROUP_HEADS + head) * (2 * HEAD_DIM)
    for part in cutlass.range(HEAD_DIM // _CHUNK, unroll=1):
        out = load_rows(sums + part * _CHUNK, _CHUNK)
        arch.fence_view_async_tmem_load()
        if has_few and target >= 0:
            out = _scaled(out, factor)
            rounded = cute.make_rmem_tensor(out.shape, BFloat16)
            rounded.store(out.load().to(BFloat16))
            out.store(out.load() - rounded.load().to(Float32))
            words = _round(out)
            for i in cutlass.range_constexpr(_CHUNK // 8):
                ptx(
                    "red.relaxed.gpu.global.add.noftz.v4.bf16x2 "
                    "[{$r0}], {{$r1}, {$r2}, {$r3}, {$r4}};",
                    None,
                    row + (part * (2 * _CHUNK) + 16 * i),
                    *(words[4 * i + j] for j in range(4)),
                )


def _add_integers(operands: Operands, shared: _Shared, row: Int32, slot: int, part: int) -> None:
    """Adds a slot's part of a tile to a row of the pool in FIXED."""
    source = shared.out.toint() + part % _STAGES * _PART_BYTES + slot * _SLOT_PART_BYTES
    pool = operands.pool.toint() + Int64(row) * _POOL_BYTES + part * _SLOT_PART_BYTES
    with arch.elect_one():
        bulk_add("s32", pool, source, _SLOT_PART_BYTES)


launch = make_forward(_Forward)
SIGNATURE = FORWARD
