"""The operators on 1, 2 and 4 groups against the slices of 8: a tensor-parallel rank holds some."""

import pytest
import torch

from msa.autograd import index_kl_loss, select_blocks, sparse_attention
from msa.schedule.backward_schedule import build_backward_schedule
from msa.schedule.testing import assert_same_schedule, first_groups, pack_lengths, random_support
from msa.testing import definition
from msa.testing.accuracy import compare
from msa.testing.inputs import attention_inputs, index_inputs

MOST_GROUPS = 8
DOCUMENTS = pack_lengths(3, 300, 130)
NUM_TOKENS = DOCUMENTS.num_tokens
SUPPORT = random_support(DOCUMENTS, seed=0, num_groups=MOST_GROUPS)
SUPPORT[1, 100:110] = -1

every_slice = pytest.mark.parametrize(
    "first, num_groups", [(0, 1), (5, 1), (0, 2), (6, 2), (0, 4), (4, 4)]
)
every_dtype = pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str
)


def of_groups(x: torch.Tensor, first: int, num_groups: int) -> torch.Tensor:
    """What some of the 8 groups hold of `x` `[T, heads, ...]`; a view."""
    heads = x.shape[1] // MOST_GROUPS
    return x[:, heads * first : heads * (first + num_groups)]


def attend(q, k, v, grad_out, support) -> tuple[torch.Tensor, ...]:
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    out, lse = sparse_attention(*leaves, support, DOCUMENTS, return_lse=True)
    return out.detach(), lse, *torch.autograd.grad(out, leaves, grad_out)


@every_dtype
@every_slice
def test_attention_of_some_groups(first, num_groups, dtype):
    q, k, v = attention_inputs(NUM_TOKENS, seed=1, dtype=dtype, num_groups=MOST_GROUPS)
    grad_out = attention_inputs(NUM_TOKENS, seed=2, dtype=dtype, num_groups=MOST_GROUPS)[0]
    expected = attend(q, k, v, grad_out, SUPPORT)
    part = (of_groups(x, first, num_groups) for x in (q, k, v, grad_out))
    found = attend(*part, SUPPORT[first : first + num_groups])
    for name, one, other in zip(("out", "lse", "dq", "dk", "dv"), found, expected, strict=True):
        other = of_groups(other, first, num_groups)
        comparison = compare(name, one, other.double(), dtype)
        assert comparison.passed, comparison
        # A query's results are sums over its own work items, the same in the same order.
        if name in ("out", "lse", "dq"):
            assert torch.equal(one, other), name


@pytest.mark.parametrize("num_groups", [1, 2, 8])
def test_attention_and_loss_are_those_of_the_definition(num_groups):
    q, k, v = attention_inputs(NUM_TOKENS, seed=1, num_groups=num_groups)
    index_q, index_k = index_inputs(NUM_TOKENS, seed=2, num_groups=num_groups)
    support, queries = SUPPORT[:num_groups], torch.arange(NUM_TOKENS)
    out, lse = sparse_attention(q, k, v, support, DOCUMENTS, return_lse=True)
    rows = definition.attention_rows(q, k, v, support, DOCUMENTS, queries)
    torch.testing.assert_close((out, lse), rows)
    loss = index_kl_loss(q, k, lse, index_q, index_k, support, DOCUMENTS)
    divergence = definition.index_kl_rows(q, k, index_q, index_k, support, DOCUMENTS, queries)
    assert divergence.shape == (NUM_TOKENS, num_groups)
    torch.testing.assert_close(loss, divergence.mean())


def index_loss(q, k, lse, index_q, index_k, support) -> tuple[torch.Tensor, ...]:
    leaves = [x.detach().requires_grad_() for x in (index_q, index_k)]
    loss = index_kl_loss(q, k, lse, *leaves, support, DOCUMENTS)
    return loss.detach(), *torch.autograd.grad(loss, leaves)


@every_dtype
@pytest.mark.parametrize("num_groups", [1, 2, 4])
def test_losses_of_all_groups_add_up(num_groups, dtype):
    q, k, v = attention_inputs(NUM_TOKENS, seed=1, dtype=dtype, num_groups=MOST_GROUPS)
    index_q, index_k = index_inputs(NUM_TOKENS, seed=2, dtype=dtype, num_groups=MOST_GROUPS)
    _, lse = sparse_attention(q, k, v, SUPPORT, DOCUMENTS, return_lse=True)
    loss, grad_q, grad_k = index_loss(q, k, lse, index_q, index_k, SUPPORT)
    share = num_groups / MOST_GROUPS  # a mean over all groups is that of the parts' means
    losses, grads_k = [], []
    for first in range(0, MOST_GROUPS, num_groups):
        part = (of_groups(x, first, num_groups) for x in (q, k, lse, index_q))
        support = SUPPORT[first : first + num_groups]
        part_loss, part_grad_q, part_grad_k = index_loss(*part, index_k, support)
        torch.testing.assert_close(part_grad_q * share, of_groups(grad_q, first, num_groups))
        losses.append(part_loss * share)
        grads_k.append(part_grad_k.double() * share)
    torch.testing.assert_close(sum(losses), loss)
    rounding = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 7e-3}[dtype]
    assert (sum(grads_k) - grad_k).norm() <= rounding * grad_k.norm()


@every_dtype
@every_slice
def test_selection_and_schedule_of_some_groups_bit_for_bit(first, num_groups, dtype):
    documents = pack_lengths(130, 2200)
    index_q, index_k = index_inputs(2330, seed=3, dtype=dtype, num_groups=MOST_GROUPS)
    expected = select_blocks(index_q, index_k, documents)[first : first + num_groups]
    support = select_blocks(of_groups(index_q, first, num_groups), index_k, documents)
    assert torch.equal(support, expected)
    if first == 0:
        whole = build_backward_schedule(select_blocks(index_q, index_k, documents), documents)
        part = build_backward_schedule(support, documents)
        assert_same_schedule(part, first_groups(whole, num_groups))
