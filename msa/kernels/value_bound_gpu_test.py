"""The kernel that finds the largest finite magnitude of V."""

import math

import pytest
import torch

from msa.kernels.library import Kernel
from msa.kernels.testing import needs_gpu

pytestmark = needs_gpu

VALUE_BOUND = Kernel("common", "value_bound")


def bound_of(v: torch.Tensor, *, wanted: int, filtered: int, start: float = 0.0) -> float:
    bound = torch.full((1,), start, device="cuda")
    wanted = torch.tensor([wanted], dtype=torch.int32, device="cuda")
    VALUE_BOUND(v.device, v, v.shape[0], wanted, filtered, bound)
    return bound.item()


@pytest.mark.parametrize("num_tokens", [1, 31, 32, 33, 5000])
def test_the_largest_magnitude_wherever_it_stands(num_tokens):
    generator = torch.Generator("cuda").manual_seed(num_tokens)
    v = torch.randn(num_tokens, 4, 128, device="cuda", generator=generator).bfloat16()
    assert bound_of(v, wanted=0, filtered=0) == v.abs().max().item()
    flat = v.view(-1)
    for place in (0, len(flat) // 2 + 5, len(flat) - 1):
        for value in (-77.0, 99.0):
            kept, flat[place] = flat[place].item(), value
            assert bound_of(v, wanted=0, filtered=0) == abs(value)
            flat[place] = kept


def test_what_is_not_finite_is_no_bound():
    v = torch.full((300, 4, 128), 0.5, dtype=torch.bfloat16, device="cuda")
    v[0, 0, 0], v[150, 2, 7], v[299, 3, 127] = math.nan, math.inf, -math.inf
    assert bound_of(v, wanted=0, filtered=0) == 0.5
    assert bound_of(torch.full_like(v, math.nan), wanted=0, filtered=0) == 0


def test_only_where_a_row_is_flagged():
    v = torch.ones(100, 4, 128, dtype=torch.bfloat16, device="cuda")
    assert bound_of(v, wanted=0, filtered=1) == 0
    assert bound_of(v, wanted=3, filtered=1) == 1
    assert bound_of(v, wanted=0, filtered=1, start=0.25) == 0.25
    assert bound_of(v, wanted=1, filtered=1, start=2.0) == 2
