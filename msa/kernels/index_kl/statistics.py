"""The statistics of the student's softmax: of each query and head, over the keys of a walk.

A CTA of four warps draws items and takes their queries by chunks: a warp has 16 queries against a
block's 128 keys, by products that every architecture has. Powers of two, so that the main kernel
has one instruction for a weight.
"""

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32
from cutlass.cute import arch
from cutlass.memory import SmemAllocator

from msa.kernels.device.instructions import load_matrices, ptx
from msa.kernels.device.primitives import WARP, name_kernels
from msa.kernels.index_kl.chunk import (
    KEY_HALF,
    QUERY_HALF,
    ROW_BYTES,
    Chunk,
    allocate_chunks,
    find_row,
    load_key_rows,
    load_queries,
)
from msa.kernels.index_kl.interface import (
    CHUNK_QUADS,
    CHUNK_QUERIES,
    STATISTICS,
    STATISTICS_FIXED_MERGED,
    STATISTICS_MAXIMA,
    STATISTICS_MERGED,
    STATISTICS_SUMS,
)
from msa.kernels.index_kl.softmax import (
    add,
    limits_of,
    merge,
    no_pending,
    read_word,
    reduce_logits,
    resolve,
    row_of,
)
from msa.kernels.index_kl.walk import FIELDS, QUADS, Walk, num_items, read_item
from msa.schedule.topology import BLOCK_SIZE, HEAD_DIM, INDEX_DIM

SIGNATURE = STATISTICS
_WARPS = 4
_THREADS = _WARPS * WARP
_STEP = 16  # channels of a product
_TILE = 8  # keys of a product
assert CHUNK_QUERIES == _WARPS * 16 and HEAD_DIM == INDEX_DIM  # the scales are one


class _Statistics:
    def __init__(self, mode: int):
        self.mode = mode

    @cute.jit
    def __call__(self, index_q, index_k, maxima, sums, walk, ctas, stream):
        self.student_statistics(index_q, index_k, maxima, sums, walk).launch(
            grid=[ctas, 1, 1], block=[_THREADS, 1, 1], stream=stream, min_blocks_per_mp=1
        )

    @cute.kernel
    def student_statistics(
        self,
        index_q: cute.Pointer,
        index_k: cute.Pointer,
        maxima: cute.Pointer,
        sums: cute.Pointer,
        walk: Walk,
    ):
        allocator = SmemAllocator()
        buffers = allocate_chunks(allocator, 2)
        warp = arch.make_warp_uniform(arch.warp_idx())
        count = num_items(walk)
        item = cute.make_rmem_tensor(FIELDS, Int32)
        index, done = arch.block_idx()[0], Int32(0)
        pending = no_pending()
        logits = cute.make_rmem_tensor(BLOCK_SIZE // _TILE * 4, Float32)
        chunks, items = Int32(0), Int32(0)
        if index < count:
            read_item(walk, index, item)
            self.load(walk, item, done, buffers, chunks, items, index_q, index_k)
        while index < count:
            chunk = _buffer(buffers, chunks, items)
            done += CHUNK_QUADS
            if done >= item[QUADS]:
                done = Int32(0)
                items += 1
                index += arch.grid_dim()[0]
                if index < count:
                    read_item(walk, index, item)
            chunks += 1
            # The next chunk is on its way while this one is multiplied.
            if index < count:
                self.load(walk, item, done, buffers, chunks, items, index_q, index_k)
            else:
                ptx("cp.async.commit_group;", None)
            pending = resolve(self.mode, sums, pending)
            row = row_of(chunk, warp)
            seen = read_word(self.mode, sums, row)
            ptx("cp.async.wait_group 1;", None)
            arch.sync_threads()
            self.multiply(chunk, warp, logits)
            limits = limits_of(chunk, warp)
            maximum, total = reduce_logits(self.mode, logits, limits, maxima, row)
            pending = add(self.mode, maxima, sums, row, maximum, total, seen)
            arch.sync_threads()
        resolve(self.mode, sums, pending)

    @cute.jit
    def load(
        self,
        walk: Walk,
        item: cute.Tensor,
        done: Int32,
        buffers: Chunk,
        chunks: Int32,
        items: Int32,
        index_q: cute.Pointer,
        index_k: cute.Pointer,
    ) -> None:
        """Starts to load a chunk of an item, and the item's keys with its first."""
        thread = arch.thread_idx()[0]
        chunk = _buffer(buffers, chunks, items)
        if thread < CHUNK_QUERIES:
            row, limit = find_row(walk, item, done * (CHUNK_QUERIES // CHUNK_QUADS) + thread)
            chunk.rows[thread] = row
            chunk.limits[thread] = limit
        if done == 0:
            load_key_rows(chunk, index_k, item, thread, _THREADS)
        arch.sync_threads()
        load_queries(chunk, index_q, item, thread, _THREADS)
        ptx("cp.async.commit_group;", None)

    @cute.jit
    def multiply(self, chunk: Chunk, warp: Int32, logits: cute.Tensor) -> None:
        """A warp's 16 queries by all keys."""
        lane = arch.lane_idx()
        query = warp * 16 + lane % 16
        key = lane // 16 * 8 + lane % 8
        logits.fill(0.0)
        for step in cutlass.range_constexpr(INDEX_DIM // _STEP):
            half, piece = step // 4, step % 4 * 2
            at = chunk.queries.toint() + half * (2 * QUERY_HALF) + query * ROW_BYTES
            a = load_matrices(at + ((piece + lane // 16) ^ (query % 8)) * 16)
            for pair in cutlass.range_constexpr(BLOCK_SIZE // 16):
                at = chunk.keys.toint() + half * (2 * KEY_HALF) + (pair * 16 + key) * ROW_BYTES
                b = load_matrices(at + ((piece + lane // 8 % 2) ^ (key % 8)) * 16)
                for tile in cutlass.range_constexpr(2):
                    _multiply(logits, 4 * (2 * pair + tile), a, b[2 * tile : 2 * tile + 2])


def _buffer(buffers: Chunk, chunks: Int32, items: Int32) -> Chunk:
    """Where a chunk is: queries by its number, keys by that of its item."""
    place, keys = chunks % 2, items % 2
    return Chunk(
        buffers.keys + keys * (BLOCK_SIZE * INDEX_DIM),
        buffers.queries + place * (CHUNK_QUERIES * INDEX_DIM),
        buffers.rows[None, place],
        buffers.limits[None, place],
    )


def _multiply(sums: cute.Tensor, first: int, a, b) -> None:
    """A product of 16 x 16 by 16 x 8, added to four sums."""
    results = ptx(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{{$w0}, {$w1}, {$w2}, {$w3}}, {{$r0}, {$r1}, {$r2}, {$r3}}, {{$r4}, {$r5}}, "
        "{{$r6}, {$r7}, {$r8}, {$r9}};",
        [Float32] * 4,
        *a,
        *b,
        *[sums[first + i] for i in range(4)],
    )
    for i in range(4):
        sums[first + i] = results[i]


name_kernels(_Statistics.student_statistics)


@cute.jit
def launch(
    mode: Int32,
    index_q: cute.Pointer,
    index_k: cute.Pointer,
    maxima: cute.Pointer,
    sums: cute.Pointer,
    counter: Int32,
    quad_rows: cute.Pointer,
    quad_positions: cute.Pointer,
    items: cute.Pointer,
    control: cute.Pointer,
    cu_seqlens: cute.Pointer,
    workspace_starts: cute.Pointer,
    counters: cute.Pointer,
    walk: Int32,
    documents: Int32,
    groups: Int32,
    tokens: Int32,
    ctas: Int32,
    stream: cuda.CUstream,
):
    """Adds to the statistics; arguments are those of `SIGNATURE`."""
    walked = Walk(
        quad_rows,
        quad_positions,
        items,
        control,
        cu_seqlens,
        workspace_starts,
        counters + counter,
        walk,
        documents,
        groups,
    )
    if mode == STATISTICS_MERGED:
        _Statistics(STATISTICS_MERGED)(index_q, index_k, maxima, sums, walked, ctas, stream)
    elif mode == STATISTICS_MAXIMA:
        _Statistics(STATISTICS_MAXIMA)(index_q, index_k, maxima, sums, walked, ctas, stream)
    elif mode == STATISTICS_SUMS:
        _Statistics(STATISTICS_SUMS)(index_q, index_k, maxima, sums, walked, ctas, stream)
    elif mode == STATISTICS_FIXED_MERGED:
        merge(maxima, sums, tokens * groups, stream)
