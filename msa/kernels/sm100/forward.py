"""The attention forward on Blackwell: one kernel over (head, key block) items, in four modes.

Key-outer. A *tile* is a task, 8 query slots x 16 query heads = 128 rows, against one block of 128
keys of one KV head (below just head); an *item* is a run of tiles that meet the same keys. For any
reference `r` that all tiles of a row share, `sum(exp(s - r) v) / sum(exp(s - r))` is the exact
softmax, so that tiles only add: into a pool of 8 KB for each (token, head), and into a sum for each
row. Another kernel divides. What is added, and against which reference, is the mode:

- `FAST`: reference 0; adds in bf16 to one of two pools, and in FP32 to the sums. Both have 8 bits
  of exponent, so that accuracy does not depend on the reference until something leaves their range,
  and then the kernel that divides sees it. The order of the adds is free.
- `MAX`: nothing of V, only the maximum of each row's scores, into `references`.
- `SUM`: likewise only each row's sum of weights, below that maximum. It is an integer, as in what
  follows: integers add up to the same in any order.
- `FIXED`: the same weights, and integers as summands that are divided by that sum. Behind `MAX`
  and `SUM` this is the deterministic forward, and a second pass over rows that left the range.

The pool of row `token * 4 + head` begins at byte `8192 * row`. FAST: bf16 `[2, 16, 128]`, of which
an item adds to the half `popcount(kblock) % 2`. FIXED: int32 in *fragment order*, the 16 bytes
`32 * i + lane` holding channels `8 * i + 2 * (lane % 4) + {0, 1}` of query head `lane // 4`, then
those of query head `lane // 4 + 8`; the bound of V is `FIXED_ONE` there. A row that meets a value
of V that is not finite gets a NaN as its reference.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Boolean, Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, tcgen05
from cutlass.cute.nvgpu.tcgen05 import OperandSource
from cutlass.cute.runtime import make_fake_stream
from cutlass.memory import SmemAllocator

from msa.kernels.common.attention import SCALE_LOG2, View, bulk_add, nearest, ptx
from msa.kernels.common.device import WARP, fake_pointer, name_kernels, vector
from msa.kernels.formats import (
    BOUND_FIELDS,
    FIXED_ONE,
    FORWARD_FAST,
    FORWARD_FIXED,
    FORWARD_MAX,
    FORWARD_SUM,
    GROUP_HEADS,
    ITEM_FIELDS,
    QUAD_SLOTS,
    SUM_ONE,
    V_BOUND_FLOOR,
)
from msa.kernels.sm100.device import (
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
from msa.schedule.topology import BLOCK_SIZE, HEAD_DIM, NUM_KV_HEADS, NUM_Q_HEADS, QUERY_CHUNK

FAST, MAX, SUM, FIXED = FORWARD_FAST, FORWARD_MAX, FORWARD_SUM, FORWARD_FIXED

assert QUERY_CHUNK * GROUP_HEADS == BLOCK_SIZE == HEAD_DIM == TILE
_SPAN = 64  # channels of a row of shared memory, 128 bytes, whose 16-byte pieces are swizzled
_HALF, _WHOLE = TILE * _SPAN, TILE * HEAD_DIM  # elements of a tile of shared memory
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

# An output of few keys is large, and may be all of one tile: were its largest weight rounded, its O
# once more for the pool, and again after the division, it could be two units in its last place off.
# A tile of so few keys, one in 64 at most, takes weights of which the largest is a power of two and
# adds what rounding O leaves, too.
_FEW_KEYS = 32
assert _FEW_KEYS <= _CHUNK  # the first chunk holds all of them

# A tile's weights add up to at most 1, and rounding to bf16 adds little to that.
_LARGEST_SUMMAND = 1.01 * FIXED_ONE
_NAN_REFERENCE = 0x7FFFFFFF

# What is told of a tile: bits, and above them the number of its item.
_FIRST = 1  # of its item
_LAST = 2  # of its item
_END = 4  # there is no such tile
_ITEM_SHIFT = 3


class _Operands(NamedTuple):
    """What is read or added without a descriptor; see `forward`."""

    pool: cute.Pointer
    sums: cute.Pointer
    references: cute.Pointer
    bounds: cute.Pointer
    task_qrows: cute.Pointer
    task_qpos: cute.Pointer
    items: cute.Pointer
    control: cute.Pointer
    counter: cute.Pointer
    flags: cute.Pointer
    filtered: Int32


class _Shared(NamedTuple):
    """Shared memory. Barriers are in `_init_barriers`.

    Tiles are `[stage][half of the channels][128 rows][64]`. `items` is `[field, stage]`. Of each
    tile, `tiles` `[entry]` says what it is, and `slots` `[2, slot, entry]` of each slot its target
    `(token * 4 + head) * 2 + half of the pool`, or -1 if it is empty, and the last key of the block
    that it sees.
    """

    keys: cute.Pointer
    values: cute.Pointer | None
    queries: cute.Pointer
    out: cute.Pointer | None
    items: cute.Tensor
    tiles: cute.Tensor
    slots: cute.Tensor
    tmem: cute.Pointer
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
    part_turn: cute.Pointer


class _Boxes(NamedTuple):
    """The two sides of copies: mode 0 is a box, the others count boxes."""

    atom: cute.CopyAtom
    memory: cute.Tensor
    shared: cute.Tensor


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
        operands: _Operands,
        num_tokens: Int32,
        num_kblocks: Int32,
        num_sms: Int32,
        stream: cuda.CUstream,
    ) -> None:
        """Launches the kernel; the arguments are those of `forward`."""
        load = cpasync.CopyBulkTensorTileG2SOp()
        query_heads = num_tokens * NUM_Q_HEADS
        block_rows = cute.make_layout(
            (num_kblocks * BLOCK_SIZE, HEAD_DIM, NUM_KV_HEADS),
            stride=(NUM_KV_HEADS * HEAD_DIM, 1, HEAD_DIM),
        )
        queries = _tile_view(load, q, _rows(query_heads), GROUP_HEADS)
        keys = _tile_view(load, k, block_rows, BLOCK_SIZE)
        values = None
        if self.has_values:
            values = _tile_view(load, v, block_rows, BLOCK_SIZE)
        pool = None
        if self.mode == FAST:
            add = cpasync.CopyReduceBulkTensorTileS2GOp()
            pool = _tile_view(add, operands.pool, _rows(query_heads * 2), GROUP_HEADS)
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
        operands: _Operands,
    ):
        """Gives each warp its role; `values` and `pool` are None in a mode without them."""
        shared = self._allocate()
        this_warp = arch.make_warp_uniform(arch.warp_idx())
        if this_warp == _MMA_WARP:
            arch.alloc_tmem(TMEM_COLUMNS, shared.tmem)
            arch.relinquish_tmem_alloc_permit()
        if this_warp == _ITEM_WARP:
            _init_barriers(shared)
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
            return allocator.allocate_tensor(
                BFloat16, layout, 1024, _swizzled_rows().inner
            ).iterator

        def array(*shape):
            return allocator.allocate_tensor(Int32, cute.make_layout(shape), 16)

        def barriers(count):
            return allocator.allocate_array(Int64, count)

        return _Shared(
            keys=tiles(_STAGES),
            values=tiles(_STAGES) if self.has_values else None,
            queries=tiles(_GROUPS),
            out=tiles(1) if self.has_values else None,
            items=array(ITEM_FIELDS, _STAGES),
            tiles=array(_TOLD),
            slots=array(2, QUERY_CHUNK, _TOLD),
            tmem=allocator.allocate_array(Int32, 1),
            item_full=barriers(_STAGES),
            item_empty=barriers(_STAGES),
            block_full=barriers(_STAGES),
            told=barriers(_TOLD),
            queries_full=barriers(_GROUPS),
            queries_empty=barriers(_GROUPS),
            scores_full=barriers(_GROUPS),
            weights_full=barriers(_GROUPS),
            sums_full=barriers(_GROUPS),
            sums_empty=barriers(_GROUPS),
            part_full=barriers(_STAGES),
            part_turn=barriers(_STAGES * _GROUPS),
        )

    @cute.jit
    def load_items(
        self, keys: View, values: View | None, operands: _Operands, shared: _Shared
    ) -> None:
        """The work of a warp: draws items, tells of them, loads their K and V.

        An item of no quads tells that there are no more.
        """
        lane = arch.lane_idx()
        key_boxes = _boxes(keys, (BLOCK_SIZE, _SPAN), shared.keys, _stages(BLOCK_SIZE))
        if const_expr(self.has_values):
            value_boxes = _boxes(values, (BLOCK_SIZE, _SPAN), shared.values, _stages(BLOCK_SIZE))
        num_items = vector(operands.control)[0]
        count = Int32(0)
        size = Int32(1)
        while size > 0:
            # Drawn and read before the wait: the latencies pass under the items in flight.
            drawn = Int32(0)
            if lane == 0:
                drawn = arch.atomic_add(operands.counter, Int32(1))
            drawn = arch.shuffle_sync(drawn, 0)
            field = Int32(0)
            if drawn < num_items and lane < ITEM_FIELDS:
                field = vector(operands.items + Int64(drawn) * ITEM_FIELDS)[lane]
            size = arch.shuffle_sync(field, 1)
            head = arch.shuffle_sync(field, 2)
            kblock = arch.shuffle_sync(field, 3)

            stage, phase = _ring(count)
            full = shared.block_full + stage
            arch.mbarrier_wait(shared.item_empty + stage, phase ^ 1)
            if lane < ITEM_FIELDS:
                shared.items[lane, stage] = field
                arch.mbarrier_arrive(shared.item_full + stage)
            if lane == 0 and size > 0:
                blocks = 2 if self.has_values else 1
                arch.mbarrier_arrive_and_expect_tx(full, blocks * _WHOLE_BYTES)
            arch.sync_warp()
            if size > 0:
                for half in cutlass.range_constexpr(2):
                    _load_box(key_boxes, (kblock, half, head), (0, half, stage), full)
                if const_expr(self.has_values):
                    for half in cutlass.range_constexpr(2):
                        _load_box(value_boxes, (kblock, half, head), (0, half, stage), full)
            count += 1
        # The last item's products arrive here: a CTA must not end before.
        stage, phase = _ring(count)
        arch.mbarrier_wait(shared.item_empty + stage, phase ^ 1)

    @cute.jit
    def load_tiles(self, queries: View, operands: _Operands, shared: _Shared) -> None:
        """The work of a warp: loads the queries of the tiles, and tells the other warps of them."""
        lane = arch.lane_idx()
        boxes = _boxes(queries, (GROUP_HEADS, _SPAN), shared.queries, _stages(GROUP_HEADS))
        item = Int32(0)
        tile = Int32(0)
        size = Int32(1)
        while size > 0:
            item_stage, item_phase = _ring(item)
            arch.mbarrier_wait(shared.item_full + item_stage, item_phase)
            first = shared.items[0, item_stage]
            size = shared.items[1, item_stage]
            head = shared.items[2, item_stage]
            kblock = shared.items[3, item_stage]
            arch.sync_warp()
            if lane == 0:
                arch.mbarrier_arrive(shared.item_empty + item_stage)
            half = Int32(0)
            if const_expr(self.mode == FAST):
                half = Int32(arch.popc(kblock)) & 1
            slots = _read_slots(operands, first, size, 0)
            for quad in cutlass.range(0, size, 2, unroll=1):
                row, position = slots
                # A tile ahead: the latency passes under this one's wait and copies.
                slots = _read_slots(operands, first, size, quad + 2)
                if const_expr(self.mode != FAST):
                    row = _drop_unflagged(operands, row, head)
                last_key = position - kblock * BLOCK_SIZE
                target = (row * NUM_KV_HEADS + head) * 2 + half
                if row < 0 or last_key < 0:
                    target = Int32(-1)
                    last_key = Int32(BLOCK_SIZE)  # spares the mask
                what = item << _ITEM_SHIFT
                if quad == 0:
                    what |= _FIRST
                if quad + 2 >= size:
                    what |= _LAST
                _tell(shared, tile, what, target, last_key)
                group = tile % _GROUPS
                full = shared.queries_full + group
                if lane == 0:
                    arch.mbarrier_arrive_and_expect_tx(full, _WHOLE_BYTES)
                arch.sync_warp()
                for i in cutlass.range_constexpr(QUERY_CHUNK):
                    # The box of an empty slot is out of range: TMA fills it with zeros, and counts
                    # its bytes.
                    box = arch.shuffle_sync(target, i) >> 1
                    for channels in cutlass.range_constexpr(2):
                        _load_box(boxes, (box, channels), (i, channels, group), full)
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
                group, phase = _ring(tile)
                stage, block_phase = _ring(what >> _ITEM_SHIFT)
                if what & _FIRST != 0:
                    arch.mbarrier_wait(shared.block_full + stage, block_phase)
                arch.mbarrier_wait(shared.queries_full + group, phase)
                mma = _qk()
                queries = shared_operand_a(mma, shared.queries, group)
                keys = shared_operand_b(mma, shared.keys, stage)
                scores = accumulators(mma, _region(tmem, group))
                issue(mma, scores, queries, keys, False)
                commit(shared.scores_full + group)
                commit(shared.queries_empty + group)
            if tile > 0:
                group, phase = _ring(tile - 1)
                stage, _ = _ring(before >> _ITEM_SHIFT)
                if const_expr(self.has_values):
                    arch.mbarrier_wait(shared.sums_empty + group, phase ^ 1)
                wait_tmem(shared.weights_full + group, phase)
                if const_expr(self.has_values):
                    mma = _pv()
                    weights = tmem_operand_a(mma, _region(tmem, group))
                    values = shared_operand_b(mma, shared.values, stage)
                    sums = accumulators(mma, _region(tmem, group) + _OUT_COLUMN)
                    issue(mma, sums, weights, values, False)
                    commit(shared.sums_full + group)
                if before & _LAST != 0:
                    commit(shared.item_empty + stage)
            before = what
            tile += 1

    @cute.jit
    def add_tiles(self, pool: View | None, operands: _Operands, shared: _Shared) -> None:
        """The work of a warp: adds the tiles' outputs to the pools, part after part.

        A part's stage is handed on when the next part is on its way: so two are at a time.
        """
        if const_expr(self.mode == FAST):
            layout = _part_stages()
            boxes = _boxes(pool, (GROUP_HEADS, _SPAN), shared.out, layout)
        tile = Int32(0)
        what = Int32(0)
        while what & _END == 0:
            what = _wait_told(shared, tile)
            if what & _END == 0:
                entry = tile % _TOLD
                for part in cutlass.range_constexpr(self.parts):
                    stage = part % _STAGES
                    use = tile * self.uses + part // _STAGES
                    arch.mbarrier_wait(shared.part_full + stage, use & 1)
                    for slot in cutlass.range_constexpr(QUERY_CHUNK):
                        target = shared.slots[0, slot, entry]
                        if target >= 0:
                            if const_expr(self.mode == FAST):
                                source = boxes.shared[None, slot, stage]
                                cute.copy(boxes.atom, source, boxes.memory[None, target, part])
                            else:
                                _add_integers(operands, shared, target, slot, part)
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
            arch.mbarrier_arrive(shared.part_turn + stage * _GROUPS + group)

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
        arch.mbarrier_wait(shared.part_turn + stage * _GROUPS + group, (turn + group + 1) & 1)
        return shared.out.toint() + stage * _PART_BYTES

    @cute.jit
    def weigh(self, operands: _Operands, shared: _Shared, tmem: cute.Pointer, warp: Int32) -> None:
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
        operands: _Operands,
        shared: _Shared,
        scores: cute.Pointer,
        group: Int32,
        tile: Int32,
    ) -> None:
        """One tile: weights from its scores, and what they sum up to on its way to memory."""
        lane = arch.lane_idx()
        row_of_tile = arch.thread_idx()[0] % TILE
        entry = tile % _TOLD
        _, phase = _ring(tile)
        target = shared.slots[0, row_of_tile // GROUP_HEADS, entry]
        last_key = shared.slots[1, row_of_tile // GROUP_HEADS, entry]
        row = Int64(target >> 1) * GROUP_HEADS + lane % GROUP_HEADS
        sums = scores + _OUT_COLUMN
        reference = Float32(0)
        scale = Float32(0)
        if const_expr(self.mode in (SUM, FIXED)):
            # The latency passes under the product. An empty slot may take any row's.
            at = cutlass.max(row, Int64(0))
            reference = _ordered(vector(operands.references + at)[0]).bitcast(Float32)
            if const_expr(self.mode == FIXED):
                # What makes integers also divides by the sum. Weights are relative to the largest,
                # as in SUM: that one is exact.
                bound = vector(operands.bounds + at // GROUP_HEADS * BOUND_FIELDS)[0]
                total = vector(cute.recast_ptr(operands.sums, dtype=Int32) + at)[0]
                unit = FIXED_ONE / _max(bound, Float32(V_BOUND_FLOOR))
                scale = unit * (SUM_ONE / Float32(total))
        wait_tmem(shared.scores_full + group, phase)
        result = Float32(0)
        # Two versions without branches inside, so that loads pass under the exponentials before.
        if arch.vote_any_sync(last_key < BLOCK_SIZE - 1):
            result, reference = self.reduce(scores, reference, last_key)
        else:
            result, reference = self.reduce(scores, reference, None)
        if const_expr(self.has_values):
            arch.fence_view_async_tmem_store()
        arrive_tmem(shared.weights_full + group)

        if const_expr(self.mode == MAX):
            if target >= 0:
                top = _ordered((result * SCALE_LOG2).bitcast(Int32))
                _add(operands.references + row, top, Int32, "max")
        elif const_expr(self.mode == SUM):
            if target >= 0:
                _add(operands.sums + row, nearest(result * SUM_ONE, Int32), Int32, "add")
        elif const_expr(self.mode == FAST):
            factor = cute.math.exp2(reference, fastmath=True)
            if target >= 0:
                _add(operands.sums + row, result * factor, Float32, "add")
            wait_tmem(shared.sums_full + group, phase)
            if arch.vote_any_sync(last_key < _FEW_KEYS):
                _add_residual(operands, sums, target, last_key < _FEW_KEYS, factor)
            self.round_out(shared, sums, group, tile, factor)
        else:
            wait_tmem(shared.sums_full + group, phase)
            self.scale_out(operands, shared, sums, group, tile, target, scale)

    @cute.jit
    def reduce(
        self, scores: cute.Pointer, reference: Float32, last_key: Int32 | None
    ) -> tuple[Float32, Float32]:
        """The maximum of a row's scores, or the sum of its weights, which it leaves over them.

        `last_key` is None where all keys are visible. Returns the reference of the weights, too.
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
                    fraction = _fraction(_reduce(values, _max))
                    reference = _select(last_key < _FEW_KEYS, fraction, reference)
            if const_expr(self.mode == MAX):
                result = _max(result, _reduce(values, _max))
            else:
                _exponentiate(values, reference)
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
        out = load_rows(sums, _SPAN)
        for part in cutlass.range_constexpr(self.parts):
            arch.fence_view_async_tmem_load()
            words = _round(_scaled(out, factor))
            if const_expr(part + 1 < self.parts):
                out = load_rows(sums + (part + 1) * _SPAN, _SPAN)
            else:
                arrive_tmem(shared.sums_empty + group)
            address = self.wait_turn(shared, part, tile, group)
            address += row * (2 * _SPAN) + row % 8 * 16
            for i in cutlass.range_constexpr(_SPAN // 8):
                _store_shared(address ^ (16 * i), [words[4 * i + j] for j in range(4)])
            arch.fence_view_async_shared()
            arrive(shared.part_full + part % _STAGES)

    @cute.jit
    def scale_out(
        self,
        operands: _Operands,
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
                arrive_tmem(shared.sums_empty + group)
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
                    _store_shared(address + offset, terms)
            arch.fence_view_async_shared()
            arrive(shared.part_full + part % _STAGES)
        # An integer is neither infinity nor NaN: such a row's reference becomes NaN.
        for i in cutlass.range_constexpr(2):
            slot_target = arch.shuffle_sync(target, GROUP_HEADS * i)
            for j in cutlass.range_constexpr(2):
                peak = peaks[j, i]
                for offset in cutlass.range_constexpr(1, 3):
                    peak = _max(peak, arch.shuffle_sync_bfly(peak, offset=offset))
                is_fine = peak * scales[i][j] <= _LARGEST_SUMMAND
                if lane % 4 == 0 and slot_target >= 0 and not is_fine:
                    row = Int64(slot_target >> 1) * GROUP_HEADS + 8 * j + lane // 4
                    _add(operands.references + row, Int32(_NAN_REFERENCE), Int32, "max")


name_kernels(_Forward.attention_forward)


# Views and boxes.


def _swizzled_rows() -> cute.ComposedLayout:
    return tcgen05.make_smem_layout_atom(tcgen05.SmemLayoutAtomKind.K_SW128, BFloat16)


def _rows(count: Int32) -> cute.Layout:
    """Of 128 channels."""
    return cute.make_layout((count, HEAD_DIM), stride=(HEAD_DIM, 1))


def _tile_view(op, pointer: cute.Pointer, layout: cute.Layout, rows: int) -> View:
    """A matrix in boxes of `rows` x half of the channels."""
    box = (rows, _SPAN)
    tile = cute.tile_to_shape(_swizzled_rows(), box, (0, 1))
    matrix = cute.make_tensor(pointer, layout)
    return View(*cpasync.make_tiled_tma_atom(op, matrix, tile, box))


def _boxes(view: View, box, pointer: cute.Pointer, layout: cute.Layout) -> _Boxes:
    """`layout` is that of shared memory, its first two modes those of a box."""
    shared, memory = cpasync.tma_partition(
        view.atom,
        0,
        cute.make_layout(1),
        cute.group_modes(cute.make_tensor(pointer, layout), 0, 2),
        cute.group_modes(cute.local_tile(view.tensor, box, (None,) * cute.rank(view.tensor)), 0, 2),
    )
    return _Boxes(view.atom, memory, shared)


def _stages(rows: int) -> cute.Layout:
    """Tiles in boxes of so many rows: `[rows, channels, box, half, stage]`."""
    return cute.make_layout(
        ((8, rows // 8), _SPAN, TILE // rows, 2, 2),
        stride=((_SPAN, 8 * _SPAN), 1, rows * _SPAN, _HALF, _WHOLE),
    )


def _part_stages() -> cute.Layout:
    """Stages of output, half of a tile each: `[heads, channels, slot, stage]`."""
    return cute.make_layout(
        ((8, GROUP_HEADS // 8), _SPAN, QUERY_CHUNK, _STAGES),
        stride=((_SPAN, 8 * _SPAN), 1, GROUP_HEADS * _SPAN, _HALF),
    )


def _load_box(boxes: _Boxes, source, target, full: cute.Pointer) -> None:
    memory, shared = boxes.memory[(None, *source)], boxes.shared[(None, *target)]
    cute.copy(boxes.atom, memory, shared, tma_bar_ptr=full)


# Barriers.


@cute.jit
def _init_barriers(shared: _Shared) -> None:
    """Who arrives, and what the wait is for.

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
    with arch.elect_one():
        for stage in cutlass.range_constexpr(_STAGES):
            arch.mbarrier_init(shared.item_full + stage, ITEM_FIELDS)
            arch.mbarrier_init(shared.item_empty + stage, 2)
            arch.mbarrier_init(shared.block_full + stage, 1)
            arch.mbarrier_init(shared.part_full + stage, _WARPS)
        for entry in cutlass.range_constexpr(_TOLD):
            arch.mbarrier_init(shared.told + entry, QUERY_CHUNK)
        for group in cutlass.range_constexpr(_GROUPS):
            for barrier in (
                shared.queries_full,
                shared.queries_empty,
                shared.scores_full,
                shared.sums_full,
            ):
                arch.mbarrier_init(barrier + group, 1)
            arch.mbarrier_init(shared.weights_full + group, _WARPS)
            arch.mbarrier_init(shared.sums_empty + group, _WARPS)
        for turn in cutlass.range_constexpr(_STAGES * _GROUPS):
            arch.mbarrier_init(shared.part_turn + turn, 1)


def _ring(count: Int32) -> tuple[Int32, Int32]:
    """Stage and phase of the use number `count` of two stages in turn."""
    return count & 1, (count >> 1) & 1


@cute.jit
def _tell(shared: _Shared, tile: Int32, what: Int32, target: Int32, last_key: Int32) -> None:
    """Tells of a tile, when its queries' stage is free; each of the first lanes has a slot."""
    lane = arch.lane_idx()
    entry = tile % _TOLD
    group, phase = _ring(tile)
    arch.mbarrier_wait(shared.queries_empty + group, phase ^ 1)
    if lane < QUERY_CHUNK:
        shared.slots[0, lane, entry] = target
        shared.slots[1, lane, entry] = last_key
        if lane == 0:
            shared.tiles[entry] = what
        arch.mbarrier_arrive(shared.told + entry)


@cute.jit
def _wait_told(shared: _Shared, tile: Int32) -> Int32:
    """Waits until there is word of a tile, and returns what it is."""
    entry = tile % _TOLD
    arch.mbarrier_wait(shared.told + entry, (tile // _TOLD) & 1)
    return shared.tiles[entry]


@cute.jit
def _read_slots(operands: _Operands, first: Int32, size: Int32, quad: Int32):
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


@cute.jit
def _drop_unflagged(operands: _Operands, row: Int32, head: Int32) -> Int32:
    """The query row of a slot, or -1 if the pass is filtered and the row not flagged."""
    flag = Int32(1)
    if operands.filtered != 0 and row >= 0:
        flag = vector(operands.flags)[row * NUM_KV_HEADS + head]
    if flag == 0:
        row = Int32(-1)
    return row


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


def _exponentiate(scores: cute.Tensor, reference: Float32) -> None:
    """P = exp2(S * scale - reference) in place."""
    scale = Float32(SCALE_LOG2)
    for i in range(0, cute.size(scores), 2):
        pair = arch.fma_packed_f32x2(
            (scores[i], scores[i + 1]), (scale, scale), (-reference, -reference)
        )
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
    return exponent - ptx("cvt.rmi.f32.f32 {$w0}, {$r0};", [Float32], exponent)


def _round(values: cute.Tensor) -> cute.Tensor:
    """The values in bf16, two to a word."""
    rounded = cute.make_rmem_tensor(values.shape, BFloat16)
    rounded.store(values.load().to(BFloat16))
    return cute.recast_tensor(rounded, Int32)


def _select(condition, if_true: Float32, if_false: Float32) -> Float32:
    return Float32(cutlass.select_(condition, if_true, if_false))


def _max(a: Float32, b: Float32) -> Float32:
    """The greater, or NaN if one is."""
    return arch.fmax(a, b, nan=True)


def _max_magnitude(a: Float32, b: Float32) -> Float32:
    """The greater of a magnitude and that of a value, or NaN if one is."""
    return _max(a, _max(b, -b))


def _ordered(bits: Int32) -> Int32:
    """From the bits of a float to an integer of the same order, and back; NaN is the greatest."""
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


# Memory.


def _store_shared(address: Int32, words: list) -> None:
    """Stores 16 bytes."""
    ptx("st.shared.v4.b32 [{$r0}], {{$r1}, {$r2}, {$r3}, {$r4}};", None, address, *words)


def _add(pointer: cute.Pointer, value, dtype: type[cutlass.Numeric], op: str) -> None:
    """Combines a value with one in global memory, which no thread waits for."""
    arch.red(pointer, value, op=op, dtype=dtype, sem="relaxed", scope="gpu")


@cute.jit
def _add_residual(
    operands: _Operands, sums: cute.Pointer, target: Int32, has_few: Boolean, factor: Float32
) -> None:
    """Adds what rounding takes from a row of O to the half of the pool that the rest is not for.

    So few rows have it that they need not be staged for TMA.
    """
    head = arch.lane_idx() % GROUP_HEADS
    row = operands.pool.toint() + (Int64(target ^ 1) * GROUP_HEADS + head) * (2 * HEAD_DIM)
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


def _add_integers(
    operands: _Operands, shared: _Shared, target: Int32, slot: int, part: int
) -> None:
    """Adds a slot's part of a tile in FIXED."""
    source = shared.out.toint() + part % _STAGES * _PART_BYTES + slot * _SLOT_PART_BYTES
    pool = operands.pool.toint() + Int64(target >> 1) * _POOL_BYTES + part * _SLOT_PART_BYTES
    with arch.elect_one():
        bulk_add("s32", pool, source, _SLOT_PART_BYTES)


@cute.jit
def forward(
    mode: Int32,
    q: cute.Pointer,
    k: cute.Pointer,
    v: cute.Pointer,
    pool: cute.Pointer,
    sums: cute.Pointer,
    references: cute.Pointer,
    bounds: cute.Pointer,
    task_qrows: cute.Pointer,
    task_qpos: cute.Pointer,
    items: cute.Pointer,
    control: cute.Pointer,
    counter: cute.Pointer,
    flags: cute.Pointer,
    filtered: Int32,
    num_tokens: Int32,
    num_kblocks: Int32,
    num_sms: Int32,
    stream: cuda.CUstream,
):
    """Walks all items in a mode of the above, and adds to what the buffers hold.

    Args:
        mode: `FAST`, `MAX`, `SUM` or `FIXED`.
        q: bf16 `[T, 64, 128]`, in compact rows.
        k, v: bf16 `[128 * num_kblocks, 4, 128]`, in workspace rows; zeros behind a document's end.
        pool: 8 KB for each (token, head), as at the top; for FAST and FIXED.
        sums: `[T, 64]` of each row's weights; FAST adds in FP32, SUM in int32, FIXED reads those.
        references: int32 `[T, 64]`, each row's `max(q k) * SOFTMAX_SCALE * log2(e)` as an integer
            of the same order (a float's bits, all but the sign inverted if that is set); INT32_MIN
            before the first key. MAX raises them, SUM and FIXED read them.
        bounds: FP32 `[T, 4, BOUND_FIELDS]`, whose first are at least every finite |v| of the key
            blocks that a (token, head) selected; for FIXED.
        task_qrows, task_qpos: int32 `[2 * capacity, 4]`, the compact and the workspace row of each
            query slot of a quad, half of a tile, -1 if it is empty.
        items: int32 `[capacity, 4]`, (first quad, number of quads, head, key block); the first quad
            is even, the number of quads positive.
        control: int32, the first of which is the number of items.
        counter: int32 `[1]`, 0: the next item.
        flags: int32 `[T * 4]`; with `filtered` nonzero, all modes but FAST take the slots of a
            (token, head) whose flag is 0 for empty.
    """
    operands = _Operands(
        pool,
        sums,
        references,
        bounds,
        task_qrows,
        task_qpos,
        items,
        control,
        counter,
        flags,
        filtered,
    )
    if mode == FAST:
        _Forward(FAST)(q, k, v, operands, num_tokens, num_kblocks, num_sms, stream)
    elif mode == MAX:
        _Forward(MAX)(q, k, v, operands, num_tokens, num_kblocks, num_sms, stream)
    elif mode == SUM:
        _Forward(SUM)(q, k, v, operands, num_tokens, num_kblocks, num_sms, stream)
    else:
        _Forward(FIXED)(q, k, v, operands, num_tokens, num_kblocks, num_sms, stream)


def compile_arguments():
    """Stand-ins for the arguments of `forward`."""
    bf16, fp32, int32 = fake_pointer(BFloat16), fake_pointer(Float32), fake_pointer(Int32)
    return (
        (Int32(FAST), bf16, bf16, bf16, bf16, fp32, int32, fp32)
        + (int32,) * 6
        + (Int32(0), Int32(1), Int32(1), Int32(1), make_fake_stream())
    )
