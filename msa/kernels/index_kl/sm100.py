"""The index loss on Blackwell: divergence and both unit gradients in one walk over items.

A *tile* is two quads, 8 queries of 16 heads, against a block's 128 keys: `Sᵀ = K Qᵀ`. Keys are the
rows throughout, so that a thread has one: the mean of 16 heads' probabilities, the student's logit
and `D = P_idx - P̄` of a query and key all meet in the same thread. Eight tiles are a *chunk*, 64
queries, for which the student's products are whole: logits `IK IQᵀ`, `dIQᵀ = IKᵀ D`, and
`dIK += D IQ`, where D has keys for rows as well. Tensor memory is full:

    columns   0 to 255   Sᵀ of two tiles
            256 to 383   dIK of the item
            384 to 447   the chunk's logits, then dIQᵀ in their place
            448 to 511   the chunk's means

A CTA has an SM to itself. Its warps:

    0 to 7    Means of every tile, and D of every chunk. A thread has a key, and of each tile four
              queries: warps 0 to 3 the first four, whose places in the chunk are the first 32.
    8 to 11   Gradients on their way out, added from registers.
    12        The products.
    13        The loads of keys and queries.
    14        The loads of the student's operands.
    15        Draws items.

Nothing is masked before the student, which hides keys by a select: what keys behind a document's
end leave in a mean does not matter, be it NaN.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync
from cutlass.cute.nvgpu.tcgen05 import OperandSource

from msa.kernels.device.instructions import nearest, pack, ptx, store_shared
from msa.kernels.device.pipeline import next_use, two_stages
from msa.kernels.device.primitives import WARP, name_kernels
from msa.kernels.device.sm100 import (
    TILE,
    TMEM_COLUMNS,
    accumulators,
    arrive,
    arrive_tmem,
    commit,
    fence_after_sync,
    fence_before_sync,
    issue,
    load_fragments,
    load_rows,
    shared_operand_a,
    shared_operand_b,
    store_rows,
    tiled_mma,
    wait_tmem,
    warp_lanes,
)
from msa.kernels.device.tiles import SCALE_LOG2, SPAN, queries_view, tile_view
from msa.kernels.index_kl.chunk import ROW_BYTES, exp2, index_keys_view
from msa.kernels.index_kl.interface import (
    BASE_ORDER,
    CHUNK_QUADS,
    CHUNK_QUERIES,
    DIVERGENCE_ONE,
    GRADIENTS_FAST,
    GRADIENTS_FIXED,
    LOSS_ONLY,
    MAIN,
    pool_place,
)
from msa.kernels.index_kl.sm100_memory import (
    BASE_BYTES,
    BASES,
    COMPUTE_WARPS,
    HALVES,
    PLACES,
    REDUCE_WARPS,
    ROWS,
    SCORE_STAGES,
    SLOT_BASE_BYTES,
    STAGES,
    Shared,
    Views,
    allocate,
    barrier_table,
    chunk_tiles,
    draw_items,
    item_size,
    load,
    slot_at,
)
from msa.kernels.index_kl.student import (
    END,
    FIRST_KEY_ROW,
    FLAGS,
    LAST,
    NUM_KEYS,
    Student,
    compare,
    load_chunks,
)
from msa.kernels.index_kl.walk import (
    Walk,
)
from msa.kernels.schedule.interface import QUAD_SLOTS
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM, INDEX_DIM

SIGNATURE = MAIN

_SCORES, _DK, _LOGITS, _MEANS = 0, 256, 384, 448  # columns of tensor memory

_MMA_WARP = COMPUTE_WARPS + REDUCE_WARPS
_LOAD_WARP, _CHUNK_WARP, _ITEM_WARP = _MMA_WARP + 1, _MMA_WARP + 2, _MMA_WARP + 3
_WARPS = _ITEM_WARP + 1


class _Outputs(NamedTuple):
    divergences: cute.Pointer
    dq: cute.Pointer
    dk: cute.Pointer


class _IndexKL:
    """The kernel in one of its modes."""

    def __init__(self, mode: int):
        self.fixed = mode == GRADIENTS_FIXED
        self.gradients = mode != LOSS_ONLY

    @cute.jit
    def __call__(self, q, k, student, walk, outputs, tokens, ctas, stream):
        load = cpasync.CopyBulkTensorTileG2SOp()
        row = cute.assume(walk.groups * HEAD_DIM, divby=HEAD_DIM)
        keys = cute.make_layout((tokens, HEAD_DIM, walk.groups), stride=(row, 1, HEAD_DIM))
        views = Views(
            queries_view(load, q, tokens * walk.groups),
            tile_view(load, k, keys, BLOCK_SIZE),
            index_keys_view(load, student.index_k, tokens),
        )
        self.index_kl(views, student, walk, outputs).launch(
            grid=[ctas, 1, 1], block=[_WARPS * WARP, 1, 1], stream=stream, min_blocks_per_mp=1
        )

    @cute.kernel
    def index_kl(self, views: Views, student: Student, walk: Walk, outputs: _Outputs):
        """Gives each warp its role."""
        shared = allocate(barrier_table(self.gradients))
        warp = arch.make_warp_uniform(arch.warp_idx())
        if warp == _MMA_WARP:
            arch.alloc_tmem(TMEM_COLUMNS, shared.tmem)
            arch.relinquish_tmem_alloc_permit()
        elif warp == 0:
            with arch.elect_one():
                barrier_table(self.gradients).init(shared.barriers)
        arch.mbarrier_init_fence()
        fence_before_sync()
        arch.sync_threads()
        fence_after_sync()
        tmem = arch.retrieve_tmem_ptr(Float32, 16, shared.tmem)
        if warp == _MMA_WARP:
            self.multiply(shared, tmem)
        elif warp == _LOAD_WARP:
            load(views, student.bases, walk, shared)
        elif warp == _CHUNK_WARP:
            load_chunks(
                views.index_keys, student, walk, shared.items, shared.chunks, slot_at, self.fixed
            )
        elif warp == _ITEM_WARP:
            draw_items(walk, shared)
        elif warp >= COMPUTE_WARPS:
            if const_expr(self.gradients):
                self.reduce(shared, tmem, outputs, warp - COMPUTE_WARPS)
        else:
            self.compute(shared, tmem, outputs.divergences, warp)
        # No warp reads tensor memory any more.
        fence_before_sync()
        arch.sync_threads()
        if warp == _MMA_WARP:
            fence_after_sync()
            arch.dealloc_tmem(tmem, TMEM_COLUMNS)

    @cute.jit
    def multiply(self, shared: Shared, tmem: cute.Pointer) -> None:
        """The work of a warp: issues the products, which the chip computes in this order.

        The first tiles of a chunk come before the gradients of the chunk before, whose D is being
        made, and the chunk's logits after its tiles.
        """
        barriers = shared.barriers
        drawn, tiles, chunks = Int32(0), Int32(0), Int32(0)
        was_first, firsts = Int32(0), Int32(0)
        size = Int32(1)
        while size > 0:
            size = item_size(shared, drawn)
            if size > 0:
                arch.mbarrier_wait(barriers.keys_full, drawn & 1)
            drawn += 1
            done = Int32(0)
            while done < size:
                count = chunk_tiles(size - done)
                ahead = cutlass.min(count, SCORE_STAGES)
                _issue_scores(shared, tmem, tiles, ahead)
                if chunks > 0 and const_expr(self.gradients):
                    _issue_gradients(shared, tmem, chunks - 1, was_first, firsts)
                    firsts += was_first
                _issue_scores(shared, tmem, tiles + ahead, count - ahead)
                tiles += count
                was_first = Int32(done == 0)
                done += CHUNK_QUADS
                if done >= size:
                    commit(barriers.keys_empty)
                arch.mbarrier_wait(barriers.chunk_full, chunks & 1)
                wait_tmem(barriers.logits_empty, (chunks & 1) ^ 1)
                mma = tiled_mma(_K, _K, OperandSource.SMEM, CHUNK_QUERIES)
                chunk = shared.chunks.chunk
                issue(
                    mma,
                    accumulators(mma, tmem + _LOGITS),
                    shared_operand_a(mma, chunk.keys, 0),
                    shared_operand_b(mma, chunk.queries, 0),
                    False,
                )
                commit(barriers.logits_full)
                if const_expr(not self.gradients):
                    commit(barriers.chunk_empty)
                chunks += 1
        if chunks > 0 and const_expr(self.gradients):
            _issue_gradients(shared, tmem, chunks - 1, was_first, firsts)

    @cute.jit
    def compute(
        self, shared: Shared, tmem: cute.Pointer, divergences: cute.Pointer, warp: Int32
    ) -> None:
        """The work of warps 0 to 7: means of 4 queries of a tile, D of 32 of a chunk."""
        half = warp // 4
        lanes = warp_lanes(tmem, warp)
        scores = lanes + half * ROWS
        means = lanes + _MEANS + half * PLACES
        barriers = shared.barriers
        drawn, tiles, chunks = Int32(0), Int32(0), Int32(0)
        base, base_phase = Int32(0), Int32(0)
        size = Int32(1)
        while size > 0:
            size = item_size(shared, drawn)
            drawn += 1
            done = Int32(0)
            while done < size:
                for tile in cutlass.range(chunk_tiles(size - done), unroll=1):
                    stage, phase = two_stages(tiles)
                    arch.mbarrier_wait(barriers.bases_full + base, base_phase)
                    wait_tmem(barriers.scores_full + stage, phase)
                    values = load_rows(scores + cute.assume(stage * TILE, divby=TILE), ROWS)
                    arch.fence_view_async_tmem_load()
                    arrive_tmem(barriers.scores_empty + stage)
                    bases = shared.bases.toint() + base * BASE_BYTES
                    words = _average(values, bases + half * (BASE_BYTES // HALVES))
                    store_rows(means + cute.assume(tile * QUAD_SLOTS, divby=QUAD_SLOTS), words)
                    base, base_phase = next_use(base, base_phase, BASES)
                    tiles += 1
                arch.fence_view_async_tmem_store()
                self.learn(shared, lanes, divergences, warp, chunks)
                chunks += 1
                done += CHUNK_QUADS

    @cute.jit
    def learn(
        self,
        shared: Shared,
        lanes: cute.Pointer,
        divergences: cute.Pointer,
        warp: Int32,
        count: Int32,
    ) -> None:
        """Divergence and D of a chunk, where all its means are there."""
        half, lane = warp // 4, arch.lane_idx()
        key = warp % 4 * WARP + lane
        first = half * PLACES
        barriers, chunks = shared.barriers, shared.chunks
        parity = count & 1
        arch.mbarrier_wait(barriers.chunk_full, parity)
        wait_tmem(barriers.logits_full, parity)
        logits = load_rows(lanes + _LOGITS + first, PLACES)
        means = load_rows(lanes + _MEANS + first, PLACES)
        arch.fence_view_async_tmem_load()
        if const_expr(not self.gradients):
            arrive_tmem(barriers.logits_empty)
        terms = []
        pairs = cute.make_rmem_tensor(PLACES // 2, Int32)
        for i in cutlass.range_constexpr(PLACES // 4):
            limits, maxima, shifts = (
                _load_four(array.iterator.toint() + (first + 4 * i) * 4, array.element_type)
                for array in (chunks.chunk.limits, chunks.maxima, chunks.shifts)
            )
            differences = []
            for j in cutlass.range_constexpr(4):
                exponent = logits[4 * i + j] * SCALE_LOG2 - maxima[j] + shifts[j]
                difference, term = compare(exponent, means[4 * i + j], key <= limits[j])
                differences.append(difference)
                terms.append(term)
            for j in cutlass.range_constexpr(2):
                pairs[2 * i + j] = pack(*differences[2 * j : 2 * j + 2])
        if const_expr(self.gradients):
            # The gradients of the chunk before have read its D.
            arch.mbarrier_wait(barriers.sums_full, parity ^ 1)
            row = shared.grads.toint() + key * ROW_BYTES
            for i in cutlass.range_constexpr(PLACES // 8):
                piece = (half * (PLACES // 8) + i) ^ (key % 8)
                store_shared(row + piece * 16, [pairs[4 * i + j] for j in range(4)])
            arch.fence_view_async_shared()
            arrive_tmem(barriers.grads_full)
        total = _sum_columns(terms)
        row = chunks.chunk.rows[first + lane]
        if row >= 0:
            ptx(
                "red.relaxed.gpu.global.add.u64 [{$r0}], {$r1};",
                None,
                divergences.toint() + Int64(row) * 8,
                nearest(total * DIVERGENCE_ONE, Int64),
            )
        arrive(barriers.chunk_empty)

    @cute.jit
    def reduce(self, shared: Shared, tmem: cute.Pointer, outputs: _Outputs, warp: Int32) -> None:
        """The work of warps 8 to 11: adds 32 channels of dIQ of every chunk, and 32 keys of dIK of
        every item."""
        lanes = warp_lanes(tmem, warp)
        lane = arch.lane_idx()
        barriers, chunks = shared.barriers, shared.chunks
        channel = pool_place(warp * WARP + lane)
        count = Int32(0)
        arch.mbarrier_wait(barriers.chunk_full, 0)
        flags = chunks.words[FLAGS]
        while (flags & END) == 0:
            key_row, num_keys = chunks.words[FIRST_KEY_ROW], chunks.words[NUM_KEYS]
            scales = [Float32(1), Float32(1)]
            if const_expr(self.fixed):
                scales = [chunks.scales[i] for i in range(2)]
            wait_tmem(barriers.sums_full, count & 1)
            values = load_rows(lanes + _LOGITS, CHUNK_QUERIES)
            arch.fence_view_async_tmem_load()
            arrive_tmem(barriers.logits_empty)
            for i in cutlass.range_constexpr(CHUNK_QUERIES // 4):
                rows = _load_four(chunks.chunk.rows.iterator.toint() + 16 * i, Int32)
                for j in cutlass.range_constexpr(4):
                    value = values[4 * i + j]
                    if rows[j] >= 0:
                        address = outputs.dq.toint() + (Int64(rows[j]) * INDEX_DIM + channel) * 4
                        if const_expr(self.fixed):
                            _add("s32", address, nearest(value * scales[0], Int32))
                        else:
                            _add("f32", address, value)
            arrive(barriers.chunk_empty)
            if (flags & LAST) != 0:
                first = warp * WARP
                self.add_keys(outputs.dk, lanes + _DK, first, key_row, num_keys, scales[1])
                arrive_tmem(barriers.dk_empty)
            count += 1
            arch.mbarrier_wait(barriers.chunk_full, count & 1)
            flags = chunks.words[FLAGS]

    @cute.jit
    def add_keys(
        self,
        pool: cute.Pointer,
        sums: cute.Pointer,
        first: Int32,
        key_row: Int32,
        num_keys: Int32,
        scale: Float32,
    ) -> None:
        """Adds a warp's 32 keys of dIK, four channels of two rows at a time."""
        lane = arch.lane_idx()
        bytes_of_four = 4 * (8 if self.fixed else 4)
        for half in cutlass.range_constexpr(2):
            values = load_fragments(sums + half * SPAN, SPAN)
            arch.fence_view_async_tmem_load()
            for fragment in cutlass.range_constexpr(2):
                for lower in cutlass.range_constexpr(2):
                    key = first + fragment * 16 + lower * 8 + lane // 4
                    if key < num_keys:
                        place = Int64(key_row + key) * (INDEX_DIM // 4) + half * (SPAN // 4)
                        address = pool.toint() + (place + lane % 4) * bytes_of_four
                        for i in cutlass.range_constexpr(SPAN // 16):
                            terms = [
                                values[2 * lower + x, 2 * i + y, fragment]
                                for y in range(2)
                                for x in range(2)
                            ]
                            at = address + i * (4 * bytes_of_four)
                            if const_expr(self.fixed):
                                for j in cutlass.range_constexpr(4):
                                    _add("u64", at + 8 * j, nearest(terms[j] * scale, Int64))
                            else:
                                _add_four(at, terms)


name_kernels(_IndexKL.index_kl)

_K, _MN = OperandMajorMode.K, OperandMajorMode.MN


# The products.


@cute.jit
def _issue_scores(shared: Shared, tmem: cute.Pointer, first: Int32, count: Int32) -> None:
    """Sᵀ of tiles."""
    barriers = shared.barriers
    mma = tiled_mma(_K, _K, OperandSource.SMEM)
    keys = shared_operand_a(mma, shared.keys, 0)
    for tile in cutlass.range(first, first + count, unroll=1):
        stage, phase = tile % STAGES, tile // STAGES & 1
        place, place_phase = two_stages(tile)
        barriers.queries.wait(stage, phase)
        wait_tmem(barriers.scores_empty + place, place_phase ^ 1)
        scores = tmem + _SCORES + cute.assume(place * TILE, divby=TILE)
        queries = shared_operand_b(mma, shared.queries, stage)
        issue(mma, accumulators(mma, scores), keys, queries, False)
        commit(barriers.scores_full + place)
        commit(barriers.queries_empty + stage)


@cute.jit
def _issue_gradients(
    shared: Shared, tmem: cute.Pointer, count: Int32, is_first: Int32, firsts: Int32
) -> None:
    """dIQᵀ and dIK of chunk `count`, which may be the first of its item, of which there were
    `firsts` before."""
    barriers, chunk = shared.barriers, shared.chunks.chunk
    wait_tmem(barriers.grads_full, count & 1)
    mma = tiled_mma(_MN, _MN, OperandSource.SMEM, CHUNK_QUERIES)
    issue(
        mma,
        accumulators(mma, tmem + _LOGITS),
        shared_operand_a(mma, chunk.keys, 0),
        shared_operand_b(mma, shared.grads, 0),
        False,
    )
    if is_first != 0:
        wait_tmem(barriers.dk_empty, (firsts & 1) ^ 1)
    mma = tiled_mma(_K, _MN, OperandSource.SMEM)
    issue(
        mma,
        accumulators(mma, tmem + _DK),
        shared_operand_a(mma, shared.grads, 0, CHUNK_QUERIES),
        shared_operand_b(mma, chunk.queries, 0, CHUNK_QUERIES),
        is_first == 0,
    )
    commit(barriers.sums_full)
    commit(barriers.chunk_empty)


# Arithmetic of a thread.


@cute.jit
def _average(scores: cute.Tensor, bases: Int32) -> cute.Tensor:
    """The mean of P over the heads of four queries, as words."""
    means = cute.make_rmem_tensor(QUAD_SLOTS, Float32)
    scales = SCALE_LOG2, SCALE_LOG2
    for slot in cutlass.range_constexpr(QUAD_SLOTS):
        sums = None
        for i in cutlass.range_constexpr(GROUP_HEADS // 4):
            four = _load_four(bases + slot * SLOT_BASE_BYTES + i * 16, Float32)
            for j in cutlass.range_constexpr(2):
                head = slot * GROUP_HEADS + BASE_ORDER[4 * i + 2 * j]
                pair = scores[head], scores[head + 1]
                exponents = arch.fma_packed_f32x2(pair, scales, (four[2 * j], four[2 * j + 1]))
                weights = tuple(exp2(x) for x in exponents)
                sums = weights if sums is None else arch.add_packed_f32x2(sums, weights)
        means[slot] = sums[0] + sums[1]
    return cute.recast_tensor(means, Int32)


assert all(BASE_ORDER[i] + 1 == BASE_ORDER[i + 1] for i in range(0, GROUP_HEADS, 2))


@cute.jit
def _sum_columns(terms: list) -> Float32:
    """Of 32 columns of which each lane has a row, the sum of that of its own number."""
    lane = arch.lane_idx()
    for step in (16, 8, 4, 2, 1):
        is_upper = (lane & step) != 0
        terms = [
            Float32(cutlass.select_(is_upper, upper, lower))
            + arch.shuffle_sync_bfly(Float32(cutlass.select_(is_upper, lower, upper)), offset=step)
            for lower, upper in zip(terms[:step], terms[step:], strict=True)
        ]
    return terms[0]


# Instructions.


def _load_four(address: Int32, dtype) -> list:
    """Four words of shared memory."""
    text = "ld.shared.v4.b32 {{$w0}, {$w1}, {$w2}, {$w3}}, [{$r0}];"
    return ptx(text, [dtype] * 4, address)


def _add(kind: str, address: Int64, term) -> None:
    ptx(f"red.relaxed.gpu.global.add.{kind} [{{$r0}}], {{$r1}};", None, address, term)


def _add_four(address: Int64, terms: list) -> None:
    text = "red.relaxed.gpu.global.add.v4.f32 [{$r0}], {{$r1}, {$r2}, {$r3}, {$r4}};"
    ptx(text, None, address, *terms)


@cute.jit
def launch(
    mode: Int32,
    q: cute.Pointer,
    k: cute.Pointer,
    bases: cute.Pointer,
    index_q: cute.Pointer,
    index_k: cute.Pointer,
    sums: cute.Pointer,
    bounds: cute.Pointer,
    divergences: cute.Pointer,
    dq_sums: cute.Pointer,
    dk_sums: cute.Pointer,
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
    """Adds divergences and gradients; arguments are those of `SIGNATURE`."""
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
    student = Student(index_q, index_k, sums, bounds, bases)
    outputs = _Outputs(divergences, dq_sums, dk_sums)
    if mode == LOSS_ONLY:
        _IndexKL(LOSS_ONLY)(q, k, student, walked, outputs, tokens, ctas, stream)
    elif mode == GRADIENTS_FAST:
        _IndexKL(GRADIENTS_FAST)(q, k, student, walked, outputs, tokens, ctas, stream)
    else:
        _IndexKL(GRADIENTS_FIXED)(q, k, student, walked, outputs, tokens, ctas, stream)
