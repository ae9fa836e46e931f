"""Shared memory of the index loss on Hopper: layout, barriers, and how TMA fills it."""

from typing import NamedTuple

import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32
from cutlass.memory import SmemAllocator

from msa.kernels.device.instructions import ptx
from msa.kernels.device.pipeline import BarrierTable, Ring
from msa.kernels.device.primitives import WARP
from msa.kernels.device.sm90 import MMA_ROWS, SLOT_BOX, SLOT_STRIDES, WARPGROUP_WARPS, slot_rows
from msa.kernels.device.tiles import SPAN, Boxes, View, partition_boxes, swizzled_rows, tile_view
from msa.kernels.index_kl.chunk import allocate_chunks
from msa.kernels.index_kl.interface import CHUNK_QUADS, CHUNK_QUERIES
from msa.kernels.index_kl.student import Chunks, Items
from msa.kernels.index_kl.walk import FIELDS
from msa.kernels.schedule.interface import QUAD_SLOTS
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM, INDEX_DIM

ROWS = QUAD_SLOTS * GROUP_HEADS  # of a quad
WARPGROUP_KEYS = MMA_ROWS  # of a key warpgroup
assert ROWS == WARPGROUP_KEYS == CHUNK_QUERIES == 64
assert HEAD_DIM == INDEX_DIM == 2 * SPAN and BLOCK_SIZE == 2 * WARPGROUP_KEYS

# The ring of pairs of quads, and of keys.
PAIR = 2  # quads of a stage; the keys of both warpgroups take as much
STAGES = 3
_QUAD = ROWS * HEAD_DIM  # elements; the keys of a warpgroup take as many
QUAD_BYTES = 2 * _QUAD
STAGE_BYTES = PAIR * QUAD_BYTES
BASE_PAIRS = 4  # pairs whose bases are there, a stage more: they are read after the products
BASE_BYTES = 4 * ROWS  # of a quad

# Means, and what takes their places.
CHUNK_PAIRS = CHUNK_QUADS // PAIR
GROUP = 8  # rows of a chunk whose means, and then D, lie together
GROUP_BYTES = 4 * GROUP * BLOCK_SIZE
HALF_BYTES = GROUP_BYTES // 2  # of a group, the means of half of the keys
MEANS_ROW_BYTES = 4 * WARPGROUP_KEYS
MEANS_BYTES = 4 * CHUNK_QUERIES * BLOCK_SIZE


class Barriers(NamedTuple):
    """The mbarriers, and the rings that they make; see `BARRIERS`.

    | barrier | arrivals of a phase | waits | what it guards |
    |---|---|---|---|
    | stage_full [3] | loader; 32 or 32.5 KB | key warps | keys with `num_pairs`, or Q and bases |
    | stage_empty [3] | lanes of 8 key warps | loader | the same |
    | items_full [2] | lanes of the loader | chunk warp | an item's fields |
    | items_empty [2] | lanes of the chunk warp | loader | the same |
    | means_full [2] | lanes of 8 key warps | student | means of a chunk |
    | means_empty [2] | lanes of 4 student warps | key warps | the same; D and dIQ in their place |
    | chunk_full | lanes of the chunk warp; 32 KB | student | a chunk's operands |
    | chunk_empty | lanes of 4 student warps | chunk warp | the same |
    """

    stage_full: cute.Pointer
    stage_empty: cute.Pointer
    items_full: cute.Pointer
    items_empty: cute.Pointer
    means_full: cute.Pointer
    means_empty: cute.Pointer
    chunk_full: cute.Pointer
    chunk_empty: cute.Pointer

    @property
    def stages(self) -> Ring:
        """Keys, and pairs of quads."""
        return Ring(self.stage_full, self.stage_empty)

    @property
    def items(self) -> Ring:
        """Items for the chunk warp."""
        return Ring(self.items_full, self.items_empty)

    @property
    def means(self) -> Ring:
        """Means of the chunks."""
        return Ring(self.means_full, self.means_empty)


_KEY_LANES = 2 * WARPGROUP_WARPS * WARP
_STUDENT_LANES = WARPGROUP_WARPS * WARP
BARRIERS = BarrierTable(
    numbers=Barriers(STAGES, STAGES, 2, 2, 2, 2, 1, 1),
    arrivals=Barriers(
        stage_full=1,
        stage_empty=_KEY_LANES,
        items_full=WARP,
        items_empty=WARP,
        means_full=_KEY_LANES,
        means_empty=_STUDENT_LANES,
        chunk_full=WARP,
        chunk_empty=_STUDENT_LANES,
    ),
)


class Shared(NamedTuple):
    """Shared memory.

    Attributes:
        ring: bf16 `[stage][2]`, a quad's slots `[4][2][2][8][64]` (group of 8 heads, half) or a
            warpgroup's keys `[2][64][64]`.
        bases: FP32 `[pair % BASE_PAIRS, quad, slot, head]`.
        means: FP32 `[2]`, `[8 groups][2 halves][8 queries][64 keys]`, keys swizzled by the query;
            then D in bf16, in the first kilobyte of each half's place `[8][64]`; then dIQ, half of
            a row in the kilobytes that D leaves, and half in D's.
        num_pairs: int32, of a stage of keys how many pairs of quads come after them.
        items, chunks: those of the student, see student.py.
    """

    ring: cute.Pointer
    bases: cute.Pointer
    means: cute.Pointer
    num_pairs: cute.Tensor
    items: Items
    chunks: Chunks
    barriers: Barriers


def allocate() -> Shared:
    """Takes all shared memory, barriers not yet initialized."""
    allocator = SmemAllocator()

    def tile(elements):
        layout, swizzle = cute.make_layout(elements), swizzled_rows().inner
        return allocator.allocate_tensor(BFloat16, layout, 1024, swizzle).iterator

    def array(dtype, *shape):
        return allocator.allocate_tensor(dtype, cute.make_layout(shape), 16)

    barriers = BARRIERS.allocate(allocator)
    num_pairs = array(Int32, STAGES)
    items = Items(array(Int32, FIELDS, 2), barriers.items_full, barriers.items_empty)
    words, shifts, scales = array(Int32, 4), array(Float32, CHUNK_QUERIES), array(Float32, 2)
    bases = array(Float32, BASE_PAIRS * PAIR * ROWS).iterator
    chunks = Chunks(
        allocate_chunks(allocator, 1),
        words=words,
        maxima=None,
        shifts=shifts,
        scales=scales,
        full=barriers.chunk_full,
        empty=barriers.chunk_empty,
    )
    return Shared(
        ring=tile(STAGES * PAIR * _QUAD),
        means=tile(MEANS_BYTES),  # of two buffers, in elements of two bytes
        bases=bases,
        num_pairs=num_pairs,
        items=items,
        chunks=chunks,
        barriers=barriers,
    )


# Barriers.


def is_complete(barrier: cute.Pointer, phase: Int32) -> Int32:
    """Whether a phase is complete, without waiting for it."""
    return ptx(
        "{{ .reg .pred complete; mbarrier.test_wait.parity.shared.b64 complete, [{$r0}], {$r1}; "
        "selp.s32 {$w0}, 1, 0, complete; }}",
        [Int32],
        barrier.toint(),
        phase,
    )


# The ring's tiles.


def pair_tile(shared: Shared, stage: Int32) -> cute.Tensor:
    """`[rows, channels]` of a stage's pair of quads."""
    return cute.make_tensor(shared.ring + stage * (PAIR * _QUAD), slot_rows(PAIR * ROWS))


def pair_slots(shared: Shared) -> cute.Tensor:
    """Pairs of quads as `[box, slot, stage]`."""
    layout = cute.make_layout(
        (SLOT_BOX, PAIR * QUAD_SLOTS, STAGES),
        stride=(SLOT_STRIDES, GROUP_HEADS * HEAD_DIM, PAIR * _QUAD),
    )
    return cute.make_tensor(shared.ring, layout)


def keys_view(op, pointer: cute.Pointer, tokens: Int32, groups: Int32) -> View:
    """bf16 `[tokens, groups, 128]` in boxes of 64 keys of a head and half of the channels."""
    row = cute.assume(groups * HEAD_DIM, divby=HEAD_DIM)
    layout = cute.make_layout((tokens, HEAD_DIM, groups), stride=(row, 1, HEAD_DIM))
    return tile_view(op, pointer, layout, WARPGROUP_KEYS)


def key_boxes(view: View, shared: Shared, row: Int32) -> Boxes:
    """Boxes from a row on: `[part of 64 keys, half, head]`; in the ring `[half, part, stage]`."""
    layout = cute.make_layout(
        ((8, WARPGROUP_KEYS // 8), SPAN, 2, PAIR, STAGES),
        stride=((SPAN, 8 * SPAN), 1, WARPGROUP_KEYS * SPAN, _QUAD, PAIR * _QUAD),
    )
    moved = View(view.atom, cute.domain_offset((row, 0, 0), view.tensor))
    return partition_boxes(moved, (WARPGROUP_KEYS, SPAN), shared.ring, layout)
