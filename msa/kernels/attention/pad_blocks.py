"""K and V from compact rows into workspace rows, with zeros past the documents' ends.

The rows of a key block, of all heads, are consecutive on either side: to the kernel, which
knows neither keys nor heads, they are `128 * G` *lines* of 128 channels.
"""

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Int32, Int64
from cutlass.cute import arch

from msa.kernels.attention.interface import PAD_BLOCKS
from msa.kernels.device.primitives import (
    BF16_VECTOR,
    WARP,
    Documents,
    block_rows,
    name_kernels,
    split_groups,
)
from msa.schedule.topology import BLOCK_SIZE, HEAD_DIM

SIGNATURE = PAD_BLOCKS
_WARPS = 4
_LANES = HEAD_DIM // BF16_VECTOR  # lanes to a line
_STEP_LINES = WARP // _LANES
_STEPS = 16  # 64 registers of a thread
_WARP_LINES = _STEPS * _STEP_LINES
assert HEAD_DIM == _LANES * BF16_VECTOR and WARP % _LANES == 0
assert _WARPS * _WARP_LINES == BLOCK_SIZE  # the lines of a CTA are of one key block


@cute.kernel
def copy_blocks(
    k: cute.Pointer,
    v: cute.Pointer,
    documents: Documents,
    num_groups: Int32,
    padded_k: cute.Pointer,
    padded_v: cute.Pointer,
):
    """Copies K where the grid's second index is 0, V where it is 1."""
    if arch.block_idx()[1] == 0:
        _copy_lines(k, documents, num_groups, padded_k)
    else:
        _copy_lines(v, documents, num_groups, padded_v)


@cute.jit
def _copy_lines(
    source: cute.Pointer, documents: Documents, num_groups: Int32, target: cute.Pointer
) -> None:
    """A CTA to 128 lines, a warp to 32."""
    kblock, part = split_groups(arch.block_idx()[0], num_groups)
    block_row, num_keys = block_rows(documents, kblock)
    lane = arch.lane_idx()
    first = (part * _WARPS + arch.warp_idx()) * _WARP_LINES + lane // _LANES
    num_lines = num_keys * num_groups
    source += Int64(block_row) * num_groups * HEAD_DIM + lane % _LANES * BF16_VECTOR
    target += Int64(kblock) * num_groups * (BLOCK_SIZE * HEAD_DIM) + lane % _LANES * BF16_VECTOR
    vector = cute.make_layout(BF16_VECTOR)
    words = cute.make_rmem_tensor((BF16_VECTOR // 2, _STEPS), Int32)
    values = cute.recast_tensor(words, BFloat16)
    for step in cutlass.range_constexpr(_STEPS):
        # Behind the end, the last line once more: a load without a branch.
        line = cutlass.min(first + step * _STEP_LINES, num_lines - 1)
        cute.autovec_copy(cute.make_tensor(source + line * HEAD_DIM, vector), values[None, step])
    for step in cutlass.range_constexpr(_STEPS):
        line = first + step * _STEP_LINES
        for j in cutlass.range_constexpr(BF16_VECTOR // 2):
            words[j, step] = Int32(cutlass.select_(line < num_lines, words[j, step], Int32(0)))
        cute.autovec_copy(values[None, step], cute.make_tensor(target + line * HEAD_DIM, vector))


name_kernels(copy_blocks)


@cute.jit
def launch(
    k: cute.Pointer,
    v: cute.Pointer,
    cu_seqlens: cute.Pointer,
    document_workspace_starts: cute.Pointer,
    num_documents: Int32,
    num_groups: Int32,
    num_kblocks: Int32,
    padded_k: cute.Pointer,
    padded_v: cute.Pointer,
    stream: cuda.CUstream,
):
    """Writes `padded_k` and `padded_v` `[128 * num_kblocks, G, 128]` of `k` and `v` `[T, G, 128]`.

    All are bf16; `num_groups` is G.
    """
    documents = Documents(cu_seqlens, document_workspace_starts, num_documents)
    copy_blocks(k, v, documents, num_groups, padded_k, padded_v).launch(
        grid=[num_kblocks * num_groups, 2, 1], block=[_WARPS * WARP, 1, 1], stream=stream
    )
