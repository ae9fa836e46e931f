"""The delta kernel against float64."""

import math

import pytest
import torch

from msa.kernels.attention.plan import row_statistics
from msa.kernels.runtime.testing import (
    every_layout,
    needs_gpu,
    poison,
    poison_free_memory,
    without_waiting,
)
from msa.schedule.topology import SOFTMAX_SCALE

pytestmark = needs_gpu

# Whatever the order of an FP32 sum of 128 terms, its error stays below this share of the sum of
# their magnitudes, scaling included; products of two bf16 are exact.
_SUM_TOLERANCE = 130 * 2.0**-24


def operands(
    num_tokens: int, seed: int, groups: int = 4
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Unit-normal `grad_out` and `out`, and `lse`, of which some rows saw no key."""
    generator = torch.Generator("cuda").manual_seed(seed)
    grad_out, out = (
        torch.randn(num_tokens, 16 * groups, 128, device="cuda", generator=generator).bfloat16()
        for _ in range(2)
    )
    lse = 5 + 3 * torch.randn(num_tokens, 16 * groups, device="cuda", generator=generator)
    unseen = torch.rand(num_tokens, 16 * groups, device="cuda", generator=generator) < 0.1
    return (
        grad_out,
        out.masked_fill(unseen[..., None], 0),
        lse.masked_fill(unseen, -math.inf),
    )


def assert_right(statistics: torch.Tensor, grad_out, out, lse) -> None:
    assert statistics.dtype == torch.float32
    assert statistics.shape == (len(lse), lse.shape[1] // 16, 32)
    assert statistics.is_contiguous()
    lse2, delta = (half.reshape(lse.shape).double() for half in statistics.split(16, dim=-1))
    products = grad_out.double() * out.double() * SOFTMAX_SCALE
    expected = products.sum(-1)
    assert ((delta - expected).abs() <= _SUM_TOLERANCE * products.abs().sum(-1)).all()
    assert (delta - expected).norm() <= 1e-6 * expected.norm()
    dead = lse.isneginf()
    expected_lse = lse.double().masked_fill(dead, math.inf) * math.log2(math.e)
    torch.testing.assert_close(lse2, expected_lse, rtol=2.0**-22, atol=0)
    assert (delta[dead] == 0).all()


@pytest.mark.parametrize("num_tokens", [1, 5, 127, 128, 129, 1000, 32_768])
def test_against_float64(num_tokens):
    arguments = operands(num_tokens, seed=num_tokens)
    poison_free_memory()
    statistics = row_statistics(*arguments)
    assert_right(statistics, *arguments)
    assert torch.equal(statistics, row_statistics(*arguments))


@pytest.mark.parametrize("groups", [1, 2, 8])
@pytest.mark.parametrize("num_tokens", [1, 1000])
def test_any_number_of_groups(num_tokens, groups):
    arguments = operands(num_tokens, seed=num_tokens, groups=groups)
    poison_free_memory()
    assert_right(row_statistics(*arguments), *arguments)


def test_a_query_without_keys():
    grad_out, out, lse = operands(64, seed=1)
    out[7], lse[7] = 0, -math.inf
    statistics = row_statistics(grad_out, out, lse)
    assert (statistics[7, :, :16] == math.inf).all()
    assert (statistics[7, :, 16:] == 0).all()


@pytest.mark.parametrize("sign", [1, -1])
def test_an_lse_that_holds_no_difference_to_a_logit(sign):
    grad_out, out, lse = operands(64, seed=6)
    below = torch.nextafter(torch.tensor(2.0**22), torch.tensor(0.0))
    lse[7] = sign * torch.tensor([below, 2.0**22, 1e20, math.inf]).repeat(16)
    lse2 = row_statistics(grad_out, out, lse)[7, :, :16].reshape(16, 4)
    torch.testing.assert_close(lse2[:, 0].cpu(), (sign * below * math.log2(math.e)).expand(16))
    assert (lse2[:, 1:] == math.inf).all()


def test_a_nan_stays_in_its_row_and_head():
    arguments = operands(64, seed=2)
    clean = row_statistics(*arguments)
    arguments[0][20, 37, 100] = math.nan
    statistics = row_statistics(*arguments)
    assert statistics[20, 2, 16 + 5].isnan()
    assert statistics.isnan().sum() == 1
    bad = statistics.isnan()
    assert torch.equal(statistics.masked_fill(bad, 0), clean.masked_fill(bad, 0))


@every_layout
def test_operands_of_any_layout(layout):
    arguments = operands(300, seed=3)
    expected = row_statistics(*arguments)
    for position in range(3):
        laid_out = [*arguments]
        laid_out[position] = layout(arguments[position])
        assert torch.equal(row_statistics(*laid_out), expected)


def test_200_calls_of_alternating_shapes():
    cases = [operands(num_tokens, seed=num_tokens) for num_tokens in (1, 1000, 129)]
    expected = [row_statistics(*arguments) for arguments in cases]
    for result, arguments in zip(expected, cases, strict=True):
        assert_right(result, *arguments)
    poison_free_memory()
    allocated = torch.cuda.memory_allocated()
    for call in range(200):
        assert torch.equal(row_statistics(*cases[call % 3]), expected[call % 3])
        assert torch.cuda.memory_allocated() == allocated


def test_nothing_waits_for_the_device():
    arguments = operands(1000, seed=4)
    row_statistics(*arguments)
    with without_waiting():
        statistics = row_statistics(*arguments)
    assert_right(statistics, *arguments)


def test_launches_go_to_the_current_stream():
    grad_out, out, lse = operands(1000, seed=5)
    late = torch.zeros_like(out)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        row_statistics(grad_out, late, lse)
        # On any other stream, the kernel would overtake the copy.
        with without_waiting():
            late.copy_(out)
            statistics = row_statistics(grad_out, late, lse)
    stream.synchronize()
    assert_right(statistics, grad_out, out, lse)


def test_replays_of_a_graph():
    arguments = operands(1000, seed=6)
    row_statistics(*arguments)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        statistics = row_statistics(*arguments)
    for seed in (7, 8):
        poison(statistics)
        for captured, fresh in zip(arguments, operands(1000, seed), strict=True):
            captured.copy_(fresh)
        graph.replay()
        assert_right(statistics, *arguments)


def test_the_tensors_device_need_not_be_the_current_one():
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    arguments = [operand.to("cuda:1") for operand in operands(200, seed=9)]
    with torch.cuda.device(0):
        statistics = row_statistics(*arguments)
        assert torch.cuda.current_device() == 0
    assert statistics.device.index == 1
    assert_right(statistics, *arguments)


def test_another_device_is_refused():
    grad_out, out, lse = operands(3, seed=10)
    with pytest.raises(ValueError, match=r"^lse must be on cuda:0, got cpu$"):
        row_statistics(grad_out, out, lse.cpu())
