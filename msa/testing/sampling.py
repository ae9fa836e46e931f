"""The sample of queries that are checked, and its division into pieces."""

import itertools
import random
from collections.abc import Iterator
from typing import NamedTuple

import torch

from msa.schedule import BLOCK_SIZE, PackedDocuments

SAMPLE_QUERIES = 64
"""Queries of a sample, where there are as many."""

# Documents whose first and last query, and first query of the last block, are in a sample.
_EDGE_DOCUMENTS = 8
# A piece's queries x keys: 2**18 x 64 heads x 8 bytes are 128 MB of float64 logits.
_PIECE_PAIRS = 2**18


class Piece(NamedTuple):
    """Some queries of one document.

    Attributes:
        layout: the document alone.
        rows: its compact rows.
        queries: int64 `[n]`, the queries' positions in it.
    """

    layout: PackedDocuments
    rows: slice
    queries: torch.Tensor


def sample_queries(documents: PackedDocuments, seed: int) -> torch.Tensor:
    """Picks up to 64 queries: int64 compact rows, ascending.

    Of up to 8 documents, the longest and the last among them, these are the first query, the last
    one and the first of the last block; the rest is random.
    """
    draw = random.Random(seed)
    spans = _spans(documents)
    edges = [max(spans, key=lambda span: span[1] - span[0]), spans[-1]]
    edges += draw.sample(spans, min(len(spans), _EDGE_DOCUMENTS - len(edges)))
    queries = set()
    for start, end in edges:
        queries |= {start, end - 1, start + (end - 1 - start) // BLOCK_SIZE * BLOCK_SIZE}
    while len(queries) < min(documents.num_tokens, SAMPLE_QUERIES):
        queries.add(draw.randrange(documents.num_tokens))
    return torch.tensor(sorted(queries), device=documents.device)


def pieces(documents: PackedDocuments, queries: torch.Tensor) -> Iterator[Piece]:
    """Yields the ascending `queries` document by document, few enough for dense float64 logits."""
    for start, end in _spans(documents):
        positions = queries[(queries >= start) & (queries < end)] - start
        if not len(positions):
            continue
        offsets = torch.tensor([0, end - start], device=documents.device)
        layout = PackedDocuments.from_cu_seqlens(offsets)
        for part in positions.split(max(1, _PIECE_PAIRS // (end - start))):
            yield Piece(layout, slice(start, end), part)


def _spans(documents: PackedDocuments) -> list[tuple[int, int]]:
    """First and end compact row of each document that has tokens."""
    offsets = documents.cu_seqlens.tolist()
    return [(a, b) for a, b in itertools.pairwise(offsets) if a < b]
