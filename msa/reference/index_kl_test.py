import math

import pytest
import torch

from msa.reference.attention import attention_forward
from msa.reference.index_kl import dense_index_kl, index_kl, scale_unit_gradients
from msa.schedule.backward_schedule import build_backward_schedule
from msa.schedule.documents import PackedDocuments
from msa.schedule.testing import pack_lengths, random_support
from msa.testing import definition
from msa.testing.inputs import attention_inputs, index_inputs
from msa.testing.memory import LargestTensor
from msa.testing.patterns import every_block

LSE_BOUND = {torch.float64: 2.0**51, torch.float32: 2.0**22, torch.bfloat16: 2.0**22}


def run(q, k, index_q, index_k, support, documents: PackedDocuments) -> tuple[torch.Tensor, ...]:
    """The sum of divergences, these, and the sum's gradients, of the reference."""
    schedule = build_backward_schedule(support, documents)
    _, lse = attention_forward(q, k, k, schedule)
    return index_kl(q, k, lse, index_q, index_k, True, schedule)


def define(q, k, index_q, index_k, support, documents: PackedDocuments) -> tuple[torch.Tensor, ...]:
    """The sum of divergences and its gradients, of the definition in float64."""
    inputs = [x.double().requires_grad_() for x in (index_q, index_k)]
    queries = torch.arange(documents.num_tokens)
    wide = (q.double(), k.double(), *inputs)
    total = definition.index_kl_rows(
        *wide, support, documents, queries, lse_bound=LSE_BOUND[q.dtype]
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
    total, divergence, grad_q, grad_k = run(q, k, index_q, index_k, support, documents)
    torch.testing.assert_close(total, rows.sum())
    assert torch.all(divergence[dropped] == 0)
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
    total, divergence, *grads = run(q, k, index_q, index_k, support, documents)
    expected_total, *expected_grads = define(q, k, index_q, index_k, support, documents)
    rounding = 1e-10 if dtype == torch.float64 else 2e-3
    assert total.item() == pytest.approx(expected_total.item(), rel=rounding)
    for found, wanted in zip(grads, expected_grads, strict=True):
        assert (found - wanted).norm() <= rounding * wanted.norm()
    assert divergence.isfinite().all()


def test_without_gradients_the_sum_is_the_same():
    documents = pack_lengths(150)
    schedule = build_backward_schedule(every_block(documents), documents)
    q, k, v = attention_inputs(150, seed=1)
    inputs = (q, k, attention_forward(q, k, v, schedule)[1], *index_inputs(150, seed=2))
    for function, layout in ((index_kl, schedule), (dense_index_kl, documents.cu_seqlens)):
        total, divergence, *_ = function(*inputs, True, layout)
        found, found_divergence, *units = function(*inputs, False, layout)
        assert torch.equal(found, total)
        assert torch.equal(found_divergence, divergence)
        assert all(unit.shape == (0,) for unit in units)


def test_unit_gradients_are_scaled_in_fp32_and_rounded_once():
    generator = torch.Generator().manual_seed(0)
    units = [torch.randn(9, heads, 128, generator=generator).bfloat16() for heads in (4, 1)]
    factor = torch.tensor(1 + 2**-8 + 2**-9)  # rounded to bf16, it would be 1 or 1 + 2^-7
    for found, unit in zip(scale_unit_gradients(*units, factor), units, strict=True):
        assert torch.equal(found, (unit.float() * factor).bfloat16())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("spoilt", [math.nan, math.inf])
def test_a_gradient_of_zero_leaves_none_of_the_unit_gradients(spoilt, dtype):
    units = [torch.full((9, heads, 128), spoilt, dtype=dtype) for heads in (4, 1)]
    zero = torch.zeros((), dtype=torch.float64 if dtype == torch.float64 else torch.float32)
    assert all(torch.all(grad == 0) for grad in scale_unit_gradients(*units, zero))


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


# By dtype: a factor of unit-normal queries that puts most |lse| past the bound.
PAST_THE_BOUND = {torch.float64: 1e17, torch.float32: 3e8, torch.bfloat16: 3e8}


@pytest.mark.parametrize("dtype, tolerance", [(torch.float64, 1e-10), (torch.float32, 1e-4)])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_teacher_is_the_mean_of_the_heads_whose_lse_is_below_the_bound(sign, dtype, tolerance):
    # Logits of a head are its level, up to a rounding: lse of the level, and equal weights.
    documents = pack_lengths(3, 130)
    support = random_support(documents, seed=0)
    q, k, _ = attention_inputs(133, seed=1, dtype=dtype)
    index_q, index_k = index_inputs(133, seed=2, dtype=dtype)
    k[:, :, 0] = 1
    bound = LSE_BOUND[dtype]
    levels = {0: 2 * bound, 5: 1.01 * bound, 17: 4 * bound}
    levels |= dict.fromkeys(range(32, 64), 2 * bound)  # group 3: nothing is left
    levels[40] = bound / 2  # group 2: this head is
    for head, level in levels.items():
        q[:, head] = 0
        q[:, head, 0] = sign * level * 128**0.5
    total, divergence, *grads = run(q, k, index_q, index_k, support, documents)
    expected_total, *expected_grads = define(q, k, index_q, index_k, support, documents)
    assert torch.all(grads[0][:, 3] == 0)
    assert torch.all(divergence[:, 3] == 0)
    assert total.item() == pytest.approx(expected_total.item(), rel=tolerance)
    for found, wanted in zip(grads, expected_grads, strict=True):
        assert (found - wanted).norm() <= tolerance * wanted.norm()


@pytest.mark.parametrize("dtype", PAST_THE_BOUND, ids=str)
def test_loss_and_gradient_are_zero_where_no_head_is_left(dtype):
    documents = pack_lengths(3, 130)
    q, k, _ = attention_inputs(133, seed=1, dtype=dtype)
    k[:, :, 0] = 8  # so that no logit happens to be small
    q[:, :, 0] = 8
    total, _, *grads = run(
        q * PAST_THE_BOUND[dtype],
        k,
        *index_inputs(133, seed=2, dtype=dtype),
        random_support(documents, seed=0),
        documents,
    )
    assert total == 0
    assert all(torch.all(grad == 0) for grad in grads)


@pytest.mark.parametrize("lse", [math.inf, -math.inf, 1e30])
def test_a_head_that_is_left_out_leaves_no_trace(lse):
    # Not even of logits that are inf.
    documents = pack_lengths(130)
    schedule = build_backward_schedule(every_block(documents), documents)
    q, k, v = attention_inputs(130, seed=1, dtype=torch.float32)
    index_q, index_k = index_inputs(130, seed=2, dtype=torch.float32)
    head_lse = attention_forward(q, k, v, schedule)[1]
    head_lse[:, 3] = lse
    results = []
    for value in (1.0, 3e38):
        q[:, 3] = value
        results.append(index_kl(q, k, head_lse, index_q, index_k, True, schedule))
    assert results[0][0] > 0
    for one, other in zip(*results, strict=True):
        assert one.isfinite().all()
        assert torch.equal(one, other)


@pytest.mark.parametrize("student_scale", [1, 1e5, 1e9])
@pytest.mark.parametrize("teacher_scale", [1, 1e4, 1e5])
def test_large_logits_leave_no_divergence_negative(teacher_scale, student_scale):
    documents = pack_lengths(*[40] * 3)
    support = every_block(documents)
    index_q, index_k = index_inputs(120, seed=1, dtype=torch.float32)
    q, k = index_q.repeat_interleave(16, dim=1), index_k.expand(-1, 4, -1)
    for query in range(0, 120, 7):
        one = torch.full_like(support, -1)
        one[2, query] = support[2, query]
        operands = (q * teacher_scale, k, index_q * student_scale, index_k)
        total, _, *grads = run(*operands, one, documents)
        assert total >= -1e-5
        # The gradient of a divergence from a distribution, whatever the keys: P_idx and P̄ sum to 1.
        ones = torch.ones_like(index_k)
        _, _, grad_q, _ = run(q * teacher_scale, k, index_q * student_scale, ones, one, documents)
        assert grad_q.abs().max() <= 1e-6
        assert all(grad.isfinite().all() for grad in grads)
