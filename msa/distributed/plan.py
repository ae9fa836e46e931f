"""Divides the queries of a call among ranks, so that all of them take about as long.

The plan is a pure function of its arguments, computed on the host: ranks that call it with the same
arguments have the same plan. Costs are summed as integers, so that no order of addition shows.
"""

import dataclasses
import hashlib
import heapq
import itertools
import math
from collections.abc import Iterable
from typing import NamedTuple

import torch

from msa.schedule.checks import require_int
from msa.schedule.documents import host_offsets
from msa.schedule.topology import BLOCK_SIZE, TOPK_BLOCKS

ATTENTION_COST = 32.8
"""Of a query and a block that it selects, by default: nanoseconds on one H200 with four groups.

From a layer of 32,768 tokens, `bazel run //msa:bench -- --rows=uniform/1x32768:layer`, sustained:
attention forward 4.167 ms, backward 9.427 and index loss 3.121, over 508,928 such pairs."""

SELECTION_COST = 0.178
"""Of a query and a block that it may select, by default: from the same row, 0.749 ms of selection
over 4,210,688 pairs."""


class Fragment(NamedTuple):
    """Consecutive tokens of a document that a rank holds.

    Attributes:
        document: its number.
        start: the position of the first token in the document.
        length: tokens, at least 1.
    """

    document: int
    start: int
    length: int

    @property
    def end(self) -> int:
        """The position after the last token."""
        return self.start + self.length


@dataclasses.dataclass(frozen=True)
class ContextPlan:
    """Which rank holds which tokens: every token is on exactly one.

    Attributes:
        offsets: where each document starts, then the number of tokens.
        fragments: of each rank, in the order of the tokens; a rank may have none.
        costs: of each rank, in the unit of the plan's costs.
    """

    offsets: tuple[int, ...]
    fragments: tuple[tuple[Fragment, ...], ...]
    costs: tuple[float, ...]

    @property
    def world_size(self) -> int:
        """The number of ranks."""
        return len(self.fragments)

    @property
    def imbalance(self) -> float:
        """The largest cost of a rank over the mean, at least 1."""
        return max(self.costs) * self.world_size / math.fsum(self.costs)

    def num_tokens(self, rank: int) -> int:
        """Tokens of a rank."""
        return sum(fragment.length for fragment in self.fragments[rank])

    def num_keys(self, rank: int) -> int:
        """Keys that a rank needs: of each document, up to the last token that it holds."""
        ends: dict[int, int] = {}
        for fragment in self.fragments[rank]:
            ends[fragment.document] = max(fragment.end, ends.get(fragment.document, 0))
        return sum(ends.values())

    def token_rows(self, rank: int) -> torch.Tensor:
        """int64 `[tokens]`, the compact rows of a rank's tokens, ascending."""
        return self._rows((f.document, f.start, f.end) for f in self.fragments[rank])

    def key_rows(self, rank: int) -> torch.Tensor:
        """int64 `[keys]`, the compact rows of the keys that a rank needs, ascending."""
        ends = {fragment.document: fragment.end for fragment in self.fragments[rank]}
        return self._rows((document, 0, end) for document, end in sorted(ends.items()))

    @property
    def digest(self) -> str:
        """32 hexadecimal digits that differ where plans do, for ranks to compare."""
        return hashlib.sha256(repr((self.offsets, self.fragments)).encode()).hexdigest()[:32]

    def _rows(self, pieces) -> torch.Tensor:
        starts = [(self.offsets[document], begin, end) for document, begin, end in pieces]
        rows = [torch.arange(start + begin, start + end) for start, begin, end in starts]
        return torch.cat(rows) if rows else torch.empty(0, dtype=torch.int64)


def plan_context(
    cu_seqlens: torch.Tensor,
    world_size: int,
    *,
    chunk_tokens: int = 1024,
    attention_cost: float = ATTENTION_COST,
    selection_cost: float = SELECTION_COST,
) -> ContextPlan:
    """Divides the tokens of a call among `world_size` ranks.

    A token at position `p` of its document costs `attention_cost * min(p // 128 + 1, 16) +
    selection_cost * (p // 128 + 1)`. Documents are cut into chunks from their starts, which go,
    costliest first, to the rank of the least cost so far that has any room. A rank has room for
    `ceil(T / world_size)` tokens, rounded up to 128. A chunk that does not fit is cut at the last
    multiple of 128 of its document that does or, where none does, at the room that is left; the
    rest queues by its cost. Of equal costs, the lower rank comes first, and the earlier document
    and position. Chunks of a rank that follow each other in a document become one fragment.

    Smaller chunks balance better and give each rank keys of more documents.

    Args:
        cu_seqlens: int32 or int64 `[documents + 1]`, where each document starts, then the number of
            tokens. On a GPU, its values are waited for.
        world_size: the number of ranks.
        chunk_tokens: of a chunk, a multiple of 128.
        attention_cost: of a query and a block that it selects, in any unit of time.
        selection_cost: of a query and a block that it may select, in the same unit.

    Raises:
        TypeError: an argument has another type.
        ValueError: `cu_seqlens` is not what `PackedDocuments.from_cu_seqlens` takes, `world_size`
            or `chunk_tokens` is below 1, `chunk_tokens` is not a multiple of 128, or a cost is
            negative or not finite, or both are 0.
    """
    world_size = require_int("world_size", world_size, 1)
    chunk_tokens = require_int("chunk_tokens", chunk_tokens, 1)
    if chunk_tokens % BLOCK_SIZE:
        raise ValueError(f"chunk_tokens must be a multiple of {BLOCK_SIZE}, got {chunk_tokens}")
    costs = _checked_costs(attention_cost=attention_cost, selection_cost=selection_cost)
    offsets = tuple(host_offsets(cu_seqlens).tolist())

    def cost(pairs: tuple[int, int]) -> float:
        return costs[0] * pairs[0] + costs[1] * pairs[1]

    # Chunks by falling cost, then document and start: a heap of what is not on a rank.
    chunks = []
    for document, (first, after) in enumerate(itertools.pairwise(offsets)):
        for start in range(0, after - first, chunk_tokens):
            end = min(start + chunk_tokens, after - first)
            chunks.append((-cost(_pairs(start, end)), document, start, end))
    heapq.heapify(chunks)
    rank_tokens = -(-offsets[-1] // world_size)
    capacity = -(-rank_tokens // BLOCK_SIZE) * BLOCK_SIZE
    room = [capacity] * world_size
    sums = [(0, 0)] * world_size
    held: list[list[tuple[int, int, int]]] = [[] for _ in range(world_size)]
    ranks = [(0.0, rank) for rank in range(world_size)]  # those with room, a heap
    while chunks:
        _, document, start, end = heapq.heappop(chunks)
        _, rank = heapq.heappop(ranks)
        fits = start + room[rank]
        if end > fits:
            cut = fits // BLOCK_SIZE * BLOCK_SIZE
            cut = cut if cut > start else fits
            heapq.heappush(chunks, (-cost(_pairs(cut, end)), document, cut, end))
            end = cut
        held[rank].append((document, start, end))
        added = _pairs(start, end)
        sums[rank] = (sums[rank][0] + added[0], sums[rank][1] + added[1])
        room[rank] -= end - start
        if room[rank]:
            heapq.heappush(ranks, (cost(sums[rank]), rank))
    return ContextPlan(offsets, tuple(map(_fragments, held)), tuple(cost(pairs) for pairs in sums))


def cost_of(
    fragments: Iterable[Fragment],
    attention_cost: float = ATTENTION_COST,
    selection_cost: float = SELECTION_COST,
) -> float:
    """What the tokens of some fragments cost, as `plan_context` counts it."""
    pairs = [_pairs(fragment.start, fragment.end) for fragment in fragments]
    return attention_cost * sum(p[0] for p in pairs) + selection_cost * sum(p[1] for p in pairs)


def _checked_costs(**costs: float) -> tuple[float, ...]:
    for name, value in costs.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"{name} must be a number, got {type(value).__name__}")
    for name, value in costs.items():
        if not 0 <= value < math.inf:
            raise ValueError(f"{name} must be finite and not negative, got {value}")
    if not any(costs.values()):
        raise ValueError(f"one of {' and '.join(costs)} must be above 0, got 0 for both")
    return tuple(costs.values())


def _pairs(start: int, end: int) -> tuple[int, int]:
    """Pairs of a query from `start` to `end` with a block: selected at most, and candidates."""
    before, until = _pairs_before(start), _pairs_before(end)
    return until[0] - before[0], until[1] - before[1]


def _pairs_before(position: int) -> tuple[int, int]:
    """Of all queries before a position."""
    blocks, rest = divmod(position, BLOCK_SIZE)
    candidates = BLOCK_SIZE * blocks * (blocks + 1) // 2 + rest * (blocks + 1)
    few = min(position, TOPK_BLOCKS * BLOCK_SIZE)
    selected = _pairs_before(few)[1] if few < position else candidates
    return selected + TOPK_BLOCKS * (position - few), candidates


def _fragments(pieces: list[tuple[int, int, int]]) -> tuple[Fragment, ...]:
    """Pieces in the order of their tokens, those that follow each other joined."""
    joined: list[Fragment] = []
    for document, start, end in sorted(pieces):
        last = joined[-1] if joined else None
        if last and last.document == document and last.end == start:
            joined[-1] = last._replace(length=end - last.start)
        else:
            joined.append(Fragment(document, start, end - start))
    return tuple(joined)
