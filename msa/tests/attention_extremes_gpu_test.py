"""Attention on a GPU where logits are far off, in all queries or a few, and where NaN is near.

The fast forward holds sums of exponentials up to a bound and leaves the rows beyond it, below it or
with an infinite sum of values to a second pass. What is right may not depend on which pass it was.
"""

import math

import pytest
import torch

from msa.kernels.runtime.testing import needs_gpu, poison_free_memory
from msa.schedule.testing import pack_lengths, random_support, stratified_support
from msa.testing import definition
from msa.testing.modes import MODES
from msa.testing.patterns import every_block, no_block
from msa.tests import attention_testing as testing
from msa.tests.attention_testing import (
    Inputs,
    Results,
    assert_right,
    check,
    define,
    every_mode,
    run,
    unit_normal,
    with_large_value,
    with_logits_around,
)

pytestmark = needs_gpu

SHORT = pack_lengths(127, 129, 1, 2, 3, 5, 128)
LONG = pack_lengths(700, 129, 33)


def nothing_but(value: float, where) -> torch.Tensor:
    """Offsets of the logits of `LONG`: `value` at `where`, else 0."""
    offsets = torch.zeros(LONG.num_tokens, 64)
    offsets[where] = value
    return offsets


# 2**64 is about exp(44): around it, of neighbouring queries one is left to the second pass and one
# is not. In FP32, sums end at exp(88).
@pytest.mark.parametrize(
    "offset", [-1000, -500, -100, -88, -60, -44, -30, 30, 44, 60, 88, 100, 500, 1000]
)
def test_all_logits_far_off(offset):
    inputs, units = with_logits_around(unit_normal(SHORT.num_tokens, seed=1), offset)
    case = f"logits around {offset}"
    wanted = check(inputs, random_support(SHORT, seed=2), SHORT, case, **units)
    finite = wanted.lse[wanted.lse.isfinite()]
    assert ((finite - offset).abs() < 10 + abs(offset) / 128).all(), case


@pytest.mark.parametrize("offset", [-1000, 1000])
@pytest.mark.parametrize(
    "where",
    [
        pytest.param(slice(None, None, 37), id="every 37th query"),
        pytest.param((slice(None, None, 37), 5), id="a head of every 37th query"),
        pytest.param((300, 63), id="a head of a query"),
        pytest.param(0, id="the first query"),
        pytest.param(-1, id="the last query"),
        pytest.param(slice(128, 256), id="the queries of a block"),
        pytest.param(slice(700, 829), id="a document"),
        pytest.param(slice(1, None), id="all queries but one"),
    ],
)
def test_some_logits_far_off(where, offset):
    inputs = unit_normal(LONG.num_tokens, seed=3)
    inputs, units = with_logits_around(inputs, nothing_but(offset, where))
    check(inputs, random_support(LONG, seed=4), LONG, f"{offset} at {where}", **units)


def test_every_logit_elsewhere():
    inputs = unit_normal(LONG.num_tokens, seed=5)
    generator = torch.Generator().manual_seed(6)
    offsets = 2000 * torch.rand(LONG.num_tokens, 64, generator=generator) - 1000
    inputs, units = with_logits_around(inputs, offsets)
    check(inputs, random_support(LONG, seed=7), LONG, "offsets from -1000 to 1000", **units)


@pytest.mark.parametrize("offset", [-1000, -40, 40, 1000])
@pytest.mark.parametrize("where", [slice(None), slice(None, None, 37)], ids=["all", "a few"])
def test_own_block_not_selected_and_far_off(where, offset):
    """Queries of odd blocks select even ones, whose logits lie 2 x `offset` from their own's."""
    blocks = LONG.document_positions // 128
    even = torch.arange(0, 16, 2)
    support = torch.where(even < blocks[:, None], even, -1).to(torch.int32)
    support = torch.nn.functional.pad(support, (3, 5), value=-1).expand(4, -1, -1).contiguous()
    chosen = torch.zeros(LONG.num_tokens, dtype=torch.bool)
    chosen[where] = True
    levels = torch.where(blocks % 2 == 0, testing.KEY_LEVEL, -testing.KEY_LEVEL)[:, None]
    inputs, units = with_logits_around(
        unit_normal(LONG.num_tokens, seed=8),
        nothing_but(offset, chosen & (blocks % 2 == 1)),
        levels,
    )
    check(inputs, support, LONG, f"{offset} at {where}", **units)


@pytest.mark.parametrize("offset", [15, 40, 1000])
def test_blocks_of_one_query_far_from_each_other(offset):
    levels = torch.where(LONG.document_positions // 128 % 2 == 0, 1, -1) * testing.KEY_LEVEL
    inputs = unit_normal(LONG.num_tokens, seed=9)
    inputs, units = with_logits_around(inputs, offset, levels[:, None])
    check(inputs, every_block(LONG), LONG, f"blocks {2 * offset} apart", **units)


def test_sums_of_values_beyond_the_exponents():
    inputs, units = with_logits_around(unit_normal(SHORT.num_tokens, seed=10), 40)
    inputs = inputs._replace(v=inputs.v * 1e30)
    units = {name: 1e30 * units.get(name, 1) for name in ("out", "dq", "dk")}
    check(inputs, random_support(SHORT, seed=11), SHORT, "1e30 exp(40)", modes=("fast",), **units)


def test_a_large_value_beside_logits_far_off():
    inputs, units = with_large_value(unit_normal(LONG.num_tokens, seed=12))
    offsets = nothing_but(1000, slice(None, None, 3))
    inputs, others = with_logits_around(inputs, offsets)
    units = {name: unit * others.get(name, 1) for name, unit in units.items()}
    check(inputs, random_support(LONG, seed=13), LONG, "a value of 128", **units)


@every_mode
@pytest.mark.parametrize("operand", ["k", "v", "grad_out"])
@pytest.mark.parametrize("offset", [0, 1000])
def test_huge_values_of_a_document_take_no_digits_from_others(operand, offset, mode):
    """Also in fixed point, whose unit is what a query meets."""
    documents, others = pack_lengths(300, 700, 33), pack_lengths(700, 33)
    support = random_support(documents, seed=22)
    inputs, units = with_logits_around(unit_normal(1033, seed=23), torch.full((1033, 64), offset))
    wanted = define(
        Inputs(*(x[300:] for x in inputs)),
        support[:, 300:].to(testing.DEVICE),
        others.to(testing.DEVICE),
    )
    getattr(inputs, operand)[:300] *= 1e12
    with mode():
        found = run(inputs, support.to(testing.DEVICE), documents.to(testing.DEVICE))
    rest = Results(*(x[300:] for x in found))
    assert_right(rest, wanted, f"{operand} of 1e12 elsewhere", **units)
    for name, result in found._asdict().items():
        assert not result.isnan().any(), f"{name} of {operand} of 1e12"


@every_mode
@pytest.mark.parametrize("size", [2.0**20, 2.0**60, 2.0**100])
def test_logits_of_any_size(size, mode):
    """The weights are zeros, and shares of keys whose logits are equal, in FP32 as in truth."""
    inputs = unit_normal(LONG.num_tokens, seed=25)
    inputs = inputs._replace(
        q=inputs.q.round().clamp(-2, 2), k=inputs.k.round().clamp(-2, 2) * size
    )
    support, documents = random_support(LONG, seed=26).to(testing.DEVICE), LONG.to(testing.DEVICE)
    wanted = define(inputs, support, documents)
    with mode():
        found = run(inputs, support, documents)
    for name in ("out", "lse"):
        testing.assert_close(name, getattr(found, name), getattr(wanted, name), f"{size:g}")
    for name, result in found._asdict().items():
        assert not result.isnan().any(), name
    without_gradient = wanted.lse.abs() > 2.0**22 * 1.001
    assert without_gradient.any()
    assert not found.dq[without_gradient].any()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [1, 0])
def test_logits_past_fp32_have_no_weight(size, mode):
    """Queries after block 0 ignore it, as if not selected; those in block 0 see nothing else."""
    inputs = unit_normal(300, seed=24)
    inputs.v.mul_(size)
    inputs.q[..., 0], inputs.k[..., 0] = 1e20, 0
    inputs.k[:128, :, 0] = -1e20  # logits of -1e40, beside others of the order of 1
    documents = pack_lengths(300)
    support, documents = every_block(documents).to(testing.DEVICE), documents.to(testing.DEVICE)
    wanted = define(inputs, support.masked_fill(support == 0, -1), documents)
    assert wanted.lse[:128].isneginf().all()
    poison_free_memory()
    with MODES[mode]():
        found = run(inputs, support, documents)
    if mode == "deterministic":
        # A unit of its dQ and dK is what sums of 1e20 need: whatever is of the order of 1 is lost.
        wanted.dq.zero_()
        wanted.dk[..., 1:] = 0
    q_unit = torch.ones(128, device=testing.DEVICE, dtype=torch.float64)
    q_unit[0] = 1e20
    assert_right(found, wanted, f"logits of -inf, {mode}", dk=q_unit)


# Short documents with tasks that are not full, after documents that may leave NaN behind in what a
# CTA keeps from task to task; more items of work than an H200 has SMs.
NAN_LENGTHS = [40] * 160
CLEAN_LENGTHS = [3] * 158 + [300, 130]
# What must become NaN with an operand.
FOLLOWERS = {
    "q": ("out", "lse", "dq", "dk", "dv"),
    "k": ("out", "lse", "dq", "dk", "dv"),
    "v": ("out", "dq", "dk"),
    "grad_out": ("dq", "dk", "dv"),
}


@every_mode
@pytest.mark.parametrize("operand", FOLLOWERS)
@pytest.mark.parametrize("offset", [0, 1000])
def test_nan_of_a_document_stays_in_it(operand, offset, mode):
    """Also where queries of the other documents, whose logits are far off, need the second pass."""
    lengths = [n for pair in zip(NAN_LENGTHS, CLEAN_LENGTHS, strict=True) for n in pair]
    documents, clean_documents = pack_lengths(*lengths), pack_lengths(*CLEAN_LENGTHS)
    is_clean = torch.arange(len(lengths)).remainder(2).bool()
    is_clean = is_clean.repeat_interleave(torch.tensor(lengths))
    support = stratified_support(documents, seed=14, keep=0.7)
    support[:, ~is_clean, 3] = 0
    offsets = torch.where(torch.arange(documents.num_tokens) % 7 == 0, offset, 0)[:, None]
    inputs, units = with_logits_around(unit_normal(documents.num_tokens, seed=15), offsets)
    clean = Inputs(*(x[is_clean.to(x.device)] for x in inputs))
    wanted = define(
        clean, support[:, is_clean].to(testing.DEVICE), clean_documents.to(testing.DEVICE)
    )

    is_clean = is_clean.to(testing.DEVICE)
    getattr(inputs, operand)[~is_clean] = math.nan
    with mode():
        found = run(inputs, support.to(testing.DEVICE), documents.to(testing.DEVICE))
    assert_right(Results(*(x[is_clean] for x in found)), wanted, f"NaN in {operand}", **units)
    for name in FOLLOWERS[operand]:
        assert getattr(found, name)[~is_clean].isnan().all(), f"{name} of NaN in {operand}"


@every_mode
@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("offset", [0, 1000])
def test_a_value_that_is_not_finite_leaves_lse_and_dv(offset, value, mode):
    documents, support = LONG.to(testing.DEVICE), random_support(LONG, seed=27).to(testing.DEVICE)
    inputs, units = with_logits_around(unit_normal(LONG.num_tokens, seed=28), offset)
    wanted = define(inputs, support, documents)
    key, group = 140, 2
    inputs.v[key, group] = value
    with mode():
        found = run(inputs, support, documents)

    queries = torch.arange(LONG.num_tokens, device=support.device)
    seen = definition.visible_keys(support, documents, queries)[group]
    heads = slice(16 * group, 16 * group + 16)
    assert not found.out[seen[:, key], heads].isfinite().any()
    assert not found.dq[seen[:, key], heads].isfinite().any()
    assert not found.dk[seen[seen[:, key]].any(dim=0), group].isfinite().any()
    testing.assert_close("lse", found.lse, wanted.lse, "lse")
    if mode is MODES["deterministic"]:
        # Integers cannot hold NaN: dK and dV of the whole block are marked instead.
        spoilt = found.dv.isnan()
        assert not spoilt[:, [0, 1, 3]].any()
        assert not spoilt[700:].any()
        wanted.dv[spoilt] = found.dv[spoilt] = 0
    testing.assert_close("dv", found.dv, wanted.dv, "dv", units.get("dv", 1.0))
    # Results of queries before the key, in its block, are unspecified.
    unsaid = seen[:, key].clone()
    unsaid[128:key] = True
    found.out[unsaid, heads] = wanted.out[unsaid, heads].to(found.out.dtype)
    testing.assert_close("out", found.out, wanted.out, "out")


@every_mode
@pytest.mark.parametrize("operand", ["q", "grad_out"])
def test_nan_of_a_query_and_head_makes_its_results_nan_and_no_others(operand, mode):
    documents = pack_lengths(385, 129)
    support, documents = every_block(documents).to(testing.DEVICE), documents.to(testing.DEVICE)
    inputs = unit_normal(514, seed=16)
    query, head = 200, 37
    group = head // 16
    getattr(inputs, operand)[query, head, 5] = 0
    wanted = define(inputs, support, documents)
    getattr(inputs, operand)[query, head, 5] = math.nan
    with mode():
        found = run(inputs, support, documents)

    for name in ("out", "lse", "dq") if operand == "q" else ("dq",):
        row = getattr(found, name)[query, head]
        assert row.isnan().all(), name
        row.copy_(getattr(wanted, name)[query, head])
    seen = definition.visible_keys(support, documents, torch.tensor([query], device=support.device))
    for name in ("dk", "dv"):
        grad = getattr(found, name)
        channels = 5 if (operand, name) == ("grad_out", "dv") else slice(None)
        assert grad[seen[group, 0], group][:, channels].isnan().all(), name
        # In its blocks, gradients of keys after it are unspecified.
        grad[:256, group] = getattr(wanted, name)[:256, group].to(grad.dtype)
    assert_right(found, wanted, f"NaN in {operand}")


@every_mode
def test_nan_of_a_query_without_keys_reaches_nothing(mode):
    support, documents = random_support(LONG, seed=17).to(testing.DEVICE), LONG.to(testing.DEVICE)
    support[:, 5::11] = -1
    inputs = unit_normal(LONG.num_tokens, seed=18)
    wanted = define(inputs, support, documents)
    inputs.q[5::11] = math.nan
    inputs.grad_out[5::11] = math.nan
    with mode():
        found = run(inputs, support, documents)
    assert_right(found, wanted, "NaN where nothing is selected")


@every_mode
def test_nan_of_a_block_that_is_not_selected_reaches_nothing(mode):
    support, documents = every_block(LONG), LONG.to(testing.DEVICE)
    support[support == 1] = -1
    support = support.to(testing.DEVICE)
    inputs = unit_normal(LONG.num_tokens, seed=19)
    wanted = define(inputs, support, documents)
    for start, end in ((128, 256), (700 + 128, 700 + 129)):
        inputs.k[start:end] = math.nan
        inputs.v[start:end] = math.nan
    with mode():
        found = run(inputs, support, documents)
    assert_right(found, wanted, "NaN in a block")


@every_mode
@pytest.mark.parametrize("lengths", [(1,), (130,), (127, 129, 1, 2, 3, 5, 128)], ids=str)
def test_nan_behind_the_last_document_reaches_nothing(lengths, mode):
    documents = pack_lengths(*lengths)
    support, documents = every_block(documents).to(testing.DEVICE), documents.to(testing.DEVICE)
    inputs = unit_normal(documents.num_tokens, seed=20)
    wanted = define(inputs, support, documents)
    memory = (torch.cat((x, torch.full_like(x[:1].expand(200, -1, -1), math.nan))) for x in inputs)
    with mode():
        found = run(Inputs(*(x[: len(wanted.out)] for x in memory)), support, documents)
    assert_right(found, wanted, f"NaN behind {lengths}")


@every_mode
def test_no_selection_at_all(mode):
    documents = pack_lengths(300)
    support, documents = no_block(documents).to(testing.DEVICE), documents.to(testing.DEVICE)
    inputs = Inputs(*(torch.full_like(x, math.nan) for x in unit_normal(300, seed=21)))
    with mode():
        found = run(inputs, support, documents)
    assert (found.lse == -math.inf).all()
    for name in ("out", "dq", "dk", "dv"):
        assert not getattr(found, name).any(), name
