"""The statistics of the student's softmax on Hopper: `statistics` with a warpgroup's products.

A CTA, four to an SM, is a warpgroup that multiplies 64 queries by a block's keys, and a warp that
draws items and loads the next chunk while the exponentials of one are taken.
"""

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from cutlass.cute.nvgpu.warpgroup import OperandSource
from cutlass.memory import SmemAllocator

from msa.kernels.device.primitives import WARP, name_kernels
from msa.kernels.device.sm90 import MMA_ROWS, issue, operand_a, operand_b, rows_tile, tiled_mma
from msa.kernels.device.tiles import SPAN, View
from msa.kernels.index_kl.chunk import (
    KEY_HALF,
    QUERY_HALF,
    Chunk,
    allocate_chunks,
    arrive_loaded,
    find_row,
    index_keys_view,
    load_keys,
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
from msa.kernels.index_kl.walk import FIELDS, QUADS, Walk, draw, num_items, read_item
from msa.kernels.schedule.interface import QUAD_SLOTS
from msa.schedule.topology import BLOCK_SIZE, INDEX_DIM

SIGNATURE = STATISTICS
_WARPS = 4
_THREADS = (_WARPS + 1) * WARP
_PLACES = 32
assert CHUNK_QUERIES == MMA_ROWS and INDEX_DIM == 2 * SPAN


class _Statistics:
    def __init__(self, mode: int):
        self.mode = mode

    @cute.jit
    def __call__(self, index_q, index_k, maxima, sums, walk, tokens, ctas, stream):
        keys = index_keys_view(cpasync.CopyBulkTensorTileG2SOp(), index_k, tokens)
        self.student_statistics(keys, index_q, index_k, maxima, sums, walk).launch(
            grid=[ctas, 1, 1], block=[_THREADS, 1, 1], stream=stream, min_blocks_per_mp=1
        )

    @cute.kernel
    def student_statistics(
        self,
        keys: View,
        index_q: cute.Pointer,
        index_k: cute.Pointer,
        maxima: cute.Pointer,
        sums: cute.Pointer,
        walk: Walk,
    ):
        allocator = SmemAllocator()
        barriers = allocator.allocate_array(Int64, 2)
        more = allocator.allocate_tensor(Int32, cute.make_layout(1), 16)
        chunk = allocate_chunks(allocator, 1)
        full, empty = barriers, barriers + 1
        warp = arch.make_warp_uniform(arch.warp_idx())
        if warp == 0:
            with arch.elect_one():
                arch.mbarrier_init(full, WARP)
                arch.mbarrier_init(empty, _WARPS * WARP)
        arch.mbarrier_init_fence()
        arch.sync_threads()
        if warp == _WARPS:
            self.load(keys, index_q, index_k, walk, chunk, more, full, empty)
        else:
            self.reduce(maxima, sums, chunk, more, full, empty, warp)

    @cute.jit
    def load(
        self,
        keys: View,
        index_q: cute.Pointer,
        index_k: cute.Pointer,
        walk: Walk,
        chunk: Chunk,
        more: cute.Tensor,
        full: cute.Pointer,
        empty: cute.Pointer,
    ) -> None:
        """One warp: draws items, and loads their chunks."""
        lane = arch.lane_idx()
        count = num_items(walk)
        item = cute.make_rmem_tensor(FIELDS, Int32)
        phase = Int32(0)
        # Items next to each other are of the same queries, whose words CTAs would all want to swap
        # at once: so consecutive draws go to different stretches of the list.
        stretch = cute.ceil_div(count, _PLACES)
        index = arch.block_idx()[0]
        while index < stretch * _PLACES:
            place = index % _PLACES * stretch + index // _PLACES
            index = draw(walk)
            done = Int32(0)
            item[QUADS] = Int32(0)
            if place < count:
                read_item(walk, place, item)
            while done < item[QUADS]:
                rows, limits = [Int32(-1)] * 2, [Int32(-1)] * 2
                for i in cutlass.range_constexpr(2):
                    rows[i], limits[i] = find_row(walk, item, done * QUAD_SLOTS + lane + WARP * i)
                arch.mbarrier_wait(empty, phase ^ 1)
                for i in cutlass.range_constexpr(2):
                    chunk.rows[lane + WARP * i] = rows[i]
                    chunk.limits[lane + WARP * i] = limits[i]
                if lane == 0:
                    more[0] = Int32(1)
                arch.sync_warp()
                size = Int32(0)
                if done == 0:
                    size = load_keys(chunk, keys, index_k, item, full)
                load_queries(chunk, index_q, item, lane, WARP)
                arrive_loaded(full, size)
                phase ^= 1
                done += CHUNK_QUADS
        arch.mbarrier_wait(empty, phase ^ 1)
        if lane == 0:
            more[0] = Int32(0)
        arch.mbarrier_arrive(full)

    @cute.jit
    def reduce(
        self,
        maxima: cute.Pointer,
        sums: cute.Pointer,
        chunk: Chunk,
        more: cute.Tensor,
        full: cute.Pointer,
        empty: cute.Pointer,
        warp: Int32,
    ) -> None:
        """A warpgroup: logits, and what they add to the statistics."""
        mma = tiled_mma(BLOCK_SIZE, OperandMajorMode.K, OperandMajorMode.K, OperandSource.SMEM)
        logits = cute.make_rmem_tensor(mma.partition_shape_C((CHUNK_QUERIES, BLOCK_SIZE)), Float32)
        queries = operand_a(mma, rows_tile(chunk.queries, CHUNK_QUERIES, QUERY_HALF))
        keys = operand_b(mma, rows_tile(chunk.keys, BLOCK_SIZE, KEY_HALF))
        pending = no_pending()
        phase = Int32(0)
        arch.mbarrier_wait(full, phase)
        while more[0] != 0:
            issue(mma, logits, queries, keys, False)
            pending = resolve(self.mode, sums, pending)
            row = row_of(chunk, warp)
            limits = limits_of(chunk, warp)
            seen = read_word(self.mode, sums, row)
            warpgroup.wait_group(0)
            arch.mbarrier_arrive(empty)
            maximum, total = reduce_logits(self.mode, logits, limits, maxima, row)
            pending = add(self.mode, maxima, sums, row, maximum, total, seen)
            phase ^= 1
            arch.mbarrier_wait(full, phase)
        resolve(self.mode, sums, pending)


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
        _Statistics(STATISTICS_MERGED)(index_q, index_k, maxima, sums, walked, tokens, ctas, stream)
    elif mode == STATISTICS_MAXIMA:
        _Statistics(STATISTICS_MAXIMA)(index_q, index_k, maxima, sums, walked, tokens, ctas, stream)
    elif mode == STATISTICS_SUMS:
        _Statistics(STATISTICS_SUMS)(index_q, index_k, maxima, sums, walked, tokens, ctas, stream)
    elif mode == STATISTICS_FIXED_MERGED:
        merge(maxima, sums, tokens * groups, stream)
