"""FLOP formulas of the operators for `torch.utils.flop_counter.FlopCounterMode`: upper bounds.

A formula sees shapes only, not the selection: it assumes 16 whole blocks, 2,048 keys, per query,
and one document. Queries that see fewer keys, at a document's start or by a smaller selection, do
less. Attention's backward counts, as others do, the logits that it computes again.
"""

from collections.abc import Callable

import torch
from torch.utils.flop_counter import register_flop_formula

import msa.autograd.attention
import msa.autograd.index_kl
import msa.autograd.selection  # noqa: F401  (these register the operators)
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM, INDEX_DIM, TOPK_BLOCKS

_MOST_KEYS = TOPK_BLOCKS * BLOCK_SIZE


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
    return 2 * INDEX_DIM * index_q[1] * _causal_pairs(index_q[0], index_k[0])


@_formula("sparse_attention")
def _forward(q, k, v, *_, **__) -> int:
    return 2 * (HEAD_DIM + HEAD_DIM) * GROUP_HEADS * _most_pairs((q[0], *k[1:]))


@_formula("sparse_attention_backward")
def _backward(grad_out, q, k, *_, **__) -> int:
    """Logits, dq and dk of 128 channels of k each; dP and dv of 128 of v."""
    return 2 * (3 * HEAD_DIM + 2 * HEAD_DIM) * GROUP_HEADS * _most_pairs((q[0], *k[1:]))


def _kl_flop(with_gradients: bool) -> int:
    """Of a (query, key) pair of a group: logits of 16 heads and of the index head, and gradients.

    The backward only scales them: it has no formula.
    """
    gradients = 2 * INDEX_DIM if with_gradients else 0  # of index_q and index_k
    return 2 * (GROUP_HEADS * HEAD_DIM + INDEX_DIM + gradients)


@_formula("index_kl_loss")
def _index_kl(q, k, lse, index_q, index_k, with_gradients, *_, **__) -> int:
    return _kl_flop(with_gradients) * _most_pairs(index_q)


@_formula("dense_index_kl_loss")
def _dense_index_kl(q, k, lse, index_q, index_k, with_gradients, *_, **__) -> int:
    return _kl_flop(with_gradients) * index_q[1] * _causal_pairs(index_q[0], k[0])
