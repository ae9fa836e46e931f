"""On a GPU: what runs the kernels, what runs in plain torch, and that both are right."""

import warnings

import pytest
import torch

import msa
from msa.autograd import dispatch, index_kl_loss, select_blocks, sparse_attention
from msa.kernels.runtime.testing import needs_gpu
from msa.schedule.backward_schedule import build_backward_schedule, schedule_tensors
from msa.schedule.testing import pack_lengths, random_support
from msa.testing.inputs import attention_inputs, index_inputs

pytestmark = needs_gpu

DOCUMENTS = pack_lengths(3, 130)
NUM_TOKENS = 133
SUPPORT = random_support(DOCUMENTS, seed=0)


def leaves(dtype: torch.dtype, device: str = "cuda") -> list[torch.Tensor]:
    inputs = attention_inputs(NUM_TOKENS, seed=1, dtype=dtype)
    return [x.to(device).requires_grad_() for x in inputs]


def attend(inputs: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """`out`, `lse` and the gradients of the sum of squares."""
    device = inputs[0].device
    documents = DOCUMENTS.to(device)
    out, lse = sparse_attention(*inputs, SUPPORT.to(device), documents, return_lse=True)
    return out, lse, *torch.autograd.grad(out.float().square().sum(), inputs)


def assert_close(found, expected, tolerance: float) -> None:
    for one, other in zip(found, expected, strict=True):
        one, other = one.cpu().double(), other.cpu().double()
        kept = other.isfinite()
        assert torch.equal(one[~kept], other[~kept])
        assert (one - other)[kept].norm() <= tolerance * other[kept].norm()


@pytest.fixture(autouse=True)
def nothing_said():
    dispatch._warn.cache_clear()
    yield
    dispatch._warn.cache_clear()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_another_dtype_runs_in_plain_torch_and_says_so_once(dtype):
    with pytest.warns(msa.MsaFallbackWarning, match=f"sparse_attention .* got {dtype}"):
        found = attend(leaves(dtype))
    assert_close(found, attend(leaves(dtype, "cpu")), 1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("error", msa.MsaFallbackWarning)
        attend(leaves(dtype))


def test_bf16_runs_kernels_and_says_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error", msa.MsaFallbackWarning)
        attend(leaves(torch.bfloat16))


def test_a_forced_reference_is_that_of_the_cpu_and_its_backward_too():
    with warnings.catch_warnings():
        warnings.simplefilter("error", msa.MsaFallbackWarning)
        with msa.backend("reference"):
            inputs = leaves(torch.bfloat16)
            documents = DOCUMENTS.to("cuda")
            out, lse = sparse_attention(*inputs, SUPPORT.cuda(), documents, return_lse=True)
        grads = torch.autograd.grad(out.float().square().sum(), inputs)
    expected = attend(leaves(torch.bfloat16, "cpu"))
    assert_close((out, lse, *grads), expected, 5e-3)


def test_operators_refuse_what_their_kernels_do_not_take():
    schedule = build_backward_schedule(SUPPORT.cuda(), DOCUMENTS.to("cuda"))
    q, k, v = (x.detach() for x in leaves(torch.float32))
    with pytest.raises(RuntimeError, match=r"torch\.float32.*msa::sparse_attention_reference"):
        torch.ops.msa.sparse_attention(q, k, v, *schedule_tensors(schedule))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_results_are_no_views(dtype):
    inputs = leaves(dtype)
    index = [x.cuda().requires_grad_() for x in index_inputs(NUM_TOKENS, 2, dtype)]
    documents = DOCUMENTS.to("cuda")
    support = select_blocks(*index, documents)
    schedule = build_backward_schedule(support, documents)
    out, lse = sparse_attention(*inputs, support, documents, schedule=schedule, return_lse=True)
    loss = index_kl_loss(*inputs[:2], lse, *index, support, documents, schedule=schedule)
    (out.float().sum() + loss).backward()
    gradients = [x.grad for x in (*inputs, *index)]
    for result in (support, out, lse, loss, *gradients, *schedule_tensors(schedule)[:4]):
        assert result._base is None
        result.mul_(2)
        result.detach_()
