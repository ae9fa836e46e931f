import itertools
import math

import pytest
import torch

from msa.autograd.attention import sparse_attention
from msa.schedule.backward_schedule import build_backward_schedule
from msa.schedule.testing import pack_lengths, random_support
from msa.testing import definition
from msa.testing.accuracy import compare
from msa.testing.inputs import attention_inputs
from msa.testing.patterns import every_block

SMALL = pack_lengths(3, 130)
SMALL_SUPPORT = random_support(SMALL, seed=0)
SMALL_SUPPORT[1, 100:110] = -1


def leaves(num_tokens: int, dtype: torch.dtype = torch.float64) -> list[torch.Tensor]:
    return [x.requires_grad_() for x in attention_inputs(num_tokens, seed=1, dtype=dtype)]


def test_gradients_are_those_of_finite_differences():
    assert torch.autograd.gradcheck(
        lambda q, k, v: sparse_attention(q, k, v, SMALL_SUPPORT, SMALL),
        leaves(SMALL.num_tokens),
        fast_mode=True,
    )


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
def test_out_lse_and_gradients_are_those_of_the_definition(dtype):
    q, k, v = leaves(SMALL.num_tokens, dtype)
    out, lse = sparse_attention(q, k, v, SMALL_SUPPORT, SMALL, return_lse=True)
    grad_out = attention_inputs(SMALL.num_tokens, seed=2, dtype=dtype)[0]
    actual = (out, lse, *torch.autograd.grad(out, (q, k, v), grad_out))
    wide = [x.detach().double().requires_grad_() for x in (q, k, v)]
    rows = definition.attention_rows(*wide, SMALL_SUPPORT, SMALL, torch.arange(SMALL.num_tokens))
    expected = (*rows, *torch.autograd.grad(rows[0], wide, grad_out.double()))
    for name, found, wanted in zip(("out", "lse", "dq", "dk", "dv"), actual, expected, strict=True):
        assert found.dtype == (lse.dtype if name == "lse" else dtype)
        comparison = compare(name, found, wanted.detach(), dtype)
        assert comparison.passed, comparison
    assert lse.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)


def test_lse_is_returned_on_request_and_takes_no_gradient():
    q, k, v = leaves(SMALL.num_tokens)
    out = sparse_attention(q, k, v, SMALL_SUPPORT, SMALL)
    assert isinstance(out, torch.Tensor)
    again, lse = sparse_attention(q, k, v, SMALL_SUPPORT, SMALL, return_lse=True)
    assert torch.equal(out, again)
    assert not lse.requires_grad
    assert torch.all(lse[103:110, 16:32] == -math.inf)


def test_a_ready_schedule_gives_the_same():
    q, k, v = leaves(SMALL.num_tokens)
    schedule = build_backward_schedule(SMALL_SUPPORT, SMALL)
    built = sparse_attention(q, k, v, SMALL_SUPPORT, SMALL)
    shared = sparse_attention(q, k, v, SMALL_SUPPORT, SMALL, schedule=schedule)
    assert torch.equal(built, shared)
    grads = [torch.autograd.grad(out.sum(), (q, k, v)) for out in (built, shared)]
    assert all(torch.equal(*pair) for pair in zip(*grads, strict=True))


@pytest.mark.parametrize(
    "wanted",
    [subset for size in (1, 2) for subset in itertools.combinations(range(3), size)],
    ids=lambda subset: "".join("qkv"[index] for index in subset),
)
def test_any_subset_of_the_inputs_may_require_gradients(wanted):
    inputs = leaves(SMALL.num_tokens)
    out = sparse_attention(*inputs, SMALL_SUPPORT, SMALL)
    expected = torch.autograd.grad(out.square().sum(), inputs)
    partial = [x.detach().requires_grad_(index in wanted) for index, x in enumerate(inputs)]
    sparse_attention(*partial, SMALL_SUPPORT, SMALL).square().sum().backward()
    for index, x in enumerate(partial):
        if index in wanted:
            assert torch.equal(x.grad, expected[index])
        else:
            assert x.grad is None


def test_no_graph_is_recorded_where_no_input_requires_a_gradient():
    q, k, v = attention_inputs(SMALL.num_tokens, seed=1)
    assert not sparse_attention(q, k, v, SMALL_SUPPORT, SMALL).requires_grad


def test_a_second_derivative_raises():
    q, k, v = leaves(SMALL.num_tokens)
    out = sparse_attention(q, k, v, SMALL_SUPPORT, SMALL)
    (dq,) = torch.autograd.grad(out.square().sum(), q, create_graph=True)
    with pytest.raises(RuntimeError, match="second derivative"):
        torch.autograd.grad(dq.sum(), q)


def heads_inside_rows(x: torch.Tensor) -> torch.Tensor:
    """A view of `[T, heads, 128]` data in rows with more heads, as in a fused projection."""
    wide = torch.full((x.shape[0], x.shape[1] + 8, x.shape[2]), math.nan, dtype=x.dtype)
    wide[:, 3 : 3 + x.shape[1]] = x
    return wide[:, 3 : 3 + x.shape[1]]


def every_other_channel(x: torch.Tensor) -> torch.Tensor:
    wide = torch.full((*x.shape, 2), math.nan, dtype=x.dtype)
    wide[..., 0] = x
    return wide[..., 0]


def heads_outside(x: torch.Tensor) -> torch.Tensor:
    return x.transpose(0, 1).contiguous().transpose(0, 1)


def one_element_off(x: torch.Tensor) -> torch.Tensor:
    """A contiguous view whose first element is not aligned to anything."""
    storage = torch.full((x.numel() + 1,), math.nan, dtype=x.dtype)
    storage[1:] = x.flatten()
    return storage[1:].view_as(x)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize(
    "layout", [heads_inside_rows, every_other_channel, heads_outside, one_element_off]
)
def test_strided_and_offset_inputs_are_right(layout, dtype):
    inputs = attention_inputs(SMALL.num_tokens, seed=1, dtype=dtype)
    grad_out = attention_inputs(SMALL.num_tokens, seed=2, dtype=dtype)[0]
    support = heads_outside(SMALL_SUPPORT)
    results = []
    for change in (torch.clone, layout):
        q, k, v = (change(x).requires_grad_() for x in inputs)
        out, lse = sparse_attention(q, k, v, support, SMALL, return_lse=True)
        results.append((out, lse, *torch.autograd.grad(out, (q, k, v), change(grad_out))))
    for strided, plain in zip(results[1], results[0], strict=True):
        torch.testing.assert_close(strided, plain)


def test_an_expanded_output_gradient_is_right():
    q, k, v = leaves(SMALL.num_tokens)
    out = sparse_attention(q, k, v, SMALL_SUPPORT, SMALL)
    expanded = torch.autograd.grad(out.sum(), (q, k, v), retain_graph=True)
    plain = torch.autograd.grad(out, (q, k, v), torch.ones_like(out))
    assert all(torch.equal(*pair) for pair in zip(expanded, plain, strict=True))


def test_a_support_of_every_block_is_dense_attention_of_each_document():
    documents = pack_lengths(127, 129, 1, 2, 3, 5, 128)
    q, k, v = attention_inputs(documents.num_tokens, seed=1)
    out = sparse_attention(q, k, v, every_block(documents), documents)
    lengths = documents.cu_seqlens.diff().tolist()
    dense = [
        torch.nn.functional.scaled_dot_product_attention(
            *(x.transpose(0, 1) for x in part), is_causal=True, enable_gqa=True
        ).transpose(0, 1)
        for part in zip(*(x.split(lengths) for x in (q, k, v)), strict=True)
    ]
    torch.testing.assert_close(out, torch.cat(dense))
