"""The three functions together, under what a training loop puts around them."""

import math

import pytest
import torch
from torch._dynamo.testing import CompileCounterWithBackend
from torch.utils.checkpoint import checkpoint

from msa.autograd import index_kl_loss, select_blocks, sparse_attention
from msa.schedule.backward_schedule import build_backward_schedule
from msa.schedule.documents import PackedDocuments
from msa.schedule.testing import pack_lengths
from msa.testing.inputs import attention_inputs, index_inputs


def attend(q, k, v, index_q, index_k, documents):
    """What a layer does: `out` and the loss of its index branch."""
    support = select_blocks(index_q, index_k, documents)
    schedule = build_backward_schedule(support, documents)
    out, lse = sparse_attention(q, k, v, support, documents, schedule=schedule, return_lse=True)
    loss = index_kl_loss(
        q, k, lse, index_q, index_k, support, documents, coefficient=0.1, schedule=schedule
    )
    return out, loss


def leaves(num_tokens: int, seed: int, dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    inputs = (*attention_inputs(num_tokens, seed, dtype), *index_inputs(num_tokens, seed, dtype))
    return [x.requires_grad_() for x in inputs]


def results(function, inputs, documents) -> tuple[torch.Tensor, ...]:
    """`out`, the loss, and the gradients of their sum."""
    out, loss = function(*inputs, documents)
    return out, loss, *torch.autograd.grad(out.square().sum() + loss, inputs)


class Layer(torch.nn.Module):
    """An MSA layer over a few features."""

    def __init__(self):
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        heads = (64, 4, 4, 4, 1)
        self.weight = torch.nn.Parameter(torch.randn(8, sum(heads) * 128, generator=generator))
        self.heads = heads

    def forward(self, x: torch.Tensor, documents: PackedDocuments) -> torch.Tensor:
        projected = (x @ self.weight).unflatten(-1, (-1, 128)).split(self.heads, dim=1)
        out, loss = attend(*projected, documents)
        return out.mean(dim=(1, 2)).square().sum() + loss


@pytest.mark.parametrize("closed_over", [False, True])
def test_compiles_into_one_graph(closed_over):
    torch.compiler.reset()
    documents = pack_lengths(3, 150)
    inputs = leaves(153, seed=0)
    expected = results(attend, inputs, documents)

    def function(q, k, v, index_q, index_k, passed):
        return attend(q, k, v, index_q, index_k, documents if closed_over else passed)

    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    for found, wanted in zip(results(compiled, inputs, documents), expected, strict=True):
        assert torch.equal(found, wanted)


def test_compiles_for_any_number_of_tokens():
    torch.compiler.reset()
    compiled = torch.compile(attend, fullgraph=True, backend="aot_eager", dynamic=True)
    for lengths in ((3, 150), (140,), (1, 1, 129, 7)):
        documents = pack_lengths(*lengths)
        inputs = leaves(documents.num_tokens, seed=0)
        expected = results(attend, inputs, documents)
        for found, wanted in zip(results(compiled, inputs, documents), expected, strict=True):
            assert torch.equal(found, wanted)


def test_compiles_once_for_the_token_dimensions_that_are_marked():
    torch.compiler.reset()
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(attend, fullgraph=True, backend=counter)
    # Layouts of as many documents and workspace rows: T alone differs.
    for lengths in ((3, 150), (100, 129), (128, 256)):
        documents = pack_lengths(*lengths)
        inputs = leaves(documents.num_tokens, seed=0)
        expected = results(attend, inputs, documents)
        layout = (
            documents.token_rows,
            documents.document_positions,
            documents.workspace_positions,
        )
        for x in (*inputs, *layout):
            torch._dynamo.mark_dynamic(x, 0)
        for found, wanted in zip(results(compiled, inputs, documents), expected, strict=True):
            assert torch.equal(found, wanted)
    assert counter.frame_count == 1


def test_compiles_for_any_number_of_forced_blocks():
    torch.compiler.reset()
    documents = pack_lengths(300)
    index_q, index_k = index_inputs(300, seed=0)
    compiled = torch.compile(select_blocks, fullgraph=True, backend="aot_eager")
    for forced in ((0, 1), (1, 1), (2, 0), (3, 2)):
        options = dict(zip(("init_blocks", "local_blocks"), forced, strict=True))
        found = compiled(index_q, index_k, documents, **options)
        assert torch.equal(found, select_blocks(index_q, index_k, documents, **options))


def test_compiles_where_the_schedule_is_built_inside():
    torch.compiler.reset()
    documents = pack_lengths(3, 150)
    inputs = leaves(153, seed=0)

    def function(q, k, v, index_q, index_k, documents):
        support = select_blocks(index_q, index_k, documents)
        out, lse = sparse_attention(q, k, v, support, documents, return_lse=True)
        loss = index_kl_loss(
            q, k, lse, index_q, index_k, support, documents, coefficient=torch.tensor(0.1)
        )
        return out, loss

    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    expected = results(function, inputs, documents)
    for found, wanted in zip(results(compiled, inputs, documents), expected, strict=True):
        assert torch.equal(found, wanted)


@pytest.mark.parametrize("backward_inside", [False, True])
def test_autocast_is_a_cast_of_the_inputs(backward_inside):
    documents = pack_lengths(3, 150)
    wide = leaves(153, seed=0)
    narrow = [x.detach().to(torch.bfloat16).requires_grad_() for x in wide]
    expected = results(attend, narrow, documents)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out, loss = attend(*wide, documents)
        if backward_inside:
            (out.square().sum() + loss).backward()
    if not backward_inside:
        (out.square().sum() + loss).backward()
    assert out.dtype == torch.bfloat16
    assert loss.dtype == torch.float32
    assert torch.equal(out, expected[0])
    assert torch.equal(loss, expected[1])
    for x, grad in zip(wide, expected[2:], strict=True):
        assert x.grad.dtype == torch.float32
        torch.testing.assert_close(x.grad, grad.float(), rtol=1e-2, atol=1e-3)


def test_autocast_unites_mixed_dtypes_and_leaves_lse_alone():
    documents = pack_lengths(20)
    q, k, v, index_q, index_k = leaves(20, seed=0)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        support = select_blocks(index_q.bfloat16(), index_k, documents)
        out, lse = sparse_attention(q, k.bfloat16(), v, support, documents, return_lse=True)
    assert out.dtype == torch.bfloat16
    assert lse.dtype == torch.float32


def test_autocast_to_an_unsupported_dtype_is_rejected():
    documents = pack_lengths(20)
    q, k, v, index_q, index_k = leaves(20, seed=0)
    support = select_blocks(index_q, index_k, documents)
    with torch.autocast("cpu", dtype=torch.float16):
        with pytest.raises(TypeError, match=r"index_q .*torch\.float16"):
            select_blocks(index_q, index_k, documents)
        with pytest.raises(TypeError, match=r"q .*torch\.float16"):
            sparse_attention(q, k, v, support, documents)


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_checkpointing_gives_the_same_gradients(use_reentrant):
    documents = pack_lengths(3, 150)
    inputs = leaves(153, seed=0)

    def checkpointed(*arguments):
        return checkpoint(attend, *arguments, use_reentrant=use_reentrant)

    out, loss = attend(*inputs, documents)
    (out.square().sum() + loss).backward()
    expected = [x.grad for x in inputs]
    again = leaves(153, seed=0)
    out, loss = checkpointed(*again, documents)
    (out.square().sum() + loss).backward()
    for x, wanted in zip(again, expected, strict=True):
        assert torch.equal(x.grad, wanted)


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_two_checkpointed_microbatches_backward_in_reverse_order(use_reentrant):
    microbatches = [
        (torch.randn(length, 8, generator=torch.Generator().manual_seed(length)), documents)
        for length, documents in ((300, pack_lengths(127, 173)), (500, pack_lengths(500)))
    ]
    plain = Layer()
    for x, documents in microbatches:
        plain(x, documents).backward()

    layer = Layer()
    losses = [
        checkpoint(layer, x.requires_grad_(), documents, use_reentrant=use_reentrant)
        for x, documents in microbatches
    ]
    for loss in reversed(losses):
        loss.backward()
    assert torch.equal(layer.weight.grad, plain.weight.grad)


@pytest.mark.parametrize("padding", [0, 1, 77, 128])
def test_padding_before_a_document_changes_none_of_its_rows(padding):
    alone = pack_lengths(200)
    expected = results(attend, leaves(200, seed=0), alone)

    ids = torch.zeros(2, padding + 200, dtype=torch.int64)
    ids[0, padding:] = 7
    ids[1, :50] = 7
    documents = PackedDocuments.from_document_ids(ids)
    padded = []
    for x in leaves(200, seed=0):
        wide = torch.full((2, padding + 200, *x.shape[1:]), math.nan)
        wide[0, padding:] = x.detach()
        wide[1, :50] = 1
        padded.append(wide.requires_grad_())

    out, _ = attend(*(documents.pack(x) for x in padded), documents)
    rows = documents.unpack(out)[0]
    assert torch.all(rows[:padding] == 0)
    assert torch.equal(rows[padding:], expected[0])
    grads = torch.autograd.grad(rows.square().sum(), padded[:3])
    for found, wanted in zip(grads, expected[2:5], strict=True):
        assert torch.all(found[0, :padding] == 0)
        assert torch.equal(found[0, padding:], wanted)


def test_a_frozen_main_branch_still_trains_the_index_branch():
    documents = pack_lengths(3, 150)
    q, k, v, index_q, index_k = leaves(153, seed=0)
    expected = torch.autograd.grad(attend(q, k, v, index_q, index_k, documents)[1], index_q)[0]
    frozen = [x.detach() for x in (q, k, v)]
    _, loss = attend(*frozen, index_q, index_k, documents)
    assert torch.equal(torch.autograd.grad(loss, index_q)[0], expected)


def test_what_inference_mode_builds_can_train():
    inputs = leaves(153, seed=0)
    expected = results(attend, inputs, pack_lengths(3, 150))
    q, k, v, index_q, index_k = inputs
    with torch.inference_mode():
        documents = pack_lengths(3, 150)
        support = select_blocks(index_q, index_k, documents)
        schedule = build_backward_schedule(support, documents)
    for given in (None, schedule):
        out, lse = sparse_attention(q, k, v, support, documents, schedule=given, return_lse=True)
        loss = index_kl_loss(
            q, k, lse, index_q, index_k, support, documents, coefficient=0.1, schedule=given
        )
        grads = torch.autograd.grad(out.square().sum() + loss, inputs)
        for found, wanted in zip((out, loss, *grads), expected, strict=True):
            assert torch.equal(found, wanted)
