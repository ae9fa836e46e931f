"""Inputs for tests."""

import torch
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

from msa.schedule.documents import PackedDocuments
from msa.schedule.topology import (
    BLOCK_SIZE,
    GROUP_HEADS,
    HEAD_DIM,
    INDEX_DIM,
    NUM_KV_HEADS,
    TOPK_BLOCKS,
)


def attention_inputs(
    num_tokens: int,
    seed: int,
    dtype: torch.dtype = torch.float64,
    num_groups: int = NUM_KV_HEADS,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Unit-normal `q`, `k`, `v`."""
    heads = (GROUP_HEADS * num_groups, num_groups, num_groups)
    q, k, v = _normals([(num_tokens, count, HEAD_DIM) for count in heads], seed, dtype)
    return q, k, v


def index_inputs(
    num_tokens: int,
    seed: int,
    dtype: torch.dtype = torch.float64,
    num_groups: int = NUM_KV_HEADS,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Unit-normal `index_q`, `index_k`."""
    heads = (num_groups, 1)
    index_q, index_k = _normals([(num_tokens, count, INDEX_DIM) for count in heads], seed, dtype)
    return index_q, index_k


def every_block(documents: PackedDocuments, num_groups: int = NUM_KV_HEADS) -> torch.Tensor:
    """The support with all blocks up to each query's own; documents of at most 2048 tokens."""
    own = (documents.document_positions // BLOCK_SIZE)[:, None]
    blocks = torch.arange(TOPK_BLOCKS)
    support = torch.where(blocks <= own, blocks, -1).to(torch.int32)
    return support.expand(num_groups, -1, -1).contiguous()


class LargestTensor(TorchDispatchMode):
    """Records the number of elements of the largest tensor that an operation returns."""

    def __init__(self):
        super().__init__()
        self.elements = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in _pytree.tree_leaves(result):
            if isinstance(tensor, torch.Tensor):
                self.elements = max(self.elements, tensor.numel())
        return result


def _normals(shapes: list[tuple[int, ...]], seed: int, dtype: torch.dtype) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [
        torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype) for shape in shapes
    ]
