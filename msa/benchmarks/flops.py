"""Useful work: exact counts of pairs, and the floating-point operations that are counted for them.

A product counts 2 FLOP per channel and visible (query, key) pair, masked pairs nothing. Forward:
`q k` and `P v`. Backward: `q k`, `dS k` and `dSᵀ q`, then `dO v` and `Pᵀ dO`. This is the
convention of the official training benchmark of MiniMax Sparse Attention.
"""

import torch

from msa.schedule import (
    BLOCK_SIZE,
    GROUP_HEADS,
    HEAD_DIM,
    INDEX_DIM,
    PackedDocuments,
)


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


def forward_flop(group_pairs: int) -> int:
    """Useful FLOP of an attention forward over `group_pairs`, summed over the groups."""
    return 2 * (HEAD_DIM + HEAD_DIM) * GROUP_HEADS * group_pairs


def backward_flop(group_pairs: int) -> int:
    """Useful FLOP of an attention backward over `group_pairs`, summed over the groups."""
    return 2 * (3 * HEAD_DIM + 2 * HEAD_DIM) * GROUP_HEADS * group_pairs


def selection_flop(group_pairs: int) -> int:
    """Useful FLOP of the index scores over `group_pairs` causal pairs, summed over the groups."""
    return 2 * INDEX_DIM * group_pairs


def index_kl_flop(group_pairs: int) -> int:
    """Useful FLOP of the index loss and its gradients over `group_pairs`, summed over the groups.

    The official convention does not cover it. Each product of its definition counts once: `q k` of
    the group's 16 heads, `index_q index_k`, and the gradients of its two operands.
    """
    return 2 * (HEAD_DIM * GROUP_HEADS + 3 * INDEX_DIM) * group_pairs
