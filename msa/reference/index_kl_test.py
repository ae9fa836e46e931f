import math

import pytest
import torch

from msa.reference import definition
from msa.reference.attention import attention_forward
from msa.reference.index_kl import index_kl_backward, index_kl_forward
from msa.reference.testing import LargestTensor, attention_inputs, every_block, index_inputs
from msa.schedule.backward_schedule import build_backward_schedule
from msa.schedule.documents import PackedDocuments
from msa.schedule.testing import pack_lengths, random_support


def run(q, k, index_q, index_k, support, documents: PackedDocuments) -> tuple[torch.Tensor, ...]:
    """The sum of divergences, index lse, and the sum's gradients, of the reference."""
    schedule = build_backward_schedule(support, documents)
    _, lse = attention_forward(q, k, k, schedule)
    total, index_lse = index_kl_forward(q, k, lse, index_q, index_k, schedule)
    grads = index_kl_backward(
        torch.ones_like(total), q, k, lse, index_q, index_k, index_lse, schedule
    )
    return total, index_lse, *grads


def define(q, k, index_q, index_k, support, documents: PackedDocuments) -> tuple[torch.Tensor, ...]:
    """The sum of divergences and its gradients, of the definition in float64."""
    inputs = [x.double().requires_grad_() for x in (index_q, index_k)]
    total = definition.index_kl_rows(
        q.double(), k.double(), *inputs, support, documents, torch.arange(documents.num_tokens)
    ).sum()
    return total.detach(), *torch.autograd.grad(total, inputs)


@pytest.mark.parametrize(
    "dtype, tolerance", [(torch.float64, 1e-12), (torch.float32, 1e-5), (torch.bfloat16, 7e-3)]
)
@pytest.mark.parametrize(
    "lengths", [(127, 129, 1, 2, 3, 5, 128), (1,), (0, 130, 0, 0, 140)], ids=str
)
def test_loss_and_gradients_are_those_of_the_definition(lengths, dtype, tolerance):
    documents = pack_lengths(*lengths)
    support = random_support(documents, seed=0)
    q, k, _ = attention_inputs(documents.num_tokens, seed=1, dtype=dtype)
    index_q, index_k = index_inputs(documents.num_tokens, seed=2, dtype=dtype)
    total, _, *grads = run(q, k, index_q, index_k, support, documents)
    expected_total, *expected_grads = define(q, k, index_q, index_k, support, documents)
    assert total.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    # The inputs are the same bf16 numbers, and the loss is summed in FP32: only gradients round.
    assert total.item() == pytest.approx(expected_total.item(), rel=min(tolerance, 1e-5), abs=1e-6)
    for found, wanted in zip(grads, expected_grads, strict=True):
        assert found.dtype == dtype
        assert (found.double() - wanted).norm() <= tolerance * wanted.norm()


def test_a_student_equal_to_its_teacher_has_zero_loss_and_gradient():
    documents = pack_lengths(3, 300)
    q, k, _ = attention_inputs(303, seed=1)
    # All heads of a group are its index head, and all groups share the index key.
    index_q, index_k = q[:, ::16].contiguous(), k[:, :1]
    q, k = index_q.repeat_interleave(16, dim=1), index_k.expand(-1, 4, -1)
    support = random_support(documents, seed=0)
    total, _, *grads = run(q, k, index_q, index_k, support, documents)
    assert abs(total.item()) < 1e-10
    assert all(grad.abs().max() < 1e-12 for grad in grads)


def test_logits_past_fp32_have_no_weight():
    documents = pack_lengths(300)
    q, k, _ = attention_inputs(300, seed=1)
    index_q, index_k = index_inputs(300, seed=2)
    for queries, keys in ((q, k), (index_q, index_k)):
        queries[..., 0], keys[..., 0] = 1e20, 0
        keys[:128, :, 0] = -1e20  # block 0: -1e40, beside logits of the order of 1
    operands = [x.float() for x in (q, k, index_q, index_k)]
    support = every_block(documents)
    without = torch.where(support == 0, -1, support)
    actual, expected = (run(*operands, s, documents) for s in (support, without))
    assert expected[0].isfinite() and expected[0] > 0
    for found, wanted in zip(actual, expected, strict=True):
        torch.testing.assert_close(found, wanted)


def test_the_teacher_is_the_mean_of_all_heads_of_the_group():
    # Only the mean has zero gradient: two kinds of heads, and a student that is neither.
    documents = pack_lengths(2)
    support = every_block(documents)
    q, k, _ = (torch.zeros_like(x) for x in attention_inputs(2, seed=1))
    k[:, :, 0] = torch.tensor([0.0, 1.0])[:, None]
    # exp(scale * q k) makes the odds of the second key 3 in half of the heads, and 1 in the others.
    q[:, ::2, 0] = math.log(3) * 128**0.5
    index_q, index_k = (torch.zeros_like(x) for x in index_inputs(2, seed=1))
    index_k[1, 0, 0] = 1
    mean = (3 / 4 + 1 / 2) / 2
    index_q[:, :, 0] = math.log(mean / (1 - mean)) * 128**0.5
    total, _, *grads = run(q, k, index_q, index_k, support, documents)
    assert abs(total.item()) < 1e-12
    assert all(grad.abs().max() < 1e-12 for grad in grads)


def test_a_query_without_visible_keys_adds_nothing():
    documents = pack_lengths(200)
    support = every_block(documents)
    q, k, _ = attention_inputs(200, seed=1)
    index_q, index_k = index_inputs(200, seed=2)
    dropped = slice(150, 170)
    support[:, dropped] = -1
    rows = definition.index_kl_rows(
        q, k, index_q, index_k, every_block(documents), documents, torch.arange(200)
    )
    rows[dropped] = 0
    total, index_lse, grad_q, grad_k = run(q, k, index_q, index_k, support, documents)
    torch.testing.assert_close(total, rows.sum())
    assert torch.all(index_lse[dropped] == -math.inf)
    assert torch.all(grad_q[dropped] == 0)
    assert grad_k.isfinite().all()


def test_nothing_at_all_is_visible():
    documents = pack_lengths(5)
    support = torch.full((4, 5, 16), -1, dtype=torch.int32)
    q, k, _ = attention_inputs(5, seed=1)
    total, _, *grads = run(q, k, *index_inputs(5, seed=2), support, documents)
    assert total == 0
    assert all(torch.all(grad == 0) for grad in grads)


def test_unselected_keys_have_no_gradient_and_never_leak():
    documents = pack_lengths(400)
    support = torch.full((4, 400, 16), -1, dtype=torch.int32)
    support[..., 0] = 0
    q, k, _ = attention_inputs(400, seed=1)
    index_q, index_k = index_inputs(400, seed=2)
    expected = run(q, k, index_q, index_k, support, documents)
    k[128:], index_k[128:] = math.nan, math.nan
    actual = run(q, k, index_q, index_k, support, documents)
    for found, wanted in zip(actual, expected, strict=True):
        assert torch.equal(found, wanted)
    assert torch.all(actual[3][128:] == 0)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_logits_of_a_thousand_stay_finite(dtype):
    documents = pack_lengths(300)
    support = random_support(documents, seed=0)
    q, k, _ = attention_inputs(300, seed=1, dtype=dtype)
    index_q, index_k = index_inputs(300, seed=2, dtype=dtype)
    q, index_q = q * 300, index_q * 300
    total, index_lse, *grads = run(q, k, index_q, index_k, support, documents)
    expected_total, *expected_grads = define(q, k, index_q, index_k, support, documents)
    rounding = 1e-10 if dtype == torch.float64 else 2e-3
    assert total.item() == pytest.approx(expected_total.item(), rel=rounding)
    for found, wanted in zip(grads, expected_grads, strict=True):
        assert (found - wanted).norm() <= rounding * wanted.norm()
    assert not index_lse.isnan().any()


def test_the_gradient_of_the_sum_scales_the_gradients():
    documents = pack_lengths(150)
    schedule = build_backward_schedule(every_block(documents), documents)
    q, k, v = attention_inputs(150, seed=1)
    index_q, index_k = index_inputs(150, seed=2)
    lse = attention_forward(q, k, v, schedule)[1]
    total, index_lse = index_kl_forward(q, k, lse, index_q, index_k, schedule)
    saved = (q, k, lse, index_q, index_k, index_lse, schedule)
    once = index_kl_backward(torch.ones_like(total), *saved)
    thrice = index_kl_backward(torch.full_like(total, 3), *saved)
    for single, triple in zip(once, thrice, strict=True):
        torch.testing.assert_close(triple, 3 * single)


def test_neither_autograd_nor_autocast_reaches_inside():
    documents = pack_lengths(200)
    support = random_support(documents, seed=0)
    q, k, _ = attention_inputs(200, seed=1, dtype=torch.bfloat16)
    index = index_inputs(200, seed=2, dtype=torch.bfloat16)
    expected = run(q, k, *index, support, documents)
    inputs = [x.clone().requires_grad_() for x in (q, k, *index)]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        actual = run(*inputs, support, documents)
    for found, wanted in zip(actual, expected, strict=True):
        assert not found.requires_grad
        assert torch.equal(found, wanted)


def test_memory_is_linear_in_the_tokens():
    documents = pack_lengths(1024)
    q, k, _ = attention_inputs(1024, seed=1, dtype=torch.float32)
    index_q, index_k = index_inputs(1024, seed=2, dtype=torch.float32)
    with LargestTensor() as largest:
        run(q, k, index_q, index_k, every_block(documents), documents)
    assert largest.elements <= q.numel()
