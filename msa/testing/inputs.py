"""Unit-normal operands, and the lse of their dense attention."""

from typing import NamedTuple

import torch

from msa.schedule.documents import PackedDocuments
from msa.schedule.topology import (
    GROUP_HEADS,
    HEAD_DIM,
    INDEX_DIM,
    NUM_KV_HEADS,
    SOFTMAX_SCALE,
)


def attention_inputs(
    num_tokens: int,
    seed: int,
    dtype: torch.dtype = torch.float64,
    num_groups: int = NUM_KV_HEADS,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """`q`, `k`, `v` on the CPU, the same values rounded to any dtype."""
    heads = (GROUP_HEADS * num_groups, num_groups, num_groups)
    q, k, v = _normals([(num_tokens, count, HEAD_DIM) for count in heads], seed, dtype)
    return q, k, v


def index_inputs(
    num_tokens: int,
    seed: int,
    dtype: torch.dtype = torch.float64,
    num_groups: int = NUM_KV_HEADS,
) -> tuple[torch.Tensor, torch.Tensor]:
    """`index_q`, `index_k` on the CPU, the same values rounded to any dtype."""
    heads = (num_groups, 1)
    index_q, index_k = _normals([(num_tokens, count, INDEX_DIM) for count in heads], seed, dtype)
    return index_q, index_k


class Operands(NamedTuple):
    """Operands of one layer, `[T, heads, channels]`; all but `grad_out` require gradients.

    Those of attention, the bulk of the memory, are None where they were not asked for.
    """

    index_q: torch.Tensor
    index_k: torch.Tensor
    q: torch.Tensor | None = None
    k: torch.Tensor | None = None
    v: torch.Tensor | None = None
    grad_out: torch.Tensor | None = None


def random_operands(
    num_tokens: int,
    dtype: torch.dtype,
    generator: torch.Generator,
    *,
    num_groups: int = NUM_KV_HEADS,
    attention: bool = True,
) -> Operands:
    """Operands made on the device of `generator`, with those of attention or without."""

    def normal(heads: int, channels: int) -> torch.Tensor:
        shape = (num_tokens, heads, channels)
        return torch.randn(shape, dtype=dtype, device=generator.device, generator=generator)

    index = Operands(
        index_q=normal(num_groups, INDEX_DIM).requires_grad_(),
        index_k=normal(1, INDEX_DIM).requires_grad_(),
    )
    if not attention:
        return index
    return index._replace(
        q=normal(GROUP_HEADS * num_groups, HEAD_DIM).requires_grad_(),
        k=normal(num_groups, HEAD_DIM).requires_grad_(),
        v=normal(num_groups, HEAD_DIM).requires_grad_(),
        grad_out=normal(GROUP_HEADS * num_groups, HEAD_DIM),
    )


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
    lse = []
    for parts in zip(*(x.detach().split(lengths) for x in operands[2:5]), strict=True):
        q, k, v = (part.transpose(0, 1)[None] for part in parts)
        k, v = (x.repeat_interleave(GROUP_HEADS, dim=1) for x in (k, v))
        _, part, *_ = attention(q, k, v, is_causal=True, scale=SOFTMAX_SCALE)
        lse.append(part[0].t())
    return torch.cat(lse).contiguous()


def _normals(shapes: list[tuple[int, ...]], seed: int, dtype: torch.dtype) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [
        torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype) for shape in shapes
    ]
