"""Every operator: its schema, fake implementation, autograd and compilation, and its results."""

import pytest
import torch

from msa.autograd import index_kl_loss, sparse_attention
from msa.reference.attention import attention_forward
from msa.reference.index_kl import index_kl
from msa.schedule.backward_schedule import build_backward_schedule, schedule_tensors
from msa.schedule.task_tables import build_task_tables
from msa.schedule.testing import pack_lengths, random_support
from msa.testing.inputs import attention_inputs, index_inputs

DOCUMENTS = pack_lengths(3, 130)
NUM_TOKENS = 133


def operands(operator: str, dtype: torch.dtype, requires_grad: bool, num_groups: int = 4) -> tuple:
    support = random_support(DOCUMENTS, seed=0, num_groups=num_groups)
    schedule = build_backward_schedule(support, DOCUMENTS)
    q, k, v = attention_inputs(NUM_TOKENS, 1, dtype, num_groups)
    index_q, index_k = index_inputs(NUM_TOKENS, 2, dtype, num_groups)
    flat = schedule_tensors(schedule)
    out, lse = attention_forward(q, k, v, schedule)
    if operator == "sparse_attention":
        return *(x.requires_grad_(requires_grad) for x in (q, k, v)), *flat
    if operator == "sparse_attention_backward":
        return q.flip(0), q, k, v, out, lse, *flat
    index_q.requires_grad_(requires_grad)
    index_k.requires_grad_(requires_grad)
    if operator == "select_blocks":
        return index_q, index_k, DOCUMENTS.cu_seqlens, 1, 2
    if operator == "index_kl_loss":
        return q, k, lse, index_q, index_k, requires_grad, *flat
    if operator == "dense_index_kl_loss":
        return q, k, lse, index_q, index_k, requires_grad, DOCUMENTS.cu_seqlens
    total, _, *units = index_kl(q, k, lse, index_q, index_k, True, schedule)
    return *units, torch.full_like(total, 0.3), index_q, index_k


CASES = [
    ("select_blocks", False),
    ("select_blocks", True),
    ("sparse_attention", False),
    ("sparse_attention", True),
    ("sparse_attention_backward", False),
    ("index_kl_loss", False),
    ("index_kl_loss", True),
    ("index_kl_loss_backward", False),
    ("dense_index_kl_loss", False),
    ("dense_index_kl_loss", True),
    ("dense_index_kl_loss_backward", False),
]


def check(
    name: str, operator: str, requires_grad: bool, dtype: torch.dtype, num_groups: int = 4
) -> None:
    overload = getattr(torch.ops.msa, name).default
    torch.library.opcheck(overload, operands(operator, dtype, requires_grad, num_groups))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("operator, requires_grad", CASES)
def test_operator(operator, requires_grad, dtype):
    check(operator, operator, requires_grad, dtype)


@pytest.mark.parametrize("operator, requires_grad", CASES)
def test_operator_of_the_reference(operator, requires_grad):
    check(f"{operator}_reference", operator, requires_grad, torch.float32)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("operator, requires_grad", CASES)
def test_results_are_no_views(operator, requires_grad, dtype):
    for suffix in ("", "_reference"):
        run = getattr(torch.ops.msa, operator + suffix)
        results = run(*operands(operator, dtype, requires_grad))
        for result in results if isinstance(results, tuple) else (results,):
            assert_has_a_memory_of_its_own(result)


def test_a_schedule_holds_no_views():
    support = random_support(DOCUMENTS, seed=0)
    schedule = build_backward_schedule(support, DOCUMENTS)
    tables = build_task_tables(schedule, num_sms=2)
    for field in (*schedule_tensors(schedule)[:4], *tables):
        assert_has_a_memory_of_its_own(field)


def assert_has_a_memory_of_its_own(tensor: torch.Tensor) -> None:
    assert tensor.is_contiguous()
    assert tensor.storage_offset() == 0
    assert tensor.untyped_storage().nbytes() == tensor.nbytes
    assert tensor._base is None
    if tensor.requires_grad:
        twice = tensor.detach() * 2
        assert torch.equal(tensor.mul_(2), twice)
    tensor.detach_()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
def test_gradients_reach_leaves_as_tensors_of_their_own(dtype):
    inputs = [x.requires_grad_() for x in attention_inputs(NUM_TOKENS, seed=1, dtype=dtype)]
    index = [x.requires_grad_() for x in index_inputs(NUM_TOKENS, seed=2, dtype=dtype)]
    support = random_support(DOCUMENTS, seed=0)
    out, lse = sparse_attention(*inputs, support, DOCUMENTS, return_lse=True)
    loss = index_kl_loss(*inputs[:2], lse, *index, support, DOCUMENTS)
    (out.sum() + loss).backward()
    for result in (out, lse, loss, *(x.grad for x in (*inputs, *index))):
        assert_has_a_memory_of_its_own(result)


@pytest.mark.parametrize("num_groups", [1, 2, 8])
@pytest.mark.parametrize("operator", sorted({operator for operator, _ in CASES}))
def test_operator_of_other_groups(operator, num_groups):
    check(operator, operator, False, torch.bfloat16, num_groups)
