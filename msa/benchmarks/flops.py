"""Useful work: the floating-point operations that are counted for (query, key) pairs.

Pairs are summed over the groups; a product counts 2 FLOP per channel, masked pairs nothing.
Forward: `q k` and `P v`. Backward: `q k`, `dS k` and `dSᵀ q`, then `dO v` and `Pᵀ dO`. This is the
convention of the official training benchmark of MiniMax Sparse Attention.
"""

from msa.schedule import GROUP_HEADS, HEAD_DIM, INDEX_DIM


def forward_flop(group_pairs: int) -> int:
    """Of an attention forward."""
    return 2 * (HEAD_DIM + HEAD_DIM) * GROUP_HEADS * group_pairs


def backward_flop(group_pairs: int) -> int:
    """Of an attention backward."""
    return 2 * (3 * HEAD_DIM + 2 * HEAD_DIM) * GROUP_HEADS * group_pairs


def selection_flop(group_pairs: int) -> int:
    """Of the index scores over causal pairs."""
    return 2 * INDEX_DIM * group_pairs


def index_kl_flop(group_pairs: int) -> int:
    """Of the index loss and its gradients.

    The official convention does not cover it. Each product of its definition counts once: `q k` of
    the group's 16 heads, `index_q index_k`, and the gradients of its two operands.
    """
    return 2 * (HEAD_DIM * GROUP_HEADS + 3 * INDEX_DIM) * group_pairs
