"""Exact counts of the (query, key) pairs that attention computes."""

import torch

from msa.schedule.documents import PackedDocuments
from msa.schedule.topology import BLOCK_SIZE


def selected_pairs(support: torch.Tensor, documents: PackedDocuments) -> int:
    """Visible (query, key) pairs of a valid support, summed over the groups.

    Of a selected block, a query sees the keys at or before itself: all 128 of an earlier block, and
    of its own those up to its position.
    """
    reach = (documents.document_positions + 1).to(torch.int32)[:, None] - support * BLOCK_SIZE
    return int(torch.where(support >= 0, reach.clamp(0, BLOCK_SIZE), 0).sum())


def causal_pairs(documents: PackedDocuments) -> int:
    """(query, key) pairs of one head where each query sees its whole document up to itself."""
    return int((documents.document_positions + 1).sum())
