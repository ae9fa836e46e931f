"""Attention on a GPU against the float64 definition: documents, supports, sizes of values."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from msa.autograd import sparse_attention
from msa.kernels.runtime.testing import needs_gpu
from msa.schedule import PackedDocuments
from msa.schedule.testing import pack_lengths, random_support, spoil
from msa.testing import patterns
from msa.testing.accuracy import compare
from msa.testing.patterns import every_block, no_block
from msa.tests import attention_testing as testing
from msa.tests.attention_testing import (
    MODES,
    Results,
    check,
    define,
    run,
    unit_normal,
    with_large_value,
)

pytestmark = needs_gpu

SHORT = pack_lengths(127, 129, 1, 2, 3, 5, 128)
# More blocks than a query keeps, and a document that starts and ends inside a block of rows.
LONG = pack_lengths(2200, 385)

DOCUMENTS = {
    "around a block": SHORT,
    "1": pack_lengths(1),
    "128": pack_lengths(128),
    "129": pack_lengths(129),
    "385": pack_lengths(385),
    "130 of one token": pack_lengths(*[1] * 130),
    "30 of 1 to 3": pack_lengths(*[1, 2, 3] * 10),
    "33, 65, 257, 385": pack_lengths(33, 65, 257, 385),
    "whole blocks": pack_lengths(256, 128, 512),
    "some without tokens": pack_lengths(0, 130, 0, 0, 300, 0),
    "padding": PackedDocuments.from_document_ids(
        torch.tensor([[0] * 5 + [1] * 300 + [0] * 3 + [2] * 92, [1] * 390 + [0] * 10])
    ),
}


def some_blocks(documents: PackedDocuments) -> torch.Tensor:
    """Any number of blocks down to none, in any order, with -1 in between."""
    return random_support(documents, seed=1)


def of_pattern(name: str):
    def support_of(documents: PackedDocuments) -> torch.Tensor:
        return patterns.PATTERNS[name](documents, torch.Generator().manual_seed(2))

    return support_of


def only_first_block(documents: PackedDocuments) -> torch.Tensor:
    support = no_block(documents)
    support[..., 7] = 0
    return support


def only_own_block(documents: PackedDocuments) -> torch.Tensor:
    support = no_block(documents)
    support[..., 15] = documents.document_positions // 128
    return support


def descending(documents: PackedDocuments) -> torch.Tensor:
    return of_pattern("random")(documents).flip(-1)


def without_own_block(documents: PackedDocuments) -> torch.Tensor:
    """Queries of a document's first block select nothing."""
    support = of_pattern("random")(documents)
    own = (documents.document_positions // 128)[:, None]
    return torch.where(support == own, -1, support)


def bad_ids(documents: PackedDocuments) -> torch.Tensor:
    return spoil(random_support(documents, seed=3, fill=0.6), documents, seed=4)


def one_query(documents: PackedDocuments) -> torch.Tensor:
    """One query selects, in one head."""
    support = no_block(documents)
    support[2, 1500, :12] = torch.arange(12, dtype=torch.int32)
    return support


def a_head_without(documents: PackedDocuments) -> torch.Tensor:
    support = of_pattern("clustered")(documents)
    support[1] = -1
    return support


SUPPORTS = {
    **{name: of_pattern(name) for name in patterns.PATTERNS},
    "some blocks": some_blocks,
    "only first block": only_first_block,
    "only own block": only_own_block,
    "descending": descending,
    "without own block": without_own_block,
    "bad ids": bad_ids,
    "one query": one_query,
    "a head without": a_head_without,
    "nothing": no_block,
}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("support_of", [every_block, some_blocks])
def test_documents(name, support_of):
    documents = DOCUMENTS[name]
    inputs = unit_normal(documents.num_tokens, seed=1)
    check(inputs, support_of(documents), documents, f"{name}, {support_of.__name__}")


@pytest.mark.parametrize("name", SUPPORTS)
def test_supports(name):
    inputs = unit_normal(LONG.num_tokens, seed=2)
    check(inputs, SUPPORTS[name](LONG), LONG, name)


@pytest.mark.parametrize("num_tokens", [1000, 2048])
def test_every_block_is_dense_causal_attention(num_tokens):
    documents = pack_lengths(num_tokens)
    support, documents = every_block(documents).to(testing.DEVICE), documents.to(testing.DEVICE)
    inputs = unit_normal(num_tokens, seed=3)
    q, k, v = (x.double().requires_grad_() for x in inputs[:3])
    dense = scaled_dot_product_attention(
        *(x.transpose(0, 1)[None] for x in (q, k, v)), is_causal=True, enable_gqa=True
    )[0].transpose(0, 1)
    expected = (dense, *torch.autograd.grad(dense, (q, k, v), inputs.grad_out.double()))
    for mode, context in MODES.items():
        with context():
            out, _, *grads = run(inputs, support, documents)
        for name, found, wanted in zip(
            ("out", "dq", "dk", "dv"), (out, *grads), expected, strict=True
        ):
            case = f"{num_tokens} tokens, {mode}"
            testing.assert_close(name, found, wanted.detach(), case)


@pytest.mark.parametrize("size", [1e-6, 32.0, 1e4])
def test_sizes_of_values(size):
    inputs = unit_normal(SHORT.num_tokens, seed=4)
    inputs = inputs._replace(v=inputs.v * size)
    units = dict.fromkeys(("out", "dq", "dk"), size)
    check(inputs, some_blocks(SHORT), SHORT, f"values of {size:g}", **units)


@pytest.mark.parametrize("size", [1e-6, 1e4])
def test_sizes_of_output_gradients(size):
    inputs = unit_normal(SHORT.num_tokens, seed=5)
    inputs = inputs._replace(grad_out=inputs.grad_out * size)
    units = dict.fromkeys(("dq", "dk", "dv"), size)
    check(inputs, some_blocks(SHORT), SHORT, f"output gradients of {size:g}", **units)


def test_logits_up_to_a_thousand():
    """Most queries give nearly all their weight to one key.

    Of dS, a small difference of large terms, the rounding of out to bf16 leaves fewer digits.
    """
    inputs = unit_normal(SHORT.num_tokens, seed=6)
    inputs = inputs._replace(q=inputs.q * 220)
    wanted = check(inputs, every_block(SHORT), SHORT, "q of 220", slack=2, dk=220)
    finite = wanted.lse[wanted.lse.isfinite()]
    assert finite.max() > 900
    assert finite.min() < -400


def test_one_value_far_above_the_others():
    inputs, units = with_large_value(unit_normal(LONG.num_tokens, seed=7))
    check(inputs, of_pattern("random")(LONG), LONG, "a value of 128", **units)


def test_identical_keys():
    inputs = unit_normal(SHORT.num_tokens, seed=8)
    inputs.k[:] = inputs.k[0].clone()
    check(inputs, some_blocks(SHORT), SHORT, "identical keys")


def test_identical_keys_and_values():
    """Sums over 2048 keys that only grow: what fixed point must hold."""
    documents = pack_lengths(2048)
    inputs = unit_normal(2048, seed=9)
    inputs.k[:] = inputs.k[0].clone()
    inputs.v[:] = 3
    case = "identical keys and values"
    wanted = check(inputs, every_block(documents), documents, case, ("deterministic",))
    torch.testing.assert_close(wanted.out, torch.full_like(wanted.out, 3))


@pytest.mark.parametrize("zeros", ["q", "k", "v", "grad_out", "q k v grad_out"])
def test_zero_inputs(zeros):
    inputs = unit_normal(SHORT.num_tokens, seed=10)
    inputs = inputs._replace(
        **{name: torch.zeros_like(getattr(inputs, name)) for name in zeros.split()}
    )
    check(inputs, some_blocks(SHORT), SHORT, f"zero {zeros}")


def test_the_output_gradient_of_each_head_reaches_its_kv_head_alone():
    documents = pack_lengths(150).to(testing.DEVICE)
    support = every_block(pack_lengths(150)).to(testing.DEVICE)
    inputs = unit_normal(150, seed=11)
    for head in range(64):
        grad_out = torch.zeros_like(inputs.grad_out)
        grad_out[140, head, head] = 1
        one_hot = inputs._replace(grad_out=grad_out)
        found = run(one_hot, support, documents)
        testing.assert_right(found, define(one_hot, support, documents), f"head {head}")
        touched = [grad.any(dim=2).any(dim=0).nonzero().flatten().tolist() for grad in found[2:]]
        assert touched == [[head], [head // 16], [head // 16]], f"head {head}"
        assert not found.dq[:140].any(), f"head {head}"


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_other_dtypes_take_the_reference_path(dtype, monkeypatch):
    monkeypatch.setattr(torch.backends.cuda.matmul, "allow_tf32", False)
    documents = pack_lengths(300, 130)
    support, documents = some_blocks(documents).to(testing.DEVICE), documents.to(testing.DEVICE)
    inputs = unit_normal(430, seed=12)
    inputs = inputs._replace(**{name: x.to(dtype) for name, x in inputs._asdict().items()})
    found, wanted = run(inputs, support, documents), define(inputs, support, documents)
    for name, one, other in zip(Results._fields, found, wanted, strict=True):
        assert one.dtype == dtype, name
        comparison = compare(name, one, other, dtype)
        assert comparison.passed, comparison


def test_lse_is_returned_on_request_and_takes_no_gradient():
    documents = pack_lengths(130).to(testing.DEVICE)
    support = every_block(pack_lengths(130)).to(testing.DEVICE)
    q, k, v, _ = unit_normal(130, seed=13)
    out, lse = sparse_attention(q.requires_grad_(), k, v, support, documents, return_lse=True)
    assert out.requires_grad
    assert not lse.requires_grad
    assert isinstance(sparse_attention(q, k, v, support, documents), torch.Tensor)
