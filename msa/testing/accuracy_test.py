import math

import pytest
import torch

from msa.testing.accuracy import TOLERANCES, compare, head_cosines

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


@pytest.mark.parametrize("slack", [0.5, 1.0, 2.0])
def test_slack_multiplies_both_tolerances(slack):
    zeros = torch.zeros(2, dtype=torch.float64)
    ones = torch.ones(2, dtype=torch.float64)
    for share, passed in ((0.9 * slack, True), (1.1 * slack, False)):
        for actual, expected in (
            (zeros + share * BF16["out"].absolute, zeros),
            (ones + share * BF16["out"].relative, ones),
        ):
            comparison = compare("out", actual, expected, torch.bfloat16, slack=slack)
            assert comparison.passed == passed


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


@pytest.mark.parametrize("tensor", BF16)
@pytest.mark.parametrize("share, passed", [(1.9, True), (2.1, False)])
def test_a_head_may_err_by_twice_the_relative_tolerance(tensor, share, passed):
    expected = torch.zeros(10, 64, 2, dtype=torch.float64)
    expected[..., 0] = 3
    actual = expected.clone()
    actual[:, 5, 1] = 3 * share * BF16[tensor].relative
    cosines = head_cosines(actual, expected)
    assert torch.equal(cosines != 1, torch.arange(64) == 5)
    assert (cosines[5] >= BF16[tensor].cosine) == passed
    # All heads together hardly show it.
    assert compare(tensor, actual, expected, torch.bfloat16).relative < BF16[tensor].relative


def test_the_cosine_of_a_head_that_is_zero_or_not_a_number():
    expected = torch.ones(3, 2, 4, dtype=torch.float64)
    expected[:, 0] = 0
    actual = expected.clone()
    actual[0, 0, 0] = 1e-3
    actual[0, 1, 0] = math.nan
    assert head_cosines(actual, expected)[0] == 1
    assert not head_cosines(actual, expected)[1] >= 0
