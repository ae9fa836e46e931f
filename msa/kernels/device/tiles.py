"""Tiles of queries and key blocks, how TMA moves them, and what goes from one warp to others."""

import math
from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import Int32
from cutlass.cute import arch
from cutlass.cute.nvgpu import cpasync

from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM, SOFTMAX_SCALE

SCALE_LOG2 = SOFTMAX_SCALE * math.log2(math.e)
"""Scale of the logits as exponents of two."""


SPAN = 64
"""bf16 elements of a row of a tile in shared memory: half of the channels, 128 bytes."""
assert 2 * SPAN == HEAD_DIM


# Tiles, and how TMA moves them.


class View(NamedTuple):
    """How TMA sees a matrix: its descriptor, and the tensor of its coordinates."""

    atom: cute.CopyAtom
    tensor: cute.Tensor


class Boxes(NamedTuple):
    """The two sides of copies: mode 0 is a box, the others count boxes."""

    atom: cute.CopyAtom
    memory: cute.Tensor
    shared: cute.Tensor


def swizzled_rows() -> cute.ComposedLayout:
    """How tiles lie in shared memory: 8 rows of `SPAN` elements, in chunks of 16 bytes, swizzled by
    the row."""
    atom = cute.make_ordered_layout((8, SPAN), order=(1, 0))
    return cute.make_composed_layout(cute.make_swizzle(3, 4, 3), 0, atom)


def partition_boxes(view: View, box, pointer: cute.Pointer, layout: cute.Layout) -> Boxes:
    """`layout` is that of shared memory, its first two modes those of a box."""
    shared, memory = cpasync.tma_partition(
        view.atom,
        0,
        cute.make_layout(1),
        cute.group_modes(cute.make_tensor(pointer, layout), 0, 2),
        cute.group_modes(cute.local_tile(view.tensor, box, (None,) * cute.rank(view.tensor)), 0, 2),
    )
    return Boxes(view.atom, memory, shared)


def load_box(boxes: Boxes, source, target, full: cute.Pointer) -> None:
    """Loads the box `source` of memory into the box `target` of shared memory."""
    memory, shared = boxes.memory[(None, *source)], boxes.shared[(None, *target)]
    cute.copy(boxes.atom, memory, shared, tma_bar_ptr=full)


def queries_view(op, pointer: cute.Pointer, num_rows: Int32) -> View:
    """bf16 `[num_rows, 16, 128]` in boxes of a row, the heads of one query and group."""
    layout = cute.make_layout((num_rows * GROUP_HEADS, HEAD_DIM), stride=(HEAD_DIM, 1))
    return tile_view(op, pointer, layout, GROUP_HEADS)


def blocks_view(op, pointer: cute.Pointer, num_groups: Int32, num_kblocks: Int32) -> View:
    """bf16 `[128 * num_kblocks, num_groups, 128]` in boxes of the keys of one block and head."""
    return tile_view(op, pointer, blocks_layout(num_groups, num_kblocks), BLOCK_SIZE)


def blocks_layout(num_groups: Int32, num_kblocks: Int32) -> cute.Layout:
    """`[keys, channels, heads]` of K and V."""
    row = cute.assume(num_groups * HEAD_DIM, divby=HEAD_DIM)
    return cute.make_layout(
        (num_kblocks * BLOCK_SIZE, HEAD_DIM, num_groups), stride=(row, 1, HEAD_DIM)
    )


def tile_view(op, pointer: cute.Pointer, layout: cute.Layout, rows: int) -> View:
    """A matrix in boxes of `rows` x half of the channels."""
    box = (rows, SPAN)
    tile = cute.tile_to_shape(swizzled_rows(), box, (0, 1))
    matrix = cute.make_tensor(pointer, layout)
    return View(*cpasync.make_tiled_tma_atom(op, matrix, tile, box))


# Shared memory, from one warp to others.


@cute.jit
def receive(words: cute.Tensor) -> tuple:
    """What lane 0 reads for its warp, int32.

    It alone, since it arrives at the barrier that lets the words be overwritten, for all lanes.
    """
    count = cute.size(words)
    values = [Int32(0)] * count
    if arch.lane_idx() == 0:
        for i in cutlass.range_constexpr(count):
            values[i] = words[i]
    return tuple(arch.shuffle_sync(value, 0) for value in values)
