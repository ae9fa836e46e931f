"""Chunks of the index branch's operands in shared memory, and instructions that kernels share.

A chunk is up to 64 queries of an item, with the item's key block: two tiles of 128-byte rows, half
of the channels in each, in the swizzle that products take. Rows that are none are zeros: behind a
document's end there may be anything, and a gradient's product would spread it.
"""

from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32, Int64, const_expr
from cutlass.cute import arch

from msa.kernels.device.instructions import ptx
from msa.kernels.device.primitives import WARP
from msa.kernels.device.tiles import SPAN, View, load_box, partition_boxes, swizzled_rows, tile_view
from msa.kernels.index_kl.interface import CHUNK_QUERIES
from msa.kernels.index_kl.walk import HEAD, KEY_ROW, KEYS, Walk, slot_limit, slot_row
from msa.schedule.topology import BLOCK_SIZE, INDEX_DIM

_PIECES = INDEX_DIM // 8  # of a row, 16 bytes each
ROW_BYTES = 2 * SPAN  # of a tile
KEY_HALF = BLOCK_SIZE * SPAN  # elements from one half of the channels to the other
QUERY_HALF = CHUNK_QUERIES * SPAN


class Chunk(NamedTuple):
    """Shared memory of a chunk.

    Attributes:
        keys: bf16 `[2, 128, 64]`.
        queries: bf16 `[2, 64, 64]`.
        rows: of each query its row among queries and heads, -1 where there is none.
        limits: the last key of the block that it sees, -1 where there is none.
    """

    keys: cute.Pointer
    queries: cute.Pointer
    rows: cute.Tensor
    limits: cute.Tensor


def allocate_chunks(allocator, count: int) -> Chunk:
    """Takes the shared memory of so many chunks, one after the other in each part."""

    def tile(size):
        layout, swizzle = cute.make_layout(count * size), swizzled_rows().inner
        return allocator.allocate_tensor(BFloat16, layout, 1024, swizzle).iterator

    layout = cute.make_layout((CHUNK_QUERIES, count))
    rows, limits = (allocator.allocate_tensor(Int32, layout, 16) for _ in range(2))
    return Chunk(tile(BLOCK_SIZE * INDEX_DIM), tile(CHUNK_QUERIES * INDEX_DIM), rows, limits)


@cute.jit
def find_row(walk: Walk, item: cute.Tensor, slot: Int32):
    """Of an item's slot: its row among queries and heads, and the last key that it sees; -1, -1."""
    row = slot_row(walk, item, slot)
    limit = Int32(-1)
    if row >= 0:
        limit = slot_limit(walk, item, slot)
        row = row * walk.groups + item[HEAD]
    return row, limit


def index_keys_view(op, pointer: cute.Pointer, tokens: Int32) -> View:
    """index_k in boxes of a block and half of the channels."""
    layout = cute.make_layout((tokens, INDEX_DIM), stride=(INDEX_DIM, 1))
    return tile_view(op, pointer, layout, BLOCK_SIZE)


@cute.jit
def load_keys(
    chunk: Chunk, keys: View, index_k: cute.Pointer, item: cute.Tensor, full: cute.Pointer
) -> Int32:
    """Starts to load an item's key block, by one warp; returns the bytes that `full` is to expect.

    TMA takes whole blocks. It would take the next document's keys with a document's last block.
    """
    size = Int32(0)
    if item[KEYS] == BLOCK_SIZE:
        size = Int32(2 * BLOCK_SIZE * INDEX_DIM)
        layout = cute.make_layout(
            ((8, BLOCK_SIZE // 8), SPAN, 2), stride=((SPAN, 8 * SPAN), 1, KEY_HALF)
        )
        moved = View(keys.atom, cute.domain_offset((item[KEY_ROW], 0), keys.tensor))
        boxes = partition_boxes(moved, (BLOCK_SIZE, SPAN), chunk.keys, layout)
        for half in cutlass.range_constexpr(2):
            load_box(boxes, (0, half), (half,), full)
    else:
        load_key_rows(chunk, index_k, item, arch.lane_idx(), WARP)
    return size


@cute.jit
def arrive_loaded(full: cute.Pointer, size: Int32) -> None:
    """A lane's arrival when its copies are there; the first expects TMA's bytes."""
    wait_copies()
    if size > 0 and arch.lane_idx() == 0:
        arch.mbarrier_arrive_and_expect_tx(full, size)
    else:
        arch.mbarrier_arrive(full)


@cute.jit
def load_key_rows(
    chunk: Chunk,
    index_k: cute.Pointer,
    item: cute.Tensor,
    thread: Int32,
    threads: cutlass.Constexpr[int],
) -> None:
    """Starts to load an item's key block: `threads` threads take part, of which this is one."""
    _load_rows(chunk.keys, KEY_HALF, BLOCK_SIZE, index_k, item, None, thread, threads)


@cute.jit
def load_queries(
    chunk: Chunk,
    index_q: cute.Pointer,
    item: cute.Tensor,
    thread: Int32,
    threads: cutlass.Constexpr[int],
) -> None:
    """Starts to load a chunk's queries, by their rows, which are there."""
    _load_rows(chunk.queries, QUERY_HALF, CHUNK_QUERIES, index_q, item, chunk.rows, thread, threads)


@cute.jit
def _load_rows(
    tile: cute.Pointer,
    half: cutlass.Constexpr[int],
    count: cutlass.Constexpr[int],
    source: cute.Pointer,
    item: cute.Tensor,
    rows,
    thread: Int32,
    threads: cutlass.Constexpr[int],
) -> None:
    piece = thread % _PIECES
    base = tile.toint() + piece // 8 * (2 * half)
    for i in cutlass.range(count * _PIECES // threads, unroll=8):
        near = i * (threads // _PIECES) + thread // _PIECES
        row = item[KEY_ROW] + near
        size = Int32(16)
        if const_expr(rows is None):
            if near >= item[KEYS]:
                size = Int32(0)
        else:
            row = rows[near]
            if row < 0:
                size = Int32(0)
        if size == 0:
            row = Int32(0)
        ptx(
            "cp.async.cg.shared.global [{$r0}], [{$r1}], 16, {$r2};",
            None,
            base + near * ROW_BYTES + ((piece % 8) ^ (near % 8)) * 16,
            source.toint() + (Int64(row) * _PIECES + piece) * 16,
            size,
        )


# Instructions.


def exp2(x: Float32) -> Float32:
    """A power of two, of which numbers that are not normal are 0."""
    return cute.math.exp2(x, fastmath=True)


def log2(x: Float32) -> Float32:
    """A logarithm of a normal number, in one instruction."""
    return ptx("lg2.approx.ftz.f32 {$w0}, {$r0};", [Float32], x)


def wait_copies() -> None:
    """Waits for this thread's `cp.async`, and makes what they wrote visible to products."""
    ptx("cp.async.wait_all;", None)
    arch.fence_view_async_shared()


def float_bits(x: Float32) -> Int32:
    """The bits of a number."""
    return ptx("mov.b32 {$w0}, {$r0};", [Int32], x)


def bits_float(x: Int32) -> Float32:
    """The number of bits."""
    return ptx("mov.b32 {$w0}, {$r0};", [Float32], x)
