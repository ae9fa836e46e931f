"""Shared and tensor memory of the attention forward on Blackwell, and its barriers."""

from typing import NamedTuple

import cutlass.cute as cute
from cutlass import BFloat16, Int32
from cutlass.cute import arch
from cutlass.memory import SmemAllocator

from msa.kernels.attention.forward import FEW_KEYS
from msa.kernels.device.pipeline import BarrierTable, Ring, two_stages
from msa.kernels.device.sm100 import TILE, TMEM_COLUMNS
from msa.kernels.device.tiles import SPAN, swizzled_rows
from msa.kernels.schedule.interface import ITEM_FIELDS
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM, QUERY_CHUNK

assert QUERY_CHUNK * GROUP_HEADS == BLOCK_SIZE == HEAD_DIM == TILE and GROUP_HEADS == 16
HALF, WHOLE = TILE * SPAN, TILE * HEAD_DIM  # elements of a tile of shared memory
WHOLE_BYTES = 2 * WHOLE

GROUPS = 2  # softmax warpgroups
WARPS = 4  # of a warpgroup
STAGES = 2  # of items, and of the output on its way to the pools
TILES = 8  # of which there are words

# Columns of tensor memory: a warpgroup has S, over which it writes P, and O.
_GROUP_COLUMNS = TMEM_COLUMNS // GROUPS
OUT_COLUMN = TILE

CHUNK = 32  # columns of S at a time
# The output leaves in parts of 16 KB, 2 KB a slot: 64 channels of bf16, or 32 of int32.
PART_BYTES = 16384
SLOT_PART_BYTES = PART_BYTES // QUERY_CHUNK

assert FEW_KEYS <= CHUNK  # the first chunk holds all of them

# The word of a tile is bits, and above them the number of its item.
FIRST = 1  # of its item
LAST = 2  # of its item
END = 4  # there is no such tile
ITEM_SHIFT = 3


class Barriers(NamedTuple):
    """The mbarriers; see `BARRIERS`. A commit is one arrival.

    | barrier [number] | arrivals of a phase | waited for by, before |
    |---|---|---|
    | item_full [stage] | 4 lanes that wrote a field | queries' warp: reads the item |
    | item_empty [stage] | queries' warp; commit of the last product | items' warp: the next |
    | block_full [stage] | 1 and the bytes of K (and V) | MMA warp: an item's first QK |
    | tile_full [entry] | 8 lanes that wrote a slot | MMA, adding, softmax warps: read them |
    | queries_full [group] | 1 and the bytes of Q | MMA warp: QK |
    | queries_empty [group] | commit of QK | queries' warp: loads the next |
    | scores_full [group] | commit of QK | softmax warps: load S |
    | weights_full [group] | 4 warps that stored P, or have read S | MMA warp: PV, and the next QK |
    | sums_full [group] | commit of PV | softmax warps: load O |
    | sums_empty [group] | 4 warps that loaded O | MMA warp: the next PV |
    | part_full [stage] | 4 warps that wrote | adding warp: adds |
    | part_turn [stage, group] | adding warp, whose adds have read | softmax warps: write |

    The word and slots of a tile are overwritten by those of the tile 8 later without a barrier.
    Those are written when the QK of 2 tiles before it is complete, which was issued after the PV of
    4 before. So the warpgroup had come to that tile and finished the one of 6 before, in which it
    got the last turn from the adding warp, which was at the same tile. Without values the argument
    is shorter.
    """

    item_full: cute.Pointer
    item_empty: cute.Pointer
    block_full: cute.Pointer
    tile_full: cute.Pointer
    queries_full: cute.Pointer
    queries_empty: cute.Pointer
    scores_full: cute.Pointer
    weights_full: cute.Pointer
    sums_full: cute.Pointer
    sums_empty: cute.Pointer
    part_full: cute.Pointer
    part_turn: cute.Pointer

    @property
    def items(self) -> Ring:
        """Items: their fields, K and V."""
        return Ring(self.item_full, self.item_empty)

    @property
    def queries(self) -> Ring:
        """Q of the tiles, a stage to a warpgroup."""
        return Ring(self.queries_full, self.queries_empty)


BARRIERS = BarrierTable(
    numbers=Barriers(
        item_full=STAGES,
        item_empty=STAGES,
        block_full=STAGES,
        tile_full=TILES,
        queries_full=GROUPS,
        queries_empty=GROUPS,
        scores_full=GROUPS,
        weights_full=GROUPS,
        sums_full=GROUPS,
        sums_empty=GROUPS,
        part_full=STAGES,
        part_turn=STAGES * GROUPS,
    ),
    arrivals=Barriers(
        item_full=ITEM_FIELDS,
        item_empty=2,
        block_full=1,
        tile_full=QUERY_CHUNK,
        queries_full=1,
        queries_empty=1,
        scores_full=1,
        weights_full=WARPS,
        sums_full=1,
        sums_empty=WARPS,
        part_full=WARPS,
        part_turn=1,
    ),
)


class Shared(NamedTuple):
    """Shared memory.

    Attributes:
        keys, values, queries, out: bf16 `[stage][half of the channels][128 rows][64]`.
        items: int32 `[field, stage]`.
        tiles: int32 `[entry]`, the word of each tile.
        slots: int32 `[2, slot, entry]`, what `slot_target` returns of each slot.
        tmem: where the address of tensor memory is written.
    """

    keys: cute.Pointer
    values: cute.Pointer | None
    queries: cute.Pointer
    out: cute.Pointer | None
    items: cute.Tensor
    tiles: cute.Tensor
    slots: cute.Tensor
    tmem: cute.Pointer
    barriers: Barriers


def allocate(has_values: bool) -> Shared:
    """Takes all shared memory, barriers not yet initialized."""
    allocator = SmemAllocator()

    def tiles(count):
        layout = cute.make_layout(count * WHOLE)
        return allocator.allocate_tensor(BFloat16, layout, 1024, swizzled_rows().inner).iterator

    def array(*shape):
        return allocator.allocate_tensor(Int32, cute.make_layout(shape), 16)

    return Shared(
        keys=tiles(STAGES),
        values=tiles(STAGES) if has_values else None,
        queries=tiles(GROUPS),
        out=tiles(1) if has_values else None,
        items=array(ITEM_FIELDS, STAGES),
        tiles=array(TILES),
        slots=array(2, QUERY_CHUNK, TILES),
        tmem=allocator.allocate_array(Int32, 1),
        barriers=BARRIERS.allocate(allocator),
    )


# Views and boxes.


def tile_boxes(rows: int) -> cute.Layout:
    """Tiles in boxes of so many rows: `[rows, channels, box, half, stage]`."""
    return cute.make_layout(
        ((8, rows // 8), SPAN, TILE // rows, 2, 2),
        stride=((SPAN, 8 * SPAN), 1, rows * SPAN, HALF, WHOLE),
    )


def part_boxes() -> cute.Layout:
    """Stages of output, half of a tile each: `[heads, channels, slot, stage]`."""
    return cute.make_layout(
        ((8, GROUP_HEADS // 8), SPAN, QUERY_CHUNK, STAGES),
        stride=((SPAN, 8 * SPAN), 1, GROUP_HEADS * SPAN, HALF),
    )


def region(tmem: cute.Pointer, group: Int32) -> cute.Pointer:
    """A warpgroup's columns of tensor memory."""
    return tmem + cute.assume(group * _GROUP_COLUMNS, divby=_GROUP_COLUMNS)


# The word of a tile.


@cute.jit
def publish_tile(shared: Shared, tile: Int32, what: Int32, target: Int32, last_key: Int32) -> None:
    """Writes the word and slots of a tile, once its queries' stage is free; a lane to a slot."""
    lane = arch.lane_idx()
    entry = tile % TILES
    group, phase = two_stages(tile)
    shared.barriers.queries.acquire(group, phase)
    if lane < QUERY_CHUNK:
        shared.slots[0, lane, entry] = target
        shared.slots[1, lane, entry] = last_key
        if lane == 0:
            shared.tiles[entry] = what
        arch.mbarrier_arrive(shared.barriers.tile_full + entry)


@cute.jit
def wait_tile(shared: Shared, tile: Int32) -> Int32:
    """Waits for the word of a tile, and returns it."""
    entry = tile % TILES
    arch.mbarrier_wait(shared.barriers.tile_full + entry, (tile // TILES) & 1)
    return shared.tiles[entry]
