"""Shared memory of the attention backward on Hopper: tiles, barriers, and how TMA fills it."""

from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32
from cutlass.cute import arch
from cutlass.memory import SmemAllocator

from msa.kernels.attention.backward import Inputs
from msa.kernels.attention.interface import STATISTICS
from msa.kernels.device.pipeline import BarrierTable, Ring
from msa.kernels.device.sm90 import MMA_ROWS
from msa.kernels.device.tiles import SPAN, load_box, partition_boxes, swizzled_rows
from msa.kernels.schedule.interface import QUAD_SLOTS
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM

ROWS = QUAD_SLOTS * GROUP_HEADS
KEYS = BLOCK_SIZE // 2  # of a warpgroup

STAGES = 2  # of quads, and of dSᵀ
KEY_WARPS = 8
QUERY_WARPS = 4
assert ROWS == KEYS == MMA_ROWS  # of dQ's products, and of all others
assert QUERY_WARPS == QUAD_SLOTS and GROUP_HEADS == 16  # a warp of dQ holds a slot
# Tiles have rows of 64 elements, half of the channels, or 128 bytes: their 16-byte chunks are
# swizzled by the row modulo 8. Sizes are in elements where they do not say bytes.
BLOCK_HALF, _BLOCK = BLOCK_SIZE * SPAN, BLOCK_SIZE * HEAD_DIM
QUAD_HALF, QUAD = ROWS * SPAN, ROWS * HEAD_DIM
SLOT_HALF, SLOT = GROUP_HEADS * SPAN, GROUP_HEADS * HEAD_DIM
GRAD_SCORES = BLOCK_SIZE * ROWS
SLOT_STATISTICS_BYTES = 4 * STATISTICS
STATISTICS_BYTES = QUAD_SLOTS * SLOT_STATISTICS_BYTES
QUAD_LOAD_BYTES = 2 * 2 * QUAD + STATISTICS_BYTES
BLOCK_LOAD_BYTES = 2 * 2 * _BLOCK
PIECE_BYTES = 2048  # of a warp's dK or dV, on their way out at a time


class Barriers(NamedTuple):
    """The mbarriers, and the rings that they make; see `BARRIERS`.

    An item's first quad is not full before K and V are.

    | barrier | arrivals of a phase | waits | what it guards |
    |---|---|---|---|
    | quad_full [stage] | 4 lanes of the loader; 32.5 or 96.5 KB | all others | a step's operands |
    | quad_empty [stage] | 8 key, 4 query warps | loader | the same, but K and V |
    | scores_done [stage] | warpgroup 0 | warpgroup 1 | nothing: their order |
    | grad_scores_full [stage] | 8 key warps | query warps | dSᵀ |
    | grad_scores_empty [stage] | 4 query warps | key warps | the same |
    | block_empty | 8 key, 4 query warps | loader | K and V |
    """

    quad_full: cute.Pointer
    quad_empty: cute.Pointer
    scores_done: cute.Pointer
    grad_scores_full: cute.Pointer
    grad_scores_empty: cute.Pointer
    block_empty: cute.Pointer

    @property
    def quads(self) -> Ring:
        """Operands of the steps."""
        return Ring(self.quad_full, self.quad_empty)

    @property
    def grad_scores(self) -> Ring:
        """dSᵀ of the steps."""
        return Ring(self.grad_scores_full, self.grad_scores_empty)


BARRIERS = BarrierTable(
    numbers=Barriers(STAGES, STAGES, STAGES, STAGES, STAGES, 1),
    arrivals=Barriers(
        quad_full=QUAD_SLOTS,
        quad_empty=KEY_WARPS + QUERY_WARPS,
        scores_done=KEY_WARPS // 2,
        grad_scores_full=KEY_WARPS,
        grad_scores_empty=QUERY_WARPS,
        block_empty=KEY_WARPS + QUERY_WARPS,
    ),
)


class Shared(NamedTuple):
    """Shared memory: tiles, what the step in a stage is, and barriers."""

    keys: cute.Pointer  # [half][128 keys][64]
    values: cute.Pointer
    queries: cute.Pointer  # [stage][half][64 rows][64]
    grad_outs: cute.Pointer
    grad_scores: cute.Pointer  # dSᵀ, [stage][128 keys][64 rows]
    dq: cute.Pointer  # [slot][half], on its way out
    pieces: cute.Pointer  # [warp][2] of dK and dV, on their way out
    statistics: cute.Pointer  # [stage][slot][32]

    steps: cute.Tensor  # [2, stage]: flags, and head * num_kblocks + key block
    limits: cute.Tensor  # [slot, stage]: the last key of the block that the query sees
    rows: cute.Tensor  # [slot, 1, stage]: token * num_groups + head, -1 if the slot is empty

    barriers: Barriers


def allocate(dq_half_bytes: int) -> Shared:
    """Takes all shared memory, barriers not yet initialized; half of a slot's dQ has that size."""
    allocator = SmemAllocator()

    def tile(size):
        layout, swizzle = cute.make_layout(size), swizzled_rows().inner
        return allocator.allocate_tensor(BFloat16, layout, 1024, swizzle).iterator

    def array(dtype, *shape):
        return allocator.allocate_tensor(dtype, cute.make_layout(shape), 128)

    barriers = BARRIERS.allocate(allocator)
    return Shared(
        keys=tile(_BLOCK),
        values=tile(_BLOCK),
        queries=tile(STAGES * QUAD),
        grad_outs=tile(STAGES * QUAD),
        grad_scores=tile(STAGES * GRAD_SCORES),
        dq=tile(QUAD_SLOTS * 2 * dq_half_bytes // 2),
        pieces=array(Int32, KEY_WARPS * 2 * PIECE_BYTES // 4).iterator,
        statistics=array(Float32, STAGES * QUAD_SLOTS * STATISTICS).iterator,
        steps=array(Int32, 2, STAGES),
        limits=array(Int32, QUAD_SLOTS, STAGES),
        rows=array(Int32, QUAD_SLOTS, 1, STAGES),
        barriers=barriers,
    )


# Barriers.


@cute.jit
def arrive(barrier: cute.Pointer) -> None:
    """One arrival of a warp."""
    with arch.elect_one():
        arch.mbarrier_arrive(barrier)


# Views and boxes.


def input_boxes(inputs: Inputs, shared: Shared) -> Inputs:
    """`Boxes` of each view: in shared memory by slot, half and stage where there are such."""
    quads = cute.make_layout(
        ((8, GROUP_HEADS // 8), SPAN, QUAD_SLOTS, 2, STAGES),
        stride=((SPAN, 8 * SPAN), 1, SLOT_HALF, QUAD_HALF, QUAD),
    )
    blocks = cute.make_layout(
        ((8, BLOCK_SIZE // 8), SPAN, 2), stride=((SPAN, 8 * SPAN), 1, BLOCK_HALF)
    )
    rows = cute.make_layout(
        (1, STATISTICS, QUAD_SLOTS, STAGES),
        stride=(STATISTICS, 1, STATISTICS, QUAD_SLOTS * STATISTICS),
    )
    slot_box, block_box = (GROUP_HEADS, SPAN), (BLOCK_SIZE, SPAN)
    return Inputs(
        partition_boxes(inputs.queries, slot_box, shared.queries, quads),
        partition_boxes(inputs.grad_outs, slot_box, shared.grad_outs, quads),
        partition_boxes(inputs.keys, block_box, shared.keys, blocks),
        partition_boxes(inputs.values, block_box, shared.values, blocks),
        partition_boxes(inputs.statistics, (1, STATISTICS), shared.statistics, rows),
    )


@cute.jit
def load_quad(boxes: Inputs, rows: Int32, stage: Int32, full: cute.Pointer) -> None:
    """Loads Q, dO and statistics. For an empty slot the box is out of range, hence zeros.

    Then its dO, dP and dS are 0, whatever its P: it adds nothing to dV and dK.
    """
    for slot in cutlass.range_constexpr(QUAD_SLOTS):
        row = arch.shuffle_sync(rows, slot)
        load_box(boxes.statistics, (row, 0), (slot, stage), full)
        for half in cutlass.range_constexpr(2):
            load_box(boxes.queries, (row, half), (slot, half, stage), full)
            load_box(boxes.grad_outs, (row, half), (slot, half, stage), full)


@cute.jit
def load_block(boxes: Inputs, head: Int32, kblock: Int32, full: cute.Pointer) -> None:
    """Loads K and V of a key block and head."""
    for half in cutlass.range_constexpr(2):
        load_box(boxes.keys, (kblock, half, head), (half,), full)
        load_box(boxes.values, (kblock, half, head), (half,), full)
