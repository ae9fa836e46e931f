import sys

import pytest
import torch

from msa.testing.memory import LargestTensor, peak_growth


@pytest.mark.parametrize("size", [2**16, 2**22, 2**27])
def test_growth_is_what_an_operation_allocates_and_drops_again(size):
    """Small blocks too, which the allocator keeps when they are freed."""

    def operation():
        kept = [torch.ones(size, dtype=torch.uint8) for _ in range(2**27 // size)]
        return len(kept)

    operation()
    result, growth = peak_growth(operation, torch.device("cpu"))
    assert result == 2**27 // size
    if sys.platform == "linux" and growth is not None:
        assert 0.9 * 2**27 < growth < 1.5 * 2**27


def test_the_largest_tensor_is_that_of_any_operation():
    with LargestTensor() as largest:
        (torch.ones(3, 5)[:, None] * torch.ones(2, 1)).sum()
    assert largest.elements == 30
