"""The two ways to call the operators that are measured: the public functions, and the reference."""

from collections.abc import Callable
from typing import NamedTuple

import torch

from msa.autograd import index_kl_loss, select_blocks, sparse_attention
from msa.reference import attention, index_kl, selection


class Operators(NamedTuple):
    """The passes of a backend, as functions of what they read.

    Attributes:
        select: `(index_q, index_k, documents) -> support`.
        forward: `(q, k, v, support, documents, schedule) -> (out, lse)`.
        backward: `(grad_out, q, k, v, out, lse, schedule) -> (dq, dk, dv)`, of a forward's results.
        index_kl: `(q, k, lse, index_q, index_k, support, documents, schedule) -> (loss, d index_q,
            d index_k)`.
    """

    select: Callable[..., torch.Tensor]
    forward: Callable[..., tuple[torch.Tensor, torch.Tensor]]
    backward: Callable[..., tuple[torch.Tensor, torch.Tensor, torch.Tensor]]
    index_kl: Callable[..., tuple[torch.Tensor, torch.Tensor, torch.Tensor]]


def _public_forward(q, k, v, support, documents, schedule):
    return sparse_attention(q, k, v, support, documents, schedule=schedule, return_lse=True)


def _public_backward(grad_out, q, k, v, out, *_saved_with_out):
    return torch.autograd.grad(out, (q, k, v), grad_out, retain_graph=True)


def _public_index_kl(q, k, lse, index_q, index_k, support, documents, schedule):
    loss = index_kl_loss(q, k, lse, index_q, index_k, support, documents, schedule=schedule)
    return loss.detach(), *torch.autograd.grad(loss, (index_q, index_k))


def _reference_select(index_q, index_k, documents):
    return selection.select_blocks(
        index_q, index_k, documents.cu_seqlens, init_blocks=0, local_blocks=1
    )


def _reference_forward(q, k, v, _support, _documents, schedule):
    return attention.attention_forward(q, k, v, schedule)


def _reference_backward(grad_out, q, k, v, out, lse, schedule):
    return attention.attention_backward(grad_out, q, k, v, out, lse, schedule)


def _reference_index_kl(q, k, lse, index_q, index_k, support, documents, schedule):
    total, _, *units = index_kl.index_kl(q, k, lse, index_q, index_k, True, schedule)
    scale = torch.full_like(total, 1 / (index_q.shape[1] * documents.num_tokens))
    grads = index_kl.scale_unit_gradients(*units, scale)
    return total * scale, *grads


BACKENDS = {
    "auto": Operators(select_blocks, _public_forward, _public_backward, _public_index_kl),
    "reference": Operators(
        _reference_select, _reference_forward, _reference_backward, _reference_index_kl
    ),
}
"""`auto`: the public functions, which run the best for a device; `reference`: plain torch."""
