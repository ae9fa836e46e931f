"""What 1 is in the fixed-point sums of the deterministic backward, in torch alone."""

import torch

from msa.kernels.attention.interface import BOUND_FIELDS, FIXED_ONE
from msa.schedule.topology import GROUP_HEADS, HEAD_DIM, SOFTMAX_SCALE

# What 1 is in an int64 sum. Like `FIXED_ONE`, it leaves a bit for what rounding adds to a bound.
_FIXED_ONE_INT64 = 2.0**62
# Bounds from here on have scales that FP32 holds, in int64 units too.
_SMALLEST_BOUND = 2.0**-60


def gradient_bounds(
    grad_out: torch.Tensor, q: torch.Tensor, bounds: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """What sums of a backward's terms can come to, whatever their order.

    A row's weights sum to 1, and its `|dP|` and `|delta|` are at most `|dO| max|v|`
    (Cauchy-Schwarz), so that its `|dS|` sum to at most `2 scale |dO| max|v|`. All is of what is
    finite.

    Args:
        grad_out: bf16 `[T, 16 G, 128]`.
        q: bf16 `[T, 16 G, 128]`.
        bounds: FP32 `[T, G, BOUND_FIELDS]`, of the keys and values that a query meets.

    Returns:
        FP32 `[T, 16 G]` for the sums of dQ; and `[T, G, BOUND_FIELDS]` for one term of a key's dK
        and dV, the first two.
    """
    _, v_norm, k_max, _ = bounds.repeat_interleave(GROUP_HEADS, dim=1).unbind(-1)
    ds = _finite(2 * SOFTMAX_SCALE * _norms(grad_out, 2) * v_norm)
    terms = torch.stack((ds * _norms(q, torch.inf), _norms(grad_out, torch.inf)), -1)
    terms = _finite(terms).unflatten(1, (-1, GROUP_HEADS)).amax(2)
    return _finite(ds * k_max), torch.nn.functional.pad(terms, (0, BOUND_FIELDS - 2))


def dq_scale(dq_bound: torch.Tensor, lse: torch.Tensor, statistics: torch.Tensor) -> torch.Tensor:
    """What 1 is in a row's int32 sums of dQ, FP32 `[T, 16 G]`.

    It is NaN with the row's delta, which is part of every term.
    """
    delta = statistics[..., GROUP_HEADS:].reshape(lse.shape)
    scale = FIXED_ONE / dq_bound.clamp(min=_SMALLEST_BOUND) + 0 * delta
    return torch.where(lse == -torch.inf, 1.0, scale)  # no key of any weight: no term


def kv_scale(block_terms: torch.Tensor, num_tokens: int) -> torch.Tensor:
    """What 1 is in a block's int64 sums of dK and dV, FP32 `[2, G, num_kblocks]`.

    `block_terms` `[G, num_kblocks, BOUND_FIELDS]` are bounds of one term, of which a key has at
    most one of each row of its group.
    """
    terms = block_terms[..., :2].permute(2, 0, 1).contiguous()
    bound = _finite(terms * (GROUP_HEADS * num_tokens))
    return _FIXED_ONE_INT64 / bound.clamp(min=_SMALLEST_BOUND)


def _norms(x: torch.Tensor, order: float) -> torch.Tensor:
    """Norms over the channels, FP32 `[T, heads]`, 0 where one is not finite."""
    largest = torch.linalg.vector_norm(x, torch.inf, dim=-1, dtype=torch.float32)
    norms = largest
    if order == 2:
        # Squares may overflow where their root does not.
        norms = torch.linalg.vector_norm(x, 2, dim=-1, dtype=torch.float32)
        norms = torch.minimum(norms, HEAD_DIM**0.5 * largest)
    return torch.where(largest.isfinite(), _finite(norms), 0.0)


def _finite(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(max=torch.finfo(torch.float32).max)
