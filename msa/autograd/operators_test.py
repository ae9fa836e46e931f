"""`torch.library.opcheck` of every operator: schema, fake implementation, autograd, compilation."""

import pytest
import torch

import msa.autograd  # noqa: F401  (registers the operators)
from msa.reference.attention import attention_forward
from msa.reference.index_kl import index_kl_forward
from msa.reference.testing import attention_inputs, index_inputs
from msa.schedule.backward_schedule import build_backward_schedule, schedule_tensors
from msa.schedule.testing import pack_lengths, random_support

DOCUMENTS = pack_lengths(3, 130)
NUM_TOKENS = 133


def operands(operator: str, dtype: torch.dtype, requires_grad: bool) -> tuple:
    schedule = build_backward_schedule(random_support(DOCUMENTS, seed=0), DOCUMENTS)
    q, k, v = attention_inputs(NUM_TOKENS, seed=1, dtype=dtype)
    index_q, index_k = index_inputs(NUM_TOKENS, seed=2, dtype=dtype)
    flat = schedule_tensors(schedule)
    out, lse = attention_forward(q, k, v, schedule)
    total, statistics = index_kl_forward(q, k, lse, index_q, index_k, schedule)
    if operator == "sparse_attention":
        return *(x.requires_grad_(requires_grad) for x in (q, k, v)), *flat
    if operator == "sparse_attention_backward":
        return q.flip(0), q, k, v, out, lse, *flat
    index_q.requires_grad_(requires_grad)
    index_k.requires_grad_(requires_grad)
    if operator == "select_blocks":
        return index_q, index_k, DOCUMENTS.cu_seqlens, 1, 2
    if operator == "index_kl_loss":
        return q, k, lse, index_q, index_k, *flat
    return torch.ones_like(total), q, k, lse, index_q, index_k, statistics, *flat


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize(
    "operator, requires_grad",
    [
        ("select_blocks", False),
        ("select_blocks", True),
        ("sparse_attention", False),
        ("sparse_attention", True),
        ("sparse_attention_backward", False),
        ("index_kl_loss", False),
        ("index_kl_loss", True),
        ("index_kl_loss_backward", False),
    ],
)
def test_operator(operator, requires_grad, dtype):
    torch.library.opcheck(
        getattr(torch.ops.msa, operator).default, operands(operator, dtype, requires_grad)
    )
