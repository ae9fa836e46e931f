"""Dense causal attention over the same documents, by torch, for comparison."""

import torch
from torch.nn.functional import scaled_dot_product_attention

from msa.benchmarks.operands import Operands
from msa.schedule import SOFTMAX_SCALE, PackedDocuments


class DenseAttention:
    """Causal `scaled_dot_product_attention` of each document on its own.

    Documents are leaves of their own: slices of packed leaves would make the backward fill and add
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
        """Returns the result of each document, `[1, 64, length, 128]`."""
        return [
            scaled_dot_product_attention(
                q, k, v, is_causal=True, scale=SOFTMAX_SCALE, enable_gqa=True
            )
            for q, k, v in self._documents
        ]

    def backward(self, outs: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Returns the gradients of all documents' q, k and v, from results of `forward`."""
        return torch.autograd.grad(outs, self._inputs, self._grads, retain_graph=True)


def _per_document(x: torch.Tensor, lengths: list[int]) -> list[torch.Tensor]:
    """Views `[1, heads, length, channels]` of packed rows `[T, heads, channels]`."""
    return [part.transpose(0, 1)[None] for part in x.detach().split(lengths)]
