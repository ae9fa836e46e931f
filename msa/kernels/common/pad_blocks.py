"""K and V from compact rows into workspace rows, with zeros behind the documents' ends."""

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Int32, Int64
from cutlass.cute import arch
from cutlass.cute.runtime import make_fake_stream

from msa.kernels.common.device import (
    WARP,
    Documents,
    block_rows,
    fake_pointer,
    name_kernels,
)
from msa.schedule.topology import BLOCK_SIZE, HEAD_DIM, NUM_KV_HEADS

_ROW = NUM_KV_HEADS * HEAD_DIM
_WARPS = 4
_VECTOR = 8  # bf16 values of a 16-byte access
_STEPS = _ROW // (WARP * _VECTOR)
_WARP_ROWS = 8  # 64 registers of a thread


@cute.kernel
def copy_blocks(
    k: cute.Pointer,
    v: cute.Pointer,
    documents: Documents,
    padded_k: cute.Pointer,
    padded_v: cute.Pointer,
):
    """Copies K where the grid's second index is 0, V where it is 1."""
    if arch.block_idx()[1] == 0:
        _copy_rows(k, documents, padded_k)
    else:
        _copy_rows(v, documents, padded_v)


@cute.jit
def _copy_rows(source: cute.Pointer, documents: Documents, target: cute.Pointer) -> None:
    """A warp to 8 rows of a key block."""
    first = (arch.block_idx()[0] * _WARPS + arch.warp_idx()) * _WARP_ROWS
    offset = arch.lane_idx() * _VECTOR
    lanes = cute.make_layout((_VECTOR, _STEPS), stride=(1, WARP * _VECTOR))
    block_row, num_keys = block_rows(documents, first // BLOCK_SIZE)
    words = cute.make_rmem_tensor((_VECTOR // 2, _STEPS, _WARP_ROWS), Int32)
    values = cute.recast_tensor(words, BFloat16)
    for i in cutlass.range_constexpr(_WARP_ROWS):
        # Behind the end, the last row once more: a load without a branch.
        key = cutlass.min(first % BLOCK_SIZE + i, num_keys - 1)
        row = cute.make_tensor(source + Int64(block_row + key) * _ROW + offset, lanes)
        for step in cutlass.range_constexpr(_STEPS):
            cute.autovec_copy(row[None, step], values[None, step, i])
    for i in cutlass.range_constexpr(_WARP_ROWS):
        is_key = first % BLOCK_SIZE + i < num_keys
        row = cute.make_tensor(target + Int64(first + i) * _ROW + offset, lanes)
        for step in cutlass.range_constexpr(_STEPS):
            for j in cutlass.range_constexpr(_VECTOR // 2):
                words[j, step, i] = Int32(cutlass.select_(is_key, words[j, step, i], Int32(0)))
            cute.autovec_copy(values[None, step, i], row[None, step])


name_kernels(copy_blocks)


@cute.jit
def pad_blocks(
    k: cute.Pointer,
    v: cute.Pointer,
    cu_seqlens: cute.Pointer,
    document_workspace_starts: cute.Pointer,
    num_documents: Int32,
    num_kblocks: Int32,
    padded_k: cute.Pointer,
    padded_v: cute.Pointer,
    stream: cuda.CUstream,
):
    """Writes `padded_k` and `padded_v` `[128 * num_kblocks, 4, 128]` of `k` and `v` `[T, 4, 128]`.

    All are bf16.
    """
    rows = num_kblocks * BLOCK_SIZE
    documents = Documents(cu_seqlens, document_workspace_starts, num_documents)
    copy_blocks(k, v, documents, padded_k, padded_v).launch(
        grid=[rows // (_WARP_ROWS * _WARPS), 2, 1], block=[_WARPS * WARP, 1, 1], stream=stream
    )


def compile_arguments():
    """Stand-ins for the arguments of `pad_blocks`."""
    bf16, int32, size = fake_pointer(BFloat16), fake_pointer(Int32), Int32(1)
    return bf16, bf16, int32, int32, size, size, bf16, bf16, make_fake_stream()
