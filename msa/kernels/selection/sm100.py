"""Block selection on Blackwell, fused: scores, block maxima and the best blocks in one kernel.

A tile is 256 rows, the same queries of all heads: of `n` queries, those from row `h n` on are of
head `h`. A persistent CTA, alone on its SM, takes tiles in turns, heavy ones first. Its halves of
128 rows each have a warpgroup, with a row to a thread: the thread reads its row of a block's scores
from tensor memory, takes the maximum, and keeps the row's best 16 in registers. One more warp loads
queries and key blocks, another issues the products; scores have two places in tensor memory for
each half, so that a product runs while those before it are read.

Scores are integers of the same order, so any row has an order, and a tie goes to the lower block,
since blocks come in ascending order. Forced blocks stand in the lists from the beginning, above all
scores. A score is one chain of products whatever else the tile holds, and maxima and lists do not
depend on an order: a row's selection is the same bit for bit whatever its tile has.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync
from cutlass.cute.nvgpu.tcgen05 import OperandSource
from cutlass.memory import SmemAllocator

from msa.kernels.device.pipeline import BarrierTable, Ring, two_stages
from msa.kernels.device.primitives import WARP, name_kernels
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
    tiled_mma,
    wait_tmem,
    warp_lanes,
)
from msa.kernels.device.tiles import SPAN, View, load_box, partition_boxes, swizzled_rows
from msa.kernels.selection.device import (
    Tile,
    Work,
    choose_float,
    elements,
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
    SIGNATURE,  # noqa: F401, of `launch`
    TILE_ROWS,
)
from msa.kernels.selection.tiles import write_unscored_and_make_tiles
from msa.schedule.topology import BLOCK_SIZE, GROUP_COUNTS, INDEX_DIM, TOPK_BLOCKS

_HALVES = TILE_ROWS // TILE
_WARPS = 4  # of a half
_LOAD_WARP, _MMA_WARP = _HALVES * _WARPS, _HALVES * _WARPS + 1
_THREADS = (_MMA_WARP + 1) * WARP
_KEY_STAGES = 3
_QUERY_STAGES = 2
_SCORE_STAGES = 2  # of a half
_CHUNK = 32  # columns of scores at a time
_BOX_ROWS = TILE_ROWS // max(
    GROUP_COUNTS
)  # consecutive queries of one head, however many there are
_WHOLE = TILE * INDEX_DIM  # elements of an operand of a product
_WHOLE_BYTES = 2 * _WHOLE

assert BLOCK_SIZE == INDEX_DIM == TILE
assert _HALVES * _SCORE_STAGES * TILE == TMEM_COLUMNS


class _Barriers(NamedTuple):
    """The mbarriers; see `_BARRIERS`. A commit is one arrival.

    | barrier [number] | arrivals of a phase | waited for by, before |
    |---|---|---|
    | keys_full [stage] | 1 and the bytes of a block | MMA warp: a block's first product |
    | keys_empty [stage] | commit of a block's last product | loading warp: the next block |
    | queries_full [stage] | 1 and the bytes of a tile's rows | MMA warp: a tile's first product |
    | queries_empty [stage] | commit of a tile's last product | loading warp: the next tile |
    | scores_full [half, stage] | commit of a product | the half's 4 warps: read scores |
    | scores_empty [half, stage] | 4 warps that have read | MMA warp: the next product there |
    """

    keys_full: cute.Pointer
    keys_empty: cute.Pointer
    queries_full: cute.Pointer
    queries_empty: cute.Pointer
    scores_full: cute.Pointer

    @property
    def keys(self) -> Ring:
        return Ring(self.keys_full, self.keys_empty)

    @property
    def queries(self) -> Ring:
        return Ring(self.queries_full, self.queries_empty)

    scores_empty: cute.Pointer


_BARRIERS = BarrierTable(
    numbers=_Barriers(
        keys_full=_KEY_STAGES,
        keys_empty=_KEY_STAGES,
        queries_full=_QUERY_STAGES,
        queries_empty=_QUERY_STAGES,
        scores_full=_HALVES * _SCORE_STAGES,
        scores_empty=_HALVES * _SCORE_STAGES,
    ),
    arrivals=_Barriers(
        keys_full=1,
        keys_empty=1,
        queries_full=1,
        queries_empty=1,
        scores_full=1,
        scores_empty=_WARPS,
    ),
)


class _Shared(NamedTuple):
    """Shared memory. Operands are `[stage][half of the channels][128 rows][64]`; of queries a stage
    has two, for the halves of a tile."""

    keys: cute.Pointer
    queries: cute.Pointer
    tmem: cute.Pointer
    barriers: _Barriers


@cute.kernel
def select_blocks(keys: View, queries: View, support: cute.Pointer, work: Work):
    """Gives each warp its role."""
    shared = _allocate()
    warp = arch.make_warp_uniform(arch.warp_idx())
    if warp == _MMA_WARP:
        arch.alloc_tmem(TMEM_COLUMNS, shared.tmem)
        arch.relinquish_tmem_alloc_permit()
    if warp == _LOAD_WARP:
        with arch.elect_one():
            _BARRIERS.init(shared.barriers)
    arch.mbarrier_init_fence()
    fence_before_sync()
    arch.sync_threads()
    fence_after_sync()
    # Tiles are there when the launch before has ended.
    arch.griddepcontrol_wait()
    tmem = arch.retrieve_tmem_ptr(Float32, 16, shared.tmem)
    if warp == _LOAD_WARP:
        _load(keys, queries, shared, work)
    elif warp == _MMA_WARP:
        _multiply(shared, tmem, work)
    else:
        _select(shared, tmem, support, work, warp)
    # No warp reads tensor memory any more.
    fence_before_sync()
    arch.sync_threads()
    if warp == _MMA_WARP:
        fence_after_sync()
        arch.dealloc_tmem(tmem, TMEM_COLUMNS)


name_kernels(select_blocks)


def _allocate() -> _Shared:
    allocator = SmemAllocator()

    def operands(count):
        layout = cute.make_layout(count * _WHOLE)
        return allocator.allocate_tensor(BFloat16, layout, 1024, swizzled_rows().inner).iterator

    return _Shared(
        keys=operands(_KEY_STAGES),
        queries=operands(_QUERY_STAGES * _HALVES),
        tmem=allocator.allocate_array(Int32, 1),
        barriers=_BARRIERS.allocate(allocator),
    )


@cute.jit
def _load(keys: View, queries: View, shared: _Shared, work: Work) -> None:
    """The work of a warp: loads the queries of the tiles, and their key blocks."""
    stage, phase = Int32(0), Int32(0)
    turn = Int32(0)
    while tile_index(turn) < work.count:
        tile = read_tile(work, tile_index(turn))
        _load_queries(queries, shared, work, tile, turn)
        for block in cutlass.range(tile.blocks, unroll=1):
            shared.barriers.keys.acquire(stage, phase)
            full = shared.barriers.keys_full + stage
            with arch.elect_one():
                arch.mbarrier_arrive_and_expect_tx(full, _WHOLE_BYTES)
            row = tile.key_row + (work.init_blocks + block) * BLOCK_SIZE
            boxes = partition_boxes(
                from_row(keys, row), (BLOCK_SIZE, SPAN), shared.keys, _boxes(BLOCK_SIZE)
            )
            for half in cutlass.range_constexpr(2):
                load_box(boxes, (0, half), (0, half, stage), full)
            stage, phase = _next(stage, phase)
        turn += 1
    # The last products arrive here: a CTA must not end before.
    if turn > 0:
        query_stage, query_phase = two_stages(turn - 1)
        arch.mbarrier_wait(shared.barriers.queries_empty + query_stage, query_phase)
        for _ in cutlass.range_constexpr(_KEY_STAGES):
            shared.barriers.keys.acquire(stage, phase)
            stage, phase = _next(stage, phase)


@cute.jit
def _load_queries(queries: View, shared: _Shared, work: Work, tile: Tile, turn: Int32) -> None:
    """Loads the rows of a tile; what comes after its queries is not used."""
    stage, phase = two_stages(turn)
    shared.barriers.queries.acquire(stage, phase)
    full = shared.barriers.queries_full + stage
    with arch.elect_one():
        arch.mbarrier_arrive_and_expect_tx(full, _HALVES * _WHOLE_BYTES)
    for i in cutlass.range(TILE_ROWS // _BOX_ROWS, unroll=1):
        head, query = _row(work, i * _BOX_ROWS)
        boxes = partition_boxes(
            from_row(queries, tile.query_row + query),
            (_BOX_ROWS, SPAN),
            shared.queries,
            _boxes(_BOX_ROWS),
        )
        boxes_of_half = TILE // _BOX_ROWS
        operand = stage * _HALVES + i // boxes_of_half
        for half in cutlass.range_constexpr(2):
            load_box(boxes, (0, half, head), (i % boxes_of_half, half, operand), full)


@cute.jit
def _multiply(shared: _Shared, tmem: cute.Pointer, work: Work) -> None:
    """The work of a warp: issues the products."""
    mma = tiled_mma(OperandMajorMode.K, OperandMajorMode.K, OperandSource.SMEM)
    stage, phase = Int32(0), Int32(0)
    count = Int32(0)  # of blocks
    turn = Int32(0)
    while tile_index(turn) < work.count:
        query_stage, query_phase = two_stages(turn)
        shared.barriers.queries.wait(query_stage, query_phase)
        for _ in cutlass.range(read_tile(work, tile_index(turn)).blocks, unroll=1):
            shared.barriers.keys.wait(stage, phase)
            b = shared_operand_b(mma, shared.keys, stage)
            score_stage, score_phase = two_stages(count)
            for half in cutlass.range_constexpr(_HALVES):
                place = half * _SCORE_STAGES + score_stage
                wait_tmem(shared.barriers.scores_empty + place, score_phase ^ 1)
                a = shared_operand_a(mma, shared.queries, query_stage * _HALVES + half)
                issue(mma, accumulators(mma, _scores(tmem, place)), a, b, False)
                commit(shared.barriers.scores_full + place)
            commit(shared.barriers.keys_empty + stage)
            stage, phase = _next(stage, phase)
            count += 1
        commit(shared.barriers.queries_empty + query_stage)
        turn += 1


@cute.jit
def _select(
    shared: _Shared, tmem: cute.Pointer, support: cute.Pointer, work: Work, warp: Int32
) -> None:
    """The work of two warpgroups: the best blocks of a row to each thread."""
    half = warp // _WARPS
    head, query = _row(work, warp * WARP + arch.lane_idx())
    scores = cute.make_rmem_tensor(TOPK_BLOCKS, Int32)
    ids = cute.make_rmem_tensor(TOPK_BLOCKS, Int32)
    count = Int32(0)
    turn = Int32(0)
    while tile_index(turn) < work.count:
        tile = read_tile(work, tile_index(turn))
        position = tile.position + query
        own = position // BLOCK_SIZE
        for i in cutlass.range_constexpr(TOPK_BLOCKS):
            scores[i], ids[i] = initial_entry(work, own, Int32(i))
        first = work.init_blocks
        for block in cutlass.range(first, first + tile.blocks, unroll=1):
            stage, phase = two_stages(count)
            place = half * _SCORE_STAGES + stage
            # No key of a forced block, which others of the tile score: hidden whole, it stands
            # behind so many blocks that are not that no list takes it.
            last_key = position - block * BLOCK_SIZE
            if work.local_blocks > 0 and block > own - work.local_blocks:
                last_key = Int32(-1)
            wait_tmem(shared.barriers.scores_full + place, phase)
            top = _read_maximum(
                warp_lanes(_scores(tmem, place), warp),
                shared.barriers.scores_empty + place,
                last_key,
            )
            score = ordered(top)
            if arch.vote_any_sync(score > scores[TOPK_BLOCKS - 1]):
                insert(scores, ids, score, block, score)
            count += 1
        if query < tile.queries:
            row = support_row(support, work, head, tile.query_row + query)
            blocks = [ids[i] for i in range(TOPK_BLOCKS)]
            for i in cutlass.range_constexpr(TOPK_BLOCKS):
                row[rank(blocks[i], blocks)] = blocks[i]
        turn += 1


@cute.jit
def _read_maximum(scores: cute.Pointer, empty: cute.Pointer, last_key: Int32) -> Float32:
    """The largest of a thread's row of scores up to a key; arrives at `empty` when it is read."""
    chunks = BLOCK_SIZE // _CHUNK
    is_masked = arch.vote_any_sync(last_key < BLOCK_SIZE - 1)
    top = Float32(-Float32.inf)
    chunk = load_rows(scores, _CHUNK)
    for i in cutlass.range_constexpr(chunks):
        arch.fence_view_async_tmem_load()
        values = chunk
        if cutlass.const_expr(i + 1 < chunks):
            chunk = load_rows(scores + (i + 1) * _CHUNK, _CHUNK)
        else:
            arrive_tmem(empty)
        if is_masked:
            for j in cutlass.range_constexpr(_CHUNK):
                values[j] = choose_float(i * _CHUNK + j > last_key, -Float32.inf, values[j])
        top = maximum(top, _reduce(values))
    return top


def _reduce(values: cute.Tensor) -> Float32:
    """The maximum, in four chains that do not wait for each other."""
    chains = [values[i] for i in range(4)]
    for i in range(4, cute.size(values)):
        chains[i % 4] = maximum(chains[i % 4], values[i])
    return maximum(maximum(chains[0], chains[1]), maximum(chains[2], chains[3]))


def _row(work: Work, row: Int32) -> tuple:
    """Head and query of a row of a tile."""
    # Queries of a whole tile are a power of two, as heads are.
    bits = TILE_ROWS.bit_length() - 1 - work.head_bits
    return row >> bits, row & ((Int32(1) << bits) - 1)


def _scores(tmem: cute.Pointer, place: Int32) -> cute.Pointer:
    """The columns of tensor memory of a product."""
    return tmem + cute.assume(place * TILE, divby=TILE)


def _next(stage: Int32, phase: Int32) -> tuple:
    """The next use of the key stages."""
    stage += 1
    is_first = stage == _KEY_STAGES
    return (
        Int32(cutlass.select_(is_first, 0, stage)),
        Int32(cutlass.select_(is_first, phase ^ 1, phase)),
    )


def _boxes(rows: int) -> cute.Layout:
    """Operands in boxes of so many rows: `[rows, channels, box, half of the channels, operand]`."""
    return cute.make_layout(
        ((8, rows // 8), SPAN, TILE // rows, 2, _QUERY_STAGES * _HALVES),
        stride=((SPAN, 8 * SPAN), 1, rows * SPAN, TILE * SPAN, _WHOLE),
    )


def _view(pointer: cute.Pointer, layout: cute.Layout, rows: int) -> View:
    """A matrix in boxes of so many rows and half of the channels."""
    box = (rows, SPAN)
    tile = cute.tile_to_shape(swizzled_rows(), box, (0, 1))
    load = cpasync.CopyBulkTensorTileG2SOp()
    return View(*cpasync.make_tiled_tma_atom(load, cute.make_tensor(pointer, layout), tile, box))


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
        Int32(0),
        stream,
    )
    if ctas > 0:
        keys = _view(index_k, rows_layout(tokens, key_stride), BLOCK_SIZE)
        layout = cute.make_layout(
            (tokens, INDEX_DIM, heads), stride=(elements(query_stride), 1, elements(head_stride))
        )
        queries = _view(index_q, layout, _BOX_ROWS)
        work = Work(tiles, tokens, heads, init_blocks, local_blocks)
        select_blocks(keys, queries, support, work).launch(
            grid=[ctas, 1, 1],
            block=[_THREADS, 1, 1],
            stream=stream,
            min_blocks_per_mp=1,
            use_pdl=True,
        )
