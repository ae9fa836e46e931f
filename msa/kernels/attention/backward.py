"""What the attention backwards of all architectures have in common: inputs, outputs, the launch."""

import math
from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import cpasync

from msa.kernels.attention.interface import STATISTICS
from msa.kernels.device.primitives import WARP, vector
from msa.kernels.device.tiles import View, blocks_view, queries_view
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS

# What a step of a walk is, as bits.
FIRST = 1  # on its keys
LAST = 2  # on its keys
MASKED = 4  # some query does not see all keys
END = 8  # the last of the CTA


class Inputs(NamedTuple):
    """What is loaded: the views, or the boxes of their copies."""

    queries: View
    grad_outs: View
    keys: View
    values: View
    statistics: View


class Outputs(NamedTuple):
    """Where sums are added, and the factors that make integers of them; see `backward`."""

    dq: cute.Pointer
    dk_pool: cute.Pointer
    dv_pool: cute.Pointer
    dq_scale: cute.Pointer
    dk_scale: cute.Pointer
    dv_scale: cute.Pointer


class Backward:
    """A kernel in one of its two modes; a subclass has `attention_backward` and its `warps`."""

    def __init__(self, deterministic: bool):
        self.deterministic = deterministic
        # A value of the pools of dK and dV: FP32, or int64.
        self.pool_bytes = 8 if deterministic else 4

    @cute.jit
    def __call__(
        self,
        q: cute.Pointer,
        k: cute.Pointer,
        v: cute.Pointer,
        grad_out: cute.Pointer,
        statistics: cute.Pointer,
        tables: NamedTuple,
        outputs: Outputs,
        num_groups: Int32,
        num_tokens: Int32,
        num_kblocks: Int32,
        num_ctas: Int32,
        stream: cuda.CUstream,
    ) -> None:
        """Launches the kernel; the arguments are those of `backward`."""
        num_rows = num_tokens * num_groups
        inputs = _input_views(q, k, v, grad_out, statistics, num_rows, num_groups, num_kblocks)
        dq = None
        if const_expr(not self.deterministic):
            add = cpasync.CopyReduceBulkTensorTileS2GOp()
            dq = queries_view(add, outputs.dq, num_rows)
        self.attention_backward(inputs, dq, tables, outputs, num_groups, num_kblocks).launch(
            grid=[num_ctas, 1, 1],
            block=[self.warps * WARP, 1, 1],
            stream=stream,
            min_blocks_per_mp=1,
        )


def _input_views(
    q: cute.Pointer,
    k: cute.Pointer,
    v: cute.Pointer,
    grad_out: cute.Pointer,
    statistics: cute.Pointer,
    num_rows: Int32,
    num_groups: Int32,
    num_kblocks: Int32,
) -> Inputs:
    """What a backward loads, for TMA."""
    load = cpasync.CopyBulkTensorTileG2SOp()
    statistics_rows = cute.make_layout((num_rows, STATISTICS), stride=(STATISTICS, 1))
    return Inputs(
        queries_view(load, q, num_rows),
        queries_view(load, grad_out, num_rows),
        blocks_view(load, k, num_groups, num_kblocks),
        blocks_view(load, v, num_groups, num_kblocks),
        _row_view(load, statistics, statistics_rows),
    )


def _row_view(op, pointer: cute.Pointer, layout: cute.Layout) -> View:
    """A matrix in boxes of one row."""
    box = (1, layout.shape[1])
    row = cute.make_layout(box, stride=(box[1], 1))
    matrix = cute.make_tensor(pointer, layout)
    return View(*cpasync.make_tiled_tma_atom(op, matrix, row, box))


@cute.jit
def read_slot(slots: Int32, num_slots: int, num_groups: Int32, head: Int32, kblock: Int32) -> tuple:
    """A slot of a step in each lane, in turn: its row of statistics, or -1, and how many keys after
    the block's first its query sees; and whether some query of the step does not see all keys.

    `slots` are compact rows in lanes 0 to `num_slots - 1`, then as many workspace rows.
    """
    lane = arch.lane_idx() % num_slots
    row = arch.shuffle_sync(slots, lane)
    limit = arch.shuffle_sync(slots, lane + num_slots) - kblock * BLOCK_SIZE
    masked = arch.vote_any_sync((row >= 0) & (limit < BLOCK_SIZE - 1))
    if row >= 0:
        row = row * num_groups + head
    return row, limit, masked


@cute.jit
def query_factors(scales: cute.Pointer, row: Int32) -> tuple[Float32, Float32]:
    """What makes integers of a slot's dQ, of this lane's two heads."""
    upper, lower = Float32(0), Float32(0)
    if row >= 0:
        mine = vector(scales + Int64(row) * GROUP_HEADS + arch.lane_idx() // 4)
        upper, lower = mine[0], mine[8]
    return upper, lower


@cute.jit
def spoil_unless_finite(sums: cute.Tensor, outputs: Outputs, pool_block: Int32) -> None:
    """Makes a block's scales NaN if a term of dQ is not finite; one of dS shows in all channels."""
    zero = Float32(0)
    for i in cutlass.range_constexpr(cute.size(sums)):
        zero += sums[i] - sums[i]
    if zero != 0:
        vector(outputs.dk_scale)[pool_block] = Float32(math.nan)
        vector(outputs.dv_scale)[pool_block] = Float32(math.nan)


@cute.jit
def launch_backward(
    kernel: type, deterministic: Int32, operands: tuple, outputs: tuple, sizes: tuple, stream
) -> None:
    """Launches a backward in the mode that `deterministic` says; see `backward`.

    Args:
        operands: q, k, v, grad_out, statistics, and the tables of the walk.
        outputs: dq, dk_pool, dv_pool, dq_scale, kv_scale.
        sizes: num_groups, num_tokens, num_kblocks, and the CTAs.
    """
    dq, dk_pool, dv_pool, dq_scale, kv_scale = outputs
    num_groups, _, num_kblocks, _ = sizes
    dv_scale = kv_scale + num_groups * num_kblocks
    outputs = Outputs(dq, dk_pool, dv_pool, dq_scale, kv_scale, dv_scale)
    if deterministic == 0:
        kernel(False)(*operands, outputs, *sizes, stream)
    else:
        kernel(True)(*operands, outputs, *sizes, stream)
