"""The tests' definition agrees with the reference, and finds a wrong block."""

import pytest
import torch

from msa.kernels.selection.testing import Case, assert_selects, offsets_of
from msa.reference.selection import select_blocks

OFFSETS = offsets_of(0, 2600, 1, 129, 2200)


def operands(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shapes = (OFFSETS[-1], 2, 128), (OFFSETS[-1], 1, 128)
    q, k = (torch.randint(-1, 2, shape, generator=generator).float() for shape in shapes)
    k[5, 0, 3], k[600, 0, 3], k[2300] = torch.nan, -torch.inf, -0.0
    return q, k


@pytest.mark.parametrize("forced", [(0, 1), (0, 0), (3, 4)])
@pytest.mark.parametrize("exact", [True, False])
def test_the_reference_is_right(forced, exact):
    case = Case(*operands(0), OFFSETS, *forced)
    support = select_blocks(case.index_q, case.index_k, case.cu_seqlens, *forced)
    assert_selects(support, case, exact=exact)


@pytest.mark.parametrize("exact", [True, False])
def test_a_wrong_block_is_found(exact):
    generator = torch.Generator().manual_seed(1)
    q = torch.randn(OFFSETS[-1], 2, 128, generator=generator)
    case = Case(q, torch.randn(OFFSETS[-1], 1, 128, generator=generator), OFFSETS, 0, 1)
    support = select_blocks(case.index_q, case.index_k, case.cu_seqlens, 0, 1)
    row = 2500
    left_out = next(i for i in range(20) if i not in support[1, row])
    kept = support[1, row].tolist()
    kept[4] = left_out
    support[1, row] = torch.tensor(sorted(kept), dtype=torch.int32)
    with pytest.raises(AssertionError, match="query 2500, head 1: expected"):
        assert_selects(support, case, exact=exact)
