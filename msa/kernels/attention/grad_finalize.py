"""Ends a backward: from the pools of its gradients to bf16 in compact rows.

Pools are in fragment order. Those of dK and dV hold, for each head and workspace key block, the
fragments of 16 keys one after the other; that of dQ holds one of 16 heads for each query and group.
"""

import math

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64
from cutlass.cute import arch

from msa.kernels.attention.fragment import (
    FRAGMENT_ROWS,
    fragment_vectors,
    load_fragment,
    row_of_lane,
    store_vectors,
)
from msa.kernels.attention.interface import GRAD_FINALIZE
from msa.kernels.device.primitives import (
    WARP,
    Documents,
    block_rows,
    name_kernels,
    split_groups,
    vector,
)
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM

assert GROUP_HEADS == FRAGMENT_ROWS  # a row of dQ, the heads of a query and group, is a fragment
SIGNATURE = GRAD_FINALIZE
_FRAGMENT = FRAGMENT_ROWS * HEAD_DIM
_BLOCK = BLOCK_SIZE * HEAD_DIM
_FRAGMENTS = BLOCK_SIZE // FRAGMENT_ROWS  # of a key block
_WARPS = 4
assert BLOCK_SIZE % FRAGMENT_ROWS == 0 and _FRAGMENTS % _WARPS == 0  # CTAs are full
# Columns of a fragment that a warp takes: 64 registers of a thread in either type.
_COLUMNS = {Float32: HEAD_DIM, Int64: HEAD_DIM // 2}


@cute.kernel
def key_gradients(
    dk_pool: cute.Pointer,
    dv_pool: cute.Pointer,
    scales: cute.Pointer,
    documents: Documents,
    num_groups: Int32,
    num_kblocks: Int32,
    dk: cute.Pointer,
    dv: cute.Pointer,
):
    """Writes dK where the grid's second index is 0, dV where it is 1."""
    if arch.block_idx()[1] == 0:
        _finalize_keys(dk_pool, scales, documents, num_groups, num_kblocks, dk)
    else:
        dv_scales = scales + num_groups * num_kblocks
        _finalize_keys(dv_pool, dv_scales, documents, num_groups, num_kblocks, dv)


@cute.jit
def _finalize_keys(
    pool: cute.Pointer,
    scales: cute.Pointer,
    documents: Documents,
    num_groups: Int32,
    num_kblocks: Int32,
    gradient: cute.Pointer,
) -> None:
    """A warp to a fragment, or half of one; int64 pools are in units of `1 / scales[block]`."""
    columns = _COLUMNS[pool.dtype]
    parts = HEAD_DIM // columns
    unit = arch.block_idx()[0] * _WARPS + arch.warp_idx()
    part = unit % parts
    fragment = unit // parts % _FRAGMENTS
    kblock, head = split_groups(unit // (parts * _FRAGMENTS), num_groups)
    block = Int64(head) * num_kblocks + kblock
    first = block * _BLOCK + (fragment * parts + part) * (FRAGMENT_ROWS * columns)
    # The search for the document runs under the latency of the loads.
    values = load_fragment(pool + first, FRAGMENT_ROWS * columns)
    first_row, num_keys = block_rows(documents, kblock)
    unit_of_sum = Float32(1)
    if cutlass.const_expr(pool.dtype is Int64):
        unit_of_sum = _inverse(vector(scales)[Int32(block)])
    vectors = fragment_vectors(values, unit_of_sum, unit_of_sum)
    for half in cutlass.range_constexpr(2):
        key = fragment * FRAGMENT_ROWS + row_of_lane(half)
        if key < num_keys:
            row = Int64((first_row + key) * num_groups + head)
            store_vectors(vectors, half, gradient + row * HEAD_DIM + part * columns)


@cute.kernel
def query_gradients(pool: cute.Pointer, scales: cute.Pointer, dq: cute.Pointer, num_rows: Int32):
    """Writes dQ, a warp to a query and group; sums are in units of `1 / scales[row, head]`."""
    row = arch.block_idx()[0] * _WARPS + arch.warp_idx()
    if row < num_rows:
        row_scales = vector(scales + Int64(row) * FRAGMENT_ROWS)
        values = load_fragment(pool + Int64(row) * _FRAGMENT, _FRAGMENT)
        upper, lower = (_inverse(row_scales[row_of_lane(half)]) for half in range(2))
        vectors = fragment_vectors(values, upper, lower)
        for half in cutlass.range_constexpr(2):
            head = row_of_lane(half)
            store_vectors(vectors, half, dq + Int64(row) * _FRAGMENT + head * HEAD_DIM)


@cute.jit
def _inverse(scale: Float32) -> Float32:
    """`1 / scale`, or NaN where no sum can be in such units."""
    inverse = 1 / scale
    if not (scale > 0 and scale < math.inf):
        inverse = Float32(math.nan)
    return inverse


name_kernels(key_gradients, query_gradients)


@cute.jit
def launch(
    deterministic: Int32,
    dk_pool: cute.Pointer,
    dv_pool: cute.Pointer,
    kv_scale: cute.Pointer,
    dq_pool: cute.Pointer,
    dq_scale: cute.Pointer,
    cu_seqlens: cute.Pointer,
    document_workspace_starts: cute.Pointer,
    num_documents: Int32,
    num_groups: Int32,
    num_tokens: Int32,
    num_kblocks: Int32,
    dq: cute.Pointer,
    dk: cute.Pointer,
    dv: cute.Pointer,
    stream: cuda.CUstream,
):
    """Writes bf16 `dk`, `dv` `[T, G, 128]` and, if `deterministic`, `dq` `[T, 16 G, 128]`.

    `dk_pool` and `dv_pool` `[G, num_kblocks, 128 * 128]` hold FP32 sums and, if `deterministic`,
    int64 ones, to be divided by FP32 `kv_scale` `[2, G, num_kblocks]`, of dK and of dV. `dq_pool`,
    which only then is read, holds int32 sums `[T, G, 16 * 128]`, to be divided by FP32 `dq_scale`
    `[T, 16 G]`. A scale that is not positive and finite makes its gradients NaN.
    """
    documents = Documents(cu_seqlens, document_workspace_starts, num_documents)
    block = [_WARPS * WARP, 1, 1]
    ctas = num_kblocks * num_groups * (_FRAGMENTS // _WARPS)
    if deterministic == 0:
        key_gradients(
            dk_pool, dv_pool, kv_scale, documents, num_groups, num_kblocks, dk, dv
        ).launch(
            grid=[ctas * (HEAD_DIM // _COLUMNS[Float32]), 2, 1],
            block=block,
            stream=stream,
        )
    else:
        key_gradients(
            cute.recast_ptr(dk_pool, dtype=Int64),
            cute.recast_ptr(dv_pool, dtype=Int64),
            kv_scale,
            documents,
            num_groups,
            num_kblocks,
            dk,
            dv,
        ).launch(
            grid=[ctas * (HEAD_DIM // _COLUMNS[Int64]), 2, 1],
            block=block,
            stream=stream,
        )
        num_rows = num_tokens * num_groups
        query_gradients(dq_pool, dq_scale, dq, num_rows).launch(
            grid=[cute.ceil_div(num_rows, _WARPS), 1, 1], block=block, stream=stream
        )
