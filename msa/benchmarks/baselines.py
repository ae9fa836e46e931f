"""What a row is compared with: dense causal attention by torch, and other packages where installed.

Each has a name and counterparts of passes: `forward()` and `backward(outs)`, or `step()`, or
`select()`.
"""

import collections
import contextlib
import importlib.util
import itertools
import re

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from msa.schedule import BLOCK_SIZE, SOFTMAX_SCALE, TOPK_BLOCKS, PackedDocuments
from msa.testing.inputs import Operands

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

    name = "dense SDPA"

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


class FlashAttention4:
    """Dense causal attention of all documents by the package flash-attn-4."""

    name = "flash-attn-4"

    def __init__(self, operands: Operands, documents: PackedDocuments):
        from flash_attn.cute import (  # pyright: ignore[reportMissingImports]
            flash_attn_varlen_func,
        )

        self._inputs = [x.detach().requires_grad_() for x in operands[2:5]]
        self._grad_out = operands.grad_out
        self._attention = flash_attn_varlen_func
        self._options = {
            "cu_seqlens_q": documents.cu_seqlens,
            "cu_seqlens_k": documents.cu_seqlens,
            "max_seqlen_q": documents.max_seqlen,
            "max_seqlen_k": documents.max_seqlen,
            "softmax_scale": SOFTMAX_SCALE,
            "causal": True,
        }

    def forward(self) -> torch.Tensor:
        """Returns the result, `[T, 16 G, 128]`."""
        return self._attention(*self._inputs, **self._options)[0]

    def backward(self, out: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Returns the gradients of q, k and v."""
        return torch.autograd.grad(out, self._inputs, self._grad_out, retain_graph=True)


class FlashMsa:
    """The step of a layer by the package flash-msa, for documents of one length in whole blocks."""

    name = "flash-msa"

    def __init__(self, operands: Operands, documents: PackedDocuments):
        from flash_msa import flash_msa_func  # pyright: ignore[reportMissingImports]

        lengths = set(documents.cu_seqlens.diff().tolist())
        if len(lengths) > 1 or any(length % BLOCK_SIZE for length in lengths):
            raise ValueError(f"expected documents of one length in whole blocks, got {lengths}")
        (length,) = lengths
        self._attention = flash_msa_func
        self._inputs = [
            x.detach().unflatten(0, (-1, length)).transpose(1, 2).contiguous().requires_grad_()
            for x in operands[:5]
        ]
        self._grad_out = operands.grad_out.unflatten(0, (-1, length)).flatten(2)

    def step(self) -> tuple[torch.Tensor, ...]:
        """Returns the gradients of index_q, index_k, q, k and v."""
        top_k = TOPK_BLOCKS * BLOCK_SIZE
        out, loss = self._attention(*self._inputs, top_k, SOFTMAX_SCALE)
        grads = (self._grad_out, torch.ones_like(loss))
        return torch.autograd.grad((out, loss), self._inputs, grads)


class TopK:
    """What a selection does besides its scores: `torch.topk` over ready ones.

    Of all blocks of each document that has more than are kept, head by head.
    """

    name = "torch.topk"

    def __init__(self, operands: Operands, documents: PackedDocuments):
        self._heads = operands.index_q.shape[1]
        self._scores = [
            torch.randn(length, -(-length // BLOCK_SIZE), device=documents.device)
            for length in documents.cu_seqlens.diff().tolist()
            if length > TOPK_BLOCKS * BLOCK_SIZE
        ]

    def select(self) -> None:
        """Ranks the scores."""
        for _, scores in itertools.product(range(self._heads), self._scores):
            torch.topk(scores, TOPK_BLOCKS)


def installed() -> tuple[type, ...]:
    """The baselines of other packages that can be imported."""
    found = ("flash_attn", FlashAttention4, "flash_attn.cute"), ("flash_msa", FlashMsa, "flash_msa")
    return tuple(
        baseline
        for package, baseline, module in found
        if importlib.util.find_spec(package) and importlib.util.find_spec(module)
    )


def _per_document(x: torch.Tensor, lengths: list[int]) -> list[torch.Tensor]:
    """Views `[1, heads, length, channels]` of packed rows `[T, heads, channels]`."""
    return [part.transpose(0, 1)[None] for part in x.detach().split(lengths)]
