"""Ends the index loss: from sums to divergences in nats and unit gradients in bf16."""

import math

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32, Int64, const_expr
from cutlass.cute import arch

from msa.kernels.device.primitives import name_kernels, split_groups, upper_bound, vector
from msa.kernels.index_kl.gradients import gradient_scales, inverse
from msa.kernels.index_kl.interface import (
    DIVERGENCE_ONE,
    GRADIENTS_FAST,
    GRADIENTS_FIXED,
    RESULTS,
    pool_place,
)
from msa.schedule.topology import INDEX_DIM

SIGNATURE = RESULTS
_THREADS = 256
_CHANNELS = 16  # of a thread: places of a pool change within so many
_PARTS = INDEX_DIM // _CHANNELS
_SCALE = INDEX_DIM**-0.5


@cute.kernel
def divergence_nats(divergences: cute.Pointer, divergence: cute.Pointer, rows: Int32):
    """A thread to a query and group."""
    row = arch.block_idx()[0] * _THREADS + arch.thread_idx()[0]
    if row < rows:
        units = Float32(vector(divergences)[row])
        vector(divergence)[row] = units * (math.log(2) / DIVERGENCE_ONE)


class _Results:
    def __init__(self, mode: int):
        self.fixed = mode == GRADIENTS_FIXED

    @cute.jit
    def __call__(
        self, dq, dk, bounds, cu_seqlens, unit_q, unit_k, documents, groups, tokens, stream
    ):
        if const_expr(self.fixed):
            dk = cute.recast_ptr(dk, dtype=Int64)
        else:
            dq, dk = (cute.recast_ptr(pool, dtype=Float32) for pool in (dq, dk))
        threads = tokens * (groups + 1) * _PARTS
        self.unit_gradients(
            dq, dk, bounds, cu_seqlens, unit_q, unit_k, documents, groups, tokens
        ).launch(
            grid=[cute.ceil_div(threads, _THREADS), 1, 1], block=[_THREADS, 1, 1], stream=stream
        )

    @cute.kernel
    def unit_gradients(
        self,
        dq: cute.Pointer,
        dk: cute.Pointer,
        bounds: cute.Pointer,
        cu_seqlens: cute.Pointer,
        unit_q: cute.Pointer,
        unit_k: cute.Pointer,
        documents: Int32,
        groups: Int32,
        tokens: Int32,
    ):
        """A thread to 16 channels of a row, first of queries and groups, then of keys."""
        thread = Int64(arch.block_idx()[0]) * _THREADS + arch.thread_idx()[0]
        row, part = Int32(thread // _PARTS), Int32(thread % _PARTS)
        rows = tokens * groups
        if row < rows:
            token, _ = split_groups(row, groups)
            scale = self.scale(bounds, cu_seqlens, token, documents, groups, 0)
            _round(dq, unit_q, row, part, scale)
        elif row < rows + tokens:
            scale = self.scale(bounds, cu_seqlens, row - rows, documents, groups, 1)
            _round(dk, unit_k, row - rows, part, scale)

    @cute.jit
    def scale(
        self,
        bounds: cute.Pointer,
        cu_seqlens: cute.Pointer,
        token: Int32,
        documents: Int32,
        groups: Int32,
        which: cutlass.Constexpr[int],
    ) -> Float32:
        """What a sum of a token's row is multiplied with."""
        scale = Float32(_SCALE)
        if const_expr(self.fixed):
            document = upper_bound(vector(cu_seqlens), documents + 1, token) - 1
            power = gradient_scales(bounds, cu_seqlens, document, groups)[which]
            scale = inverse(power) * _SCALE
        return scale


@cute.jit
def _round(
    pool: cute.Pointer, target: cute.Pointer, row: Int32, part: Int32, scale: Float32
) -> None:
    first = Int64(row) * INDEX_DIM + part * _CHANNELS
    sums = cute.make_rmem_tensor(_CHANNELS, pool.dtype)
    cute.autovec_copy(cute.make_tensor((pool + first).align(16), cute.make_layout(_CHANNELS)), sums)
    rounded = cute.make_rmem_tensor(_CHANNELS, BFloat16)
    for channel in cutlass.range_constexpr(_CHANNELS):
        rounded[channel] = (Float32(sums[pool_place(channel)]) * scale).to(BFloat16)
    cute.autovec_copy(
        rounded, cute.make_tensor((target + first).align(16), cute.make_layout(_CHANNELS))
    )


name_kernels(divergence_nats, _Results.unit_gradients)


@cute.jit
def launch(
    mode: Int32,
    divergences: cute.Pointer,
    dq_sums: cute.Pointer,
    dk_sums: cute.Pointer,
    bounds: cute.Pointer,
    cu_seqlens: cute.Pointer,
    divergence: cute.Pointer,
    unit_q: cute.Pointer,
    unit_k: cute.Pointer,
    documents: Int32,
    groups: Int32,
    tokens: Int32,
    stream: cuda.CUstream,
):
    """Writes divergences, and gradients if there are any; arguments are those of `SIGNATURE`."""
    rows = tokens * groups
    divergence_nats(divergences, divergence, rows).launch(
        grid=[cute.ceil_div(rows, _THREADS), 1, 1], block=[_THREADS, 1, 1], stream=stream
    )
    if mode == GRADIENTS_FAST:
        _Results(GRADIENTS_FAST)(
            dq_sums, dk_sums, bounds, cu_seqlens, unit_q, unit_k, documents, groups, tokens, stream
        )
    elif mode == GRADIENTS_FIXED:
        _Results(GRADIENTS_FIXED)(
            dq_sums, dk_sums, bounds, cu_seqlens, unit_q, unit_k, documents, groups, tokens, stream
        )
