"""Maxima along the tasks: of what a query meets, or of what meets a key block.

Values are FP32 and not negative, `BOUND_FIELDS` of each, and order as their bits do. A maximum does
not depend on the order in which it is found.
"""

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Int32, Int64
from cutlass.cute import arch

from msa.kernels.attention.interface import BOUND_FIELDS, TASK_MAXIMA
from msa.kernels.device.primitives import name_kernels, vector
from msa.schedule.task_tables import TASK_META_FIELDS
from msa.schedule.topology import QUERY_CHUNK

SIGNATURE = TASK_MAXIMA
_THREADS = 256
_CTAS_PER_SM = 8


@cute.kernel
def raise_maxima(
    to_blocks: Int32,
    task_meta: cute.Pointer,
    task_qrows: cute.Pointer,
    descriptor: cute.Pointer,
    wanted: cute.Pointer,
    filtered: Int32,
    num_groups: Int32,
    num_kblocks: Int32,
    blocks: cute.Pointer,
    rows: cute.Pointer,
):
    """A thread to a query of a task at a time."""
    num_slots = vector(descriptor)[0] * QUERY_CHUNK
    if filtered != 0 and vector(wanted)[0] == 0:
        num_slots = Int32(0)
    first = arch.block_idx()[0] * _THREADS + arch.thread_idx()[0]
    for slot in cutlass.range(first, num_slots, arch.grid_dim()[0] * _THREADS):
        query = vector(task_qrows + Int64(slot))[0]
        if query >= 0:
            meta = vector(task_meta + Int64(slot // QUERY_CHUNK) * TASK_META_FIELDS)
            head = meta[1]
            block = blocks + Int64(head * num_kblocks + meta[2]) * BOUND_FIELDS
            row = rows + Int64(query * num_groups + head) * BOUND_FIELDS
            if to_blocks != 0:
                _raise(block, row)
            else:
                _raise(row, block)


@cute.jit
def _raise(target: cute.Pointer, source: cute.Pointer) -> None:
    for field in cutlass.range_constexpr(BOUND_FIELDS):
        value = vector(source)[field]
        # Many rows meet one block: most of them find its maximum there.
        if vector(target)[field] < value:
            arch.red(target + field, value, op="max", dtype=Int32, sem="relaxed", scope="gpu")


name_kernels(raise_maxima)


@cute.jit
def launch(
    to_blocks: Int32,
    task_meta: cute.Pointer,
    task_qrows: cute.Pointer,
    descriptor: cute.Pointer,
    wanted: cute.Pointer,
    filtered: Int32,
    num_groups: Int32,
    num_kblocks: Int32,
    num_sms: Int32,
    blocks: cute.Pointer,
    rows: cute.Pointer,
    stream: cuda.CUstream,
):
    """Raises `rows` to all `blocks` that they selected, or with `to_blocks` nonzero the reverse.

    Args:
        to_blocks: which way.
        task_meta: this and the next two are fields of `TaskTables`.
        task_qrows: int32 `[capacity, 8]`.
        descriptor: int32 `[8]`.
        wanted: int32 `[1]`; where `filtered` is not 0, nothing is done unless it is not.
        blocks: FP32 `[num_groups, num_kblocks, BOUND_FIELDS]`.
        rows: FP32 `[T, num_groups, BOUND_FIELDS]`.
    """
    raise_maxima(
        to_blocks,
        task_meta,
        task_qrows,
        descriptor,
        wanted,
        filtered,
        num_groups,
        num_kblocks,
        cute.recast_ptr(blocks, dtype=Int32),
        cute.recast_ptr(rows, dtype=Int32),
    ).launch(grid=[num_sms * _CTAS_PER_SM, 1, 1], block=[_THREADS, 1, 1], stream=stream)
