"""Shared memory of the index loss on Blackwell: layout, barriers, and the warps that fill it."""

from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32, Int64
from cutlass.cute import arch
from cutlass.memory import SmemAllocator

from msa.kernels.device.instructions import ptx
from msa.kernels.device.pipeline import BarrierTable, Ring, next_use, two_stages
from msa.kernels.device.primitives import WARP
from msa.kernels.device.sm100 import TILE, arrive
from msa.kernels.device.tiles import (
    SPAN,
    Boxes,
    View,
    load_box,
    partition_boxes,
    swizzled_rows,
)
from msa.kernels.index_kl.chunk import allocate_chunks
from msa.kernels.index_kl.interface import (
    CHUNK_QUADS,
    CHUNK_QUERIES,
)
from msa.kernels.index_kl.student import (
    Chunks,
    Items,
)
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
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM, INDEX_DIM

_TILE_QUADS = 2
_SLOTS = _TILE_QUADS * QUAD_SLOTS
assert _SLOTS * GROUP_HEADS == BLOCK_SIZE == HEAD_DIM == INDEX_DIM == TILE
HALVES = 2  # of a tile's queries, a warpgroup each
ROWS = QUAD_SLOTS * GROUP_HEADS  # of a half
PLACES = CHUNK_QUERIES // HALVES  # of a chunk, a half's
assert CHUNK_QUADS % _TILE_QUADS == 0 and PLACES == WARP  # a lane adds the divergence of one

SCORE_STAGES = 2

COMPUTE_WARPS = 4 * HALVES
REDUCE_WARPS = 4

STAGES = 3  # of Q
# Tiles whose bases are there: those loaded, and those averaged, up to two after the products.
BASES = STAGES + SCORE_STAGES + 1
_WHOLE = TILE * TILE  # elements of K, or of a stage of Q
_HALF = TILE * SPAN
_WHOLE_BYTES = 2 * _WHOLE
SLOT_BASE_BYTES = 4 * GROUP_HEADS
BASE_BYTES = _SLOTS * SLOT_BASE_BYTES


class Views(NamedTuple):
    """Queries in boxes of a row, its 16 heads; keys in boxes of a block. Half of the channels."""

    queries: View
    keys: View
    index_keys: View


class _Barriers(NamedTuple):
    """The mbarriers; see `barrier_table`."""

    items_full: cute.Pointer
    items_empty: cute.Pointer
    keys_full: cute.Pointer
    keys_empty: cute.Pointer
    queries_full: cute.Pointer
    queries_empty: cute.Pointer
    bases_full: cute.Pointer
    scores_full: cute.Pointer
    scores_empty: cute.Pointer
    chunk_full: cute.Pointer
    chunk_empty: cute.Pointer
    logits_full: cute.Pointer
    logits_empty: cute.Pointer
    grads_full: cute.Pointer
    sums_full: cute.Pointer

    @property
    def queries(self) -> Ring:
        return Ring(self.queries_full, self.queries_empty)

    dk_empty: cute.Pointer


class Shared(NamedTuple):
    """Shared memory.

    Attributes:
        keys: bf16 `[half of the channels][128 keys][64]`.
        queries: bf16 `[stage][half][128 rows][64]`.
        bases: FP32 `[tile % BASES, slot, head in the order of BASE_ORDER]`.
        grads: D, bf16 `[128 keys][64 queries]`.
        items, chunks: those of the student.
        tmem: where the address of tensor memory is written.
    """

    keys: cute.Pointer
    queries: cute.Pointer
    bases: cute.Pointer
    grads: cute.Pointer
    items: Items
    chunks: Chunks
    tmem: cute.Pointer
    barriers: _Barriers


def allocate(table: BarrierTable) -> Shared:
    """Takes all shared memory, barriers not yet initialized."""
    allocator = SmemAllocator()

    def tile(elements):
        layout, swizzle = cute.make_layout(elements), swizzled_rows().inner
        return allocator.allocate_tensor(BFloat16, layout, 1024, swizzle).iterator

    def array(dtype, *shape):
        return allocator.allocate_tensor(dtype, cute.make_layout(shape), 16)

    keys, queries = tile(_WHOLE), tile(STAGES * _WHOLE)
    grads = tile(BLOCK_SIZE * CHUNK_QUERIES)
    chunk = allocate_chunks(allocator, 1)
    barriers = table.allocate(allocator)
    return Shared(
        keys=keys,
        queries=queries,
        bases=array(Float32, BASES * _SLOTS * GROUP_HEADS).iterator,
        grads=grads,
        items=Items(array(Int32, FIELDS, 2), barriers.items_full, barriers.items_empty),
        chunks=Chunks(
            chunk,
            words=array(Int32, 4),
            maxima=array(Float32, CHUNK_QUERIES),
            shifts=array(Float32, CHUNK_QUERIES),
            scales=array(Float32, 2),
            full=barriers.chunk_full,
            empty=barriers.chunk_empty,
        ),
        tmem=allocator.allocate_array(Int32, 1),
        barriers=barriers,
    )


def barrier_table(gradients: bool) -> BarrierTable:
    """The barriers, where gradients are asked for or not.

    | barrier | arrivals of a phase | waits | what it guards |
    |---|---|---|---|
    | items_full [2] | item warp | load, chunk, MMA, compute | an item's fields |
    | items_empty [2] | 32 lanes of the chunk warp; load, MMA, 8 compute warps | item | the same |
    | keys_full | load; 32 KB | MMA | K |
    | keys_empty | commit of the item's last Sᵀ | load | the same |
    | queries_full [3] | load; 32 KB | MMA | Q of a tile |
    | queries_empty [3] | commit of Sᵀ | load | the same |
    | bases_full [6] | load; 512 bytes | compute | a tile's bases |
    | scores_full [2] | commit of Sᵀ | compute | Sᵀ |
    | scores_empty [2] | 8 compute warps | MMA | the same |
    | chunk_full | 32 lanes of the chunk warp; 32 KB | MMA, compute, reduce | a chunk's operands |
    | chunk_empty | commit of dIK, 8 compute, 4 reduce warps | chunk | the same |
    | logits_full | commit of the logits | compute | logits |
    | logits_empty | 4 reduce warps | MMA | dIQᵀ, in their place, is read |
    | grads_full | 8 compute warps | MMA | D; logits are read |
    | sums_full | commit of dIK | reduce, compute | dIQᵀ and dIK; D is read |
    | dk_empty | 4 reduce warps | MMA | dIK of the item before is read |

    Without gradients chunk_empty has the commit of the logits, and the 8 compute warps, which then
    arrive at logits_empty as well.
    """
    readers = COMPUTE_WARPS + (REDUCE_WARPS if gradients else 0)
    numbers = _Barriers(2, 2, 1, 1, STAGES, STAGES, BASES, 2, 2, 1, 1, 1, 1, 1, 1, 1)
    arrivals = _Barriers(
        items_full=1,
        items_empty=WARP + 2 + COMPUTE_WARPS,
        keys_full=1,
        keys_empty=1,
        queries_full=1,
        queries_empty=1,
        bases_full=1,
        scores_full=1,
        scores_empty=COMPUTE_WARPS,
        chunk_full=WARP,
        chunk_empty=1 + readers,
        logits_full=1,
        logits_empty=REDUCE_WARPS if gradients else COMPUTE_WARPS,
        grads_full=COMPUTE_WARPS,
        sums_full=1,
        dk_empty=REDUCE_WARPS,
    )
    return BarrierTable(numbers, arrivals)


# Items, tiles and chunks.


@cute.jit
def draw_items(walk: Walk, shared: Shared) -> None:
    """The work of a warp: draws and publishes items; one without quads ends the walk."""
    lane = arch.lane_idx()
    count = num_items(walk)
    item = cute.make_rmem_tensor(FIELDS, Int32)
    index, drawn = arch.block_idx()[0], Int32(0)
    size = Int32(1)
    while size > 0:
        item[QUADS] = Int32(0)
        if index < count:
            read_item(walk, index, item)
            index = draw(walk)
        size = item[QUADS]
        stage, phase = two_stages(drawn)
        arch.mbarrier_wait(shared.items.empty + stage, phase ^ 1)
        if lane == 0:
            for i in cutlass.range_constexpr(FIELDS):
                shared.items.fields[i, stage] = item[i]
        arrive(shared.items.full + stage)
        drawn += 1


@cute.jit
def item_size(shared: Shared, drawn: Int32) -> Int32:
    """The quads of an item, of which the calling warp reads nothing else."""
    stage, phase = two_stages(drawn)
    arch.mbarrier_wait(shared.items.full + stage, phase)
    size = shared.items.fields[QUADS, stage]
    arrive(shared.items.empty + stage)
    return size


def chunk_tiles(quads: Int32) -> Int32:
    """Tiles of the next chunk, where so many quads of an item are left."""
    return (cutlass.min(quads, CHUNK_QUADS) + (_TILE_QUADS - 1)) // _TILE_QUADS


def slot_at(place: Int32) -> Int32:
    """The slot of a chunk at a place of it: each half has four of every tile."""
    tile, slot = place % PLACES // QUAD_SLOTS, place % QUAD_SLOTS
    return tile * _SLOTS + place // PLACES * QUAD_SLOTS + slot


# The loads.


@cute.jit
def load(views: Views, bases: cute.Pointer, walk: Walk, shared: Shared) -> None:
    """The work of a warp: loads the keys of items, and queries and bases of their tiles."""
    lane = arch.lane_idx()
    barriers, items = shared.barriers, shared.items
    query_boxes = partition_boxes(
        views.queries,
        (GROUP_HEADS, SPAN),
        shared.queries,
        cute.make_layout(
            ((8, GROUP_HEADS // 8), SPAN, _SLOTS, 2, STAGES),
            stride=((SPAN, 8 * SPAN), 1, GROUP_HEADS * SPAN, _HALF, _WHOLE),
        ),
    )
    stage, phase = Int32(0), Int32(0)
    base, drawn = Int32(0), Int32(0)
    size = Int32(1)
    item = cute.make_rmem_tensor(FIELDS, Int32)
    rows = cute.make_rmem_tensor(_SLOTS, Int32)
    while size > 0:
        item_stage, item_phase = two_stages(drawn)
        arch.mbarrier_wait(items.full + item_stage, item_phase)
        for i in cutlass.range_constexpr(FIELDS):
            item[i] = items.fields[i, item_stage]
        arrive(items.empty + item_stage)
        size, head = item[QUADS], item[HEAD]
        if size > 0:
            arch.mbarrier_wait(barriers.keys_empty, (drawn & 1) ^ 1)
            _load_keys(views.keys, shared, item[KEY_ROW], head)
        drawn += 1
        for tile in cutlass.range((size + (_TILE_QUADS - 1)) // _TILE_QUADS, unroll=1):
            # A lane finds the rows of one of 32 tiles.
            if tile % WARP == 0:
                for s in cutlass.range_constexpr(_SLOTS):
                    row = slot_row(walk, item, (tile + lane) * _SLOTS + s)
                    rows[s] = cutlass.select_(row < 0, -1, row * walk.groups + head)
            full = barriers.queries_full + stage
            barriers.queries.acquire(stage, phase)
            with arch.elect_one():
                arch.mbarrier_arrive_and_expect_tx(full, _WHOLE_BYTES)
                arch.mbarrier_arrive_and_expect_tx(barriers.bases_full + base, BASE_BYTES)
            mine = Int32(0)
            for s in cutlass.range_constexpr(_SLOTS):
                # For an empty slot the box is out of range, hence zeros.
                row = arch.shuffle_sync(rows[s], tile % WARP)
                for half in cutlass.range_constexpr(2):
                    load_box(query_boxes, (row, half), (s, half, stage), full)
                mine = Int32(cutlass.select_(lane == s, row, mine))
            if lane < _SLOTS:
                # Any row's do for an empty slot.
                ptx(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                    "[{$r0}], [{$r1}], {$r2}, [{$r3}];",
                    None,
                    shared.bases.toint() + base * BASE_BYTES + lane * SLOT_BASE_BYTES,
                    bases.toint() + Int64(cutlass.max(mine, 0)) * SLOT_BASE_BYTES,
                    Int32(SLOT_BASE_BYTES),
                    (barriers.bases_full + base).toint(),
                )
            arch.sync_warp()
            stage, phase = next_use(stage, phase, STAGES)
            base, _ = next_use(base, Int32(0), BASES)


@cute.jit
def _load_keys(view: View, shared: Shared, row: Int32, head: Int32) -> None:
    """Loads the keys of a head from a row on; past the last row of all they are zeros."""
    layout = cute.make_layout(((8, BLOCK_SIZE // 8), SPAN, 2), stride=((SPAN, 8 * SPAN), 1, _HALF))
    moved = View(view.atom, cute.domain_offset((row, 0, 0), view.tensor))
    boxes: Boxes = partition_boxes(moved, (BLOCK_SIZE, SPAN), shared.keys, layout)
    full = shared.barriers.keys_full
    with arch.elect_one():
        arch.mbarrier_arrive_and_expect_tx(full, _WHOLE_BYTES)
    for half in cutlass.range_constexpr(2):
        load_box(boxes, (0, half, head), (half,), full)
