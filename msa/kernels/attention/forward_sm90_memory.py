"""Shared memory of the attention forward on Hopper: stages, barriers, and how TMA sees them."""

from typing import NamedTuple

import cutlass.cute as cute
from cutlass import BFloat16, Int32
from cutlass.cute.nvgpu import cpasync
from cutlass.memory import SmemAllocator
from cutlass.utils import LayoutEnum, hopper_helpers

from msa.kernels.device.pipeline import BarrierTable, Ring
from msa.kernels.device.sm90 import MMA_ROWS, SLOT_BOX, SLOT_STRIDES, WARPGROUP_WARPS, slot_rows
from msa.kernels.device.tiles import Boxes, View, swizzled_rows
from msa.kernels.schedule.interface import ITEM_FIELDS, QUAD_SLOTS
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM

ROWS = QUAD_SLOTS * GROUP_HEADS
_SLOT = GROUP_HEADS * HEAD_DIM  # elements of a slot
SLOT_BYTES = 2 * _SLOT
_QUAD = QUAD_SLOTS * _SLOT
QUAD_BYTES = 2 * _QUAD
_BLOCK = (BLOCK_SIZE, HEAD_DIM)
BLOCK_BYTES = 2 * BLOCK_SIZE * HEAD_DIM

GROUPS = 3  # consumer warpgroups
# Items, and quads of each warpgroup, in flight: they fill shared memory. A third quad at the price
# of the second item measured 4.55 ms instead of 3.92.
STAGES = 2

assert ROWS == MMA_ROWS and WARPGROUP_WARPS == QUAD_SLOTS  # warp `w` of a warpgroup holds slot `w`


class Barriers(NamedTuple):
    """The mbarriers, and the rings that they make; see `BARRIERS`.

    | barrier | arrivals of a phase | waits | what it guards |
    |---|---|---|---|
    | item_full [stage] | 4 lanes of the item warp | quad loaders, consumers | an item's fields |
    | item_empty [stage] | 3 quad loaders, 12 consumer warps | item warp | fields, K and V |
    | block_full [stage] | item warp; 32 KB, 64 with V | consumers | K and V of an item |
    | quad_full [warpgroup, stage] | 4 lanes of its loader; 16 KB | its warps | Q, `quads` |
    | quad_empty [warpgroup, stage] | its 4 warps | its loader | the same; O in the place of Q |
    """

    item_full: cute.Pointer
    item_empty: cute.Pointer
    block_full: cute.Pointer
    quad_full: cute.Pointer
    quad_empty: cute.Pointer

    @property
    def items(self) -> Ring:
        """Items: their fields."""
        return Ring(self.item_full, self.item_empty)

    @property
    def blocks(self) -> Ring:
        """K and V of the items."""
        return Ring(self.block_full, self.item_empty)

    def quads(self, group: Int32) -> Ring:
        """The quads of a warpgroup."""
        first = group * STAGES
        return Ring(self.quad_full + first, self.quad_empty + first)


BARRIERS = BarrierTable(
    numbers=Barriers(STAGES, STAGES, STAGES, GROUPS * STAGES, GROUPS * STAGES),
    arrivals=Barriers(
        item_full=ITEM_FIELDS,
        item_empty=GROUPS * (WARPGROUP_WARPS + 1),
        block_full=1,
        quad_full=QUAD_SLOTS,
        quad_empty=WARPGROUP_WARPS,
    ),
)


class Shared(NamedTuple):
    """Shared memory: stages of items and of each warpgroup's quads, and their barriers.

    Attributes:
        keys, values: bf16, a block to a stage, as `key_stages` and `value_stages` have them.
        queries: bf16 `[warpgroup][stage]`, see `group_queries`; then O in the same places.
        items: int32 `[field, stage]`.
        quads: int32 `[2, slot, stage, warpgroup]`, of each slot what `slot_target` returns.
        adds: int32 `[slot, stage, warpgroup]`, in FAST the half pool that a slot's O is added to,
            or -1.
    """

    keys: cute.Tensor
    values: cute.Tensor | None
    queries: cute.Tensor
    items: cute.Tensor
    quads: cute.Tensor
    adds: cute.Tensor
    barriers: Barriers


def allocate(has_values: bool) -> Shared:
    """Takes all shared memory, barriers not yet initialized."""
    allocator = SmemAllocator()

    def allocate(dtype, layout, alignment=16, swizzle=None):
        return allocator.allocate_tensor(dtype, layout, alignment, swizzle)

    def blocks(stages):
        return allocate(BFloat16, stages.outer, 1024, stages.inner)

    barriers = BARRIERS.allocate(allocator)
    return Shared(
        keys=blocks(key_stages()),
        values=blocks(value_stages()) if has_values else None,
        queries=allocate(
            BFloat16, cute.make_layout(GROUPS * STAGES * _QUAD), 1024, swizzled_rows().inner
        ),
        items=allocate(Int32, cute.make_layout((ITEM_FIELDS, STAGES))),
        quads=allocate(Int32, cute.make_layout((2, QUAD_SLOTS, STAGES, GROUPS))),
        adds=allocate(Int32, cute.make_layout((QUAD_SLOTS, STAGES, GROUPS))),
        barriers=barriers,
    )


# Layouts and views.


def key_stages() -> cute.ComposedLayout:
    """`[keys, channels, stages]`."""
    shape = (ROWS, BLOCK_SIZE, HEAD_DIM)
    return hopper_helpers.make_smem_layout_b(LayoutEnum.ROW_MAJOR, shape, BFloat16, STAGES)


def value_stages() -> cute.ComposedLayout:
    """`[channels, keys, stages]`."""
    shape = (ROWS, HEAD_DIM, BLOCK_SIZE)
    return hopper_helpers.make_smem_layout_b(LayoutEnum.COL_MAJOR, shape, BFloat16, STAGES)


def group_queries(queries: cute.Tensor, group: Int32) -> cute.Tensor:
    """A warpgroup's quads as `[rows, channels, stages]`."""
    layout = cute.append(slot_rows(ROWS), cute.make_layout(STAGES, stride=_QUAD))
    layout = cute.append(layout, cute.make_layout(GROUPS, stride=STAGES * _QUAD))
    return cute.make_tensor(queries.iterator, layout)[None, None, None, group]


def group_slots(queries: cute.Tensor, group: Int32) -> cute.Tensor:
    """The same as `[box, slots, stages]`."""
    layout = cute.make_layout(
        (SLOT_BOX, QUAD_SLOTS, STAGES, GROUPS),
        stride=(SLOT_STRIDES, _SLOT, _QUAD, STAGES * _QUAD),
    )
    return cute.make_tensor(queries.iterator, layout)[None, None, None, group]


def block_view(op, pointer: cute.Pointer, layout: cute.Layout, stages) -> View:
    """K or V, in boxes of a key block and head."""
    stage = cute.slice_(stages, (None, None, 0))
    matrix = cute.make_tensor(pointer, layout)
    return View(*cpasync.make_tiled_tma_atom(op, matrix, stage, _BLOCK))


def partition_blocks(view: View, stages: cute.Tensor) -> Boxes:
    """The sides of a block's copies: `[box, stage]` in shared memory, `[box, ..., head]`."""
    boxes = cute.group_modes(cute.flat_divide(view.tensor, _BLOCK), 0, 2)
    stages = cute.group_modes(stages, 0, 2)
    shared, memory = cpasync.tma_partition(view.atom, 0, cute.make_layout(1), stages, boxes)
    return Boxes(view.atom, memory, shared)
