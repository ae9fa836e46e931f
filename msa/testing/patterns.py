"""Synthetic selections, from easy to hard on the memory system.

Each function returns a support, int32 `[G, T, 16]`: document-local block ids in ascending order,
then -1. With those of `PATTERNS`, every query keeps `min(16, candidates)` blocks, its own among
them, as by `select_blocks`. Memory is linear in T; a seeded generator on the documents' device
makes a selection repeatable.
"""

import torch

from msa.schedule.documents import PackedDocuments
from msa.schedule.topology import BLOCK_SIZE, NUM_INDEX_HEADS, TOPK_BLOCKS

CLUSTER_QUERIES = 64
"""Consecutive queries of a document that share a hot pool."""
POOL_BLOCKS = 24
"""Blocks of a hot pool."""
FIRST_BLOCK_SHARE = 0.99
"""Share of the queries that keep block 0."""

# The largest id, so that empty slots sort to the end.
_EMPTY = torch.iinfo(torch.int32).max


def recent(
    documents: PackedDocuments, generator: torch.Generator, num_groups: int = NUM_INDEX_HEADS
) -> torch.Tensor:
    """The last 16 blocks up to the query's own."""
    del generator  # nothing is random here
    own = _own_blocks(documents)
    slots = torch.arange(TOPK_BLOCKS, device=own.device)
    ids = (own - TOPK_BLOCKS + 1).clamp(min=0)[:, None] + slots
    ids = ids.masked_fill(ids > own[:, None], -1)
    return ids.to(torch.int32).expand(num_groups, -1, -1).contiguous()


def random(
    documents: PackedDocuments, generator: torch.Generator, num_groups: int = NUM_INDEX_HEADS
) -> torch.Tensor:
    """The query's own block and 15 random earlier ones, drawn for each query and head."""
    own = _own_blocks(documents).expand(num_groups, -1)
    earlier = _sample_distinct(own, TOPK_BLOCKS - 1, generator)
    return _ascending(torch.cat((earlier, own[..., None]), dim=-1))


def clustered(
    documents: PackedDocuments, generator: torch.Generator, num_groups: int = NUM_INDEX_HEADS
) -> torch.Tensor:
    """Block 0 in 99% of the queries, the own block, and the rest from a hot pool.

    64 consecutive queries share a pool of up to 24 random blocks, one pool per head; each query
    draws from it on its own.
    """
    own = _own_blocks(documents)
    # 64 divides 128: the queries of a cluster have one own block, and so the same candidates.
    is_first = documents.document_positions % CLUSTER_QUERIES == 0
    cluster = is_first.cumsum(0) - 1
    between = (own[is_first] - 1).clamp(min=0).expand(num_groups, -1)
    pools = _sample_distinct(between, POOL_BLOCKS, generator)
    pools = torch.where(pools >= 0, pools + 1, -1)[:, cluster]

    # Ranked at random, pools' empty slots last.
    lots = torch.rand(pools.shape, generator=generator, device=own.device)
    drawn = lots.masked_fill_(pools < 0, 2.0).argsort(dim=-1)[..., : TOPK_BLOCKS - 1]
    ids = pools.gather(-1, drawn)
    # Block 0 takes the place of the last draw. Where there are at most 16 candidates, all are kept.
    with_first = torch.rand(ids.shape[:2], generator=generator, device=own.device)
    with_first = (with_first < FIRST_BLOCK_SHARE) | (own < TOPK_BLOCKS)
    ids[..., -1] = torch.where(with_first, 0, ids[..., -1])
    own = own.expand(num_groups, -1)[..., None]
    ids = torch.cat((ids, torch.where(own > 0, own, -1)), dim=-1)
    return _ascending(ids)


def hot(
    documents: PackedDocuments, generator: torch.Generator, num_groups: int = NUM_INDEX_HEADS
) -> torch.Tensor:
    """As `random`, but block 0 in every query, in place of the first of the others."""
    support = random(documents, generator, num_groups)
    support[..., 0] = 0  # ids ascend, so that 0 is there once
    return support


PATTERNS = {"random": random, "recent": recent, "clustered": clustered, "hot": hot}
"""The patterns by name."""


def every_block(documents: PackedDocuments, num_groups: int = NUM_INDEX_HEADS) -> torch.Tensor:
    """All blocks up to each query's own; documents of at most 2048 tokens."""
    own = _own_blocks(documents)[:, None]
    blocks = torch.arange(TOPK_BLOCKS, device=own.device)
    support = torch.where(blocks <= own, blocks, -1).to(torch.int32)
    return support.expand(num_groups, -1, -1).contiguous()


def no_block(documents: PackedDocuments, num_groups: int = NUM_INDEX_HEADS) -> torch.Tensor:
    """Nothing."""
    shape = (num_groups, documents.num_tokens, TOPK_BLOCKS)
    return torch.full(shape, -1, dtype=torch.int32, device=documents.device)


def _own_blocks(documents: PackedDocuments) -> torch.Tensor:
    """int64 `[T]`, the block of each query."""
    return documents.document_positions // BLOCK_SIZE


def _sample_distinct(
    population: torch.Tensor, count: int, generator: torch.Generator
) -> torch.Tensor:
    """Uniform samples without repeats of `0 ... population - 1`: int64 `[..., count]`.

    Where `population`, int64 `[...]`, is below `count`, all of it is taken, and the other places
    are -1. By Floyd's algorithm (Bentley and Floyd, "A sample of brilliance", CACM 1987), which
    needs no table of the population: draw from ranges that grow by one, and if the draw is
    already there, take the last of the range.
    """
    lots = torch.rand(*population.shape, count, generator=generator, device=population.device)
    samples = torch.full_like(lots, -1, dtype=torch.int64)
    for slot in range(count):
        last = population - count + slot
        drawn = torch.minimum((lots[..., slot] * (last + 1)).to(torch.int64), last)
        repeated = (samples[..., :slot] == drawn[..., None]).any(dim=-1)
        samples[..., slot] = torch.where(repeated, last, drawn).clamp(min=-1)
    return samples


def _ascending(ids: torch.Tensor) -> torch.Tensor:
    """Ids in ascending order, -1 at the end; int32."""
    ids = ids.to(torch.int32).masked_fill(ids < 0, _EMPTY).sort(dim=-1).values
    return ids.masked_fill_(ids == _EMPTY, -1)
