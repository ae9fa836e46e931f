"""What 1 is in the sums of the deterministic backward; no GPU takes part."""

import math

import pytest
import torch

from msa.kernels.attention import fixed_point
from msa.schedule.topology import SOFTMAX_SCALE

TOKENS, BLOCKS = 256, 2


def normal(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def heavy_tailed(*shape: int, seed: int) -> torch.Tensor:
    return normal(*shape, seed=seed) / normal(*shape, seed=seed + 100).abs().clamp(min=1e-3)


def equal(*shape: int, seed: int) -> torch.Tensor:
    """No sum cancels: as large as sums of such values can be."""
    return torch.full(shape, 2.0 + seed, dtype=torch.float64)


def attend(operands):
    """Dense causal attention in float64: per head, weights, dS with the scale in it, out, lse."""
    q, k, v, grad_out = (x.double().transpose(0, 1) for x in operands)
    k, v = (x.repeat_interleave(16, 0) for x in (k, v))
    logits = q @ k.mT * SOFTMAX_SCALE
    logits = logits.masked_fill(torch.ones(TOKENS, TOKENS).triu(1).bool(), -math.inf)
    weights = logits.softmax(-1)
    out = weights @ v
    delta = (grad_out * out).sum(-1)
    grads = weights * (grad_out @ v.mT - delta[..., None]) * SOFTMAX_SCALE
    return weights, grads, delta.T, logits.logsumexp(-1).T


def scales_of(operands, lse, delta):
    """`[T, 16 G]` of dQ and `[2, G, BLOCKS]` of dK and dV, maxima taken in torch."""
    q, k, v, grad_out = operands
    groups = k.shape[1]
    delta = delta.float().view(TOKENS, groups, 16)
    statistics = torch.cat((torch.zeros_like(delta), delta), -1)
    k, v = (x.double().nan_to_num(nan=0.0, posinf=0.0) for x in (k, v))
    largest = torch.stack((v.abs().amax(-1), v.norm(dim=-1), k.abs().amax(-1)), -1)
    largest = largest.clamp(max=torch.finfo(torch.float32).max).float()
    largest = torch.nn.functional.pad(largest, (0, 1)).view(BLOCKS, 128, groups, 4).amax(1)
    met = largest.cummax(0).values.repeat_interleave(128, 0)
    dq_bound, terms = fixed_point.gradient_bounds(grad_out, q, met)
    # A block is met by its own queries and all later ones.
    terms = terms.view(BLOCKS, 128, groups, 4).amax(1).flip(0).cummax(0).values.flip(0)
    kv_scale = fixed_point.kv_scale(terms.transpose(0, 1), TOKENS)
    dq_scale = fixed_point.dq_scale(dq_bound, lse.float(), statistics)
    assert kv_scale.is_contiguous()
    return dq_scale, kv_scale


def operands_of(values, groups=4):
    counts = (16 * groups, groups, groups, 16 * groups)
    return [values(TOKENS, heads, 128, seed=i).bfloat16() for i, heads in enumerate(counts)]


@pytest.mark.parametrize(
    "values, groups", [(normal, 4), (heavy_tailed, 4), (equal, 4), (normal, 1), (normal, 8)]
)
def test_no_sum_overflows_whatever_its_order(values, groups):
    operands = operands_of(values, groups)
    q, k, _, grad_out = (x.double().transpose(0, 1) for x in operands)
    weights, grads, delta, lse = attend(operands)
    dq_scale, kv_scale = scales_of(operands, lse, delta)
    assert dq_scale.shape == (TOKENS, 16 * groups)
    assert kv_scale.shape == (2, groups, BLOCKS)
    # Sums of magnitudes: no partial sum of any selection, in any order, is larger.
    dq = (grads.abs() @ k.abs().repeat_interleave(16, 0)).amax(-1).T
    dk = (grads.abs().mT @ q.abs()).view(groups, 16, TOKENS, 128).sum(1)
    dv = (weights.mT @ grad_out.abs()).view(groups, 16, TOKENS, 128).sum(1)
    assert (dq * dq_scale.double()).max() < 2**31
    for sums, scale in zip((dk, dv), kv_scale.double(), strict=True):
        assert (sums * scale.repeat_interleave(128, 1)[..., None]).max() < 2.0**63


@pytest.mark.parametrize("groups", [1, 4])
def test_a_group_has_the_units_that_it_has_among_others(groups):
    operands = operands_of(normal, 8)
    _, _, delta, lse = attend(operands)
    dq_scale, kv_scale = scales_of(operands, lse, delta)
    heads = slice(16 * groups)
    few = [x[:, : x.shape[1] * groups // 8] for x in operands]
    found = scales_of(few, lse[:, heads], delta[:, heads])
    assert torch.equal(found[0], dq_scale[:, heads])
    assert torch.equal(found[1], kv_scale[:, :groups])


def test_normal_sums_keep_their_digits():
    operands = operands_of(normal)
    _, _, delta, lse = attend(operands)
    q, k, v, grad_out = (x.double().requires_grad_() for x in operands)
    out = torch.nn.functional.scaled_dot_product_attention(
        *(x.transpose(0, 1) for x in (q, k.repeat_interleave(16, 1), v.repeat_interleave(16, 1))),
        is_causal=True,
    )
    gradients = torch.autograd.grad(out, (q, k, v), grad_out.detach().transpose(0, 1))
    dq_scale, kv_scale = scales_of(operands, lse, delta)
    # Units in which they are counted, beside the 8 bits of the results.
    assert (gradients[0].norm(dim=-1) / 128**0.5 * dq_scale)[1:].median() > 2**16
    for gradient, scale in zip(gradients[1:], kv_scale, strict=True):
        assert gradient.abs().median() * scale.min() > 2**32


def test_what_is_not_finite_becomes_nan_and_bounds_nothing():
    operands = operands_of(normal)
    _, _, delta, lse = attend(operands)
    expected = scales_of(operands, lse, delta)
    for operand in operands:
        operand[7, 2, 5] = math.nan
        operand[9, 1, 6] = math.inf
    delta, lse = delta.clone(), lse.clone()
    delta[7, 20] = delta[8, 21] = delta[9, 22] = math.nan
    lse[9, 22] = -math.inf  # no key: no gradient, whatever its operands
    dq_scale, kv_scale = scales_of(operands, lse, delta)
    nan = torch.zeros(TOKENS, 64, dtype=torch.bool)
    nan[7, 20] = nan[8, 21] = True
    assert torch.equal(dq_scale.isnan(), nan)
    assert dq_scale[9, 22] == 1
    assert kv_scale.isfinite().all()
    finite = dq_scale.isfinite() & (dq_scale > 0)
    finite[9, 22] = finite[7, 2] = finite[9, 1] = False  # the last two have terms of NaN alone
    torch.testing.assert_close(dq_scale[finite], expected[0][finite], rtol=0.3, atol=0)


@pytest.mark.parametrize("size", [0.0, 1e-30, 1e20, 3e38])
@pytest.mark.parametrize("operand", range(4))
def test_every_finite_operand_has_units(operand, size):
    operands = operands_of(normal)
    operands[operand] = torch.full_like(operands[operand], size)
    zeros = torch.zeros(TOKENS, 64)
    for scale in scales_of(operands, zeros, zeros):
        assert scale.isfinite().all()
        assert (scale > 0).all()
