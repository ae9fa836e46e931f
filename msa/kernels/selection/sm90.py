"""Block selection on Hopper, fused: scores, block maxima and the best blocks in one kernel.

A tile is 256 rows, the same queries of all heads: of `n` queries, those from row `h n` on are of
head `h`. A persistent CTA, alone on its SM, takes tiles in turns, heavy ones first. It has four
warpgroups of 64 rows and no loader: 128 registers a thread are 32 of Q, the A operand for a tile's
whole walk over its key blocks, and 64 accumulators. TMA brings the blocks through a ring; the last
warp that is done with a stage fills it again. Where there are few tiles they are of 128 rows: two
warpgroups take the first half of the key blocks, two the second.

Best blocks: lanes 4r + {0, 1} and 4r + {2, 3} of a warp both know the maximum of a row. One that
exceeds the row's threshold, its 16th best as of the last merge, goes to a buffer in shared memory.
Once a row of the warp has filled its buffer the warp merges: the first lane of a row holds its best
8, the second its next 8, and a candidate runs through both, one step apart. Scores are integers of
the same order, so any row has an order, and a tie goes to the lower block, since blocks come in
ascending order. Forced blocks stand in the lists from the beginning, above all scores.

A score is one chain of eight products of 16 channels, whatever else the tile holds, and maxima and
lists do not depend on an order: a row's selection is the same bit for bit whatever its tile has.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Boolean, Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from cutlass.cute.nvgpu.warpgroup import OperandSource
from cutlass.memory import SmemAllocator
from cutlass.utils import LayoutEnum, hopper_helpers

from msa.kernels.device.primitives import WARP, name_kernels
from msa.kernels.device.sm90 import MMA_ROWS, issue, reduce_columns, reduce_lanes, tiled_mma
from msa.kernels.device.tiles import View
from msa.kernels.selection.device import (
    NO_BLOCK,
    NO_SCORE,
    Tile,
    Work,
    choose,
    choose_float,
    from_row,
    initial_entry,
    insert,
    maximum,
    ordered,
    rank,
    read_tile,
    rows_layout,
    support_row,
    tile_index,
)
from msa.kernels.selection.interface import (
    FEW_TILES_PER_CTA,
    HALF_TILE_ROWS,
    SIGNATURE,  # noqa: F401, of `launch`
    STRIDE_UNIT,
    TILE_ROWS,
)
from msa.kernels.selection.tiles import write_unscored_and_make_tiles
from msa.schedule.topology import BLOCK_SIZE, INDEX_DIM, TOPK_BLOCKS

_GROUPS = TILE_ROWS // MMA_ROWS  # warpgroups
_WARPS = 4  # of a warpgroup
_WARP_ROWS = MMA_ROWS // _WARPS
_THREADS = _GROUPS * _WARPS * WARP
_STAGES = 4
_BLOCK_BYTES = 2 * BLOCK_SIZE * INDEX_DIM
_CANDIDATES = 16  # of a row's buffer; with 8 more merges cost 2 % more than fresher thresholds save
_HALF = TOPK_BLOCKS // 2  # of a list, a lane's
_DISPLACED_BIT = 24  # above all ids, of what an upper half displaced
_JOIN_BARRIER = 1  # the first of one for each warpgroup of a tile of half as many rows


class _Queries(NamedTuple):
    """index_q, in words of two elements, and its strides in 16 bytes."""

    words: cute.Pointer
    query_stride: Int32
    head_stride: Int32


class _Ring(NamedTuple):
    """The stages of key blocks, their barriers, and how often a warp was done with each."""

    keys: View
    stages: cute.Tensor
    full: cute.Pointer
    users: cute.Pointer


class _Lists(NamedTuple):
    """A warp's part of shared memory.

    Attributes:
        candidates: `[(score, id), row, n]`.
        scores, ids: of the lists, `[4, lane, 2]`: a lane's 8 entries.
    """

    candidates: cute.Tensor
    scores: cute.Tensor
    ids: cute.Tensor


class _Kept(NamedTuple):
    """What a warp keeps in shared memory, since registers are scarce in its loops.

    Attributes:
        head: of its rows, which are consecutive queries of one head.
        query: of its first row, from the tile's first on.
        turn: whose tile it is.
        done: key blocks of the turns before.
        key_row: of the tile, see there.
        blocks: of the tile.
        first: the first block of the warp's part.
        last: the last block that needs no mask.
    """

    head: Int32
    query: Int32
    turn: Int32
    done: Int32
    key_row: Int32
    blocks: Int32
    first: Int32
    last: Int32


@cute.kernel
def select_blocks(keys: View, queries: _Queries, support: cute.Pointer, work: Work):
    """Sets up the ring; how tiles are cut decides which of two walks it is."""
    allocator = SmemAllocator()
    full = allocator.allocate_array(Int64, _STAGES)
    users = allocator.allocate_array(Int32, _STAGES)
    layout = _key_stages()
    stages = allocator.allocate_tensor(BFloat16, layout.outer, 1024, layout.inner)
    warps = _GROUPS * _WARPS
    candidates = allocator.allocate_tensor(
        Int32, cute.make_layout((2, _WARP_ROWS, _CANDIDATES, warps)), 16
    )
    lists = allocator.allocate_tensor(Int32, cute.make_layout((4, WARP, 2, 2, warps)), 16)
    kept = allocator.allocate_tensor(Int32, cute.make_layout((len(_Kept._fields), warps)), 16)
    if arch.thread_idx()[0] == 0:
        for stage in cutlass.range_constexpr(_STAGES):
            arch.mbarrier_init(full + stage, 1)
            cute.make_tensor(users + stage, cute.make_layout(1))[0] = Int32(0)
    arch.mbarrier_init_fence()
    arch.sync_threads()
    # Tiles are there when the launch before has ended.
    arch.griddepcontrol_wait()
    ring = _Ring(keys, stages, full, users)
    if work.rows == TILE_ROWS:
        _Walk(parts=1).run(ring, candidates, lists, kept, queries, support, work)
    else:
        _Walk(parts=2).run(ring, candidates, lists, kept, queries, support, work)


name_kernels(select_blocks)


class _Walk:
    """A CTA's way through its tiles. Of two `parts` each takes half of a tile's key blocks."""

    def __init__(self, parts: int):
        self.parts = parts
        self.part_warps = _GROUPS * _WARPS // parts
        self.rows = TILE_ROWS // parts

    @cute.jit
    def run(
        self,
        ring: _Ring,
        candidates: cute.Tensor,
        lists: cute.Tensor,
        kept: cute.Tensor,
        queries: _Queries,
        support: cute.Pointer,
        work: Work,
    ) -> None:
        """The work of a warp: its rows of the CTA's tiles, and its turns to fill the ring."""
        warp = arch.make_warp_uniform(arch.warp_idx())
        part, part_warp = Int32(0), warp
        if const_expr(self.parts == 2):
            part, part_warp = warp // self.part_warps, warp % self.part_warps
        mine = _Lists(
            candidates[None, None, None, warp],
            lists[None, None, None, 0, warp],
            lists[None, None, None, 1, warp],
        )
        kept = kept[None, warp]
        # Of the warp with the same rows in the first part.
        joined = candidates[None, None, None, part_warp]
        if warp == 0 and tile_index(Int32(0)) < work.count:
            tile = read_tile(work, tile_index(Int32(0)))
            for stage in cutlass.range_constexpr(_STAGES):
                slot = Int32(stage)
                self.load(ring, work, Int32(0), tile.key_row, tile.blocks, slot, Int32(stage))

        mma = _mma()
        thread = mma.get_slice(0)
        b = thread.make_fragment_B(thread.partition_B(ring.stages))
        a = cute.make_rmem_tensor(mma.partition_shape_A((MMA_ROWS, INDEX_DIM)), BFloat16)
        scores = cute.make_rmem_tensor(mma.partition_shape_C((MMA_ROWS, BLOCK_SIZE)), Float32)
        last_user = self.part_warps - 1
        head, query = self.rows_of(work, part_warp)
        _keep(kept, _Kept(head, query, *[Int32(0)] * (len(_Kept._fields) - 2)))
        done = Int32(0)  # blocks of the turns before
        turn = Int32(0)
        while tile_index(turn) < work.count:
            tile = read_tile(work, tile_index(turn))
            head, query = _kept(kept).head, _kept(kept).query
            own = (tile.position + query) // BLOCK_SIZE
            first, end = self.blocks_of(work, tile.blocks, part)
            _load_queries(queries, tile, head, query, a)
            _clear(mine, work, own, part == 0)
            last = own - cutlass.max(work.local_blocks, 1)
            _keep(kept, _Kept(head, query, turn, done, tile.key_row, tile.blocks, first, last))
            use = done + part
            threshold = Int32(NO_SCORE)
            found = Int32(0)
            tops = (Float32(0), Float32(0))
            for block in cutlass.range(first, end, unroll=1):
                stage, phase = _stage(use)
                has_before = block > _kept(kept).first
                is_masked = block > _kept(kept).last
                arch.mbarrier_wait(ring.full + stage, phase)
                issue(mma, scores, a, b[None, None, None, stage], False)
                # Below the products: the block before.
                threshold, found = self.take(mine, tops, block - 1, has_before, threshold, found)
                warpgroup.wait_group(0)
                uses = Int32(0)
                if arch.lane_idx() == 0:
                    uses = arch.atomic_add(ring.users + stage, Int32(1), sem="acq_rel", scope="cta")
                if is_masked:
                    _mask(scores, self.last_key(work, _kept(kept), block))
                tops = reduce_columns(scores, maximum)
                # The last warp that is done with a stage fills it again.
                if arch.shuffle_sync(uses, 0) & last_user == last_user:
                    now = _kept(kept)
                    slot = use - now.done + _STAGES
                    self.load(ring, work, now.turn, now.key_row, now.blocks, slot, stage)
                use += self.parts
            now = _kept(kept)
            turn, done = now.turn, now.done + now.blocks
            first, end = self.blocks_of(work, now.blocks, part)
            threshold, found = self.take(mine, tops, end - 1, end > first, threshold, found)
            _finish(mine, found)
            if const_expr(self.parts == 2):
                self.join(mine, joined, part, part_warp)
            if part == 0:
                tile = read_tile(work, tile_index(turn))
                _write(mine, support, work, tile, now.head, now.query)
            turn += 1

    @cute.jit
    def blocks_of(self, work: Work, blocks: Int32, part: Int32) -> tuple:
        """Of a tile's key blocks the first of a part, and the one after its last."""
        first = work.init_blocks
        end = first + blocks
        if const_expr(self.parts == 2):
            middle = first + _first_half(blocks)
            first, end = choose(part == 0, first, middle), choose(part == 0, middle, end)
        return first, end

    def rows_of(self, work: Work, part_warp: Int32) -> tuple:
        """Head and first query of the rows of a tile that belong to a warp of a part."""
        row = part_warp * _WARP_ROWS
        # Queries of a whole tile are a power of two, as heads are.
        bits = self.rows.bit_length() - 1 - work.head_bits
        return row >> bits, row & ((Int32(1) << bits) - 1)

    @cute.jit
    def last_key(self, work: Work, kept: _Kept, block: Int32) -> Int32:
        """The last key of a block that the first row of a warp sees.

        None of a forced block, which others of the tile score: hidden whole, it stands behind so
        many blocks that are not that no list takes it.
        """
        last_key = Int32(-BLOCK_SIZE)
        if work.local_blocks == 0:
            tile = read_tile(work, tile_index(kept.turn))
            last_key = tile.position + kept.query - block * BLOCK_SIZE
        return last_key

    @cute.jit
    def load(
        self,
        ring: _Ring,
        work: Work,
        turn: Int32,
        key_row: Int32,
        blocks: Int32,
        slot: Int32,
        stage: Int32,
    ) -> None:
        """Loads block number `slot` from the beginning of a turn on, if there is one.

        `key_row` and `blocks` are the tile's of the turn.
        """
        is_there = slot < blocks
        if not is_there:
            count = work.count
            index = tile_index(turn)
            while index < count and slot >= blocks:
                slot -= blocks
                turn += 1
                index = tile_index(turn)
                if index < count:
                    tile = read_tile(work, index)
                    key_row, blocks = tile.key_row, tile.blocks
            is_there = index < count
        if is_there:
            full = ring.full + stage
            if arch.lane_idx() == 0:
                arch.mbarrier_arrive_and_expect_tx(full, _BLOCK_BYTES)
            arch.sync_warp()
            if const_expr(self.parts == 2):
                slot = slot // 2 + slot % 2 * _first_half(blocks)
            row = key_row + (work.init_blocks + slot) * BLOCK_SIZE
            rows = from_row(ring.keys, row).tensor
            block = cute.local_tile(rows, (BLOCK_SIZE, INDEX_DIM), (0, 0))
            near, far = cpasync.tma_partition(
                ring.keys.atom,
                0,
                cute.make_layout(1),
                cute.group_modes(ring.stages, 0, 2),
                cute.group_modes(block, 0, 2),
            )
            cute.copy(ring.keys.atom, far, near[None, stage], tma_bar_ptr=full)

    @cute.jit
    def take(
        self,
        lists: _Lists,
        tops: tuple,
        block: Int32,
        is_scored: Boolean,
        threshold: Int32,
        found: Int32,
    ) -> tuple:
        """Keeps the maxima of a block that may be among the best; merges when a buffer is full."""
        score = ordered(reduce_lanes(tops, maximum))
        if score > threshold and is_scored:
            if arch.lane_idx() % 4 < 2:
                pair = cute.make_rmem_tensor(2, Int32)
                pair[0] = score
                pair[1] = block
                cute.autovec_copy(pair, lists.candidates[None, _row(), found])
            found += 1
        if arch.vote_any_sync(found == _CANDIDATES):
            threshold = _merge(lists, found, _CANDIDATES)
            found = Int32(0)
        return threshold, found

    @cute.jit
    def join(self, lists: _Lists, joined: cute.Tensor, part: Int32, part_warp: Int32) -> None:
        """The second part's best become candidates of the first: their ids are higher, as they must
        be."""
        lane = arch.lane_idx()
        group = part_warp // _WARPS
        threads = self.parts * _WARPS * WARP
        arch.barrier(barrier_id=_JOIN_BARRIER + group, number_of_threads=threads)
        if part == 1:
            for i in cutlass.range_constexpr(_HALF):
                pair = cute.make_rmem_tensor(2, Int32)
                pair[0] = lists.scores[i % 4, lane, i // 4]
                pair[1] = lists.ids[i % 4, lane, i // 4]
                cute.autovec_copy(pair, joined[None, _row(), lane // 2 % 2 * _HALF + i])
        arch.barrier(barrier_id=_JOIN_BARRIER + group, number_of_threads=threads)
        if part == 0:
            _merge(lists, Int32(TOPK_BLOCKS), TOPK_BLOCKS)


assert HALF_TILE_ROWS == TILE_ROWS // 2
assert _CANDIDATES >= TOPK_BLOCKS  # of the other part


# Rows.


def _row() -> Int32:
    """The row of the warp's whose maximum, or half of whose list, this lane has."""
    lane = arch.lane_idx()
    return lane // 4 + lane % 2 * 8


@cute.jit
def _load_queries(queries: _Queries, tile: Tile, head: Int32, first: Int32, a: cute.Tensor) -> None:
    """Loads a warp's rows as the A operand; those past the last query are copies of it."""
    lane = arch.lane_idx()
    words = cute.recast_tensor(cute.make_tensor(a.iterator, cute.make_layout(cute.size(a))), Int32)
    unit = STRIDE_UNIT // 2  # words
    for i in cutlass.range_constexpr(2):
        query = cutlass.min(first + lane // 4 + i * 8, tile.queries - 1)
        at = Int64(tile.query_row + query) * queries.query_stride
        at += Int64(head) * queries.head_stride
        source = cute.make_tensor(
            queries.words + (at * unit + lane % 4),
            cute.make_layout((2, INDEX_DIM // 16), stride=(4, 8)),
        )
        for j in cutlass.range_constexpr(INDEX_DIM // 8):
            words[i + 2 * j] = source[j % 2, j // 2]


@cute.jit
def _mask(scores: cute.Tensor, last_key: Int32) -> None:
    """Hides the keys of a block past `last_key`, that of the first row, and one more a row."""
    lane = arch.lane_idx()
    for i in cutlass.range_constexpr(cute.size(scores)):
        last = last_key + lane // 4 + i // 2 % 2 * 8 - lane % 4 * 2
        scores[i] = choose_float(i // 4 * 8 + i % 2 > last, -Float32.inf, scores[i])


@cute.jit
def _write(
    lists: _Lists, support: cute.Pointer, work: Work, tile: Tile, head: Int32, first: Int32
) -> None:
    """Writes the ids of the lists in ascending order."""
    lane = arch.lane_idx()
    ids = [lists.ids[i % 4, lane, i // 4] for i in range(_HALF)]
    others = [arch.shuffle_sync_bfly(x, offset=2) for x in ids]
    query = first + _row()
    if query < tile.queries:
        row = support_row(support, work, head, tile.query_row + query)
        for i in cutlass.range_constexpr(_HALF):
            row[rank(ids[i], ids + others)] = ids[i]


# Lists.


@cute.jit
def _clear(lists: _Lists, work: Work, own: Int32, has_forced: Boolean) -> None:
    """Leaves forced blocks alone in the lists, or nothing."""
    lane = arch.lane_idx()
    for i in cutlass.range_constexpr(_HALF):
        score, block = initial_entry(work, own, lane // 2 % 2 * _HALF + i)
        lists.scores[i % 4, lane, i // 4] = choose(has_forced, score, NO_SCORE)
        lists.ids[i % 4, lane, i // 4] = choose(has_forced, block, NO_BLOCK)


@cute.jit
def _finish(lists: _Lists, found: Int32) -> None:
    """The last merge, of buffers that are seldom full."""
    if arch.vote_any_sync(found > _CANDIDATES // 2):
        _merge(lists, found, _CANDIDATES)
    else:
        _merge(lists, found, _CANDIDATES // 2)


@cute.jit
def _merge(lists: _Lists, found: Int32, most: cutlass.Constexpr[int]) -> Int32:
    """Empties buffers of at most `most` candidates into the lists; returns the new thresholds."""
    lane = arch.lane_idx()
    row = _row()
    upper = lane % 4 < 2
    scores = cute.make_rmem_tensor((4, 2), Int32)
    ids = cute.make_rmem_tensor((4, 2), Int32)
    for half in cutlass.range_constexpr(2):
        cute.autovec_copy(lists.scores[None, lane, half], scores[None, half])
        cute.autovec_copy(lists.ids[None, lane, half], ids[None, half])
    arch.sync_warp()
    score, word = Int32(NO_SCORE), Int32(NO_BLOCK)
    for n in cutlass.range_constexpr(most + 1):
        if const_expr(n > 0):
            score = arch.shuffle_sync_bfly(score, offset=2)
            word = arch.shuffle_sync_bfly(word, offset=2)
        score = choose(upper, Int32(NO_SCORE), score)
        if const_expr(n < most):
            pair = cute.make_rmem_tensor(2, Int32)
            cute.autovec_copy(lists.candidates[None, row, n], pair)
            score = choose(upper and n < found, pair[0], score)
            word = choose(upper, pair[1] & NO_BLOCK, word)
        # What an upper half displaced is older than equals in the lower half: it comes first.
        key = score + (word >> _DISPLACED_BIT)
        score, word = insert(scores, ids, score, word & NO_BLOCK, key, 1 << _DISPLACED_BIT)
    for half in cutlass.range_constexpr(2):
        cute.autovec_copy(scores[None, half], lists.scores[None, lane, half])
        cute.autovec_copy(ids[None, half], lists.ids[None, lane, half])
    arch.sync_warp()
    return arch.shuffle_sync(scores[_HALF - 1], lane | 2)


# What is kept.


@cute.jit
def _keep(words: cute.Tensor, kept: _Kept) -> None:
    # All lanes, of one value each, when all have read what was there before.
    arch.sync_warp()
    for i in cutlass.range_constexpr(len(kept)):
        words[i] = kept[i]
    arch.sync_warp()


def _kept(words: cute.Tensor) -> _Kept:
    return _Kept(*(words[i] for i in range(len(_Kept._fields))))


# The ring.


def _stage(use: Int32) -> tuple:
    """Stage and phase of a use of the ring."""
    return use & (_STAGES - 1), (use >> (_STAGES.bit_length() - 1)) & 1


def _first_half(blocks: Int32) -> Int32:
    """How many of a tile's key blocks the first of two parts takes."""
    return (blocks + 1) // 2


def _key_stages() -> cute.ComposedLayout:
    shape = (MMA_ROWS, BLOCK_SIZE, INDEX_DIM)
    return hopper_helpers.make_smem_layout_b(LayoutEnum.ROW_MAJOR, shape, BFloat16, _STAGES)


def _mma() -> cute.TiledMma:
    return tiled_mma(BLOCK_SIZE, OperandMajorMode.K, OperandMajorMode.K, OperandSource.RMEM)


@cute.jit
def launch(
    index_q: cute.Pointer,
    index_k: cute.Pointer,
    cu_seqlens: cute.Pointer,
    tiles: cute.Pointer,
    support: cute.Pointer,
    offsets: Int32,
    tokens: Int32,
    heads: Int32,
    query_stride: Int32,
    head_stride: Int32,
    key_stride: Int32,
    init_blocks: Int32,
    local_blocks: Int32,
    ctas: Int32,
    stream: cuda.CUstream,
):
    """Selects blocks; arguments are those of `SIGNATURE`."""
    write_unscored_and_make_tiles(
        cu_seqlens,
        tiles,
        support,
        offsets,
        tokens,
        heads,
        init_blocks,
        local_blocks,
        Int32(ctas * FEW_TILES_PER_CTA),
        stream,
    )
    if ctas > 0:
        matrix = cute.make_tensor(index_k, rows_layout(tokens, key_stride))
        stage = cute.slice_(_key_stages(), (None, None, 0))
        load = cpasync.CopyBulkTensorTileG2SOp()
        keys = View(*cpasync.make_tiled_tma_atom(load, matrix, stage, (BLOCK_SIZE, INDEX_DIM)))
        queries = _Queries(cute.recast_ptr(index_q, dtype=Int32), query_stride, head_stride)
        work = Work(tiles, tokens, heads, init_blocks, local_blocks)
        select_blocks(keys, queries, support, work).launch(
            grid=[ctas, 1, 1],
            block=[_THREADS, 1, 1],
            stream=stream,
            min_blocks_per_mp=1,
            use_pdl=True,
        )
