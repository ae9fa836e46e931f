import math
from fractions import Fraction

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from msa.autograd.attention import sparse_attention
from msa.autograd.index_kl import dense_index_kl_loss, index_kl_loss
from msa.schedule.backward_schedule import build_backward_schedule, schedule_tensors
from msa.schedule.testing import pack_lengths, random_support
from msa.testing import definition
from msa.testing.inputs import attention_inputs, index_inputs
from msa.testing.patterns import every_block

DOCUMENTS = pack_lengths(3, 130)
NUM_TOKENS = 133
SUPPORT = random_support(DOCUMENTS, seed=0)
SUPPORT[:, 100:110] = -1


def operands(dtype: torch.dtype = torch.float64) -> tuple[torch.Tensor, ...]:
    """`q, k, lse`, and the leaves `index_q, index_k`."""
    q, k, v = attention_inputs(NUM_TOKENS, seed=1, dtype=dtype)
    _, lse = sparse_attention(q, k, v, SUPPORT, DOCUMENTS, return_lse=True)
    index = (x.requires_grad_() for x in index_inputs(NUM_TOKENS, seed=2, dtype=dtype))
    return q, k, lse, *index


def test_gradients_are_those_of_finite_differences():
    q, k, lse, *index = operands()
    assert torch.autograd.gradcheck(
        lambda index_q, index_k: index_kl_loss(
            q, k, lse, index_q, index_k, SUPPORT, DOCUMENTS, coefficient=100.0
        ),
        index,
        fast_mode=True,
    )


def test_gradients_are_those_of_finite_differences_where_heads_are_left_out():
    q, k, v = attention_inputs(NUM_TOKENS, seed=1)
    k[..., 0] = 1
    q[:, 3:20, 0] += 1e18  # |lse| of 1e17, past 2^51
    _, lse = sparse_attention(q, k, v, SUPPORT, DOCUMENTS, return_lse=True)
    index = [x.requires_grad_() for x in index_inputs(NUM_TOKENS, seed=2)]
    assert torch.autograd.gradcheck(
        lambda index_q, index_k: index_kl_loss(
            q, k, lse, index_q, index_k, SUPPORT, DOCUMENTS, coefficient=100.0
        ),
        index,
        fast_mode=True,
    )


@pytest.mark.parametrize(
    "dtype, tolerance", [(torch.float64, 1e-12), (torch.float32, 1e-5), (torch.bfloat16, 7e-3)]
)
def test_loss_and_gradients_are_those_of_the_definition(dtype, tolerance):
    q, k, lse, *index = operands(dtype)
    loss = index_kl_loss(q, k, lse, *index, SUPPORT, DOCUMENTS, coefficient=2.5)
    assert loss.dtype == lse.dtype
    assert loss.shape == ()
    grads = torch.autograd.grad(loss, index)
    wide = [x.detach().double().requires_grad_() for x in index]
    rows = definition.index_kl_rows(
        q.double(), k.double(), *wide, SUPPORT, DOCUMENTS, torch.arange(NUM_TOKENS)
    )
    # T counts the queries without keys as well.
    expected = rows.sum() * (2.5 / (4 * NUM_TOKENS))
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)
    for found, wanted in zip(grads, torch.autograd.grad(expected, wide), strict=True):
        assert found.dtype == dtype
        assert (found.double() - wanted).norm() <= tolerance * wanted.norm()


def test_a_student_equal_to_its_teacher_has_zero_loss_and_gradient():
    index_q, index_k = index_inputs(NUM_TOKENS, seed=1)
    q, k = index_q.repeat_interleave(16, dim=1), index_k.repeat_interleave(4, dim=1)
    _, lse = sparse_attention(q, k, k, SUPPORT, DOCUMENTS, return_lse=True)
    index = (index_q.requires_grad_(), index_k.requires_grad_())
    loss = index_kl_loss(q, k, lse, *index, SUPPORT, DOCUMENTS)
    assert loss.abs() < 1e-12
    assert all(grad.abs().max() < 1e-12 for grad in torch.autograd.grad(loss, index))


def test_gradients_reach_the_index_branch_alone():
    inputs = [x.detach().requires_grad_() for x in operands()]
    index_kl_loss(*inputs, SUPPORT, DOCUMENTS).backward()
    q, k, lse, index_q, index_k = inputs
    assert q.grad is None
    assert k.grad is None
    assert lse.grad is None
    assert torch.any(index_q.grad != 0)
    assert torch.any(index_k.grad != 0)
    frozen = index_kl_loss(q, k, lse, index_q.detach(), index_k.detach(), SUPPORT, DOCUMENTS)
    assert not frozen.requires_grad


@pytest.mark.parametrize("wanted", [0, 1])
def test_one_of_the_index_operands_may_require_a_gradient(wanted):
    q, k, lse, *index = operands()
    expected = torch.autograd.grad(index_kl_loss(q, k, lse, *index, SUPPORT, DOCUMENTS), index)
    partial = [x.detach().requires_grad_(place == wanted) for place, x in enumerate(index)]
    index_kl_loss(q, k, lse, *partial, SUPPORT, DOCUMENTS).backward()
    assert torch.equal(partial[wanted].grad, expected[wanted])
    assert partial[1 - wanted].grad is None


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize(
    "coefficient",
    [
        0.25,
        3,
        Fraction(1, 4),
        torch.tensor(0.25),
        torch.tensor(0.25, dtype=torch.float64),
        torch.tensor(3),
    ],
    ids=repr,
)
def test_the_coefficient_scales_loss_and_gradients(coefficient, dtype):
    *fixed, index_q, index_k = operands(dtype)
    unit = index_kl_loss(*fixed, index_q, index_k, SUPPORT, DOCUMENTS)
    scaled = index_kl_loss(*fixed, index_q, index_k, SUPPORT, DOCUMENTS, coefficient=coefficient)
    factor = float(coefficient)
    assert scaled.dtype == dtype
    torch.testing.assert_close(scaled, unit * factor)
    for found, plain in zip(
        torch.autograd.grad(scaled, (index_q, index_k)),
        torch.autograd.grad(unit, (index_q, index_k)),
        strict=True,
    ):
        torch.testing.assert_close(found, plain * factor)


def test_a_ready_schedule_gives_the_same():
    inputs = operands()
    schedule = build_backward_schedule(SUPPORT, DOCUMENTS)
    built = index_kl_loss(*inputs, SUPPORT, DOCUMENTS)
    assert torch.equal(index_kl_loss(*inputs, SUPPORT, DOCUMENTS, schedule=schedule), built)


def test_strided_inputs_are_right():
    q, k, lse, index_q, index_k = (x.detach() for x in operands())
    fused = torch.cat((q, k, index_q, index_k), dim=1)
    views = [x.requires_grad_() for x in fused.split([64, 4, 4, 1], dim=1)]
    strided_lse = lse.t().contiguous().t()
    strided = index_kl_loss(*views[:2], strided_lse, *views[2:], SUPPORT, DOCUMENTS)
    leaves = (index_q.requires_grad_(), index_k.requires_grad_())
    plain = index_kl_loss(q, k, lse, *leaves, SUPPORT, DOCUMENTS)
    torch.testing.assert_close(strided, plain)
    for found, wanted in zip(
        torch.autograd.grad(strided, views[2:]), torch.autograd.grad(plain, leaves), strict=True
    ):
        torch.testing.assert_close(found, wanted)


def test_a_second_derivative_raises():
    q, k, lse, index_q, index_k = operands()
    loss = index_kl_loss(q, k, lse, index_q, index_k, SUPPORT, DOCUMENTS)
    (grad,) = torch.autograd.grad(loss, index_q, create_graph=True)
    with pytest.raises(RuntimeError, match="second derivative"):
        torch.autograd.grad(grad.sum(), index_q)


def test_every_token_of_the_call_counts():
    # Twice the same document: twice the sum, over twice the tokens.
    q, k, v = attention_inputs(40, seed=1)
    index = index_inputs(40, seed=2)
    losses = []
    for copies in (1, 2):
        documents = pack_lengths(*[40] * copies)
        support = every_block(documents)
        more = [torch.cat([x] * copies) for x in (q, k, v, *index)]
        _, lse = sparse_attention(*more[:3], support, documents, return_lse=True)
        losses.append(index_kl_loss(*more[:2], lse, *more[3:], support, documents))
    torch.testing.assert_close(losses[0], losses[1])


@pytest.mark.parametrize("coefficient", [0, 0.0, torch.tensor(0.0)], ids=repr)
@pytest.mark.parametrize("spoilt", [0, 2, 3], ids=["q", "lse", "index_q"])
def test_a_coefficient_of_zero_switches_off_whatever_the_divergence_is(spoilt, coefficient):
    inputs = [x.detach() for x in operands(torch.float32)]
    inputs[spoilt][50] = math.nan
    index = [x.requires_grad_() for x in inputs[3:]]
    assert index_kl_loss(*inputs, SUPPORT, DOCUMENTS).isnan()
    loss = index_kl_loss(*inputs, SUPPORT, DOCUMENTS, coefficient=coefficient)
    assert loss == 0
    assert all(torch.all(grad == 0) for grad in torch.autograd.grad(loss, index))


class Ran(TorchDispatchMode):
    """Records the operators that run, views aside."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if not func.is_view:
            self.names.append(str(func))
        return func(*args, **(kwargs or {}))


def test_beside_its_operators_a_loss_is_a_product_forward_and_one_backward():
    inputs = operands()
    schedule = build_backward_schedule(SUPPORT, DOCUMENTS)
    with Ran() as ran:
        loss = index_kl_loss(*inputs, SUPPORT, DOCUMENTS, coefficient=0.5, schedule=schedule)
    assert ran.names == ["msa.index_kl_loss.default", "aten.mul.Tensor"]
    one = torch.ones_like(loss)
    with Ran() as ran:
        torch.autograd.grad(loss, inputs[3:], one)
    assert ran.names == ["aten.mul.Tensor", "msa.index_kl_loss_backward.default"]


@pytest.mark.parametrize("value", [0.0, 2.5])
def test_a_coefficient_has_the_gradient_of_a_factor(value):
    inputs = operands()
    coefficient = torch.tensor(value, dtype=torch.float64, requires_grad=True)
    loss = index_kl_loss(*inputs, SUPPORT, DOCUMENTS, coefficient=coefficient)
    (gradient,) = torch.autograd.grad(loss, coefficient)
    torch.testing.assert_close(gradient, index_kl_loss(*inputs, SUPPORT, DOCUMENTS).detach())


def dense_operands(dtype: torch.dtype = torch.float64) -> tuple[torch.Tensor, ...]:
    """`q, k, lse` of dense attention, and the leaves `index_q, index_k`."""
    q, k, v = attention_inputs(NUM_TOKENS, seed=1, dtype=dtype)
    _, lse = sparse_attention(q, k, v, every_block(DOCUMENTS), DOCUMENTS, return_lse=True)
    index = (x.requires_grad_() for x in index_inputs(NUM_TOKENS, seed=2, dtype=dtype))
    return q, k, lse, *index


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
def test_over_all_blocks_the_sparse_loss_is_the_dense_one(dtype):
    q, k, lse, *index = dense_operands(dtype)
    dense = dense_index_kl_loss(q, k, lse, *index, DOCUMENTS, coefficient=3.0)
    sparse = index_kl_loss(q, k, lse, *index, every_block(DOCUMENTS), DOCUMENTS, coefficient=3.0)
    tolerance = {"rtol": 1e-12, "atol": 0} if dtype == torch.float64 else {"rtol": 1e-5, "atol": 0}
    torch.testing.assert_close(dense, sparse, **tolerance)
    grads = [torch.autograd.grad(loss, index) for loss in (dense, sparse)]
    for found, wanted in zip(*grads, strict=True):
        assert found.dtype == dtype
        allowed = 1e-12 if dtype == torch.float64 else 1e-5 if dtype == torch.float32 else 4e-3
        assert (found - wanted).norm() <= allowed * wanted.norm()


def test_dense_gradients_are_those_of_finite_differences():
    q, k, lse, *index = dense_operands()
    assert torch.autograd.gradcheck(
        lambda index_q, index_k: dense_index_kl_loss(
            q, k, lse, index_q, index_k, DOCUMENTS, coefficient=100.0
        ),
        index,
        fast_mode=True,
    )


def test_the_dense_loss_sees_blocks_that_no_selection_could_hold():
    documents = pack_lengths(5, 17 * 128 + 3)
    num_tokens = documents.num_tokens
    q, k, _ = attention_inputs(num_tokens, seed=3, dtype=torch.float32, num_groups=1)
    index_q, index_k = index_inputs(num_tokens, seed=4, dtype=torch.float32, num_groups=1)
    start = 5
    logits = torch.einsum("nhc,tc->hnt", q[start:], k[start:, 0]) * 128**-0.5
    future = torch.ones(logits.shape[1:], dtype=torch.bool).triu(1)
    logits.masked_fill_(future, -math.inf)
    lse = torch.zeros(num_tokens, 16)
    lse[start:] = logits.logsumexp(dim=-1).T
    _, divergence = dense_index_kl_loss(
        q, k, lse, index_q, index_k, documents, return_divergence=True
    )
    teacher = logits.softmax(dim=-1).mean(dim=0)
    student = (index_q[start:, 0] @ index_k[start:, 0].T * 128**-0.5).masked_fill(future, -math.inf)
    terms = torch.xlogy(teacher, teacher) - teacher * student.log_softmax(-1).masked_fill(future, 0)
    torch.testing.assert_close(divergence[start:, 0], terms.sum(-1), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("coefficient", [1.0, 0.25, 0, torch.tensor(2.0)])
def test_divergences_are_those_of_queries_and_heads(coefficient):
    q, k, lse, *index = operands()
    loss, divergence = index_kl_loss(
        q, k, lse, *index, SUPPORT, DOCUMENTS, coefficient=coefficient, return_divergence=True
    )
    rows = definition.index_kl_rows(q, k, *index, SUPPORT, DOCUMENTS, torch.arange(NUM_TOKENS))
    assert divergence.shape == (NUM_TOKENS, 4)
    assert divergence.dtype == lse.dtype
    assert not divergence.requires_grad
    torch.testing.assert_close(divergence, rows.detach(), rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(loss, divergence.mean() * coefficient, rtol=1e-12, atol=0)
    assert (divergence[100:110] == 0).all()  # they see no key


def test_the_dense_loss_rejects_wrong_arguments():
    q, k, lse, *index = dense_operands(torch.float32)
    with pytest.raises(TypeError, match="documents must be a PackedDocuments, got int"):
        dense_index_kl_loss(q, k, lse, *index, 3)
    with pytest.raises(TypeError, match=r"lse must be torch\.float32"):
        dense_index_kl_loss(q, k, lse.double(), *index, DOCUMENTS)
    with pytest.raises(ValueError, match=r"lse must be .*\[133, 64\].*got shape \[133, 16\]"):
        dense_index_kl_loss(q, k, lse[:, :16], *index, DOCUMENTS)
    with pytest.raises(ValueError, match="coefficient"):
        dense_index_kl_loss(q, k, lse, *index, DOCUMENTS, coefficient=torch.ones(2))


def sparse_loss(*inputs, documents=DOCUMENTS, **options):
    return index_kl_loss(*inputs, every_block(documents), documents, **options)


def dense_loss(*inputs, documents=DOCUMENTS, **options):
    return dense_index_kl_loss(*inputs, documents, **options)


both_losses = pytest.mark.parametrize("loss", [sparse_loss, dense_loss])
"""A test for each loss, over the same keys."""


class Flags(TorchDispatchMode):
    """Records whether the losses that run are asked for gradients."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function.name() in ("msa::index_kl_loss", "msa::dense_index_kl_loss"):
            self.found.append(args[5])
        return function(*args, **(kwargs or {}))


@both_losses
def test_gradients_are_computed_where_an_index_operand_asks(loss):
    q, k, lse, *index = dense_operands()
    constants = [x.detach() for x in index]
    q.requires_grad_()
    with Flags() as flags:
        value = loss(q, k, lse, *index)
        values = [loss(q, k, lse, *constants)]
        with torch.no_grad():
            values.append(loss(q, k, lse, *index))
        with torch.inference_mode():
            values.append(loss(q, k, lse, *index))
        for place in (0, 1):
            asks = [x.clone().requires_grad_(place == i) for i, x in enumerate(constants)]
            assert loss(q, k, lse, *asks).requires_grad
    assert flags.found == [True, False, False, False, True, True]
    for found in values:
        assert not found.requires_grad
        assert torch.equal(found, value)


@both_losses
def test_an_operator_without_gradients_has_no_derivative(loss):
    inputs = dense_operands(torch.float32)
    if loss is dense_loss:
        operator, layout = torch.ops.msa.dense_index_kl_loss, (DOCUMENTS.cu_seqlens,)
    else:
        schedule = build_backward_schedule(every_block(DOCUMENTS), DOCUMENTS)
        operator, layout = torch.ops.msa.index_kl_loss, schedule_tensors(schedule)
    for result in operator(*inputs, False, *layout):
        assert not result.requires_grad
    total, *others = operator(*inputs, True, *layout)
    assert total.requires_grad
    assert not any(other.requires_grad for other in others)


@both_losses
def test_half_batches_with_a_global_coefficient_add_up(loss):
    q, k, lse, *index = dense_operands()
    whole = loss(q, k, lse, *index, coefficient=2.0)
    expected = torch.autograd.grad(whole, index)
    total = 0
    for rows in (slice(0, 3), slice(3, 133)):
        length = rows.stop - rows.start
        part = (x[rows] for x in (q, k, lse, *index))
        documents = pack_lengths(length)
        total = total + loss(*part, documents=documents, coefficient=2.0 * length / NUM_TOKENS)
    torch.testing.assert_close(total, whole, rtol=1e-12, atol=0)
    for found, wanted in zip(torch.autograd.grad(total, index), expected, strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-9, atol=1e-14)


@both_losses
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
def test_documents_of_one_token_have_no_divergence(loss, dtype):
    documents = pack_lengths(*[1] * 70)
    q, k, v = attention_inputs(70, seed=1, dtype=dtype)
    index = [x.requires_grad_() for x in index_inputs(70, seed=2, dtype=dtype)]
    _, lse = sparse_attention(q, k, v, every_block(documents), documents, return_lse=True)
    value = loss(q, k, lse, *index, documents=documents)
    assert value.abs() <= 1e-6
    for grad in torch.autograd.grad(value, index):
        assert grad.abs().max() <= 1e-6


@both_losses
@pytest.mark.parametrize("left_out", [math.inf, -math.inf, 2.0**22])
def test_a_query_whose_heads_are_all_left_out_adds_nothing(loss, left_out):
    q, k, lse, *index = dense_operands(torch.float32)
    rows = slice(20, 60)
    lse[rows] = left_out
    value, divergence = loss(q, k, lse, *index, return_divergence=True)
    assert value > 0
    assert torch.all(divergence[rows] == 0)
    grad_q, grad_k = torch.autograd.grad(value, index)
    assert torch.all(grad_q[rows] == 0)
    assert torch.any(grad_q != 0)
    assert grad_k.isfinite().all()


@both_losses
def test_logits_of_ten_thousand_stay_finite_and_right(loss):
    # The same numbers in FP32 and FP64.
    q, k, _ = attention_inputs(NUM_TOKENS, seed=1, dtype=torch.float32)
    index_q, index_k = index_inputs(NUM_TOKENS, seed=2, dtype=torch.float32)
    q, index_q = q * 2000, index_q * 2000
    results = []
    for dtype in (torch.float32, torch.float64):
        inputs = [x.to(dtype) for x in (q, k)]
        index = [x.to(dtype).requires_grad_() for x in (index_q, index_k)]
        _, lse = sparse_attention(
            *inputs, inputs[1], every_block(DOCUMENTS), DOCUMENTS, return_lse=True
        )
        value = loss(*inputs, lse, *index)
        results.append((value.detach(), *torch.autograd.grad(value, index)))
    assert 5e3 < lse.abs().max() < 2e4
    (found, *grads), (wanted, *wanted_grads) = results
    torch.testing.assert_close(found.double(), wanted, rtol=1e-3, atol=0)
    for grad, wanted_grad in zip(grads, wanted_grads, strict=True):
        assert (grad - wanted_grad).norm() <= 0.01 * wanted_grad.norm()


@pytest.mark.parametrize("coefficient", [0, 0.0, torch.tensor(0.0)], ids=repr)
@pytest.mark.parametrize("spoilt", [0, 2, 3], ids=["q", "lse", "index_q"])
def test_a_coefficient_of_zero_switches_off_the_dense_loss(spoilt, coefficient):
    inputs = [x.detach() for x in dense_operands(torch.float32)]
    inputs[spoilt][50] = math.nan
    index = [x.requires_grad_() for x in inputs[3:]]
    assert dense_loss(*inputs).isnan()
    value = dense_loss(*inputs, coefficient=coefficient)
    assert value == 0
    assert all(torch.all(grad == 0) for grad in torch.autograd.grad(value, index))


def test_a_second_derivative_of_the_dense_loss_raises():
    q, k, lse, *index = dense_operands()
    (grad,) = torch.autograd.grad(dense_loss(q, k, lse, *index), index[:1], create_graph=True)
    # Not left out of a sum in silence, either.
    with pytest.raises(RuntimeError, match=r"dense_index_kl_loss .* no second derivative"):
        torch.autograd.grad(grad.sum() + index[0].sum(), index[0])


@both_losses
@pytest.mark.parametrize("use_reentrant", [False, True])
def test_checkpointing_gives_the_same_gradients(loss, use_reentrant):
    q, k, lse, *index = dense_operands(torch.float32)
    expected = torch.autograd.grad(loss(q, k, lse, *index), index)
    value = checkpoint(loss, q, k, lse, *index, use_reentrant=use_reentrant)
    value.backward()
    for x, wanted in zip(index, expected, strict=True):
        assert torch.equal(x.grad, wanted)


@both_losses
def test_autocast_is_a_cast_of_the_operands(loss):
    q, k, lse, *index = dense_operands(torch.float32)
    narrow = [x.detach().bfloat16().requires_grad_() for x in index]
    expected = loss(q.bfloat16(), k.bfloat16(), lse, *narrow)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = loss(q, k, lse, *index)
    assert torch.equal(value, expected)
    grads = [torch.autograd.grad(value, index), torch.autograd.grad(expected, narrow)]
    for found, wanted in zip(*grads, strict=True):
        assert found.dtype == torch.float32
        assert torch.equal(found, wanted.float())
