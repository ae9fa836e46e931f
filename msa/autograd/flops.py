"""Useful work of the operators, by (query, key) pairs, and by shapes for `FlopCounterMode`.

Pairs are summed over the groups; a product counts 2 FLOP per channel, masked pairs nothing.
Forward: `q k` and `P v`. Backward: `q k`, `dS k` and `dSᵀ q`, then `dO v` and `Pᵀ dO`: it counts,
as others do, the logits that it computes again. This is the convention of the official training
benchmark of MiniMax Sparse Attention.

`torch.utils.flop_counter` sees shapes only, not the selection: its formulas are upper bounds, of 16
whole blocks, 2,048 keys, per query, and of one document. Queries that see fewer keys, at a
document's start or by a smaller selection, do less.
"""

from collections.abc import Callable

import torch
from torch.utils.flop_counter import register_flop_formula

import msa.autograd.attention
import msa.autograd.index_kl
import msa.autograd.selection  # noqa: F401  (these register the operators)
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM, INDEX_DIM, TOPK_BLOCKS

_MOST_KEYS = TOPK_BLOCKS * BLOCK_SIZE


def selection_flop(pairs: int) -> int:
    """Of the index scores over causal pairs."""
    return 2 * INDEX_DIM * pairs


def forward_flop(pairs: int) -> int:
    """Of an attention forward."""
    return 2 * (HEAD_DIM + HEAD_DIM) * GROUP_HEADS * pairs


def backward_flop(pairs: int) -> int:
    """Of an attention backward."""
    return 2 * (3 * HEAD_DIM + 2 * HEAD_DIM) * GROUP_HEADS * pairs


def index_kl_flop(pairs: int, with_gradients: bool = True) -> int:
    """Of the index loss, and of its gradients, which the backward only scales.

    The official convention does not cover it. Each product of its definition counts once: `q k` of
    the group's 16 heads, `index_q index_k`, and the gradients of its two operands.
    """
    gradients = 2 * INDEX_DIM if with_gradients else 0
    return 2 * (GROUP_HEADS * HEAD_DIM + INDEX_DIM + gradients) * pairs


def _formula(name: str) -> Callable:
    """Registers a formula of shapes for `msa::<name>` and its reference."""
    return register_flop_formula(
        [getattr(torch.ops.msa, name), getattr(torch.ops.msa, f"{name}_reference")]
    )


def _most_pairs(index_shape: tuple[int, ...]) -> int:
    """Most (query, key) pairs of all groups, for operands `[T, groups, channels]`."""
    num_tokens, groups, _ = index_shape
    return groups * num_tokens * _MOST_KEYS


def _causal_pairs(num_queries: int, num_keys: int) -> int:
    """(query, key) pairs of one document whose last tokens are the queries."""
    return num_queries * num_keys - num_queries * (num_queries - 1) // 2


@_formula("select_blocks")
def _select_blocks(index_q, index_k, *_, **__) -> int:
    return selection_flop(index_q[1] * _causal_pairs(index_q[0], index_k[0]))


@_formula("sparse_attention")
def _forward(q, k, v, *_, **__) -> int:
    return forward_flop(_most_pairs((q[0], *k[1:])))


@_formula("sparse_attention_backward")
def _backward(grad_out, q, k, *_, **__) -> int:
    return backward_flop(_most_pairs((q[0], *k[1:])))


@_formula("index_kl_loss")
def _index_kl(q, k, lse, index_q, index_k, with_gradients, *_, **__) -> int:
    return index_kl_flop(_most_pairs(index_q), with_gradients)


@_formula("dense_index_kl_loss")
def _dense_index_kl(q, k, lse, index_q, index_k, with_gradients, *_, **__) -> int:
    return index_kl_flop(index_q[1] * _causal_pairs(index_q[0], k[0]), with_gradients)
