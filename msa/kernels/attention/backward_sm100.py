"""The attention backward on Blackwell: dQ, dK and dV in one walk over the task tables.

The walk is key-outer. A *tile* is one task, 8 query slots x 16 heads = 128 rows, against one block
of 128 keys of one KV head; a *run* is a stretch of a CTA's tiles on the same keys. With bf16
operands and FP32 sums

    S = Q Kᵀ        P = exp2(SOFTMAX_SCALE * log2(e) * S - log2(e) * lse)
    dP = dO Vᵀ      dS = P * (SOFTMAX_SCALE * dP - SOFTMAX_SCALE * delta)
    dV += Pᵀ dO     dK += dSᵀ Q     dQ = dS K

so that the scale of the logits is inside dS and no sum needs it later. Every product is 128 x 128
x 128. Sᵀ and dPᵀ have keys for rows, so that Pᵀ and dSᵀ are operands of dV and dK from where they
are made, in tensor memory. It is full:

    columns   0 to 127   Sᵀ, then Pᵀ in its place
            128 to 255   dPᵀ, then dSᵀ in its place, then dQ
            256 to 511   dV and dK of the run

A CTA has an SM to itself and walks an interval of the tasks. Its warps:

    0 to 7    P and dS of every tile. A thread has a key, and half of the rows.
    8 to 11   All sums on their way out: dQ of every tile, dV and dK of every run.
    12        The products.
    13        The loads: tiles as soon as there is room, K of a run while the one before it ends.

dQ leaves by bulk reductions, asynchronous adds of shared to global memory, through the space of dS,
which is read by then. dV and dK leave as vector reductions from registers. The fast mode adds bf16
to the gradient of q and FP32 to the pools of dK and dV. The deterministic mode adds integers, whose
sum does not depend on the order of its terms.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Boolean, Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode
from cutlass.cute.nvgpu.tcgen05 import OperandSource
from cutlass.memory import SmemAllocator

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
from msa.kernels.attention.interface import BACKWARD_OF_TASKS, STATISTICS
from msa.kernels.device.instructions import bulk_add, nearest, pack, ptx, store_shared, unpack
from msa.kernels.device.pipeline import BarrierTable, Ring, two_stages
from msa.kernels.device.primitives import WARP, name_kernels, vector
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
    tmem_operand_a,
    wait_tmem,
    warp_lanes,
)
from msa.kernels.device.tiles import (
    SCALE_LOG2,
    SPAN,
    Boxes,
    View,
    load_box,
    partition_boxes,
    swizzled_rows,
)
from msa.kernels.schedule.interface import ITEM_TASKS
from msa.schedule.task_tables import TASK_META_FIELDS
from msa.schedule.topology import (
    BLOCK_SIZE,
    GROUP_HEADS,
    HEAD_DIM,
    QUERY_CHUNK,
    SOFTMAX_SCALE,
)

_SLOTS = QUERY_CHUNK
_ROWS = _SLOTS * GROUP_HEADS
assert _ROWS == BLOCK_SIZE == HEAD_DIM == TILE and GROUP_HEADS == 16

_STAGES = 2  # of Q, and of K; `ring` counts on two
_GROUPS = 2  # warpgroups that compute, each half of a tile's rows
_COMPUTE_WARPS = 4 * _GROUPS
_REDUCE_WARPS = 4
_MMA_WARP = _COMPUTE_WARPS + _REDUCE_WARPS
_LOAD_WARP = _MMA_WARP + 1
_WARPS = _MMA_WARP + 4  # the last two end
# Of a thread. A CTA starts with 128 each, all that there are; the reducing warps keep theirs.
_COMPUTE_REGISTERS, _OTHER_REGISTERS = 152, 80
assert _GROUPS * _COMPUTE_REGISTERS + 128 + _OTHER_REGISTERS == _WARPS // 4 * 128

# Columns of tensor memory.
_SCORES, _GRADS, _DV, _DK = 0, TILE, 2 * TILE, 3 * TILE

# Tiles have rows of 64 elements, half of the channels, or 128 bytes: their 16-byte chunks are
# swizzled by the row modulo 8. Sizes are in elements where they do not say bytes.
_CHUNK_WORDS = 4
_CHUNKS = 8  # of a row
_HALF, _TILE = TILE * SPAN, TILE * TILE
_SLOT_HALF = GROUP_HEADS * SPAN
_TILE_BYTES = 2 * _TILE
_SLOT_STATISTICS_BYTES = 4 * STATISTICS
_STATISTICS_BYTES = _SLOTS * _SLOT_STATISTICS_BYTES
_GROUP_ROWS = _ROWS // _GROUPS
_GROUP_SLOTS = _SLOTS // _GROUPS
_WARP_SLOTS = _SLOTS // _REDUCE_WARPS


class _Tables(NamedTuple):
    """The tasks in locality order, and the walk over them; see `TaskTables`."""

    task_meta: cute.Pointer
    task_qrows: cute.Pointer
    task_qpos: cute.Pointer
    descriptor: cute.Pointer


class _Shared(NamedTuple):
    """Shared memory: tiles, the loader's words of the tile in a stage, and barriers."""

    keys: cute.Pointer  # [stage][half][128 keys][64]
    values: cute.Pointer  # [half][128 keys][64]
    queries: cute.Pointer  # [stage][half][128 rows][64]
    grad_outs: cute.Pointer  # [half][128 rows][64]
    grad_scores: cute.Pointer  # dS, [half of the rows][128 keys][64]; dQ on its way out
    statistics: cute.Pointer  # [stage][slot][32]

    flags: cute.Tensor  # [stage]
    pool_block: cute.Tensor  # [stage]: head * num_kblocks + key block
    limits: cute.Tensor  # [slot, stage]: the last key of the block that the query sees
    rows: cute.Tensor  # [slot, stage]: token * num_groups + head, -1 if the slot is empty
    tmem: cute.Pointer  # where the address of tensor memory is written

    barriers: "_Barriers"


class _Barriers(NamedTuple):
    """The mbarriers; see `_BARRIERS`. A commit is one arrival; TMA's bytes count besides.

    | barrier | arrivals of a phase | waits | what it guards |
    |---|---|---|---|
    | queries_full [2] | 8 lanes that write a slot; 33 KB | all | Q, statistics, words |
    | queries_empty [2] | commit of dK, 8 compute, 4 reduce warps | load | the same |
    | keys_full [2] | load; 32 KB | MMA | K of a run |
    | keys_empty [2] | commit of the run's last dQ | load | the same |
    | values_full | load; 32 KB | MMA | V of a run |
    | values_empty | commit of the run's last dPᵀ | load | the same |
    | grad_outs_full | load; 32 KB | MMA | dO |
    | grad_outs_empty | commit of dV | load | the same |
    | scores_full | commit of Sᵀ | compute | Sᵀ |
    | weights_full | 8 compute warps | MMA | Pᵀ in its place |
    | grads_full | commit of dPᵀ | compute | dPᵀ |
    | grad_scores_full | 8 compute warps | MMA | dSᵀ in its place, and dS |
    | grad_scores_empty | 4 reduce warps | compute | dQ has left the space of dS |
    | dq_full | commit of dQ | reduce | dQ, and the dK before it; dS is read |
    | dq_empty | 4 reduce warps | MMA | dQ is read: the next dPᵀ takes its columns |
    | dv_full | commit of the run's last dV | reduce | dV |
    | dv_empty, dk_empty | 4 reduce warps | MMA | dV, dK are read: the next run begins |

    Products of one thread are in order. So without a barrier Sᵀ of the next tile overwrites Pᵀ,
    after dV, and dQ overwrites dSᵀ, after dK; and dS is written when dPᵀ is complete, hence the dQ
    before it.
    """

    queries_full: cute.Pointer
    queries_empty: cute.Pointer
    keys_full: cute.Pointer
    keys_empty: cute.Pointer
    values_full: cute.Pointer
    values_empty: cute.Pointer
    grad_outs_full: cute.Pointer
    grad_outs_empty: cute.Pointer
    scores_full: cute.Pointer
    weights_full: cute.Pointer
    grads_full: cute.Pointer
    grad_scores_full: cute.Pointer
    grad_scores_empty: cute.Pointer
    dq_full: cute.Pointer
    dq_empty: cute.Pointer
    dv_full: cute.Pointer
    dv_empty: cute.Pointer

    @property
    def queries(self) -> Ring:
        """Q and statistics of the tiles."""
        return Ring(self.queries_full, self.queries_empty)

    @property
    def keys(self) -> Ring:
        """K of the runs."""
        return Ring(self.keys_full, self.keys_empty)

    dk_empty: cute.Pointer


_BARRIERS = BarrierTable(
    numbers=_Barriers(*[_STAGES] * 4, *[1] * 14),
    arrivals=_Barriers(
        queries_full=_SLOTS,
        queries_empty=1 + _COMPUTE_WARPS + _REDUCE_WARPS,
        keys_full=1,
        keys_empty=1,
        values_full=1,
        values_empty=1,
        grad_outs_full=1,
        grad_outs_empty=1,
        scores_full=1,
        weights_full=_COMPUTE_WARPS,
        grads_full=1,
        grad_scores_full=_COMPUTE_WARPS,
        grad_scores_empty=_REDUCE_WARPS,
        dq_full=1,
        dq_empty=_REDUCE_WARPS,
        dv_full=1,
        dv_empty=_REDUCE_WARPS,
        dk_empty=_REDUCE_WARPS,
    ),
)


class _Backward(Backward):
    """The kernel in one of its two modes."""

    warps = _WARPS

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
        first, end = _walk(tables)
        if const_expr(self.deterministic):
            first, end = _piece_from(tables, first), _piece_from(tables, end)
        if first < end:
            shared = _allocate()
            this_warp = arch.make_warp_uniform(arch.warp_idx())
            if this_warp == _MMA_WARP:
                arch.alloc_tmem(TMEM_COLUMNS, shared.tmem)
                arch.relinquish_tmem_alloc_permit()
            elif this_warp == 0:
                with arch.elect_one():
                    _BARRIERS.init(shared.barriers)
            arch.mbarrier_init_fence()
            fence_before_sync()
            arch.sync_threads()
            fence_after_sync()
            tmem = arch.retrieve_tmem_ptr(Float32, 16, shared.tmem)
            if this_warp >= _MMA_WARP:
                arch.setmaxregister_decrease(_OTHER_REGISTERS)
                if this_warp == _MMA_WARP:
                    self.multiply(shared, tmem)
                elif this_warp == _LOAD_WARP:
                    self.load(inputs, tables, shared, first, end, num_groups, num_kblocks)
            elif this_warp >= _COMPUTE_WARPS:
                self.reduce(dq, outputs, shared, tmem, this_warp - _COMPUTE_WARPS)
            else:
                arch.setmaxregister_increase(_COMPUTE_REGISTERS)
                self.compute(shared, tmem, this_warp)
            # No warp reads tensor memory any more.
            fence_before_sync()
            arch.sync_threads()
            if this_warp == _MMA_WARP:
                fence_after_sync()
                arch.dealloc_tmem(tmem, TMEM_COLUMNS)

    @cute.jit
    def load(
        self,
        inputs: Inputs,
        tables: _Tables,
        shared: _Shared,
        first: Int32,
        end: Int32,
        num_groups: Int32,
        num_kblocks: Int32,
    ) -> None:
        """The work of one warp: loads tiles, and K and V where a run begins.

        The tables are read two tasks ahead, so that their latency passes under the waits.
        """
        lane = arch.lane_idx()
        barriers = shared.barriers
        boxes = _input_boxes(inputs, shared)
        this_task = _task_fields(tables, first, end, lane)
        next_task = _task_fields(tables, first + 1, end, lane)
        starts = Int32(FIRST)
        run = Int32(0)
        run_first = first
        for task in cutlass.range(first, end, unroll=1):
            later_task = _task_fields(tables, task + 2, end, lane)
            head, kblock = _task_block(this_task)
            next_head, next_kblock = _task_block(next_task)
            flags = starts
            if task + 1 == end:
                flags |= LAST | END
            elif next_head != head or next_kblock != kblock:
                flags |= LAST
            if const_expr(self.deterministic) and task + 1 - run_first == ITEM_TASKS:
                flags |= LAST

            stage, phase = two_stages(task - first)
            full = barriers.queries_full + stage
            barriers.queries.acquire(stage, phase)
            rows = _tell(
                shared, stage, flags, this_task, head, kblock, num_groups, num_kblocks, full
            )
            _load_statistics(boxes.statistics, rows, stage, full)
            _load_tile(boxes.queries, rows, stage, full)
            if starts != 0:
                run_stage, run_phase = two_stages(run)
                full = barriers.keys_full + run_stage
                barriers.keys.acquire(run_stage, run_phase)
                _load_block(boxes.keys, head, kblock, run_stage, full)
                arch.mbarrier_wait(barriers.values_empty, (run & 1) ^ 1)
                _load_block(boxes.values, head, kblock, 0, barriers.values_full)
            full = barriers.grad_outs_full
            arch.mbarrier_wait(barriers.grad_outs_empty, ((task - first) & 1) ^ 1)
            with arch.elect_one():
                arch.mbarrier_arrive_and_expect_tx(full, _TILE_BYTES)
            _load_tile(boxes.grad_outs, rows, 0, full)

            starts = Int32(0)
            if (flags & LAST) != 0:
                starts = Int32(FIRST)
                run += 1
                run_first = task + 1
            this_task, next_task = next_task, later_task

    @cute.jit
    def multiply(self, shared: _Shared, tmem: cute.Pointer) -> None:
        """The work of one warp: issues the products, which the chip computes in this order.

        The scores of the next tile come before dK and dQ of this one, and are turned into weights
        below them.
        """
        barriers = shared.barriers
        scores_mma, sums_mma, dq_mma = _scores_mma(), _sums_mma(), _dq_mma()
        scores = accumulators(scores_mma, tmem + _SCORES)
        grads = accumulators(scores_mma, tmem + _GRADS)
        dv = accumulators(sums_mma, tmem + _DV)
        dk = accumulators(sums_mma, tmem + _DK)
        dq = accumulators(dq_mma, tmem + _GRADS)
        weights = tmem_operand_a(sums_mma, tmem + _SCORES)
        grad_scores = tmem_operand_a(sums_mma, tmem + _GRADS)

        count, run = Int32(0), Int32(0)
        self._issue_scores(shared, scores, count, run, Int32(FIRST))
        flags = Int32(0)
        while (flags & END) == 0:
            stage, _ = two_stages(count)
            run_stage, _ = two_stages(run)
            parity, run_parity = count & 1, run & 1
            flags = shared.flags[stage]
            first, last = flags & FIRST, flags & LAST
            accumulate = first == 0

            if first != 0:
                arch.mbarrier_wait(barriers.values_full, run_parity)
            arch.mbarrier_wait(barriers.grad_outs_full, parity)
            wait_tmem(barriers.dq_empty, parity ^ 1)
            issue(
                scores_mma,
                grads,
                shared_operand_a(scores_mma, shared.values, 0),
                shared_operand_b(scores_mma, shared.grad_outs, 0),
                False,
            )
            commit(barriers.grads_full)
            if last != 0:
                commit(barriers.values_empty)

            if first != 0:
                wait_tmem(barriers.dv_empty, run_parity ^ 1)
            wait_tmem(barriers.weights_full, parity)
            grad_outs = shared_operand_b(sums_mma, shared.grad_outs, 0)
            issue(sums_mma, dv, weights, grad_outs, accumulate)
            commit(barriers.grad_outs_empty)
            if last != 0:
                commit(barriers.dv_full)

            if (flags & END) == 0:
                self._issue_scores(shared, scores, count + 1, run + (last // LAST), last)

            if first != 0:
                wait_tmem(barriers.dk_empty, run_parity ^ 1)
            wait_tmem(barriers.grad_scores_full, parity)
            queries = shared_operand_b(sums_mma, shared.queries, stage)
            issue(sums_mma, dk, grad_scores, queries, accumulate)
            commit(barriers.queries_empty + stage)
            issue(
                dq_mma,
                dq,
                shared_operand_a(dq_mma, shared.grad_scores, 0),
                shared_operand_b(dq_mma, shared.keys, run_stage),
                False,
            )
            if last != 0:
                commit(barriers.keys_empty + run_stage)
            commit(barriers.dq_full)

            count += 1
            run += last // LAST

    @cute.jit
    def _issue_scores(
        self, shared: _Shared, scores: cute.Tensor, count: Int32, run: Int32, starts: Int32
    ) -> None:
        """Sᵀ of tile `count`, whose run starts with it if `starts` is not 0."""
        barriers = shared.barriers
        stage, phase = two_stages(count)
        run_stage, run_phase = two_stages(run)
        barriers.queries.wait(stage, phase)
        if starts != 0:
            barriers.keys.wait(run_stage, run_phase)
        mma = _scores_mma()
        keys = shared_operand_a(mma, shared.keys, run_stage)
        issue(mma, scores, keys, shared_operand_b(mma, shared.queries, stage), False)
        commit(barriers.scores_full)

    @cute.jit
    def compute(self, shared: _Shared, tmem: cute.Pointer, warp: Int32) -> None:
        """The work of warps 0 to 7: P and dS of 64 rows, a thread to a key.

        They stand where the thread has read Sᵀ and dPᵀ, in half as many columns.
        """
        barriers = shared.barriers
        group = warp // 4
        key = warp % 4 * WARP + arch.lane_idx()
        scores = warp_lanes(tmem + _SCORES, warp) + group * _GROUP_ROWS
        grads = warp_lanes(tmem + _GRADS, warp) + group * _GROUP_ROWS
        row = shared.grad_scores.toint() + (group * TILE + key) * (2 * SPAN)
        pairs = cute.make_rmem_tensor(_GROUP_ROWS // 2, Int32)

        count, flags = Int32(0), Int32(0)
        while (flags & END) == 0:
            stage, phase = two_stages(count)
            parity = count & 1
            statistics = (
                shared.statistics.toint()
                + stage * _STATISTICS_BYTES
                + group * (_GROUP_SLOTS * _SLOT_STATISTICS_BYTES)
            )
            barriers.queries.wait(stage, phase)
            flags = shared.flags[stage]
            wait_tmem(barriers.scores_full, parity)
            values = load_rows(scores, _GROUP_ROWS)
            arch.fence_view_async_tmem_load()
            if (flags & MASKED) != 0:
                _mask(values, shared, group * _GROUP_SLOTS, stage, key)
            _exponentiate(values, statistics, pairs)
            store_rows(scores, pairs)
            arch.fence_view_async_tmem_store()
            arrive_tmem(barriers.weights_full)

            wait_tmem(barriers.grads_full, parity)
            values = load_rows(grads, _GROUP_ROWS)
            arch.fence_view_async_tmem_load()
            _differentiate(values, statistics, pairs)
            store_rows(grads, pairs)
            arch.mbarrier_wait(barriers.grad_scores_empty, parity ^ 1)
            _store_row(row, key, pairs)
            arch.fence_view_async_shared()
            arch.fence_view_async_tmem_store()
            arrive_tmem(barriers.grad_scores_full)
            arrive(barriers.queries_empty + stage)
            count += 1

    @cute.jit
    def reduce(
        self,
        dq: View | None,
        outputs: Outputs,
        shared: _Shared,
        tmem: cute.Pointer,
        warp: Int32,
    ) -> None:
        """The work of warps 8 to 11: adds dQ of two slots each, and 32 keys of dV and dK."""
        barriers = shared.barriers
        lanes = warp_lanes(tmem, warp)
        count, run, flags = Int32(0), Int32(0), Int32(0)
        while (flags & END) == 0:
            stage, phase = two_stages(count)
            barriers.queries.wait(stage, phase)
            flags = shared.flags[stage]
            pool_block = shared.pool_block[stage]
            rows = [shared.rows[warp * _WARP_SLOTS + i, stage] for i in range(_WARP_SLOTS)]
            arrive(barriers.queries_empty + stage)
            last = flags & LAST
            if last != 0:
                wait_tmem(barriers.dv_full, run & 1)
                sums = lanes + _DV
                self._add_block(
                    sums, barriers.dv_empty, outputs.dv_pool, outputs.dv_scale, pool_block, warp
                )
            if const_expr(self.deterministic):
                self._add_dq_fixed(outputs, shared, lanes + _GRADS, warp, rows, pool_block, count)
            else:
                self._add_dq(dq, shared, lanes + _GRADS, warp, rows, count)
            if last != 0:
                sums = lanes + _DK
                self._add_block(
                    sums, barriers.dk_empty, outputs.dk_pool, outputs.dk_scale, pool_block, warp
                )
            run += last // LAST
            count += 1
        with arch.elect_one():
            arch.cp_async_bulk_wait_group(0)

    @cute.jit
    def _add_dq(
        self,
        dq: View,
        shared: _Shared,
        sums: cute.Pointer,
        warp: Int32,
        rows: list,
        count: Int32,
    ) -> None:
        """Adds two slots of dQ to the gradient in bf16, as boxes of swizzled rows."""
        barriers = shared.barriers
        halves = cute.make_layout(
            ((8, GROUP_HEADS // 8), SPAN, 2, _SLOTS),
            stride=((SPAN, 8 * SPAN), 1, _HALF, _SLOT_HALF),
        )
        boxes = partition_boxes(dq, (GROUP_HEADS, SPAN), shared.grad_scores, halves)
        pairs = cute.make_rmem_tensor((SPAN // 2, 2), Int32)
        wait_tmem(barriers.dq_full, count & 1)
        for half in cutlass.range_constexpr(2):
            values = load_rows(sums + half * SPAN, SPAN)
            arch.fence_view_async_tmem_load()
            for i in cutlass.range_constexpr(SPAN // 2):
                pairs[i, half] = pack(values[2 * i], values[2 * i + 1])
        arrive_tmem(barriers.dq_empty)
        row = warp * WARP + arch.lane_idx()
        address = shared.grad_scores.toint() + row * (2 * SPAN)
        for half in cutlass.range_constexpr(2):
            _store_row(address + half * (2 * _HALF), row, pairs[None, half])
        arch.fence_view_async_shared()
        arch.sync_warp()
        for i in cutlass.range_constexpr(_WARP_SLOTS):
            if rows[i] >= 0:
                for half in cutlass.range_constexpr(2):
                    box = boxes.shared[None, half, warp * _WARP_SLOTS + i]
                    cute.copy(boxes.atom, box, boxes.memory[None, rows[i], half])
        _leave(barriers.grad_scores_empty)

    @cute.jit
    def _add_dq_fixed(
        self,
        outputs: Outputs,
        shared: _Shared,
        sums: cute.Pointer,
        warp: Int32,
        rows: list,
        pool_block: Int32,
        count: Int32,
    ) -> None:
        """Adds two slots of dQ in int32 and fragment order, half of the channels at a time."""
        barriers = shared.barriers
        lane = arch.lane_idx()
        factors = [query_factors(outputs.dq_scale, row) for row in rows]
        slot_bytes = 4 * _SLOT_HALF
        staged = shared.grad_scores.toint() + warp * (_WARP_SLOTS * slot_bytes)
        wait_tmem(barriers.dq_full, count & 1)
        for half in cutlass.range_constexpr(2):
            values = load_fragments(sums + half * SPAN, SPAN)
            arch.fence_view_async_tmem_load()
            if const_expr(half == 0):
                spoil_unless_finite(values, outputs, pool_block)
            else:
                arrive_tmem(barriers.dq_empty)
                with arch.elect_one():
                    arch.cp_async_bulk_wait_group(0, read=True)
                arch.sync_warp()
            for slot in cutlass.range_constexpr(_WARP_SLOTS):
                for i in cutlass.range_constexpr(cute.size(values, mode=[1])):
                    terms = [
                        nearest(values[j, i, slot] * factors[slot][j // 2], Int32) for j in range(4)
                    ]
                    store_shared(staged + slot * slot_bytes + (i * WARP + lane) * 16, terms)
            arch.fence_view_async_shared()
            arch.sync_warp()
            for slot in cutlass.range_constexpr(_WARP_SLOTS):
                if rows[slot] >= 0:
                    target = outputs.dq.toint() + (Int64(rows[slot]) * 2 + half) * slot_bytes
                    with arch.elect_one():
                        bulk_add("s32", target, staged + slot * slot_bytes, slot_bytes)
            if const_expr(half == 0):
                with arch.elect_one():
                    arch.cp_async_bulk_commit_group()
        _leave(barriers.grad_scores_empty)

    @cute.jit
    def _add_block(
        self,
        sums: cute.Pointer,
        empty: cute.Pointer,
        pool: cute.Pointer,
        scale: cute.Pointer,
        pool_block: Int32,
        warp: Int32,
    ) -> None:
        """Adds a warp's 32 keys of dK or dV into its pool, from registers.

        Gives the sums back to the products as soon as they are read.
        """
        piece_bytes = WARP * 4 * self.pool_bytes  # the pieces `i` of a fragment's lanes
        fragment_bytes = HEAD_DIM // 8 * piece_bytes
        target = (
            pool.toint()
            + Int64(pool_block) * (BLOCK_SIZE // 16 * fragment_bytes)
            + warp * (2 * fragment_bytes)
            + arch.lane_idx() * (4 * self.pool_bytes)
        )
        if const_expr(self.deterministic):
            factor = vector(scale)[pool_block]
        for half in cutlass.range_constexpr(2):
            values = load_fragments(sums + half * SPAN, SPAN)
            arch.fence_view_async_tmem_load()
            if const_expr(half == 1):
                arrive_tmem(empty)
            for fragment in cutlass.range_constexpr(2):
                for i in cutlass.range_constexpr(SPAN // 8):
                    address = target + fragment * fragment_bytes + (half * 8 + i) * piece_bytes
                    terms = [values[j, i, fragment] for j in range(4)]
                    if const_expr(self.deterministic):
                        for j in cutlass.range_constexpr(4):
                            _add_int64(address + 8 * j, nearest(terms[j] * factor, Int64))
                    else:
                        _add_float4(address, terms)


name_kernels(_Backward.attention_backward)


def _allocate() -> _Shared:
    allocator = SmemAllocator()

    def tiles(count):
        layout = cute.make_layout(count * _TILE)
        return allocator.allocate_tensor(BFloat16, layout, 1024, swizzled_rows().inner).iterator

    def array(dtype, *shape, alignment=16):
        return allocator.allocate_tensor(dtype, cute.make_layout(shape), alignment)

    keys, values, queries = tiles(_STAGES), tiles(1), tiles(_STAGES)
    grad_outs, grad_scores = tiles(1), tiles(1)
    statistics = array(Float32, _STAGES * _SLOTS * STATISTICS, alignment=128)
    barriers = _BARRIERS.allocate(allocator)
    return _Shared(
        keys=keys,
        values=values,
        queries=queries,
        grad_outs=grad_outs,
        grad_scores=grad_scores,
        statistics=statistics.iterator,
        flags=array(Int32, _STAGES),
        pool_block=array(Int32, _STAGES),
        limits=array(Int32, _SLOTS, _STAGES),
        rows=array(Int32, _SLOTS, _STAGES),
        tmem=allocator.allocate_array(Int32, 1),
        barriers=barriers,
    )


@cute.jit
def _walk(tables: _Tables) -> tuple[Int32, Int32]:
    """The interval of tasks of this CTA; an empty one for a CTA past the walk."""
    num_tasks, length, full_ctas, tail_length = (vector(tables.descriptor)[i] for i in range(4))
    cta = arch.block_idx()[0]
    first = cta * length
    if cta >= full_ctas:
        first = full_ctas * length + (cta - full_ctas) * tail_length
        length = tail_length
    return first, cutlass.min(first + length, num_tasks)


@cute.jit
def _piece_from(tables: _Tables, task: Int32) -> Int32:
    """The first task from one on that begins a piece: at most 16 tasks of one head and key block.

    All tasks of these are cut at every 16th from the first. So what is added in FP32, before it
    becomes integers, does not depend on the CTAs and on other heads.
    """
    num_tasks = vector(tables.descriptor)[0]
    if task < num_tasks:
        lane = arch.lane_idx()
        head, kblock = _meta_block(tables, task)
        before = Int32(0)  # tasks of the same
        alike = Int32(WARP)
        while alike == WARP:
            is_alike = Boolean(False)
            earlier = task - 1 - before - lane
            if earlier >= 0:
                other_head, other_kblock = _meta_block(tables, earlier)
                is_alike = other_head == head and other_kblock == kblock
            alike = _first_lane(not is_alike)
            before += alike
        is_other = Boolean(True)
        if task + lane < num_tasks:
            other_head, other_kblock = _meta_block(tables, task + lane)
            is_other = other_head != head or other_kblock != kblock
        task += cutlass.min((ITEM_TASKS - before % ITEM_TASKS) % ITEM_TASKS, _first_lane(is_other))
    return task


@cute.jit
def _meta_block(tables: _Tables, task: Int32) -> tuple[Int32, Int32]:
    """The head and key block of a task, in memory."""
    meta = vector(tables.task_meta + Int64(task) * TASK_META_FIELDS)
    return meta[1], meta[2]


def _first_lane(condition) -> Int32:
    """The first lane where it holds, 32 if it does in none."""
    lanes = Int32(arch.vote_ballot_sync(condition))
    return Int32(arch.popc((lanes & -lanes) - 1))


# Views and boxes.


def _input_boxes(inputs: Inputs, shared: _Shared) -> Inputs:
    """`Boxes` of each view: in shared memory by slot, half and stage where there are such."""
    slots = cute.make_layout(
        ((8, GROUP_HEADS // 8), SPAN, _SLOTS, 2, _STAGES),
        stride=((SPAN, 8 * SPAN), 1, _SLOT_HALF, _HALF, _TILE),
    )
    blocks = cute.make_layout(
        ((8, BLOCK_SIZE // 8), SPAN, 2, _STAGES), stride=((SPAN, 8 * SPAN), 1, _HALF, _TILE)
    )
    rows = cute.make_layout(
        (1, STATISTICS, _SLOTS, _STAGES),
        stride=(STATISTICS, 1, STATISTICS, _SLOTS * STATISTICS),
    )
    slot_box, block_box = (GROUP_HEADS, SPAN), (BLOCK_SIZE, SPAN)
    return Inputs(
        partition_boxes(inputs.queries, slot_box, shared.queries, slots),
        partition_boxes(inputs.grad_outs, slot_box, shared.grad_outs, slots),
        partition_boxes(inputs.keys, block_box, shared.keys, blocks),
        partition_boxes(inputs.values, block_box, shared.values, blocks),
        partition_boxes(inputs.statistics, (1, STATISTICS), shared.statistics, rows),
    )


# Barriers.


@cute.jit
def _leave(empty: cute.Pointer) -> None:
    """Waits until a warp's bulk adds have read their source, and gives it back."""
    with arch.elect_one():
        arch.cp_async_bulk_commit_group()
        arch.cp_async_bulk_wait_group(0, read=True)
        arch.mbarrier_arrive(empty)
    arch.sync_warp()


# The parts of a load.

_META_LANE = 2 * _SLOTS  # of a task's first field


@cute.jit
def _task_fields(tables: _Tables, task: Int32, end: Int32, lane: Int32) -> Int32:
    """A task's compact rows in lanes 0 to 7, its workspace rows in 8 to 15, then its meta.

    Anything for a task past the interval.
    """
    field = Int32(0)
    if task < end:
        if lane < _SLOTS:
            field = vector(tables.task_qrows + Int64(task) * _SLOTS)[lane]
        elif lane < _META_LANE:
            field = vector(tables.task_qpos + Int64(task) * _SLOTS)[lane - _SLOTS]
        elif lane < _META_LANE + TASK_META_FIELDS:
            field = vector(tables.task_meta + Int64(task) * TASK_META_FIELDS)[lane - _META_LANE]
    return field


def _task_block(fields: Int32) -> tuple[Int32, Int32]:
    """The head and key block of a task."""
    return arch.shuffle_sync(fields, _META_LANE + 1), arch.shuffle_sync(fields, _META_LANE + 2)


@cute.jit
def _tell(
    shared: _Shared,
    stage: Int32,
    flags: Int32,
    fields: Int32,
    head: Int32,
    kblock: Int32,
    num_groups: Int32,
    num_kblocks: Int32,
    full: cute.Pointer,
) -> Int32:
    """Tells the other warps of a tile, and of its bytes of Q and statistics; returns `rows` of its
    slots, in lanes 0 to 7, each of which arrives for what it wrote.
    """
    lane = arch.lane_idx()
    row, limit, masked = read_slot(fields, _SLOTS, num_groups, head, kblock)
    if masked:
        flags |= MASKED
    if lane < _SLOTS:
        shared.limits[lane, stage] = limit
        shared.rows[lane, stage] = row
        if lane == 0:
            shared.flags[stage] = flags
            shared.pool_block[stage] = head * num_kblocks + kblock
            arch.mbarrier_arrive_and_expect_tx(full, _TILE_BYTES + _STATISTICS_BYTES)
        else:
            arch.mbarrier_arrive(full)
    arch.sync_warp()
    return row


@cute.jit
def _load_statistics(boxes: Boxes, rows: Int32, stage: Int32, full: cute.Pointer) -> None:
    for slot in cutlass.range_constexpr(_SLOTS):
        load_box(boxes, (arch.shuffle_sync(rows, slot), 0), (slot, stage), full)


@cute.jit
def _load_tile(boxes: Boxes, rows: Int32, stage: Int32, full: cute.Pointer) -> None:
    """Loads Q or dO. For an empty slot the box is out of range, hence zeros, here as above.

    Then its dO, dP and dS are 0, whatever its P: it adds nothing to dV and dK.
    """
    for slot in cutlass.range_constexpr(_SLOTS):
        row = arch.shuffle_sync(rows, slot)
        for half in cutlass.range_constexpr(2):
            load_box(boxes, (row, half), (slot, half, stage), full)


@cute.jit
def _load_block(boxes: Boxes, head: Int32, kblock: Int32, stage: Int32, full: cute.Pointer) -> None:
    """Loads K or V."""
    with arch.elect_one():
        arch.mbarrier_arrive_and_expect_tx(full, _TILE_BYTES)
    for half in cutlass.range_constexpr(2):
        load_box(boxes, (kblock, half, head), (half, stage), full)


# Products.


def _scores_mma() -> cute.TiledMma:
    """Sᵀ or dPᵀ: keys x rows, over channels."""
    return tiled_mma(OperandMajorMode.K, OperandMajorMode.K, OperandSource.SMEM)


def _sums_mma() -> cute.TiledMma:
    """dV or dK: keys x channels, over rows."""
    return tiled_mma(OperandMajorMode.K, OperandMajorMode.MN, OperandSource.TMEM)


def _dq_mma() -> cute.TiledMma:
    """dQ: rows x channels, over keys."""
    return tiled_mma(OperandMajorMode.MN, OperandMajorMode.MN, OperandSource.SMEM)


# The parts of a tile: a thread's 64 rows of it, against its key.


@cute.jit
def _mask(
    scores: cute.Tensor, shared: _Shared, first_slot: Int32, stage: Int32, key: Int32
) -> None:
    for slot in cutlass.range_constexpr(_GROUP_SLOTS):
        if key > shared.limits[first_slot + slot, stage]:
            for i in cutlass.range_constexpr(GROUP_HEADS):
                scores[slot * GROUP_HEADS + i] = -Float32.inf


@cute.jit
def _row_statistics(statistics: Int32, i: int) -> tuple:
    """Those of a thread's four rows from `4 * i` on."""
    per_slot = GROUP_HEADS // 4
    address = statistics + i // per_slot * _SLOT_STATISTICS_BYTES + i % per_slot * 16
    text = "ld.shared.v4.f32 {{$w0}, {$w1}, {$w2}, {$w3}}, [{$r0}];"
    return ptx(text, [Float32] * 4, address)


@cute.jit
def _exponentiate(scores: cute.Tensor, statistics: Int32, weights: cute.Tensor) -> None:
    """P, as bf16 pairs."""
    scales = SCALE_LOG2, SCALE_LOG2
    for i in cutlass.range_constexpr(_GROUP_ROWS // 4):
        lse = _row_statistics(statistics, i)
        for j in cutlass.range_constexpr(2):
            pair = scores[4 * i + 2 * j], scores[4 * i + 2 * j + 1]
            offsets = -lse[2 * j], -lse[2 * j + 1]
            exponents = arch.fma_packed_f32x2(pair, scales, offsets)
            weights[2 * i + j] = pack(*(cute.math.exp2(x, fastmath=True) for x in exponents))


@cute.jit
def _differentiate(grads: cute.Tensor, statistics: Int32, weights: cute.Tensor) -> None:
    """From P to dS, as bf16 pairs in place, and of P as it was rounded."""
    scales = SOFTMAX_SCALE, SOFTMAX_SCALE
    for i in cutlass.range_constexpr(_GROUP_ROWS // 4):
        delta = _row_statistics(statistics + 4 * GROUP_HEADS, i)
        for j in cutlass.range_constexpr(2):
            pair = grads[4 * i + 2 * j], grads[4 * i + 2 * j + 1]
            offsets = -delta[2 * j], -delta[2 * j + 1]
            terms = arch.fma_packed_f32x2(pair, scales, offsets)
            terms = arch.mul_packed_f32x2(terms, unpack(weights[2 * i + j]))
            weights[2 * i + j] = pack(*terms)


# Instructions.


def _store_row(address: Int32, row: Int32, words: cute.Tensor) -> None:
    """Stores the 32 words of a row of a tile, which begins at `address`, in swizzled chunks."""
    for i in range(_CHUNKS):
        chunk = [words[_CHUNK_WORDS * i + j] for j in range(_CHUNK_WORDS)]
        store_shared(address + (row % 8 ^ i) * 16, chunk)


def _add_float4(address: Int64, terms: list) -> None:
    text = "red.relaxed.gpu.global.add.v4.f32 [{$r0}], {{$r1}, {$r2}, {$r3}, {$r4}};"
    ptx(text, None, address, *terms)


def _add_int64(address: Int64, term: Int64) -> None:
    ptx("red.relaxed.gpu.global.add.u64 [{$r0}], {$r1};", None, address, term)


SIGNATURE = BACKWARD_OF_TASKS


@cute.jit
def launch(
    deterministic: Int32,
    q: cute.Pointer,
    k: cute.Pointer,
    v: cute.Pointer,
    grad_out: cute.Pointer,
    statistics: cute.Pointer,
    task_meta: cute.Pointer,
    task_qrows: cute.Pointer,
    task_qpos: cute.Pointer,
    descriptor: cute.Pointer,
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
    """Walks all tasks, and adds their gradients to what `dq`, `dk_pool` and `dv_pool` hold.

    Args:
        deterministic: 0 for the fast mode, else 1.
        q, grad_out: bf16 `[T, 16 G, 128]`, in compact rows.
        k, v: bf16 `[128 * num_kblocks, G, 128]`, in workspace rows; zeros past a document's end.
        statistics: FP32 `[T, G, 32]`, for each (token, head) log2(e) * lse of its 16 query heads,
            then SOFTMAX_SCALE * delta.
        task_meta: int32 `[capacity, 4]`, (0, head, key block, number of queries).
        task_qrows, task_qpos: int32 `[capacity, 8]`, the compact and the workspace row of each
            query slot of a task, -1 if it is empty.
        descriptor: int32 `[8]`, whose first are the number of tasks and their walk: tasks of a full
            CTA, number of full CTAs, tasks of each CTA after them.
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
        num_ctas: CTAs to launch, at least those of the walk.
    """
    tables = _Tables(task_meta, task_qrows, task_qpos, descriptor)
    launch_backward(
        _Backward,
        deterministic,
        (q, k, v, grad_out, statistics, tables),
        (dq, dk_pool, dv_pool, dq_scale, kv_scale),
        (num_groups, num_tokens, num_kblocks, num_ctas),
        stream,
    )
