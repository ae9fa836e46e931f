"""Block selection beside what bounds it: a matrix product, and top-k over ready scores."""

import itertools

import torch

from msa.benchmarks.operands import Operands
from msa.schedule import BLOCK_SIZE, TOPK_BLOCKS, PackedDocuments

PRODUCT_SIZE = 8192
"""Rows, columns and depth of the matrix product."""

PRODUCT_FLOP = 2 * PRODUCT_SIZE**3


class Selection:
    """The operations of a row, on the device of its operands.

    Args:
        operands: of the index branch.
        documents: layout of their tokens.
        generator: of the scores that top-k ranks.
    """

    def __init__(self, operands: Operands, documents: PackedDocuments, generator: torch.Generator):
        self._operands = operands.index_q.detach(), operands.index_k.detach()
        self._cu_seqlens = documents.cu_seqlens
        self._scores = [
            torch.randn(
                (end - start, -(-(end - start) // BLOCK_SIZE)),
                device=generator.device,
                generator=generator,
            )
            for start, end in itertools.pairwise(documents.cu_seqlens.tolist())
            if end - start > TOPK_BLOCKS * BLOCK_SIZE
        ]

    def select(self) -> torch.Tensor:
        """Selects as `select_blocks` does by default."""
        return torch.ops.msa.select_blocks(*self._operands, self._cu_seqlens, 0, 1)

    def topk(self) -> None:
        """`torch.topk` over scores of all blocks of each document that needs them, by head."""
        for _ in range(self._operands[0].shape[1]):
            for scores in self._scores:
                torch.topk(scores, TOPK_BLOCKS)


class MatrixProduct:
    """A bf16 matrix product on a device."""

    def __init__(self, generator: torch.Generator, size: int):
        shape = (size, size)
        self._factors = [
            torch.randn(shape, device=generator.device, generator=generator).bfloat16()
            for _ in range(2)
        ]
        self._out = torch.empty_like(self._factors[0])

    def __call__(self) -> None:
        """Multiplies."""
        torch.matmul(*self._factors, out=self._out)
