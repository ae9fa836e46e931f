"""Block selection by the index branch, blockwise in plain torch."""

import itertools
import math

import torch

from msa.reference.precision import accumulation_dtype, below_autograd_and_autocast
from msa.schedule.topology import BLOCK_SIZE, NUM_INDEX_HEADS, TOPK_BLOCKS

# A tile of scores is 4 heads x 256 queries x 1024 keys: 4 MB in FP32, whatever the document.
_QUERY_TILE = 2 * BLOCK_SIZE
_KEY_TILE = 8 * BLOCK_SIZE


@below_autograd_and_autocast
def select_blocks(
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    cu_seqlens: torch.Tensor,
    init_blocks: int,
    local_blocks: int,
) -> torch.Tensor:
    """Keeps the best-scoring key blocks of each query and index head.

    A block scores the largest `index_q . index_k` over its keys at or before the query. The first
    `init_blocks` and the last `local_blocks` blocks up to the query's own are kept whatever
    anything scores; ties go to the lower id, and NaN ranks as +inf. Tiles count from each
    document's own start, so that a document's selection does not depend on what stands before it,
    to the last bit. Reads `cu_seqlens` on the host.

    Args:
        index_q: bf16, FP32 or FP64 `[T, 4, 128]`.
        index_k: of the same dtype, `[T, 1, 128]`.
        cu_seqlens: int32 `[documents + 1]`.
        init_blocks: blocks forced at the document's start.
        local_blocks: blocks forced up to the query's own; at most 16 together with `init_blocks`.

    Returns:
        int32 `[4, T, 16]`: `min(16, position // 128 + 1)` distinct ids, ascending, then -1.
    """
    num_tokens = index_q.shape[0]
    support = torch.empty(
        (NUM_INDEX_HEADS, num_tokens, TOPK_BLOCKS), dtype=torch.int32, device=index_q.device
    )
    for start, end in itertools.pairwise(cu_seqlens.tolist()):
        keys = index_k[start:end, 0].to(accumulation_dtype(index_k.dtype))
        # Whole blocks: the zero rows lie behind every query, so the causal mask hides them.
        keys = torch.nn.functional.pad(keys, (0, 0, 0, -keys.shape[0] % BLOCK_SIZE))
        for first in range(start, end, _QUERY_TILE):
            tile = slice(first, min(first + _QUERY_TILE, end))
            positions = torch.arange(tile.start - start, tile.stop - start, device=index_q.device)
            scores = _block_scores(index_q[tile].to(keys.dtype), keys, first - start, positions)
            support[:, tile] = _best_blocks(
                scores, positions // BLOCK_SIZE, init_blocks, local_blocks
            ).transpose(0, 1)
    return support


def _block_scores(
    queries: torch.Tensor, keys: torch.Tensor, first: int, positions: torch.Tensor
) -> torch.Tensor:
    """Scores `[n, 4, blocks]` of the blocks up to the last query's own; -inf in the future.

    `positions` `[n]` are those of `queries` `[n, 4, 128]` in the document of `keys`, from `first`
    on.
    """
    num_queries = queries.shape[0]
    num_blocks = (first + num_queries - 1) // BLOCK_SIZE + 1
    scores = queries.new_empty(num_queries, NUM_INDEX_HEADS, num_blocks)
    for key in range(0, num_blocks * BLOCK_SIZE, _KEY_TILE):
        key_end = min(key + _KEY_TILE, num_blocks * BLOCK_SIZE)
        products = queries.flatten(0, 1) @ keys[key:key_end].t()
        products = products.view(num_queries, NUM_INDEX_HEADS, -1)
        if key_end > first:
            future = torch.arange(key, key_end, device=keys.device) > positions[:, None]
            products.masked_fill_(future[:, None], -math.inf)
        scores[..., key // BLOCK_SIZE : key_end // BLOCK_SIZE] = products.unflatten(
            -1, (-1, BLOCK_SIZE)
        ).amax(dim=-1)
    return scores


def _best_blocks(
    scores: torch.Tensor, own_blocks: torch.Tensor, init_blocks: int, local_blocks: int
) -> torch.Tensor:
    """The kept ids `[n, 4, 16]` among the blocks up to each query's own, ascending, then -1."""
    num_blocks = scores.shape[-1]
    blocks = torch.arange(num_blocks, device=scores.device)
    own = own_blocks[:, None, None]
    # Three ranks whatever the scores: forced blocks at +inf, candidates clamped to finite values,
    # the future at -inf. A stable sort then gives ties to the lower id.
    scores = scores.nan_to_num(nan=torch.finfo(scores.dtype).max)
    scores.masked_fill_((blocks < init_blocks) | (blocks > own - local_blocks), math.inf)
    scores.masked_fill_(blocks > own, -math.inf)
    kept = scores.sort(dim=-1, descending=True, stable=True).indices[..., :TOPK_BLOCKS]
    # Kept blocks past the query's own fill up what the candidates leave; they sort to the end.
    kept = kept.masked_fill(kept > own, num_blocks).sort(dim=-1).values
    kept = kept.masked_fill(kept == num_blocks, -1)
    return torch.nn.functional.pad(kept, (0, TOPK_BLOCKS - kept.shape[-1]), value=-1)
