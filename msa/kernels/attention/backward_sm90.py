"""The attention backward on Hopper: dQ, dK and dV in one walk over the task tables.

The walk is key-outer. A *step* takes one quad, 4 query slots x 16 heads = 64 rows, against one
block of 128 keys of one KV head; an *item* is a run of steps on the same keys. With bf16 operands
and FP32 sums

    S = Q Kᵀ        P = exp2(SOFTMAX_SCALE * log2(e) * S - log2(e) * lse)
    dP = dO Vᵀ      dS = P * (SOFTMAX_SCALE * dP - SOFTMAX_SCALE * delta)
    dV += Pᵀ dO     dK += dSᵀ Q     dQ += dS K

so that the scale of the logits is inside dS and no sum needs it later.

A CTA has an SM to itself and draws items from a counter. Its four warpgroups:

    0, 1  64 keys each: Sᵀ and dPᵀ of every step, dV and dK. Pᵀ and dSᵀ are operands of dV and dK
          from registers, where the sums of dV and dK stay too until an item ends: then they are
          added into the pools. dSᵀ also goes to shared memory.
    2     dQ of every step. A warp holds one query slot and adds it by itself, without a barrier.
    3     One warp loads: quads up to two steps ahead, K and V when an item starts.

All sums leave as bulk reductions, asynchronous adds of shared to global memory. The fast mode adds
bf16 to the gradient of q and FP32 to the pools of dK and dV. The deterministic mode adds integers,
whose sum does not depend on the order of its terms.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Boolean, Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, warpgroup
from cutlass.cute.nvgpu.warpgroup import OperandSource

from msa.kernels.attention.backward import (
    END,
    FIRST,
    LAST,
    MASKED,
    Backward,
    Inputs,
    Outputs,
    launch_backward,
    query_factors,
    read_slot,
    spoil_unless_finite,
)
from msa.kernels.attention.backward_sm90_memory import (
    BARRIERS,
    BLOCK_HALF,
    BLOCK_LOAD_BYTES,
    GRAD_SCORES,
    KEY_WARPS,
    KEYS,
    PIECE_BYTES,
    QUAD,
    QUAD_HALF,
    QUAD_LOAD_BYTES,
    QUERY_WARPS,
    ROWS,
    SLOT,
    SLOT_HALF,
    SLOT_STATISTICS_BYTES,
    STAGES,
    STATISTICS_BYTES,
    Shared,
    allocate,
    arrive,
    input_boxes,
    load_block,
    load_quad,
)
from msa.kernels.attention.interface import BACKWARD_OF_ITEMS
from msa.kernels.device.instructions import (
    bulk_add,
    nearest,
    pack,
    ptx,
    store_matrices,
    store_shared,
    unpack,
)
from msa.kernels.device.pipeline import next_use
from msa.kernels.device.primitives import WARP, name_kernels, vector
from msa.kernels.device.sm90 import (
    columns_tile,
    issue,
    operand_a,
    operand_b,
    rows_tile,
    tiled_mma,
    transposed,
)
from msa.kernels.device.tiles import SCALE_LOG2, SPAN, View, partition_boxes, receive
from msa.kernels.schedule.interface import ITEM_FIELDS, QUAD_SLOTS
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM, SOFTMAX_SCALE

_WARPS = KEY_WARPS + QUERY_WARPS + 4  # of the last four, one loads and the others end
# Of a thread. A CTA starts with 128 each, all that there are.
_KEY_REGISTERS, _QUERY_REGISTERS, _LOAD_REGISTERS = 208, 64, 32
assert 2 * _KEY_REGISTERS + _QUERY_REGISTERS + _LOAD_REGISTERS == _WARPS // 4 * 128


class _Tables(NamedTuple):
    """The items and their quads, the number of items and the counter that they are drawn from."""

    items: cute.Pointer
    quad_rows: cute.Pointer
    quad_positions: cute.Pointer
    num_items: cute.Pointer
    counter: cute.Pointer


class _Backward(Backward):
    """The kernel in one of its two modes."""

    warps = _WARPS

    def __init__(self, deterministic: bool):
        super().__init__(deterministic)
        # Half of a slot's dQ: bf16, or int32.
        self.dq_half_bytes = SLOT_HALF * (4 if deterministic else 2)

    @cute.kernel
    def attention_backward(
        self,
        inputs: Inputs,
        dq: View | None,
        tables: _Tables,
        outputs: Outputs,
        num_groups: Int32,
        num_kblocks: Int32,
    ):
        """Gives each warp its role; `dq` is None in the deterministic mode."""
        shared = allocate(self.dq_half_bytes)
        this_warp = arch.make_warp_uniform(arch.warp_idx())
        if this_warp == 0:
            with arch.elect_one():
                BARRIERS.init(shared.barriers)
        arch.mbarrier_init_fence()
        arch.sync_threads()
        # The first item of a CTA is its number in the grid.
        num_items = vector(tables.num_items)[0]
        has_item = arch.block_idx()[0] < num_items
        if this_warp >= KEY_WARPS + QUERY_WARPS:
            arch.setmaxregister_decrease(_LOAD_REGISTERS)
            if this_warp == KEY_WARPS + QUERY_WARPS:
                self.load(inputs, tables, shared, num_items, num_groups, num_kblocks)
        elif this_warp >= KEY_WARPS:
            arch.setmaxregister_decrease(_QUERY_REGISTERS)
            self.add_queries(dq, outputs, shared, this_warp - KEY_WARPS, has_item)
        else:
            arch.setmaxregister_increase(_KEY_REGISTERS)
            self.add_keys(outputs, shared, this_warp // 4, has_item)

    @cute.jit
    def load(
        self,
        inputs: Inputs,
        tables: _Tables,
        shared: Shared,
        num_items: Int32,
        num_groups: Int32,
        num_kblocks: Int32,
    ) -> None:
        """The work of one warp: draws items, and loads their quads, K and V.

        The latencies of the tables pass under the steps in flight: an item is drawn when the one
        before it starts, and the slots of a quad are read one quad ahead.
        """
        lane = arch.lane_idx()
        boxes = input_boxes(inputs, shared)
        stage, phase, block_phase = Int32(0), Int32(0), Int32(0)
        item = arch.block_idx()[0]
        fields, slots = Int32(0), Int32(0)
        if item < num_items:
            fields = _item_fields(tables, item, lane)
            slots = _quad_slots(tables, arch.shuffle_sync(fields, 0), lane)
        while item < num_items:
            first_quad = arch.shuffle_sync(fields, 0)
            num_quads = arch.shuffle_sync(fields, 1)
            head = arch.shuffle_sync(fields, 2)
            kblock = arch.shuffle_sync(fields, 3)
            item = _draw_item(tables, lane)
            if item < num_items:
                fields = _item_fields(tables, item, lane)
            next_quad = arch.shuffle_sync(fields, 0)
            for i in cutlass.range(num_quads, unroll=1):
                this_quad = slots
                flags = Int32(0)
                size = Int32(QUAD_LOAD_BYTES)
                if i == 0:
                    flags |= FIRST
                    size += BLOCK_LOAD_BYTES
                if i + 1 < num_quads:
                    slots = _quad_slots(tables, first_quad + i + 1, lane)
                elif item < num_items:
                    flags |= LAST
                    slots = _quad_slots(tables, next_quad, lane)
                else:
                    flags |= LAST | END
                full = shared.barriers.quad_full + stage
                shared.barriers.quads.acquire(stage, phase)
                rows = _publish_step(
                    shared,
                    stage,
                    flags,
                    this_quad,
                    head,
                    kblock,
                    num_groups,
                    num_kblocks,
                    full,
                    size,
                )
                load_quad(boxes, rows, stage, full)
                if i == 0:
                    # Those of the item before are in use until its last step ends.
                    arch.mbarrier_wait(shared.barriers.block_empty, block_phase ^ 1)
                    load_block(boxes, head, kblock, full)
                stage, phase = next_use(stage, phase, STAGES)
            block_phase ^= 1

    @cute.jit
    def add_keys(self, outputs: Outputs, shared: Shared, group: Int32, has_item: Boolean) -> None:
        """The work of warpgroups 0 and 1: dV and dK of 64 keys, one item after the other."""
        shape = _channels_mma().partition_shape_C((KEYS, HEAD_DIM))
        dk = cute.make_rmem_tensor(shape, Float32)
        dv = cute.make_rmem_tensor(shape, Float32)
        # For the compiler: an item's first products overwrite them.
        dk.fill(0.0)
        dv.fill(0.0)
        stage, phase = Int32(0), Int32(0)
        more = has_item
        while more:
            last = Int32(0)
            while last == 0:
                last = self.step(shared, group, stage, phase, dk, dv)
                stage, phase = next_use(stage, phase, STAGES)
            ended = stage ^ 1
            flags, pool_block = receive(shared.steps[None, ended])
            more = (flags & END) == 0
            arch.sync_warp()
            arrive(shared.barriers.quad_empty + ended)
            self.add_block(dv, outputs.dv_pool, outputs.dv_scale, pool_block, shared)
            self.add_block(dk, outputs.dk_pool, outputs.dk_scale, pool_block, shared)
        with arch.elect_one():
            arch.cp_async_bulk_wait_group(0)

    @cute.jit
    def step(
        self,
        shared: Shared,
        group: Int32,
        stage: Int32,
        phase: Int32,
        dk: cute.Tensor,
        dv: cute.Tensor,
    ) -> Int32:
        """What a quad adds to dV and dK of 64 keys, and their dSᵀ; returns whether it is the last.

        Releases the quad's stage, but not the last of an item, which `add_keys` still reads.
        """
        rows_mma, channels_mma = _rows_mma(), _channels_mma()
        keys, values = (
            operand_a(rows_mma, rows_tile(block + group * (KEYS * SPAN), KEYS, BLOCK_HALF))
            for block in (shared.keys, shared.values)
        )
        queries, grad_outs = (
            rows_tile(quads + stage * QUAD, ROWS, QUAD_HALF)
            for quads in (shared.queries, shared.grad_outs)
        )
        scores = cute.make_rmem_tensor(rows_mma.partition_shape_C((KEYS, ROWS)), Float32)
        grads = cute.make_rmem_tensor_like(scores)
        weights = cute.make_rmem_tensor(channels_mma.partition_shape_A((KEYS, ROWS)), BFloat16)
        grad_scores = cute.make_rmem_tensor_like(weights)
        weight_pairs = cute.recast_tensor(weights, Int32)
        grad_score_pairs = cute.recast_tensor(grad_scores, Int32)
        thread = arch.thread_idx()[0]

        shared.barriers.quads.wait(stage, phase)
        # Warpgroup 1 starts when warpgroup 0 has its scores, so that the exponentials of one run
        # under the products of the other: 9.10 ms instead of 9.44 (T = 32,768, random selection).
        if group == 1:
            arch.mbarrier_wait(shared.barriers.scores_done + stage, phase)
        issue(rows_mma, scores, keys, operand_b(rows_mma, queries), False)
        flags, _ = receive(shared.steps[None, stage])
        warpgroup.wait_group(0)
        if group == 0:
            arrive(shared.barriers.scores_done + stage)

        statistics = shared.statistics.toint() + stage * STATISTICS_BYTES + thread % 4 * 8
        # dPᵀ, which ptxas moves up among the exponentials, cannot cross the first of them while
        # they stand in both branches. Without that it moves so far that registers spill.
        if (flags & MASKED) != 0:
            _mask(scores, shared, stage, thread)
            _exponentiate(scores, statistics, weight_pairs, 0, 1)
        else:
            _exponentiate(scores, statistics, weight_pairs, 0, 1)
        _exponentiate(scores, statistics, weight_pairs, 1, 8)
        accumulate = (flags & FIRST) == 0
        issue(rows_mma, grads, values, operand_b(rows_mma, grad_outs), False)
        summed_rows = operand_b(channels_mma, transposed(grad_outs))
        issue(channels_mma, dv, weights, summed_rows, accumulate)
        warpgroup.wait_group(1)
        last = flags & LAST
        if last != 0:
            arrive(shared.barriers.block_empty)

        _differentiate(weight_pairs, grads, statistics, grad_score_pairs)
        shared.barriers.grad_scores.acquire(stage, phase)
        first_key = stage * BLOCK_SIZE + thread // WARP * 16
        address = shared.grad_scores.toint() + first_key * (2 * SPAN)
        _store_fragment(address, thread % WARP, [grad_score_pairs[i] for i in range(16)])
        arch.fence_view_async_shared()
        arch.sync_warp()
        arrive(shared.barriers.grad_scores_full + stage)
        summed_rows = operand_b(channels_mma, transposed(queries))
        issue(channels_mma, dk, grad_scores, summed_rows, accumulate)
        warpgroup.wait_group(0)
        arch.sync_warp()
        if last == 0:
            arrive(shared.barriers.quad_empty + stage)
        return last

    @cute.jit
    def add_block(
        self,
        sums: cute.Tensor,
        pool: cute.Pointer,
        scale: cute.Pointer,
        pool_block: Int32,
        shared: Shared,
    ) -> None:
        """Adds a warp's 16 keys of dK or dV into its pool, piece after piece."""
        thread = arch.thread_idx()[0]
        warp, lane = thread // WARP, thread % WARP
        warp_bytes = 16 * HEAD_DIM * self.pool_bytes
        lane_bytes = 4 * self.pool_bytes
        vectors = PIECE_BYTES // (WARP * lane_bytes)
        target = pool.toint() + Int64(pool_block) * (KEY_WARPS * warp_bytes) + warp * warp_bytes
        pieces = shared.pieces.toint() + warp * (2 * PIECE_BYTES)
        if const_expr(self.deterministic):
            factor = vector(scale)[pool_block]
        for i in cutlass.range_constexpr(warp_bytes // PIECE_BYTES):
            piece = pieces + i % 2 * PIECE_BYTES
            with arch.elect_one():
                arch.cp_async_bulk_wait_group(1, read=True)
            arch.sync_warp()
            for j in cutlass.range_constexpr(vectors):
                address = piece + (j * WARP + lane) * lane_bytes
                terms = [sums[4 * (i * vectors + j) + x] for x in range(4)]
                if const_expr(self.deterministic):
                    terms = [nearest(term * factor, Int64) for term in terms]
                    store_shared(address, terms[:2])
                    store_shared(address + 16, terms[2:])
                else:
                    store_shared(address, terms)
            arch.fence_view_async_shared()
            arch.sync_warp()
            with arch.elect_one():
                kind = "u64" if self.deterministic else "f32"
                bulk_add(kind, target + i * PIECE_BYTES, piece, PIECE_BYTES)
                arch.cp_async_bulk_commit_group()

    @cute.jit
    def add_queries(
        self,
        dq: View | None,
        outputs: Outputs,
        shared: Shared,
        slot: Int32,
        has_item: Boolean,
    ) -> None:
        """The work of warpgroup 2: dQ of each step in two halves of 64 channels, a warp to a slot.

        While one half is on its way out, the other is computed.
        """
        mma = _half_mma()
        keys = [
            operand_b(mma, columns_tile(shared.keys + half * BLOCK_HALF, BLOCK_SIZE))
            for half in range(2)
        ]
        sums = cute.make_rmem_tensor(mma.partition_shape_C((ROWS, SPAN)), Float32)
        stage, phase = Int32(0), Int32(0)
        more = has_item
        while more:
            shared.barriers.quads.wait(stage, phase)
            flags, pool_block = receive(shared.steps[None, stage])
            (row,) = receive(shared.rows[slot, None, stage])
            arch.sync_warp()
            arrive(shared.barriers.quad_empty + stage)
            factors = None
            if const_expr(self.deterministic):
                factors = query_factors(outputs.dq_scale, row)
            grad_scores = operand_a(
                mma, columns_tile(shared.grad_scores + stage * GRAD_SCORES, BLOCK_SIZE)
            )
            shared.barriers.grad_scores.wait(stage, phase)
            for half in cutlass.range_constexpr(2):
                issue(mma, sums, grad_scores, keys[half], False)
                # The other half may still be on its way out, this one of the step before not.
                with arch.elect_one():
                    arch.cp_async_bulk_wait_group(1, read=True)
                arch.sync_warp()
                warpgroup.wait_group(0)
                if const_expr(half == 1):
                    arrive(shared.barriers.grad_scores_empty + stage)
                    if (flags & LAST) != 0:
                        arrive(shared.barriers.block_empty)
                if const_expr(self.deterministic and half == 0):
                    spoil_unless_finite(sums, outputs, pool_block)
                self._stage_dq(sums, factors, shared, slot, half)
                arch.fence_view_async_shared()
                arch.sync_warp()
                if row >= 0:
                    self._add_dq(dq, outputs, shared, slot, half, row)
                with arch.elect_one():
                    arch.cp_async_bulk_commit_group()
            stage, phase = next_use(stage, phase, STAGES)
            more = (flags & END) == 0
        with arch.elect_one():
            arch.cp_async_bulk_wait_group(0)

    @cute.jit
    def _stage_dq(self, sums: cute.Tensor, factors, shared: Shared, slot: Int32, half: int):
        """Puts half of a slot's dQ into shared memory: swizzled rows, or fragment order."""
        lane = arch.lane_idx()
        address = shared.dq.toint() + (slot * 2 + half) * self.dq_half_bytes
        if const_expr(self.deterministic):
            for i in cutlass.range_constexpr(8):
                terms = [nearest(sums[4 * i + j] * factors[j // 2], Int32) for j in range(4)]
                store_shared(address + (i * WARP + lane) * 16, terms)
        else:
            pairs = [pack(sums[2 * i], sums[2 * i + 1]) for i in range(16)]
            _store_fragment(address, lane, pairs)

    @cute.jit
    def _add_dq(
        self,
        dq: View | None,
        outputs: Outputs,
        shared: Shared,
        slot: Int32,
        half: int,
        row: Int32,
    ) -> None:
        """Adds what `_stage_dq` left to a box of the gradient, or to half a row of the sums."""
        if const_expr(self.deterministic):
            source = shared.dq.toint() + (slot * 2 + half) * self.dq_half_bytes
            target = outputs.dq.toint() + (Int64(row) * 2 + half) * self.dq_half_bytes
            with arch.elect_one():
                bulk_add("s32", target, source, self.dq_half_bytes)
        else:
            halves = cute.make_layout(
                ((8, GROUP_HEADS // 8), SPAN, 2, QUAD_SLOTS),
                stride=((SPAN, 8 * SPAN), 1, SLOT_HALF, SLOT),
            )
            boxes = partition_boxes(dq, (GROUP_HEADS, SPAN), shared.dq, halves)
            cute.copy(boxes.atom, boxes.shared[None, half, slot], boxes.memory[None, row, half])


name_kernels(_Backward.attention_backward)


# The parts of a load.


@cute.jit
def _draw_item(tables: _Tables, lane: Int32) -> Int32:
    drawn = Int32(0)
    if lane == 0:
        drawn = arch.atomic_add(tables.counter, Int32(1))
    return arch.shuffle_sync(drawn, 0) + arch.grid_dim()[0]


def _item_fields(tables: _Tables, item: Int32, lane: Int32) -> Int32:
    """An item's first quad, number of quads, head and key block, in lanes 0 to 3."""
    return vector(tables.items + Int64(item) * ITEM_FIELDS)[lane % ITEM_FIELDS]


@cute.jit
def _quad_slots(tables: _Tables, quad: Int32, lane: Int32) -> Int32:
    """A quad's compact rows, in lanes 0 to 3, and its workspace rows, in lanes 4 to 7."""
    table = tables.quad_rows
    if lane & QUAD_SLOTS:
        table = tables.quad_positions
    return vector(table + Int64(quad) * QUAD_SLOTS)[lane % QUAD_SLOTS]


@cute.jit
def _publish_step(
    shared: Shared,
    stage: Int32,
    flags: Int32,
    slots: Int32,
    head: Int32,
    kblock: Int32,
    num_groups: Int32,
    num_kblocks: Int32,
    full: cute.Pointer,
    size: Int32,
) -> Int32:
    """Tells the other warps of a step, and of `size` bytes to come; returns `rows` of its slots, in
    lanes 0 to 3, each of which arrives for what it wrote.
    """
    lane = arch.lane_idx()
    row, limit, masked = read_slot(slots, QUAD_SLOTS, num_groups, head, kblock)
    if masked:
        flags |= MASKED
    if lane < QUAD_SLOTS:
        shared.limits[lane, stage] = limit
        shared.rows[lane, 0, stage] = row
        if lane == 0:
            shared.steps[0, stage] = flags
            shared.steps[1, stage] = head * num_kblocks + kblock
            arch.mbarrier_expect_tx(full, size)
        arch.mbarrier_arrive(full)
    arch.sync_warp()
    return row


# Products.


def _rows_mma() -> cute.TiledMma:
    """Sᵀ or dPᵀ: keys x rows of a quad."""
    return tiled_mma(ROWS, OperandMajorMode.K, OperandMajorMode.K, OperandSource.SMEM)


def _channels_mma() -> cute.TiledMma:
    """dV or dK: keys x channels."""
    return tiled_mma(HEAD_DIM, OperandMajorMode.K, OperandMajorMode.MN, OperandSource.RMEM)


def _half_mma() -> cute.TiledMma:
    """Half of dQ: rows of a quad x half of the channels."""
    return tiled_mma(SPAN, OperandMajorMode.MN, OperandMajorMode.MN, OperandSource.SMEM)


# The parts of a step. Accumulator `i` of a thread of Sᵀ or dPᵀ belongs to its warp's key
# `lane // 4 + 8 * (i // 2 % 2)` and to the quad's row `i // 4 * 8 + lane % 4 * 2 + i % 2`.


@cute.jit
def _mask(scores: cute.Tensor, shared: Shared, stage: Int32, thread: Int32) -> None:
    key = thread // WARP * 16 + thread % WARP // 4
    limits = receive(shared.limits[None, stage])
    for slot in cutlass.range_constexpr(QUAD_SLOTS):
        limit = limits[slot]
        for i in cutlass.range_constexpr(8):
            if key + i // 2 % 2 * 8 > limit:
                scores[slot * 8 + i] = -Float32.inf


def _load_statistics(statistics: Int32, i: int) -> tuple[Float32, Float32]:
    """Those of this thread's two rows among the quad's rows `8 * i` to `8 * i + 7`."""
    address = statistics + i // 2 * SLOT_STATISTICS_BYTES + i % 2 * 32
    return ptx("ld.shared.v2.f32 {{$w0}, {$w1}}, [{$r0}];", [Float32, Float32], address)


@cute.jit
def _exponentiate(
    scores: cute.Tensor, statistics: Int32, weights: cute.Tensor, first: int, end: int
) -> None:
    """P of the rows from `8 * first` to `8 * end`, as bf16 pairs."""
    for i in cutlass.range_constexpr(first, end):
        lse = _load_statistics(statistics, i)
        for j in cutlass.range_constexpr(2):
            exponents = [scores[4 * i + 2 * j + x] * SCALE_LOG2 - lse[x] for x in range(2)]
            weights[2 * i + j] = pack(*(cute.math.exp2(x, fastmath=True) for x in exponents))


@cute.jit
def _differentiate(
    weights: cute.Tensor, grads: cute.Tensor, statistics: Int32, grad_scores: cute.Tensor
) -> None:
    """dS as bf16 pairs, from P as it was rounded, which takes 16 registers less than before."""
    for i in cutlass.range_constexpr(8):
        delta = _load_statistics(statistics + 4 * GROUP_HEADS, i)
        for j in cutlass.range_constexpr(2):
            pair = unpack(weights[2 * i + j])
            grad_scores[2 * i + j] = pack(
                *(pair[x] * (grads[4 * i + 2 * j + x] * SOFTMAX_SCALE - delta[x]) for x in range(2))
            )


def _store_fragment(address: Int32, lane: Int32, pairs: list[Int32]) -> None:
    """Stores a warp's 16 x 64 values, 16 bf16 pairs a lane, to swizzled rows from `address` on.

    A lane names a row and a chunk of it. The store of the next two chunks differs in bits that the
    swizzle only flips.
    """
    address += lane % 16 * (2 * SPAN) + ((lane // 16) ^ (lane % 8)) * 16
    for i in range(4):
        store_matrices(address ^ (32 * i), *pairs[4 * i : 4 * i + 4])


SIGNATURE = BACKWARD_OF_ITEMS


@cute.jit
def launch(
    deterministic: Int32,
    q: cute.Pointer,
    k: cute.Pointer,
    v: cute.Pointer,
    grad_out: cute.Pointer,
    statistics: cute.Pointer,
    task_qrows: cute.Pointer,
    task_qpos: cute.Pointer,
    items: cute.Pointer,
    control: cute.Pointer,
    counter: cute.Pointer,
    dq: cute.Pointer,
    dk_pool: cute.Pointer,
    dv_pool: cute.Pointer,
    dq_scale: cute.Pointer,
    kv_scale: cute.Pointer,
    num_groups: Int32,
    num_tokens: Int32,
    num_kblocks: Int32,
    num_ctas: Int32,
    stream: cuda.CUstream,
):
    """Walks all items, and adds their gradients to what `dq`, `dk_pool` and `dv_pool` hold.

    Args:
        deterministic: 0 for the fast mode, else 1.
        q, grad_out: bf16 `[T, 16 G, 128]`, in compact rows.
        k, v: bf16 `[128 * num_kblocks, G, 128]`, in workspace rows; zeros after a document's end.
        statistics: FP32 `[T, G, 32]`, for each (token, head) log2(e) * lse of its 16 query heads,
            then SOFTMAX_SCALE * delta.
        task_qrows, task_qpos: int32 `[2 * capacity, 4]`, the compact and the workspace row of each
            query slot of a quad, -1 if it is empty.
        items: int32 `[capacity, 4]`, (first quad, number of quads, head, key block); the number of
            quads is positive.
        control: int32, the first of which is the number of items.
        counter: int32 `[1]`, 0: how many items were drawn.
        dq: fast: bf16 `[T, 16 G, 128]`. Deterministic: int32 `[T, G, 2048]`, for each (token, head)
            its 16 query heads x 128 channels in fragment order, each term rounded after the
            product with `dq_scale`.
        dk_pool, dv_pool: `[G, num_kblocks, 8, 2048]`, for each key block 8 times 16 keys x 128
            channels in fragment order. Fast: FP32. Deterministic: int64, each term rounded after
            the product with `kv_scale`.
        dq_scale: FP32 `[T, 16 G]`, for the deterministic mode.
        kv_scale: FP32 `[2, G, num_kblocks]`, of dK and of dV, for the deterministic mode. Becomes
            NaN where dS is not finite, which integers cannot say: dQ's first 64 channels do, and
            also take a key there that is not finite for one.
        num_ctas: CTAs to launch.
    """
    tables = _Tables(items, task_qrows, task_qpos, control, counter)
    launch_backward(
        _Backward,
        deterministic,
        (q, k, v, grad_out, statistics, tables),
        (dq, dk_pool, dv_pool, dq_scale, kv_scale),
        (num_groups, num_tokens, num_kblocks, num_ctas),
        stream,
    )
