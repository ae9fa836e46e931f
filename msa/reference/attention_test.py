import dataclasses
import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from msa.reference.attention import attention_backward, attention_forward
from msa.schedule.backward_schedule import MSABackwardSchedule, build_backward_schedule
from msa.schedule.documents import PackedDocuments
from msa.schedule.testing import pack_lengths, random_support, spoil
from msa.testing import definition
from msa.testing.accuracy import compare
from msa.testing.inputs import attention_inputs
from msa.testing.memory import LargestTensor
from msa.testing.patterns import every_block

NAMES = ("out", "lse", "dq", "dk", "dv")


def run(q, k, v, grad_out, schedule: MSABackwardSchedule) -> tuple[torch.Tensor, ...]:
    """`out, lse, dq, dk, dv` of the reference."""
    out, lse = attention_forward(q, k, v, schedule)
    return out, lse, *attention_backward(grad_out, q, k, v, out, lse, schedule)


def define(
    q, k, v, grad_out, support, documents: PackedDocuments, queries: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """`out, lse, dq` at `queries`, and `dk, dv`, of the definition in float64."""
    inputs = [x.double().requires_grad_() for x in (q, k, v)]
    out, lse = definition.attention_rows(*inputs, support, documents, queries)
    dq, dk, dv = torch.autograd.grad(out, inputs, grad_out[queries].double())
    return out.detach(), lse.detach(), dq[queries], dk, dv


def assert_as_defined(support, documents, dtype=torch.float64, queries=None) -> None:
    """Compares all results, for a `grad_out` that is zero except at `queries`."""
    num_tokens = documents.num_tokens
    queries = torch.arange(num_tokens) if queries is None else queries
    q, k, v = attention_inputs(num_tokens, seed=1, dtype=dtype)
    grad_out = torch.zeros_like(q)
    grad_out[queries] = attention_inputs(len(queries), seed=2, dtype=dtype)[0]
    out, lse, dq, dk, dv = run(q, k, v, grad_out, build_backward_schedule(support, documents))
    actual = (out[queries], lse[queries], dq[queries], dk, dv)
    expected = define(q, k, v, grad_out, support, documents, queries)
    for name, found, wanted in zip(NAMES, actual, expected, strict=True):
        comparison = compare(name, found, wanted, dtype)
        assert comparison.passed, comparison


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize(
    "lengths", [(127, 129, 1, 2, 3, 5, 128), (1,), (0, 130, 0, 0, 140), (1,) * 20], ids=str
)
def test_results_and_gradients_are_those_of_the_definition(lengths, dtype):
    documents = pack_lengths(*lengths)
    assert_as_defined(random_support(documents, seed=0), documents, dtype)


@pytest.mark.parametrize(
    "ids",
    [
        pytest.param([0, 1, 2], id="own block last"),
        pytest.param([2, 0, 1], id="own block first"),
        pytest.param([2, 1, 0], id="descending"),
        pytest.param([0, 1], id="own block not selected"),
        pytest.param([0, -1, 2], id="-1 in the middle"),
        pytest.param([-1] * 15 + [1], id="only the last slot"),
        pytest.param([3], id="future only"),
        pytest.param([3, 1], id="future and past"),
        pytest.param([], id="nothing"),
        pytest.param([1, 1, 0, 1], id="repeats"),
        pytest.param([-5, 2**31 - 1, -(2**31)], id="no blocks of any document"),
    ],
)
def test_a_support_may_hold_its_ids_in_any_way(ids):
    # The query at position 329 of 400 has its own block in 2; block 3 is in its future.
    documents = pack_lengths(400)
    query = torch.tensor([329])
    support = every_block(documents)
    support[:, query] = -1
    support[:, query, : len(ids)] = torch.tensor(ids, dtype=torch.int32)
    assert_as_defined(support, documents, queries=query)


def test_bad_ids_are_dropped_everywhere():
    documents = pack_lengths(127, 129, 200)
    support = random_support(documents, seed=0, fill=0.7)
    assert_as_defined(spoil(support, documents, seed=1), documents)


def test_queries_without_visible_keys_have_zero_results_and_gradients():
    documents = pack_lengths(150)
    support = random_support(documents, seed=0)
    support[1, 70:90] = -1
    support[:, 149] = -1
    q, k, v = attention_inputs(150, seed=1)
    schedule = build_backward_schedule(support, documents)
    out, lse, dq, dk, dv = run(q, k, v, torch.ones_like(q), schedule)
    for rows, heads in ((slice(70, 90), slice(16, 32)), (149, slice(None))):
        assert torch.all(out[rows, heads] == 0)
        assert torch.all(lse[rows, heads] == -math.inf)
        assert torch.all(dq[rows, heads] == 0)
    assert not any(grad.isnan().any() for grad in (out, lse, dq, dk, dv))


def test_all_blocks_up_to_2048_tokens_are_dense_causal_attention():
    documents = pack_lengths(2048)
    q, k, v = (x.requires_grad_() for x in attention_inputs(2048, 0, torch.float32))
    grad_out = attention_inputs(2048, 1, torch.float32)[0]
    schedule = build_backward_schedule(every_block(documents), documents)
    out, _, *grads = run(q, k, v, grad_out, schedule)
    dense = scaled_dot_product_attention(
        *(x.transpose(0, 1)[None] for x in (q, k, v)), is_causal=True, enable_gqa=True
    )[0].transpose(0, 1)
    dense_grads = torch.autograd.grad(dense, (q, k, v), grad_out)
    for actual, expected in zip((out, *grads), (dense, *dense_grads), strict=True):
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
def test_dtypes_and_layouts_of_the_results(dtype):
    documents = pack_lengths(5, 140)
    schedule = build_backward_schedule(random_support(documents, seed=0), documents)
    q, k, v = attention_inputs(145, seed=1, dtype=dtype)
    out, lse, *grads = run(q, k, v, q, schedule)
    for result, like in zip((out, *grads), (q, q, k, v), strict=True):
        assert result.dtype == dtype
        assert result.shape == like.shape
        assert result.is_contiguous()
    assert lse.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    assert lse.shape == (145, 64)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("sign", [1, -1])
def test_logits_of_a_thousand_stay_finite_and_right(sign, dtype):
    documents = pack_lengths(180)
    support = random_support(documents, seed=0)
    q, k, v = attention_inputs(180, seed=1)
    # A common component gives every logit the offset 1e3; what remains is of the order of 10.
    q[..., 0], k[..., 0] = 1e3 * sign, 128**0.5
    q[:, :, 1:] *= 3
    q, k, v = (x.to(dtype) for x in (q, k, v))
    grad_out = attention_inputs(180, seed=2, dtype=dtype)[0]
    actual = run(q, k, v, grad_out, build_backward_schedule(support, documents))
    expected = define(q, k, v, grad_out, support, documents, torch.arange(180))
    assert expected[1][expected[1].isfinite()].sign().eq(sign).all()
    # A logit of 1e3 has an absolute rounding error of 1e3 times the precision of its sum.
    rounding = 1e-11 if dtype == torch.float64 else 2e-2 if dtype == torch.bfloat16 else 2e-3
    for name, found, wanted in zip(NAMES, actual, expected, strict=True):
        finite = wanted.isfinite()
        assert torch.equal(found.isfinite(), finite), name
        error = (found[finite].double() - wanted[finite]).norm() / wanted[finite].norm()
        assert error < rounding, name


def test_logits_past_fp32_have_no_weight():
    documents = pack_lengths(300)
    q, k, v = attention_inputs(300, seed=1)
    q[..., 0], k[..., 0] = 1e20, 0
    k[:128, :, 0] = -1e20  # block 0: -1e40, beside logits of the order of 1
    q, k, v = q.float(), k.float(), v.float()
    grad_out = attention_inputs(300, seed=2, dtype=torch.float32)[0]
    support = every_block(documents)
    without = torch.where(support == 0, -1, support)
    actual, expected = (
        run(q, k, v, grad_out, build_backward_schedule(s, documents)) for s in (support, without)
    )
    for name, found, wanted in zip(NAMES, actual, expected, strict=True):
        torch.testing.assert_close(found, wanted, msg=lambda text, name=name: f"{name}: {text}")


@pytest.mark.parametrize(
    "dtype, largest",
    [(torch.float64, 2.0**51), (torch.float32, 2.0**22), (torch.bfloat16, 2.0**22)],
    ids=str,
)
@pytest.mark.parametrize("size", [1, 2**30])
def test_an_lse_that_holds_no_difference_to_a_logit_has_no_gradient(size, dtype, largest):
    documents = pack_lengths(200)
    support = random_support(documents, seed=3)
    q, k, v = attention_inputs(200, seed=4)
    q, k = q.round(), k.round() * size * largest
    q, k, v = (x.to(dtype) for x in (q, k, v))
    grad_out = attention_inputs(200, seed=5, dtype=dtype)[0]
    schedule = build_backward_schedule(support, documents)
    out, lse, *grads = run(q, k, v, grad_out, schedule)
    assert out.isfinite().all()
    too_large = (lse.abs() >= largest) & lse.isfinite()
    assert too_large.any()
    assert not too_large.all()
    grad_out[too_large] = 0
    _, _, *expected = run(q, k, v, grad_out, schedule)
    assert not grads[0][too_large].any()
    for name, found, wanted in zip(NAMES[2:], grads, expected, strict=True):
        assert found.isfinite().all(), name
        assert torch.equal(found, wanted), name


@pytest.mark.parametrize("large", [1e4, math.inf, math.nan])
def test_unselected_blocks_and_other_documents_never_leak(large):
    documents = pack_lengths(10, 400, 60)
    support = torch.full((4, 470, 16), -1, dtype=torch.int32)
    support[..., 0] = documents.document_positions // 128
    support[..., 1] = 0
    q, k, v = attention_inputs(470, seed=1)
    # Block 1 of the long document is selected by its own queries alone: take those away.
    block_1 = slice(10 + 128, 10 + 256)
    support[:, block_1] = -1
    schedule = build_backward_schedule(support, documents)
    expected = run(q, k, v, q, schedule)
    for x in (k, v):
        x[block_1] = large
    actual = run(q, k, v, q, schedule)
    for name, found, wanted in zip(NAMES, actual, expected, strict=True):
        assert torch.equal(found, wanted), name
    dk, dv = actual[3:]
    assert torch.all(dk[block_1] == 0)
    assert torch.all(dv[block_1] == 0)


def test_a_head_that_does_not_select_a_block_gives_it_no_gradient():
    documents = pack_lengths(256)
    support = every_block(documents)
    support[2, 128:, :2] = torch.tensor([1, -1])
    support[2, :128] = -1
    q, k, v = attention_inputs(256, seed=1)
    *_, dk, dv = run(q, k, v, q, build_backward_schedule(support, documents))
    for grad in (dk, dv):
        assert torch.all(grad[:128, 2] == 0)
        assert torch.all(grad[:128, [0, 1, 3]].abs().amax(dim=-1) > 0)


@pytest.mark.parametrize("head", range(64))
def test_the_output_gradient_of_a_query_head_reaches_its_kv_head_alone(head):
    documents = pack_lengths(9)
    schedule = build_backward_schedule(every_block(documents), documents)
    q, k, v = attention_inputs(9, seed=1)
    grad_out = torch.zeros_like(q)
    grad_out[8, head, 3] = 1
    *_, dq, dk, dv = run(q, k, v, grad_out, schedule)
    touched = [
        torch.nonzero(grad.flatten(2).any(dim=2).any(dim=0)).flatten().tolist()
        for grad in (dq, dk, dv)
    ]
    assert touched == [[head], [head // 16], [head // 16]]
    assert torch.all(dq[:8] == 0)
    assert torch.all(dv[..., :3] == 0)
    torch.testing.assert_close(dv.sum(), torch.ones((), dtype=torch.float64))


def test_delta_makes_the_logit_gradients_of_a_query_sum_to_zero():
    # With equal keys, dq = scale * (sum of dS) k.
    documents = pack_lengths(200)
    schedule = build_backward_schedule(every_block(documents), documents)
    q, k, v = attention_inputs(200, seed=1)
    k[:] = k[0].clone()
    dq = run(q, k, v, q, schedule)[2]
    assert dq.abs().max() < 1e-12


def test_rows_may_be_numbered_in_any_order():
    documents = pack_lengths(300, 5, 400)
    schedule = build_backward_schedule(random_support(documents, seed=0), documents)
    q, k, v = attention_inputs(705, seed=1)
    expected = run(q, k, v, q, schedule)
    actual = run(q, k, v, q, renumber_rows(schedule, seed=2))
    for found, wanted in zip(actual, expected, strict=True):
        assert torch.equal(found, wanted)


def test_what_lies_behind_the_last_work_item_and_row_is_never_read():
    documents = pack_lengths(300, 5, 400)
    schedule = build_backward_schedule(random_support(documents, seed=0), documents)
    q, k, v = attention_inputs(705, seed=1)
    expected = run(q, k, v, q, schedule)
    items, edges = schedule.scheduler_metadata.clone(), schedule.q_indices.clone()
    items[int(schedule.work_count) :] = 2**31 - 1
    for head in range(4):
        edges[head, int(schedule.row_ptr[head, -1]) :] = 2**31 - 1
    spoiled = dataclasses.replace(schedule, scheduler_metadata=items, q_indices=edges)
    for found, wanted in zip(run(q, k, v, q, spoiled), expected, strict=True):
        assert torch.equal(found, wanted)


@pytest.mark.parametrize("before", [(1,), (77,), (128,), (300, 5)], ids=str)
def test_a_document_gets_the_same_rows_wherever_it_stands(before):
    inputs = [*attention_inputs(300, seed=1), attention_inputs(300, seed=2)[0]]
    alone = pack_lengths(300)
    support = random_support(alone, seed=0)
    expected = run(*inputs, build_backward_schedule(support, alone))

    documents = pack_lengths(*before, 300)
    shift = sum(before)
    others = [*attention_inputs(shift, seed=3), attention_inputs(shift, seed=4)[0]]
    inputs = [torch.cat(pair) for pair in zip(others, inputs, strict=True)]
    support = torch.cat((random_support(pack_lengths(*before), seed=5), support), dim=1)
    actual = run(*inputs, build_backward_schedule(support, documents))
    for found, wanted in zip(actual, expected, strict=True):
        torch.testing.assert_close(found[shift:], wanted, rtol=1e-12, atol=1e-12)


def test_neither_autograd_nor_autocast_reaches_inside():
    documents = pack_lengths(200)
    schedule = build_backward_schedule(random_support(documents, seed=0), documents)
    q, k, v = attention_inputs(200, seed=1, dtype=torch.bfloat16)
    expected = run(q, k, v, q, schedule)
    inputs = [x.clone().requires_grad_() for x in (q, k, v)]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        actual = run(*inputs, q, schedule)
    for found, wanted in zip(actual, expected, strict=True):
        assert not found.requires_grad
        assert torch.equal(found, wanted)


def test_memory_is_linear_in_the_tokens():
    documents = pack_lengths(1024)
    schedule = build_backward_schedule(every_block(documents), documents)
    q, k, v = attention_inputs(1024, seed=1, dtype=torch.float32)
    with LargestTensor() as largest:
        run(q, k, v, q, schedule)
    # 1024 x 1024 probabilities of 64 heads would be eight times as many.
    assert largest.elements <= q.numel()


def renumber_rows(schedule: MSABackwardSchedule, seed: int) -> MSABackwardSchedule:
    """The same schedule with its CSR rows in random order."""
    num_rows = schedule.row_ptr.shape[1] - 1
    order = torch.randperm(num_rows, generator=torch.Generator().manual_seed(seed))
    row_ptr, q_indices = torch.zeros_like(schedule.row_ptr), schedule.q_indices.clone()
    for head in range(4):
        bounds = schedule.row_ptr[head].tolist()
        rows = [schedule.q_indices[head, bounds[row] : bounds[row + 1]] for row in order.tolist()]
        row_ptr[head, 1:] = torch.tensor([len(row) for row in rows]).cumsum(0)
        q_indices[head, : bounds[-1]] = torch.cat(rows)
    items = schedule.scheduler_metadata.clone()
    items[:, 1] = order.argsort()[items[:, 1].long()]
    return dataclasses.replace(
        schedule, row_ptr=row_ptr, q_indices=q_indices, scheduler_metadata=items
    )
