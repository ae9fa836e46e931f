"""Block selection by the index branch, blockwise in plain torch.

All scores are computed by products of one shape: a tile of one head's queries times a tile of keys,
both aligned to the document's start and padded with zeros. Rounding may depend on the shape of a
product and a row's place in it; so a query's selection does not depend, even in the last bit, on
other queries, heads or documents.
"""

import itertools
import math

import torch

from msa.reference.precision import accumulation_dtype, below_autograd_and_autocast
from msa.schedule.topology import BLOCK_SIZE, INDEX_DIM, TOPK_BLOCKS

# A tile of scores is 256 queries x 1024 keys of one head: 1 MB in FP32, whatever the document.
_QUERY_TILE = 2 * BLOCK_SIZE
_KEY_TILE = 8 * BLOCK_SIZE

# Queries before this position keep all their candidates, which need no score.
_FIRST_SCORED = TOPK_BLOCKS * BLOCK_SIZE
assert _FIRST_SCORED % _QUERY_TILE == 0


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
    `init_blocks` and the last `local_blocks` blocks up to the query's own are always kept; ties go
    to the lower id, and NaN ranks equal to +inf. Reads `cu_seqlens` on the host.

    Args:
        index_q: bf16, FP32 or FP64 `[T, G, 128]`.
        index_k: of the same dtype, `[T, 1, 128]`.
        cu_seqlens: int32 `[documents + 1]`.
        init_blocks: blocks forced at the document's start.
        local_blocks: blocks forced up to the query's own; at most 16 together with `init_blocks`.

    Returns:
        int32 `[G, T, 16]`: `min(16, position // 128 + 1)` distinct ids, ascending, then -1.
    """
    num_tokens, num_groups, _ = index_q.shape
    support = cu_seqlens.new_empty(num_groups, num_tokens, TOPK_BLOCKS)
    support.copy_(_all_blocks(cu_seqlens, num_tokens))
    for start, end in itertools.pairwise(cu_seqlens.tolist()):
        if end - start <= _FIRST_SCORED:
            continue
        keys = _filled(index_k[start:end, 0], _KEY_TILE)
        for first in range(_FIRST_SCORED, end - start, _QUERY_TILE):
            rows = slice(start + first, min(start + first + _QUERY_TILE, end))
            for head in range(num_groups):
                scores = _block_scores(_filled(index_q[rows, head], _QUERY_TILE), keys, first)
                best = _best_blocks(scores, first, init_blocks, local_blocks)
                support[head, rows] = best[: rows.stop - rows.start]
    return support


def _all_blocks(cu_seqlens: torch.Tensor, num_tokens: int) -> torch.Tensor:
    """The first blocks `[T, 16]` up to each query's own, then -1."""
    starts = cu_seqlens[:-1].repeat_interleave(cu_seqlens.diff(), output_size=num_tokens)
    own = (torch.arange(num_tokens, device=starts.device) - starts) // BLOCK_SIZE
    blocks = torch.arange(TOPK_BLOCKS, dtype=torch.int32, device=starts.device)
    return torch.where(blocks <= own[:, None], blocks, -1)


def _filled(rows: torch.Tensor, tile: int) -> torch.Tensor:
    """`rows` `[n, 128]` in the dtype of their sums, zero-padded to whole tiles; contiguous."""
    filled = rows.new_zeros(
        (-(-len(rows) // tile) * tile, INDEX_DIM), dtype=accumulation_dtype(rows.dtype)
    )
    filled[: len(rows)] = rows
    return filled


def _block_scores(queries: torch.Tensor, keys: torch.Tensor, first: int) -> torch.Tensor:
    """Scores `[256, blocks]` of the blocks up to the last query's own, and of some after it.

    `queries` `[256, 128]` are those from position `first` on in the document of `keys`; a key after
    a query scores -inf.
    """
    end = first + _QUERY_TILE
    positions = torch.arange(first, end, device=keys.device)[:, None]
    scores = []
    for key in range(0, end, _KEY_TILE):
        products = queries @ keys[key : key + _KEY_TILE].t()
        if key + _KEY_TILE > first:
            future = torch.arange(key, key + _KEY_TILE, device=keys.device) > positions
            products.masked_fill_(future, -math.inf)
        scores.append(products.unflatten(1, (-1, BLOCK_SIZE)).amax(dim=2))
    return torch.cat(scores, dim=1)


def _best_blocks(
    scores: torch.Tensor, first: int, init_blocks: int, local_blocks: int
) -> torch.Tensor:
    """The 16 kept ids `[256, 16]`, ascending, of queries that have more candidates.

    `scores` `[256, blocks]` are those of the queries from position `first` on.
    """
    positions = torch.arange(first, first + _QUERY_TILE, device=scores.device)
    own = (positions // BLOCK_SIZE)[:, None]
    blocks = torch.arange(scores.shape[1], device=scores.device)
    ranks = _ranks(scores)
    limits = torch.iinfo(ranks.dtype)
    ranks.masked_fill_((blocks < init_blocks) | (blocks > own - local_blocks), limits.max)
    ranks.masked_fill_(blocks > own, limits.min)
    # A stable sort gives ties to the lower id.
    kept = ranks.sort(dim=1, descending=True, stable=True).indices[:, :TOPK_BLOCKS]
    return kept.sort(dim=1).values


def _ranks(scores: torch.Tensor) -> torch.Tensor:
    """Integers in the order of `scores`, NaN as +inf and -0 as 0; never the least or the greatest.

    Floats are ordered like their bits as integers, if the bits below the sign are inverted where
    the float is negative.
    """
    integer = torch.int64 if scores.dtype == torch.float64 else torch.int32
    info = torch.iinfo(integer)
    bits = torch.where(scores.isnan(), math.inf, scores + 0.0).view(integer)
    return bits ^ ((bits >> (info.bits - 1)) & info.max)
