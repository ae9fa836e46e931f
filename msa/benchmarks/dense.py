"""Dense causal attention over the same documents, by torch, for comparison."""

import collections
import contextlib
import re

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from msa.benchmarks.operands import Operands
from msa.schedule import SOFTMAX_SCALE, PackedDocuments

CUDNN_TOKENS = 2048
"""Documents from this length on run on cuDNN, on a GPU. It plans each length anew, about a second
for forward and backward: a hundred short documents, with a tenth of the pairs, are not worth it."""

_OTHERS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
_BACKEND = re.compile("ScaledDotProduct(Cudnn|Flash|Efficient)Attention")
_NAMES = {"Cudnn": "cuDNN", "Flash": "flash", "Efficient": "memory-efficient"}


class DenseAttention:
    """Causal `scaled_dot_product_attention` of each document on its own.

    On a GPU, cuDNN's for documents of `CUDNN_TOKENS` and more, where torch can use it. Documents
    are leaves of their own: slices of packed leaves would make the backward fill and add
    packed-size gradients once per document, a cost that is not attention's.
    """

    def __init__(self, operands: Operands, documents: PackedDocuments):
        """Takes q, k, v and the gradient of the result from the operands of sparse attention."""
        lengths = [length for length in documents.cu_seqlens.diff().tolist() if length]
        q, k, v, self._grads = (
            _per_document(x, lengths)
            for x in (operands.q, operands.k, operands.v, operands.grad_out)
        )
        self._inputs = [x.requires_grad_() for x in (*q, *k, *v)]
        self._documents = list(zip(q, k, v, strict=True))

    def forward(self) -> list[torch.Tensor]:
        """Returns the result of each document, `[1, 16 G, length, 128]`."""
        outs = {}
        for choice, indices in self._by_choice():
            with choice:
                for index in indices:
                    q, k, v = self._documents[index]
                    outs[index] = scaled_dot_product_attention(
                        q, k, v, is_causal=True, scale=SOFTMAX_SCALE, enable_gqa=True
                    )
        return [outs[index] for index in range(len(outs))]

    def backward(self, outs: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Returns the gradients of all documents' q, k and v, from results of `forward`."""
        return torch.autograd.grad(outs, self._inputs, self._grads, retain_graph=True)

    def _by_choice(self) -> list[tuple[contextlib.AbstractContextManager, list[int]]]:
        """Indices of documents, by what chooses their backend."""
        indices = range(len(self._documents))
        if not self._inputs[0].is_cuda:
            return [(contextlib.nullcontext(), list(indices))]
        is_long = [q.shape[2] >= CUDNN_TOKENS for q, _, _ in self._documents]
        cudnn_first = [SDPBackend.CUDNN_ATTENTION, *_OTHERS]
        return [
            (sdpa_kernel(cudnn_first, set_priority=True), [i for i in indices if is_long[i]]),
            (sdpa_kernel(_OTHERS), [i for i in indices if not is_long[i]]),
        ]


def backends(outs: list[torch.Tensor]) -> dict[str, int]:
    """How many of `DenseAttention.forward`'s results came from each of torch's backends."""
    matches = [_BACKEND.match(out.grad_fn.name()) for out in outs]
    names = (_NAMES[match[1]] if match else "math" for match in matches)
    return dict(collections.Counter(names).most_common())


def dense_lse(operands: Operands, documents: PackedDocuments) -> torch.Tensor:
    """The lse of dense causal attention, FP32 `[T, 16 G]`, natural-log, by torch's flash attention.

    Args:
        operands: q, k and v in bf16 (on a CPU also FP32).
        documents: layout of their tokens.
    """
    aten = torch.ops.aten
    if operands.q.is_cuda:
        attention = aten._scaled_dot_product_flash_attention
    else:
        attention = aten._scaled_dot_product_flash_attention_for_cpu
    lengths = [length for length in documents.cu_seqlens.diff().tolist() if length]
    parts = (_per_document(x, lengths) for x in (operands.q, operands.k, operands.v))
    lse = []
    for q, k, v in zip(*parts, strict=True):
        heads = q.shape[1] // k.shape[1]
        k, v = (x.repeat_interleave(heads, dim=1) for x in (k, v))
        _, part, *_ = attention(q, k, v, is_causal=True, scale=SOFTMAX_SCALE)
        lse.append(part[0].t())
    return torch.cat(lse).contiguous()


def _per_document(x: torch.Tensor, lengths: list[int]) -> list[torch.Tensor]:
    """Views `[1, heads, length, channels]` of packed rows `[T, heads, channels]`."""
    return [part.transpose(0, 1)[None] for part in x.detach().split(lengths)]
