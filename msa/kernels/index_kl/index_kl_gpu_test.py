"""The index losses by the kernels, whatever the documents, selections, groups and values."""

import dataclasses

import pytest
import torch

from msa.autograd import index_kl_loss
from msa.kernels.index_kl import testing
from msa.kernels.index_kl.testing import (
    PATTERNS,
    Case,
    assert_divergence,
    assert_gradients,
    assert_right,
    assert_right_at,
    call,
    define,
    lse_of,
    make_case,
    normals,
    one_key,
    pack,
    run,
    run_poisoned,
    sample,
)
from msa.kernels.runtime.testing import (
    needs_gpu,
    offset,
    outer_stride,
    poison_free_memory,
    strided,
)
from msa.schedule import (
    BLOCK_SIZE,
    GROUP_COUNTS,
    GROUP_HEADS,
    PackedDocuments,
    build_backward_schedule,
)
from msa.schedule.testing import random_support, spoil
from msa.testing import patterns
from msa.testing.memory import peak_memory
from msa.testing.modes import deterministic
from msa.testing.patterns import every_block
from msa.testing.workloads import parse_workload

pytestmark = [
    needs_gpu,
    # A test of plain torch would prove nothing.
    pytest.mark.filterwarnings("error::msa.MsaFallbackWarning"),
]

LENGTHS = (385, 1, 2, 3, 129, 200, 2500, 128)
SHORT = (300, 1, 200, 65)

both_losses = pytest.mark.parametrize("support", [patterns.random, None], ids=["sparse", "dense"])
"""A test for each loss: of random selections, or dense."""


def cpu(documents: PackedDocuments) -> PackedDocuments:
    return documents.to("cpu")


@pytest.mark.parametrize("scale", [1.0, 2.0, 5.0])
@pytest.mark.parametrize("groups", GROUP_COUNTS)
@both_losses
def test_groups_and_scales(support, groups, scale):
    case = make_case(pack(LENGTHS), support, groups, seed=1, scale=scale)
    assert_right(run_poisoned(case), case)


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("num_tokens, groups", [(8192, 4), (32768, 1)])
def test_long_documents_as_a_whole(num_tokens, groups, name):
    case = make_case(pack((num_tokens,)), PATTERNS[name], groups, seed=2)
    assert_right(run_poisoned(case), case)


@pytest.mark.parametrize(
    "num_tokens", [1, 2, 3, 63, 64, 65, 127, 128, 129, 255, 257, 2047, 2048, 2049, 4097]
)
@both_losses
def test_lengths(support, num_tokens):
    case = make_case(pack((num_tokens,)), support, 2, seed=3)
    assert_right(run_poisoned(case), case)


@pytest.mark.parametrize("name", PATTERNS)
def test_131073_tokens(name):
    case = make_case(pack((131073,)), PATTERNS[name], 1, seed=4)
    rows = sample(131073, 200)
    assert_right_at(run_poisoned(case), case, rows)
    few = case.only(rows)
    assert_right(run_poisoned(few), few)


@pytest.mark.parametrize("workload", ["packed_192k/2", "packed_192k/9", "packed_192k/14"])
@pytest.mark.parametrize("name", PATTERNS)
def test_packs_of_training(name, workload):
    documents = parse_workload(workload).documents(testing.DEVICE)
    case = make_case(documents, PATTERNS[name], 1 if name == "dense" else 4, seed=5)
    rows = sample(documents.num_tokens, 300)
    assert_right_at(run_poisoned(case), case, rows)
    few = case.only(rows)
    assert_right(run_poisoned(few), few)


def test_supports_in_any_order_with_holes_and_bad_ids():
    documents = pack(LENGTHS)
    for seed, groups in enumerate(GROUP_COUNTS):
        support = random_support(cpu(documents), seed, num_groups=groups)
        support[:, 100:140] = -1
        case = make_case(documents, support.to(testing.DEVICE), groups, seed)
        assert_right(run_poisoned(case), case)
        bad = spoil(support, cpu(documents), seed).to(testing.DEVICE)
        spoilt = dataclasses.replace(case, support=bad)
        assert_right(run_poisoned(spoilt), case)


def test_nothing_is_selected():
    documents = pack(SHORT)
    support = torch.full((4, documents.num_tokens, 16), -1, dtype=torch.int32)
    found = run_poisoned(make_case(documents, support.to(testing.DEVICE), seed=6))
    for result in found:
        assert torch.all(result == 0)


@both_losses
def test_logits_of_ten_thousand(support):
    case = make_case(pack(SHORT), support, 2, seed=7, query_scale=2000)
    logits = case.q[:300, 0].float() @ case.k[:300, 0].float().t() * testing.SOFTMAX_SCALE
    assert 5e3 < logits.abs().max() < 2e4
    assert_right(run_poisoned(case), case, tolerance=0.01)


@both_losses
def test_heads_with_a_large_or_infinite_lse_are_left_out(support):
    case = make_case(pack(LENGTHS), support, seed=8)
    lse = case.lse.clone()
    lse[::3, 5] = torch.inf
    lse[1::4, 7:40] = -torch.inf
    lse[2::5, 20:23] = 2.0**22
    lse[3::5, 23] = -(2.0**23)
    lse[::7, :16] = torch.inf
    lse[::11] = -torch.inf
    case = dataclasses.replace(case, lse=lse)
    assert_right(run_poisoned(case), case)
    # Not even logits that are infinite leave a trace.
    q = case.q.clone()
    q[::11] = 3e38
    found = run_poisoned(dataclasses.replace(case, q=q))
    assert_right(found, case)
    assert torch.all(found.divergence[::11] == 0)
    assert torch.all(found.grad_q[::11] == 0)


@both_losses
def test_no_head_is_left_at_all(support):
    case = make_case(pack(SHORT), support, seed=9)
    case = dataclasses.replace(case, lse=torch.full_like(case.lse, torch.inf))
    for result in run_poisoned(case):
        assert torch.all(result == 0)


@both_losses
def test_a_student_equal_to_its_teacher(support):
    documents = pack(LENGTHS)
    if support is not None:
        support = support(documents, torch.Generator(testing.DEVICE).manual_seed(0), 1)
    index_q, k = (normals(documents.num_tokens, 1, seed) for seed in (10, 11))
    q = index_q.expand(-1, GROUP_HEADS, -1).contiguous()
    lse = lse_of(q, k, documents, support)
    case = Case(q, k, lse, index_q, k.clone(), documents, support)
    found = run_poisoned(case, coefficient=float(case.pairs))
    assert found.divergence.abs().max() <= 1e-5
    for gradient, unit in zip(found[2:], one_key(case), strict=True):
        assert gradient.norm(dim=-1).max() <= 1e-5 * unit


@both_losses
def test_a_document_of_nan_stays_alone(support):
    documents = pack((300, 1, 200, 465))
    case = make_case(documents, support, seed=12)
    clean = run(case)
    spoilt = [x.clone() for x in case.operands]
    for x in spoilt:
        x[301:501] = torch.nan
    names = ("q", "k", "lse", "index_q", "index_k")
    found = run_poisoned(dataclasses.replace(case, **dict(zip(names, spoilt, strict=True))))
    others = torch.cat([torch.arange(301), torch.arange(501, 966)]).to(testing.DEVICE)
    wanted = define(case)
    assert_divergence(found.divergence[others], wanted.divergence[others])
    assert_gradients(found, wanted, case, others)
    assert_gradients(clean, wanted, case, others)


def test_keys_that_none_selects_may_hold_nan():
    documents = pack((1000, 200))
    support = torch.full((4, 1200, 16), -1, dtype=torch.int32, device=testing.DEVICE)
    support[..., 3] = 0
    case = make_case(documents, support, seed=13)
    wanted = define(case)
    k, index_k = case.k.clone(), case.index_k.clone()
    for x in (k, index_k):
        x[BLOCK_SIZE:1000] = torch.nan
        x[1000 + BLOCK_SIZE :] = torch.nan
    found = run_poisoned(dataclasses.replace(case, k=k, index_k=index_k))
    assert_divergence(found.divergence, wanted.divergence)
    assert_gradients(found, wanted, case)
    assert torch.all(found.grad_k[BLOCK_SIZE:1000] == 0)


def test_the_last_block_of_a_memory_ends_where_it_does():
    # Behind the last key lies memory of another tensor.
    memory = torch.full((1000, 1, 128), torch.nan, dtype=torch.bfloat16, device=testing.DEVICE)
    for support in (patterns.random, None):
        case = make_case(pack((200, 333)), support, 1, seed=14)
        index_k = memory.clone()[: len(case.index_k)].copy_(case.index_k)
        k = memory.clone()[: len(case.k)].copy_(case.k)
        assert_right(run_poisoned(dataclasses.replace(case, k=k, index_k=index_k)), case)


@both_losses
def test_tens_of_thousands_of_documents_of_one_token(support):
    documents = pack((1,) * 40_000)
    case = make_case(documents, support, seed=15)
    found = run_poisoned(case, coefficient=float(case.pairs))
    assert found.divergence.abs().max() <= 1e-5
    for gradient, unit in zip(found[2:], one_key(case), strict=True):
        assert gradient.norm(dim=-1).max() <= 1e-5 * unit


@both_losses
def test_thousands_of_short_documents(support):
    generator = torch.Generator().manual_seed(16)
    lengths = torch.randint(0, 40, (9000,), generator=generator).tolist()
    lengths[4000] = 2500
    case = make_case(pack(tuple(lengths)), support, seed=16)
    rows = sample(case.documents.num_tokens, 200, seed=16)
    assert_right_at(run_poisoned(case), case, rows)
    few = case.only(rows)
    assert_right(run_poisoned(few), few)


@pytest.mark.parametrize(
    "lengths", [(1,) * 40_000, (65_536,), (100,) * 1000], ids=["1", "65K", "100"]
)
@both_losses
def test_memory(support, lengths):
    documents = pack(lengths)
    case = make_case(documents, patterns.recent if support else None, seed=17)
    schedule = build_backward_schedule(case.support, documents) if support else None
    for mode in (torch.no_grad, torch.enable_grad, deterministic):
        function = call if mode is torch.no_grad else run
        with mode():
            function(case, schedule=schedule)
            extra = peak_memory(lambda function=function: function(case, schedule=schedule))
        assert extra <= 6 * 1024 * documents.num_tokens + 8 * 2**20, mode


@both_losses
def test_without_gradients_the_loss_is_the_same(support):
    case = make_case(pack(LENGTHS), support, seed=18)
    with deterministic():
        loss, divergence, *_ = run_poisoned(case)
        with torch.no_grad():
            found = call(case)
        constant = call(case)  # with no operand that asks
    for results in (found, constant):
        assert not results[0].requires_grad
        torch.testing.assert_close(results[0], loss, rtol=1e-5, atol=1e-7)
        assert_divergence(results[1], divergence.double())


def test_over_all_blocks_the_sparse_loss_is_the_dense_one():
    documents = pack((2048, 3, 700))
    dense = make_case(documents, None, seed=19)
    support = every_block(cpu(documents)).to(testing.DEVICE)
    sparse = dataclasses.replace(dense, support=support)
    found = run_poisoned(sparse)
    assert_right(found, dense)
    torch.testing.assert_close(found.loss, run_poisoned(dense).loss, rtol=1e-4, atol=1e-6)


@both_losses
def test_a_coefficient_of_zero(support):
    case = make_case(pack(SHORT), support, seed=20)
    case.index_q[50] = torch.nan
    for coefficient in (0.0, torch.zeros((), device=testing.DEVICE)):
        loss, _, *grads = run_poisoned(case, coefficient)
        assert loss == 0
        assert all(torch.all(grad == 0) for grad in grads)


def scale(units: list[torch.Tensor], factor: torch.Tensor) -> list[torch.Tensor]:
    """Unit gradients scaled by the backward of either loss, in memory that holds NaN."""
    poison_free_memory(1 << 28)
    sparse = torch.ops.msa.index_kl_loss_backward(*units, factor, *units)
    dense = torch.ops.msa.dense_index_kl_loss_backward(*units, factor, *units)
    for found, other in zip(sparse, dense, strict=True):
        assert torch.equal(found.view(torch.int16), other.view(torch.int16))
    return sparse


@pytest.mark.parametrize("num_tokens", [1, 2, 63, 64, 65, 1001, 40_003])
@pytest.mark.parametrize("groups", GROUP_COUNTS)
def test_unit_gradients_are_scaled_in_fp32_and_rounded_once(groups, num_tokens):
    units = [normals(num_tokens, heads, 31 + heads) for heads in (groups, 1)]
    # Rounded to bf16 the first would be 1 or 1 + 2^-7; it lies at no border of 16 bytes.
    factors = torch.tensor([0, 1 + 2**-8 + 2**-9, -3e-5], device=testing.DEVICE)
    for factor in factors[1:]:
        for found, unit in zip(scale(units, factor), units, strict=True):
            assert torch.equal(found, (unit.float() * factor).bfloat16())
    for found, unit in zip(scale([offset(x) for x in units], factors[1]), units, strict=True):
        assert torch.equal(found, (unit.float() * factors[1]).bfloat16())


@pytest.mark.parametrize("zero", [0.0, -0.0])
@pytest.mark.parametrize("spoilt", [torch.nan, torch.inf, -1.0])
def test_a_factor_of_zero_leaves_none_of_the_unit_gradients(spoilt, zero):
    units = [normals(77, heads, 32).fill_(spoilt) for heads in (4, 1)]
    for found in scale(units, torch.tensor(zero, device=testing.DEVICE)):
        assert torch.all(found.view(torch.int16) == 0)


def test_scaling_unit_gradients_of_no_token():
    units = [normals(0, heads, 33) for heads in (4, 1)]
    for found, unit in zip(scale(units, torch.ones((), device=testing.DEVICE)), units, strict=True):
        assert found.shape == unit.shape


@both_losses
def test_the_deterministic_mode_repeats_itself(support):
    case = make_case(pack((5000, 1, 700)), support, seed=21)
    with deterministic():
        first = run_poisoned(case)
        assert_right(first, case)
        for _ in range(5):
            for found, wanted in zip(run_poisoned(case), first, strict=True):
                assert torch.equal(found, wanted)


@both_losses
def test_the_deterministic_mode_repeats_itself_where_every_sm_is_busy(support):
    case = make_case(pack((16384,)), support, seed=24)
    with deterministic():
        first = run_poisoned(case)
        for _ in range(10):
            for found, wanted in zip(run_poisoned(case), first, strict=True):
                assert torch.equal(found, wanted)


@both_losses
def test_a_group_does_not_depend_on_the_others(support):
    case = make_case(pack(LENGTHS), support, 8, seed=22)
    with deterministic():
        whole = run_poisoned(case, coefficient=8.0)
        for groups in (1, 2, 4):
            some = slice(8 - groups, 8)
            heads = slice(GROUP_HEADS * some.start, GROUP_HEADS * some.stop)
            part = dataclasses.replace(
                case,
                q=case.q[:, heads],
                k=case.k[:, some],
                lse=case.lse[:, heads],
                index_q=case.index_q[:, some],
                support=None if case.support is None else case.support[some].contiguous(),
            )
            found = run_poisoned(part, coefficient=float(groups))
            assert torch.equal(found.divergence, whole.divergence[:, some])
            assert torch.equal(found.grad_q, whole.grad_q[:, some])


def fused(tensor: torch.Tensor) -> torch.Tensor:
    """A slice of the heads of a larger tensor."""
    heads = tensor.shape[1]
    memory = tensor.new_full((tensor.shape[0], heads + 3, *tensor.shape[2:]), torch.nan)
    return memory[:, 1 : 1 + heads].copy_(tensor)


@pytest.mark.parametrize("layout", [fused, strided, offset, outer_stride])
@both_losses
def test_layouts(support, layout):
    case = make_case(pack(LENGTHS), support, seed=23)
    names = ("q", "k", "lse", "index_q", "index_k")
    operands = {name: layout(x) for name, x in zip(names, case.operands, strict=True)}
    assert_right(run_poisoned(dataclasses.replace(case, **operands)), case)


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
@both_losses
def test_compiles_into_one_graph(support, mode):
    torch.compiler.reset()
    case = make_case(pack(SHORT), support, seed=29)
    compiled = torch.compile(
        lambda coefficient, *leaves: call(case, coefficient, leaves=leaves),
        fullgraph=True,
        mode=mode,
    )
    for factor in (1.0, 0.5, 0.0, 2.0, 0.25):
        leaves = [x.detach().requires_grad_() for x in (case.index_q, case.index_k)]
        torch.compiler.cudagraph_mark_step_begin()
        loss, divergence = compiled(torch.tensor(factor, device=testing.DEVICE), *leaves)
        grads = torch.autograd.grad(loss, leaves)
        wanted = define(case)
        scaled = wanted._replace(grad_q=wanted.grad_q * factor, grad_k=wanted.grad_k * factor)
        assert loss.item() == pytest.approx(wanted.loss.item() * factor, rel=1e-3, abs=1e-5)
        assert_gradients(testing.Results(loss, divergence, *grads), scaled, case)


@pytest.mark.parametrize("wanted", [0, 1])
def test_one_index_operand_may_ask_for_a_gradient(wanted):
    case = make_case(pack(SHORT), patterns.random, seed=30)
    leaves = [
        x.detach().requires_grad_(place == wanted)
        for place, x in enumerate((case.index_q, case.index_k))
    ]
    loss = index_kl_loss(*case.operands[:3], *leaves, case.support, case.documents)
    loss.backward()
    definition = define(case)
    grads = [definition.grad_q.bfloat16(), definition.grad_k.bfloat16()]
    assert leaves[1 - wanted].grad is None
    grads[wanted] = leaves[wanted].grad
    assert_gradients(testing.Results(loss, definition.divergence, *grads), definition, case)
