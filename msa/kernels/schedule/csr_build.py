"""From a support to the CSR map and the work items of the backward schedule, on the device.

The device build of `msa.schedule.build_backward_schedule`, equal to it bit for bit up to what is
unspecified. Per index head, the edges (a query and a key block that it selected) are sorted,
stably, by the row of their key block; bad ids drop out in the first pass.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Boolean, Int32, Int64
from cutlass.cute import arch

from msa.kernels.device.primitives import (
    WARP,
    cta_exclusive_scan,
    name_kernels,
    shared,
    upper_bound,
    vector,
)
from msa.kernels.schedule.interface import CSR_BUILD
from msa.kernels.schedule.radix_sort import Columns, RadixPass, Scratch, Words
from msa.schedule.backward_schedule import WORK_ITEM_FIELDS
from msa.schedule.topology import BLOCK_SIZE, TOPK_BLOCKS, WORK_ITEM_QUERIES

SIGNATURE = CSR_BUILD
_THREADS = 256
_SCAN_THREADS = 1024
# An edge is sorted as a word, the row of its key block above the position of its query.
_ROW_SHIFT = 32
_WARP_QUERIES = WARP // TOPK_BLOCKS
assert _WARP_QUERIES * TOPK_BLOCKS == WARP  # a warp holds all slots of a query


class _Support(NamedTuple):
    """`support` int32 `[G, T, 16]`; positions int64 `[T]`."""

    support: cute.Pointer
    document_positions: cute.Pointer
    workspace_positions: cute.Pointer
    num_tokens: Int32


class _SupportPass(RadixPass):
    """The first pass, over the slots of a support: `row << 32 | position of the query`."""

    def size(self, source: _Support, segment: Int32) -> Int32:
        return source.num_tokens * TOPK_BLOCKS

    @cute.jit
    def load(self, source, stride: Int32, segment: Int32, index: Int32, in_range: Boolean):
        block = Int32(-1)
        position = Int32(0)
        row = Int32(0)
        if in_range:
            block = vector(source.support)[segment * stride + index]
            token = index // TOPK_BLOCKS
            position = Int32(vector(source.document_positions)[token])
            workspace_position = Int32(vector(source.workspace_positions)[token])
            row = (workspace_position - position) // BLOCK_SIZE + block
            if block < 0 or block > position // BLOCK_SIZE:
                block = Int32(-1)
        # Of equal ids of a query, all of whose slots the warp holds, the first slot stays.
        query = arch.lane_idx() // TOPK_BLOCKS
        same = arch.match_sync(arch.FULL_MASK, block * _WARP_QUERIES + query)
        first = (same & arch.lanemask_lt()) == 0
        return Int64(row) << _ROW_SHIFT | Int64(position), block >= 0 and first


@cute.kernel
def row_starts(edges: Columns, stride: Int32, num_rows: Int32, row_ptr: cute.Pointer):
    """Writes `row_ptr[head, row]`: how many edges of the head lie in earlier rows."""
    row = arch.block_idx()[0] * _THREADS + arch.thread_idx()[0]
    head = arch.block_idx()[1]
    if row <= num_rows:
        rows = vector(edges.upper + head * stride)
        start = upper_bound(rows, vector(edges.sizes)[head], row - 1)
        vector(row_ptr)[head * (num_rows + 1) + row] = start


@cute.kernel
def item_ends(
    row_ptr: cute.Pointer,
    num_groups: Int32,
    num_rows: Int32,
    ends: cute.Pointer,
    work_count: cute.Pointer,
):
    """Writes `ends[head, row]`: work items up to and including that row; and their number."""
    thread = arch.thread_idx()[0]
    size = num_groups * num_rows
    warp_sums = shared(Int32, (_SCAN_THREADS // 32,))
    carry = Int32(0)
    for base in cutlass.range(0, size, _SCAN_THREADS):
        index = base + thread
        items = Int32(0)
        if index < size:
            edges = _row_edges(row_ptr, num_rows, index)
            items = (edges + (WORK_ITEM_QUERIES - 1)) // WORK_ITEM_QUERIES
        before, total = cta_exclusive_scan(items, warp_sums)
        if index < size:
            vector(ends)[index] = carry + before + items
        carry += total
    if thread == 0:
        vector(work_count)[0] = carry


@cute.kernel
def emit_items(
    row_ptr: cute.Pointer,
    num_groups: Int32,
    num_rows: Int32,
    ends: cute.Pointer,
    work_count: cute.Pointer,
    document_workspace_starts: cute.Pointer,
    num_documents: Int32,
    scheduler_metadata: cute.Pointer,
):
    """Writes the work items, a thread each."""
    item = arch.block_idx()[0] * _THREADS + arch.thread_idx()[0]
    if item < vector(work_count)[0]:
        index = upper_bound(vector(ends), num_groups * num_rows, item)
        head = index // num_rows
        row = index - head * num_rows
        first_item = Int32(0)
        if index > 0:
            first_item = vector(ends)[index - 1]
        begin = (item - first_item) * WORK_ITEM_QUERIES
        count = cutlass.min(_row_edges(row_ptr, num_rows, index) - begin, WORK_ITEM_QUERIES)
        # Documents without tokens share a start with the next that has any, which owns the row.
        starts = vector(document_workspace_starts)
        document = upper_bound(starts, num_documents, row * BLOCK_SIZE) - 1
        kblock = row - starts[document] // BLOCK_SIZE
        out = vector(scheduler_metadata + item * WORK_ITEM_FIELDS)
        fields = (head, row, begin, count, document, kblock)
        for i in cutlass.range_constexpr(WORK_ITEM_FIELDS):
            out[i] = fields[i]


@cute.jit
def _row_edges(row_ptr: cute.Pointer, num_rows: Int32, index: Int32) -> Int32:
    """Edges of the row `index` counted over all heads; a head has one offset more than rows."""
    at = index + index // num_rows
    return vector(row_ptr)[at + 1] - vector(row_ptr)[at]


name_kernels(row_starts, item_ends, emit_items)


def _between(sort_pass, words: cute.Pointer, num_words: Int32, sizes: cute.Pointer) -> Words:
    """The words that pass `sort_pass` leaves to the next: two buffers take turns."""
    return Words(words + sort_pass % 2 * num_words, sizes)


@cute.jit
def launch(
    support: cute.Pointer,
    document_positions: cute.Pointer,
    workspace_positions: cute.Pointer,
    document_workspace_starts: cute.Pointer,
    num_groups: Int32,
    num_tokens: Int32,
    num_rows: Int32,
    num_documents: Int32,
    work_capacity: Int32,
    row_ptr: cute.Pointer,
    q_indices: cute.Pointer,
    scheduler_metadata: cute.Pointer,
    work_count: cute.Pointer,
    rows: cute.Pointer,
    words: cute.Pointer,
    sizes: cute.Pointer,
    counts: cute.Pointer,
    totals: cute.Pointer,
    ends: cute.Pointer,
    warps: Int32,
    passes: Int32,
    bits: Int32,
    stream: cuda.CUstream,
):
    """Builds CSR and work items; shapes as in `MSABackwardSchedule`, of `G = num_groups` heads.

    Scratch: `rows` int32 `[G, 16 T]`; `words` int64 `[2, G, 16 T]` where there are several passes;
    `sizes` int32 `[G]`; `counts` and `totals` int32 as the sort plan says, whose `warps`, `passes`
    and `bits` these are; `ends` int32 `[G, rows]`.
    """
    stride = num_tokens * TOPK_BLOCKS
    num_words = stride * num_groups
    scratch = Scratch(counts, totals)
    source = _Support(support, document_positions, workspace_positions, num_tokens)
    result = Columns(rows, q_indices, sizes)
    extent = (stride, num_groups, warps)
    if passes == 1:
        _SupportPass()(source, *extent, Int32(_ROW_SHIFT), bits, scratch, result, stream)
    else:
        first = _between(Int32(0), words, num_words, sizes)
        _SupportPass()(source, *extent, Int32(_ROW_SHIFT), bits, scratch, first, stream)
        for sort_pass in cutlass.range(1, passes - 1):
            before = _between(sort_pass - 1, words, num_words, sizes)
            after = _between(sort_pass, words, num_words, sizes)
            RadixPass()(
                before, *extent, sort_pass * bits + _ROW_SHIFT, bits, scratch, after, stream
            )
        before = _between(passes - 2, words, num_words, sizes)
        RadixPass()(
            before, *extent, (passes - 1) * bits + _ROW_SHIFT, bits, scratch, result, stream
        )
    row_starts(result, stride, num_rows, row_ptr).launch(
        grid=[cute.ceil_div(num_rows + 1, _THREADS), num_groups, 1],
        block=[_THREADS, 1, 1],
        stream=stream,
    )
    item_ends(row_ptr, num_groups, num_rows, ends, work_count).launch(
        grid=[1, 1, 1], block=[_SCAN_THREADS, 1, 1], stream=stream
    )
    emit_items(
        row_ptr,
        num_groups,
        num_rows,
        ends,
        work_count,
        document_workspace_starts,
        num_documents,
        scheduler_metadata,
    ).launch(
        grid=[cute.ceil_div(work_capacity, _THREADS), 1, 1], block=[_THREADS, 1, 1], stream=stream
    )
