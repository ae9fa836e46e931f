"""Block selection by the kernels: operands and buffers.

`sm90` and `sm100` each write the support of the queries that need no score, cut the others into
tiles, heavy ones first (`tiles`), score those and keep the best. Nothing waits for the device:
buffers depend on shapes alone.
"""

import torch

from msa.kernels.runtime.declared import by_family
from msa.kernels.runtime.library import num_sms
from msa.kernels.runtime.operands import plain
from msa.kernels.selection.interface import (
    FEW_TILES_PER_CTA,
    HALF_TILE_ROWS,
    MAX_TOKENS,
    SIGNATURE,
    STRIDE_UNIT,
    TILE_FIELDS,
    TILE_ROWS,
    UNSCORED_POSITIONS,
)
from msa.schedule.topology import INDEX_DIM, TOPK_BLOCKS

SELECT = by_family(SIGNATURE, "selection", "sm90", "sm100")
"""Selection by architecture; bf16."""


def select_blocks(
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    cu_seqlens: torch.Tensor,
    init_blocks: int,
    local_blocks: int,
) -> torch.Tensor:
    """The operator `msa::select_blocks` on a GPU that has kernels.

    Rows of operands that are multiples of 16 bytes apart are read in place, others copied. Beside
    that and the result this takes at most 1 byte a token and 16 KB.

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
    sms = num_sms(device)
    tiles = support.new_empty(1 + _tile_capacity(num_tokens, num_heads, sms), TILE_FIELDS)
    needs_scores = num_tokens > UNSCORED_POSITIONS and init_blocks + local_blocks < TOPK_BLOCKS
    index_q, index_k = _rows(index_q), _rows(index_k)
    query_stride, head_stride, _ = index_q.stride()
    SELECT(
        device,
        index_q=index_q,
        index_k=index_k,
        cu_seqlens=plain(cu_seqlens),
        tiles=tiles,
        support=support,
        offsets=cu_seqlens.shape[0],
        tokens=num_tokens,
        heads=num_heads,
        query_stride=query_stride // STRIDE_UNIT,
        head_stride=head_stride // STRIDE_UNIT,
        key_stride=index_k.stride(0) // STRIDE_UNIT,
        init_blocks=init_blocks,
        local_blocks=local_blocks,
        ctas=sms if needs_scores else 0,
    )
    return support


def _tile_capacity(num_tokens: int, num_heads: int, num_ctas: int) -> int:
    """Most tiles of so many tokens, whatever their documents.

    Each document of more than 2,048 tokens may end in a tile that is not full.
    """
    whole = num_tokens * num_heads // TILE_ROWS + num_tokens // UNSCORED_POSITIONS
    return max(whole, int(FEW_TILES_PER_CTA * num_ctas) * (TILE_ROWS // HALF_TILE_ROWS))


def _rows(operand: torch.Tensor) -> torch.Tensor:
    """The operand, or a contiguous copy where kernels cannot read its rows in place."""
    if operand.is_contiguous() and operand.data_ptr() % (2 * STRIDE_UNIT) == 0:
        return operand
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
