"""Block selection by the kernels: their operands, buffers and the order of their launches.

`tiles` writes the support of the queries that need no score and cuts the others into tiles, heavy
ones first; `sm90` or `sm100` scores those and keeps the best. Nothing waits for the device: buffers
depend on shapes alone.
"""

import functools

import torch

from msa.kernels.library import Kernel
from msa.kernels.runtime.declared import DeclaredKernel
from msa.kernels.selection.interface import (
    CONTROL_FIELDS,
    HALF_TILE_ROWS,
    MAX_TOKENS,
    SELECT,
    STRIDE_UNIT,
    TILE_FIELDS,
    TILE_ROWS,
    TILES,
    UNSCORED_POSITIONS,
)
from msa.schedule.topology import INDEX_DIM, TOPK_BLOCKS

_TILES = DeclaredKernel(
    TILES,
    {arch: Kernel("selection", "tiles") for arch in ("sm_90a", "sm_100a", "sm_103a")},
)
_HOPPER, _BLACKWELL = Kernel("selection", "sm90"), Kernel("selection", "sm100")
_SELECT = DeclaredKernel(SELECT, {"sm_90a": _HOPPER, "sm_100a": _BLACKWELL, "sm_103a": _BLACKWELL})

# With fewer tiles than this for each SM, two halves of a Hopper SM share the key blocks of half a
# tile: at 8K tokens (96 tiles) that takes 0.056 ms instead of 0.095, at 16K (224) it loses.
_FEW_TILES_PER_SM = {_HOPPER: 1.5}


def has_kernels(device: torch.device) -> bool:
    """Whether there are selection kernels for `device`; they take bf16."""
    return _SELECT.runs_on(device)


def select_blocks(
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    cu_seqlens: torch.Tensor,
    init_blocks: int,
    local_blocks: int,
) -> torch.Tensor:
    """The operator `msa::select_blocks` on a GPU that has kernels.

    Rows of operands that are multiples of 16 bytes apart are read in place, others copied. Beside
    that and the result this takes at most 8 bytes a token and 100 KB.

    Args:
        index_q: bf16 `[T, G, 128]`, G of 1, 2, 4 or 8.
        index_k: bf16 `[T, 1, 128]`.
        cu_seqlens: int32 `[documents + 1]`.
        init_blocks: blocks forced at the document's start.
        local_blocks: blocks forced up to the query's own; at most 16 together with `init_blocks`.

    Returns:
        int32 `[G, T, 16]`: `min(16, position // 128 + 1)` distinct ids, ascending, then -1.

    Raises:
        ValueError: more tokens than the kernels' indices can count.
    """
    device = index_q.device
    num_tokens, num_heads, _ = index_q.shape
    if num_tokens > MAX_TOKENS:
        raise ValueError(
            f"index_q must have at most {MAX_TOKENS} tokens for blocks to be selected on a GPU, "
            f"got {num_tokens}; split the microbatch"
        )
    support = torch.empty((num_heads, num_tokens, TOPK_BLOCKS), dtype=torch.int32, device=device)
    if num_tokens == 0:
        return support
    num_sms = _num_sms(device.index)
    few_tiles = int(_FEW_TILES_PER_SM.get(_SELECT.source(device), 0) * num_sms)
    capacity = _tile_capacity(num_tokens, num_heads, few_tiles)
    words = support.new_empty(CONTROL_FIELDS + capacity * TILE_FIELDS)
    control = words[:CONTROL_FIELDS]
    tiles = words[CONTROL_FIELDS:].view(capacity, TILE_FIELDS)
    forced = {"init_blocks": init_blocks, "local_blocks": local_blocks}
    _TILES(
        device,
        cu_seqlens=cu_seqlens,
        tiles=tiles,
        control=control,
        support=support,
        offsets=cu_seqlens.shape[0],
        tokens=num_tokens,
        heads=num_heads,
        few_tiles=few_tiles,
        **forced,
    )
    if num_tokens <= UNSCORED_POSITIONS or init_blocks + local_blocks == TOPK_BLOCKS:
        return support
    index_q, index_k = _rows(index_q), _rows(index_k)
    _SELECT(
        device,
        index_q=index_q,
        index_k=index_k,
        tiles=tiles,
        control=control,
        support=support,
        tokens=num_tokens,
        heads=num_heads,
        query_stride=index_q.stride(0) // STRIDE_UNIT,
        head_stride=index_q.stride(1) // STRIDE_UNIT,
        key_stride=index_k.stride(0) // STRIDE_UNIT,
        ctas=num_sms,
        **forced,
    )
    return support


def _tile_capacity(num_tokens: int, num_heads: int, few_tiles: int) -> int:
    """Most tiles of so many tokens, whatever their documents.

    Each document of more than 2,048 tokens may end in a tile that is not full.
    """
    queries = TILE_ROWS // num_heads
    whole = num_tokens // queries + num_tokens // UNSCORED_POSITIONS + 1
    return max(whole, (TILE_ROWS // HALF_TILE_ROWS) * few_tiles)


def _rows(operand: torch.Tensor) -> torch.Tensor:
    """The operand, or a contiguous copy where kernels cannot read its rows in place."""
    strides = operand.stride()
    in_place = (
        strides[2] == 1
        and operand.data_ptr() % (2 * STRIDE_UNIT) == 0
        and all(
            size == 1 or (stride >= INDEX_DIM and stride % STRIDE_UNIT == 0)
            for size, stride in zip(operand.shape[:2], strides[:2], strict=True)
        )
    )
    return operand if in_place else operand.clone(memory_format=torch.contiguous_format)


@functools.cache
def _num_sms(index: int) -> int:
    return torch.cuda.get_device_properties(index).multi_processor_count
