import math

import pytest
import torch

from msa.reference.accuracy import TOLERANCES, compare

BF16 = TOLERANCES[torch.bfloat16]


@pytest.mark.parametrize("tensor", BF16)
@pytest.mark.parametrize("share, passed", [(0.9, True), (1.1, False)])
def test_one_element_may_be_off_by_the_absolute_tolerance(tensor, share, passed):
    expected = torch.full((1000, 100), 10.0, dtype=torch.float64)
    actual = expected.clone()
    actual[3, 7] += share * BF16[tensor].absolute
    assert compare(tensor, actual, expected, torch.bfloat16).passed == passed


@pytest.mark.parametrize("tensor", BF16)
@pytest.mark.parametrize("share, passed", [(0.9, True), (1.1, False)])
def test_all_elements_may_be_off_by_the_relative_tolerance(tensor, share, passed):
    expected = torch.ones(100, dtype=torch.float64)
    actual = expected * (1 + share * BF16[tensor].relative)
    comparison = compare(tensor, actual, expected, torch.bfloat16)
    assert comparison.passed == passed
    assert comparison.relative == pytest.approx(share * BF16[tensor].relative)


@pytest.mark.parametrize("value, passed", [(15.9, False), (64.0, True)])
def test_large_elements_have_a_tolerance_of_their_own_rounding(value, passed):
    expected = torch.full((1000, 100), value, dtype=torch.float64)
    actual = expected.clone()
    actual[3, 7] *= 1 + 2**-7
    assert compare("out", actual, expected, torch.bfloat16).passed == passed


@pytest.mark.parametrize(
    "actual, passed",
    [(-math.inf, True), (math.inf, False), (math.nan, False), (0.0, False)],
)
def test_infinities_must_stand_in_the_same_places(actual, passed):
    expected = torch.tensor([-math.inf, 1.0], dtype=torch.float64)
    result = torch.tensor([actual, 1.0])
    assert compare("lse", result, expected, torch.float32).passed == passed
    unexpected = torch.tensor([1.0, math.inf])
    assert not compare("lse", unexpected, torch.ones(2).double(), torch.float32).passed


def test_zero_must_be_zero_up_to_the_absolute_tolerance():
    zero = torch.zeros(4, dtype=torch.float64)
    assert compare("dq", zero + 1e-12, zero, torch.float64).passed
    assert not compare("dq", zero + 1e-9, zero, torch.float64).passed
