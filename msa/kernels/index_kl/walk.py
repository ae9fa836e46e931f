"""The items of a walk, as kernels read them: those of a schedule, or all that a layout implies.

An item is a head, a key block of one document and queries that see it, in quads of four. A dense
walk has no table: items of a document are those of its first span of `SPAN_QUERIES` queries, one
for each key block that the span sees, then those of the second, and so on; heads are innermost.
"""

from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64
from cutlass.cute import arch

from msa.kernels.device.instructions import ptx
from msa.kernels.device.primitives import split_groups, upper_bound, vector
from msa.kernels.index_kl.interface import DENSE, SPAN_BLOCKS, SPAN_QUERIES
from msa.kernels.schedule.interface import ITEM_FIELDS, QUAD_SLOTS
from msa.schedule.topology import BLOCK_SIZE

assert QUAD_SLOTS == 4


class Walk(NamedTuple):
    """Arguments of a kernel that say what it walks; see `interface`."""

    quad_rows: cute.Pointer
    quad_positions: cute.Pointer
    items: cute.Pointer
    control: cute.Pointer
    cu_seqlens: cute.Pointer
    workspace_starts: cute.Pointer
    counter: cute.Pointer
    kind: Int32
    documents: Int32
    groups: Int32


FIRST, QUADS, QUERIES, HEAD, BASE, KEY_ROW, KEYS, DOCUMENT = range(8)
"""Fields of an item: its first quad (dense: the compact row of its first query), quads, queries
(dense), head, what a position loses to count from the block's first key (dense: that of the first
query, counted so), compact row of the block's first key, keys of the block in the document, and the
document."""
FIELDS = 8


@cute.jit
def num_items(walk: Walk) -> Int32:
    """How many items the walk has."""
    count = Int32(0)
    if walk.kind == DENSE:
        count = vector(walk.items)[walk.documents] * walk.groups
    else:
        count = vector(walk.control)[0]
    return count


@cute.jit
def draw(walk: Walk) -> Int32:
    """The next item for the calling warp's CTA, which began with that of its own index."""
    drawn = Int32(0)
    if arch.lane_idx() == 0:
        drawn = arch.atomic_add(walk.counter, Int32(1))
    return arch.shuffle_sync(drawn, 0) + arch.grid_dim()[0]


@cute.jit
def read_item(walk: Walk, index: Int32, item: cute.Tensor) -> None:
    """Reads the fields of an item."""
    cu_seqlens = vector(walk.cu_seqlens)
    document, block = Int32(0), Int32(0)
    if walk.kind == DENSE:
        head_index, head = split_groups(index, walk.groups)
        document = upper_bound(vector(walk.items), walk.documents + 1, head_index) - 1
        within = head_index - vector(walk.items)[document]
        span = _span(within)
        block = within - _before(span)
        start = cu_seqlens[document]
        length = cu_seqlens[document + 1] - start
        first = cutlass.max(span * SPAN_QUERIES, block * BLOCK_SIZE)
        queries = cutlass.min((span + 1) * SPAN_QUERIES, length) - first
        item[FIRST] = start + first
        item[QUADS] = (queries + (QUAD_SLOTS - 1)) // QUAD_SLOTS
        item[QUERIES] = queries
        item[HEAD] = head
        item[BASE] = first - block * BLOCK_SIZE
    else:
        fields = vector(walk.items + Int64(index) * ITEM_FIELDS)
        workspace_block = fields[3]
        starts = vector(walk.workspace_starts)
        # Documents without tokens share a start with the next that has any, which owns the block.
        document = upper_bound(starts, walk.documents, workspace_block * BLOCK_SIZE) - 1
        block = workspace_block - starts[document] // BLOCK_SIZE
        item[FIRST] = fields[0]
        item[QUADS] = fields[1]
        item[QUERIES] = fields[1] * QUAD_SLOTS
        item[HEAD] = fields[2]
        item[BASE] = workspace_block * BLOCK_SIZE
    key_row = cu_seqlens[document] + block * BLOCK_SIZE
    item[KEY_ROW] = key_row
    item[KEYS] = cutlass.min(cu_seqlens[document + 1] - key_row, BLOCK_SIZE)
    item[DOCUMENT] = document


def _before(span):
    """Items of one head of a document before those of a span."""
    return SPAN_BLOCKS * span * (span + 1) // 2


@cute.jit
def _span(within: Int32) -> Int32:
    """The span of a document's item: the root of `_before`, which FP32 may miss by a little."""
    root = ptx(
        "sqrt.approx.f32 {$w0}, {$r0};", [Float32], Float32(within) * (2.0 / SPAN_BLOCKS) + 0.25
    )
    span = cutlass.max(Int32(root - 0.5), 0)
    while _before(span) > within:
        span -= 1
    while _before(span + 1) <= within:
        span += 1
    return span


@cute.jit
def slot_row(walk: Walk, item: cute.Tensor, slot: Int32) -> Int32:
    """The compact row of a query of an item, -1 where a slot has none."""
    row = Int32(-1)
    if slot < item[QUADS] * QUAD_SLOTS:
        if walk.kind == DENSE:
            if slot < item[QUERIES]:
                row = item[FIRST] + slot
        else:
            row = vector(walk.quad_rows + Int64(item[FIRST]) * QUAD_SLOTS)[slot]
    return row


@cute.jit
def slot_limit(walk: Walk, item: cute.Tensor, slot: Int32) -> Int32:
    """The last key of the block that the query of a slot sees, unspecified where there is none."""
    limit = item[BASE] + slot
    if walk.kind != DENSE and slot < item[QUADS] * QUAD_SLOTS:
        limit = vector(walk.quad_positions + Int64(item[FIRST]) * QUAD_SLOTS)[slot] - item[BASE]
    return limit
