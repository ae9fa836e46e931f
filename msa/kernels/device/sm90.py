"""Device functions that the Hopper kernels have in common.

A warpgroup's product has 64 rows, 16 to each of its warps. Accumulator `i` of a thread belongs to
row `lane // 4 + 8 * (i // 2 % 2)` of its warp and to column `i // 4 * 8 + lane % 4 * 2 + i % 2`: a
thread has two rows, and four lanes share a row.
"""

import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32
from cutlass.cute import arch
from cutlass.cute.nvgpu import cpasync, warpgroup
from cutlass.utils import hopper_helpers

from msa.kernels.device.tiles import SPAN, Boxes, View, swizzled_rows
from msa.schedule.topology import GROUP_HEADS, HEAD_DIM

WARPGROUP_WARPS = 4
MMA_ROWS = 64
"""Rows of a warpgroup's product."""


# Products.


def tiled_mma(columns: int, a_major, b_major, a_source) -> cute.TiledMma:
    """A warpgroup's product of bf16 operands, 64 rows, in FP32.

    An operand is K-major where the elements that are summed over lie next to each other.
    """
    shape = (MMA_ROWS, columns)
    return hopper_helpers.make_trivial_tiled_mma(
        BFloat16, BFloat16, a_major, b_major, Float32, (1, 1, 1), shape, a_source
    )


@cute.jit
def issue(mma: cute.TiledMma, sums: cute.Tensor, a: cute.Tensor, b: cute.Tensor, accumulate):
    """Issues `sums = a b`, or `sums += a b`, as a group of its own.

    A run-time `accumulate` is a predicate and costs nothing.
    """
    warpgroup.fence()
    atom = cute.make_mma_atom(mma.op)
    atom.set(warpgroup.Field.ACCUMULATE, accumulate)
    for k in cutlass.range_constexpr(cute.size(a, mode=[2])):
        cute.gemm(atom, sums, a[None, None, k], b[None, None, k], sums)
        atom.set(warpgroup.Field.ACCUMULATE, True)
    warpgroup.commit_group()


def operand_a(mma: cute.TiledMma, tile: cute.Tensor) -> cute.Tensor:
    """A tile of shared memory `[rows, depth, ...]` as a product's left operand."""
    part = mma.get_slice(0)
    return part.make_fragment_A(part.partition_A(tile))


def operand_b(mma: cute.TiledMma, tile: cute.Tensor) -> cute.Tensor:
    """A tile of shared memory `[columns, depth, ...]` as a product's right operand."""
    part = mma.get_slice(0)
    return part.make_fragment_B(part.partition_B(tile))


# Tiles of shared memory, in rows of `SPAN` elements; see `swizzled_rows`.


def rows_tile(tile: cute.Pointer, rows: int, half: int) -> cute.Tensor:
    """`[rows, channels]` of a tile whose two halves of the channels are `half` elements apart."""
    layout = cute.make_layout(((8, rows // 8), (SPAN, 2)), stride=((SPAN, 8 * SPAN), (1, half)))
    return cute.make_tensor(tile, layout)


def columns_tile(half_tile: cute.Pointer, rows: int) -> cute.Tensor:
    """`[channels, rows]` of one half of a tile."""
    layout = cute.make_layout((SPAN, (8, rows // 8)), stride=(1, (SPAN, 8 * SPAN)))
    return cute.make_tensor(half_tile, layout)


def transposed(tile: cute.Tensor) -> cute.Tensor:
    """The same elements with rows for columns."""
    return cute.make_tensor(tile.iterator, cute.select(tile.layout, [1, 0]))


# Slots, the 16 heads of a query: one box of TMA each. 64 channels x 8 rows are 1 KB of shared
# memory, and a slot is 2 x 2 of them, channels inside rows. So all groups of 8 rows of a tile of
# several slots are equally far apart, as wgmma wants them.

SLOT_BOX = (SPAN, 8, 2, 2)
SLOT_STRIDES = (1, SPAN, 8 * SPAN, 16 * SPAN)
assert SLOT_BOX[0] * SLOT_BOX[2] == HEAD_DIM and SLOT_BOX[1] * SLOT_BOX[3] == GROUP_HEADS


def slots_view(op, pointer: cute.Pointer, num_slots: Int32) -> View:
    """bf16 `[num_slots, 16, 128]` in boxes of a slot."""
    rows = cute.make_layout((SPAN, 8, 2, num_slots * 2), stride=(1, HEAD_DIM, SPAN, 8 * HEAD_DIM))
    slot = cute.make_composed_layout(
        swizzled_rows().inner, 0, cute.make_layout(SLOT_BOX, stride=SLOT_STRIDES)
    )
    return View(*cpasync.make_tiled_tma_atom(op, cute.make_tensor(pointer, rows), slot, SLOT_BOX))


def partition_slots(view: View, slots: cute.Tensor) -> Boxes:
    """The two sides of a slot's copies; `slots` is `[box, ...]` in shared memory."""
    boxes = cute.group_modes(cute.flat_divide(view.tensor, SLOT_BOX), 0, 4)
    shared, memory = cpasync.tma_partition(view.atom, 0, cute.make_layout(1), slots, boxes)
    return Boxes(view.atom, memory[None, 0, 0, 0, None], shared)


def slot_rows(rows: int) -> cute.Layout:
    """`[rows, channels]` of consecutive slots, of 16 rows each."""
    channel, row, half, row_group = SLOT_STRIDES
    return cute.make_layout(((8, rows // 8), (SPAN, 2)), stride=((row, row_group), (channel, half)))


# Accumulators.


@cute.jit
def mask_columns(scores: cute.Tensor, last: Int32) -> None:
    """Sets columns after `last` to -inf, by a select: so none of them counts, be it NaN."""
    last -= arch.lane_idx() % 4 * 2
    for i in cutlass.range_constexpr(cute.size(scores)):
        scores[i] = cutlass.select_(i // 4 * 8 + i % 2 > last, -Float32.inf, scores[i])


def reduce_columns(values: cute.Tensor, combine) -> tuple[Float32, Float32]:
    """Reduces each of a thread's two rows over its own columns."""
    chains = [[None] * 4, [None] * 4]  # of a row, four that do not wait for each other
    for i in range(cute.size(values)):
        row, chain = chains[i // 2 % 2], i // 4 % 2 * 2 + i % 2
        row[chain] = values[i] if row[chain] is None else combine(row[chain], values[i])
    return tuple(combine(combine(a, b), combine(c, d)) for a, b, c, d in chains)


def reduce_lanes(rows: tuple[Float32, Float32], combine) -> Float32:
    """Reduces two rows over the four lanes that share them, with two shuffles.

    Even lanes get the result of the first row, odd lanes that of the second.
    """
    odd = arch.lane_idx() % 2 == 1
    kept = Float32(cutlass.select_(odd, rows[1], rows[0]))
    given = Float32(cutlass.select_(odd, rows[0], rows[1]))
    kept = combine(kept, arch.shuffle_sync_bfly(given, offset=1))
    return combine(kept, arch.shuffle_sync_bfly(kept, offset=2))
