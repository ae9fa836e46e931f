"""Attention on a GPU under what a training loop does: modes, streams, graphs, memory, layouts."""

import gc
import random

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from msa.autograd import sparse_attention
from msa.kernels.attention import plan as attention
from msa.kernels.runtime.testing import every_layout, needs_gpu, poison_free_memory
from msa.schedule import (
    NUM_KV_HEADS,
    MSABackwardSchedule,
    PackedDocuments,
    build_backward_schedule,
)
from msa.schedule.backward_schedule import schedule_tensors
from msa.schedule.testing import level_major, pack_lengths, poison_unspecified, random_support
from msa.testing import patterns
from msa.testing.accuracy import TOLERANCES
from msa.testing.memory import peak_memory
from msa.testing.modes import deterministic
from msa.testing.patterns import every_block
from msa.tests import attention_testing as testing
from msa.tests.attention_testing import (
    Inputs,
    Results,
    assert_right,
    define,
    every_mode,
    first_block_hot,
    run,
    unit_normal,
    with_logits_around,
)

pytestmark = needs_gpu

DOCUMENTS = pack_lengths(385, 1, 2, 3, 129, 200)


class Problem:
    """Inputs on the device, and what attention must give."""

    def __init__(
        self, documents: PackedDocuments, seed: int, *, offset: float = 0.0, every: int = 29
    ):
        """Logits of a query out of `every` are `offset` off."""
        self.documents = documents.to(testing.DEVICE)
        self.support = random_support(documents, seed).to(testing.DEVICE)
        offsets = torch.zeros(documents.num_tokens, 1)
        offsets[::every] = offset
        inputs = unit_normal(documents.num_tokens, seed)
        self.inputs, self.units = with_logits_around(inputs, offsets)
        self.wanted = define(self.inputs, self.support, self.documents)

    def run(self, schedule: MSABackwardSchedule | None = None) -> Results:
        return run(self.inputs, self.support, self.documents, schedule)

    def check(self, found: Results, case: str) -> None:
        assert_right(found, self.wanted, case, **self.units)


def assert_equal(found, expected, case: str) -> None:
    """Bit for bit."""
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert torch.equal(one, other), f"{case}: {number}"


def test_deterministic_results_are_equal_bit_for_bit():
    documents = pack_lengths(8192).to(testing.DEVICE)
    support = first_block_hot(documents)
    inputs = unit_normal(8192, seed=1)
    with deterministic():
        first = run(inputs, support, documents)
        for repeat in range(20):
            poison_free_memory()
            assert_equal(run(inputs, support, documents), first, f"repeat {repeat}")
        assert torch.are_deterministic_algorithms_enabled()
    wanted = define(inputs, support, documents)
    assert_right(first, wanted, "deterministic")
    fast = run(inputs, support, documents)
    assert_right(fast, wanted, "fast")
    # The modes round differently: equal bits would mean that the setting changed nothing.
    assert not torch.equal(fast.out, first.out)


def test_deterministic_results_do_not_depend_on_the_stream_or_what_else_runs():
    problem = Problem(DOCUMENTS, seed=2, offset=1000)
    streams = [torch.cuda.Stream() for _ in range(4)]
    with deterministic():
        first = problem.run()
        torch.cuda.synchronize()
        found = []
        for repeat in range(20):
            with torch.cuda.stream(streams[repeat % 4]):
                found.append(problem.run())
        torch.cuda.synchronize()
    for repeat, results in enumerate(found):
        assert_equal(results, first, f"repeat {repeat}")


def take_heads(monkeypatch, heads: int) -> None:
    """Makes forwards of `DOCUMENTS` take so many KV heads at a time."""
    monkeypatch.setattr(attention, "_MOST_POOL_BYTES", heads * DOCUMENTS.num_tokens * 8192)
    assert attention.heads_at_a_time(NUM_KV_HEADS, DOCUMENTS.num_tokens) == heads


@every_mode
@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("every", [29, 1])
def test_some_heads_at_a_time(every, heads, mode, monkeypatch):
    """As in long calls; a head selects nothing, and a few rows, or all, need the second pass."""
    problem = Problem(DOCUMENTS, seed=6, offset=1000, every=every)
    problem.support[2, 300:] = -1
    problem.support[1] = -1
    problem.wanted = define(problem.inputs, problem.support, problem.documents)
    with mode():
        together = problem.run()
        take_heads(monkeypatch, heads)
        poison_free_memory()
        found = problem.run()
        if torch.are_deterministic_algorithms_enabled():
            assert_equal(found, together, "a head at a time")
    problem.check(found, f"{heads} heads at a time")


GB, MB, KB = 10**9, 10**6, 10**3
LAYOUTS = {
    "1": [1],
    "130 of one token": [1] * 130,
    "9000 of 1 to 3": [1, 2, 3] * 3000,
    "8192": [8192],
    "70,000": [70_000],
    "196,608": [196_608],
}


def memory_of(documents: PackedDocuments) -> tuple[int, int]:
    """Memory that forward and backward take in addition to their operands and results."""
    documents = documents.to(testing.DEVICE)
    generator = torch.Generator(testing.DEVICE).manual_seed(1)
    support = patterns.random(documents, generator)
    q, k, v, grad_out = unit_normal(documents.num_tokens, seed=1)
    leaves = [x.requires_grad_() for x in (q, k, v)]
    saved = []

    def forward():
        saved[:] = sparse_attention(*leaves, support, documents, return_lse=True)
        return tuple(x.detach() for x in saved)

    def backward():
        return torch.autograd.grad(saved[0], leaves, grad_out, retain_graph=True)

    forward()
    backward()
    poison_free_memory()
    return peak_memory(forward), peak_memory(backward)


@every_mode
@pytest.mark.parametrize("name", LAYOUTS)
def test_memory(name, mode):
    """Is within what the README says, with some slack."""
    documents = pack_lengths(*LAYOUTS[name])
    tokens, rows = documents.num_tokens, documents.workspace_size
    with mode():
        forward, backward = memory_of(documents)
    heads = NUM_KV_HEADS
    sums = 9 * KB * tokens + 2.1 * KB * rows if mode is deterministic else 1.05 * KB * rows
    blocks = 0.55 * KB * rows if rows != tokens else 0  # K and V, where they must be padded
    for name_of_pass, taken, allowed in (
        ("forward", forward, min(8.2 * KB * tokens * heads, max(2**30, 8.2 * KB * tokens))),
        ("backward", backward, sums * heads),
    ):
        allowed += (0.425 * KB * tokens + blocks) * heads + 4 * MB
        assert taken <= allowed, f"{name_of_pass}: {taken / GB:.4f} of {allowed / GB:.4f} GB"


class Layer(torch.nn.Module):
    """Attention between two projections, with a support of its own."""

    def __init__(self, documents: PackedDocuments, seed: int):
        super().__init__()
        generator = torch.Generator(testing.DEVICE).manual_seed(seed)

        def weight(rows: int, columns: int) -> torch.nn.Parameter:
            normal = torch.randn(rows, columns, generator=generator, device=testing.DEVICE)
            return torch.nn.Parameter((normal * rows**-0.5).bfloat16())

        self.inward, self.outward = weight(64, 72 * 128), weight(64 * 128, 64)
        self.support = random_support(documents, seed).to(testing.DEVICE)
        self.documents = documents.to(testing.DEVICE)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (x @ self.inward).unflatten(1, (72, 128)).split((64, 4, 4), dim=1)
        out = sparse_attention(q, k, v, self.support, self.documents)
        return x + out.flatten(1) @ self.outward


@every_mode
@pytest.mark.parametrize("use_reentrant", [False, True])
def test_gradients_through_two_checkpointed_layers(use_reentrant, mode, monkeypatch):
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # else torch refuses the projections
    layers = [Layer(DOCUMENTS, seed) for seed in (3, 4)]
    weights = [weight for layer in layers for weight in layer.parameters()]
    generator = torch.Generator(testing.DEVICE).manual_seed(5)
    x = torch.randn(
        DOCUMENTS.num_tokens, 64, generator=generator, device=testing.DEVICE, dtype=torch.bfloat16
    )

    def gradients(call) -> list[torch.Tensor]:
        y = leaf = x.clone().requires_grad_()
        for weight in weights:
            weight.grad = None
        for layer in layers:
            y = call(layer, y)
        y.float().square().sum().backward()
        return [leaf.grad, *(weight.grad for weight in weights)]

    with mode():
        plain = gradients(lambda layer, y: layer(y))
        checked = gradients(lambda layer, y: checkpoint(layer, y, use_reentrant=use_reentrant))
    if mode is deterministic:
        assert_equal(checked, plain, "deterministic")
    # Each run is within the tolerance of a layer, and there are two layers and two runs.
    allowed = 4 * TOLERANCES[torch.bfloat16]["dq"].relative
    for number, (one, other) in enumerate(zip(checked, plain, strict=True)):
        error = ((one.float() - other.float()).norm() / other.float().norm()).item()
        assert error <= allowed, f"gradient {number} differs by {error:.4f}"


@every_mode
@pytest.mark.parametrize("heads", [1, 4])
def test_replays_of_a_graph_follow_the_inputs_and_the_support(heads, mode, monkeypatch):
    take_heads(monkeypatch, heads)
    captured = Problem(DOCUMENTS, seed=6)
    with mode():
        captured.run()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            schedule = build_backward_schedule(captured.support, captured.documents)
            found = captured.run(schedule)
    # The third has queries for the second pass, where the captured one had none.
    fresh = [Problem(DOCUMENTS, seed, offset=1000 * (seed == 9)) for seed in (7, 8, 9, 10)]
    fresh[3].support.fill_(-1)
    fresh[3].wanted = define(fresh[3].inputs, fresh[3].support, fresh[3].documents)
    for number, problem in enumerate(fresh):
        for result in found:
            result.fill_(torch.nan)
        for old, new in zip(captured.inputs, problem.inputs, strict=True):
            old.copy_(new)
        captured.support.copy_(problem.support)
        graph.replay()
        problem.check(found, f"replay {number}")


def test_another_device_is_refused():
    problem = Problem(DOCUMENTS, seed=16)
    with pytest.raises(ValueError, match="k must be on the documents' device cuda:0, got cpu"):
        run(problem.inputs._replace(k=problem.inputs.k.cpu()), problem.support, problem.documents)


@every_layout
def test_operands_of_any_layout(layout):
    problem = Problem(DOCUMENTS, seed=17, offset=1000)
    before = [x.clone() for x in problem.inputs]
    for name in Inputs._fields:
        laid_out = problem.inputs._replace(**{name: layout(getattr(problem.inputs, name))})
        problem.check(run(laid_out, problem.support, problem.documents), name)
    support = layout(problem.support)
    problem.check(run(problem.inputs, support, problem.documents), "support")
    assert_equal(problem.inputs, before, "inputs")


def test_operands_that_are_views_of_one_projection():
    problem = Problem(DOCUMENTS, seed=18)
    rows = torch.cat(problem.inputs[:3], dim=1)
    views = problem.inputs._replace(
        **dict(zip("qkv", rows.split((64, 4, 4), dim=1), strict=True)),
    )
    problem.check(run(views, problem.support, problem.documents), "views")


def test_an_expanded_output_gradient():
    problem = Problem(DOCUMENTS, seed=19)
    ones = problem.inputs.grad_out.new_ones(()).expand_as(problem.inputs.grad_out)
    inputs = problem.inputs._replace(grad_out=ones)
    found = run(inputs, problem.support, problem.documents)
    wanted = define(inputs, problem.support, problem.documents)
    assert_right(found, wanted, "expanded", **problem.units)


@every_mode
def test_autocast_is_a_cast_of_the_inputs(mode):
    problem = Problem(DOCUMENTS, seed=20)
    wide = Inputs(*(x.float() for x in problem.inputs))
    leaves = [x.requires_grad_() for x in wide[:3]]
    with mode():
        with torch.autocast(torch.device(testing.DEVICE).type, dtype=torch.bfloat16):
            out, lse = sparse_attention(
                *leaves, problem.support, problem.documents, return_lse=True
            )
        grads = torch.autograd.grad(out, leaves, problem.inputs.grad_out)
    assert {grad.dtype for grad in grads} == {torch.float32}
    problem.check(Results(out.detach(), lse, *(grad.bfloat16() for grad in grads)), "autocast")


def test_a_schedule_of_another_builder():
    """Rows numbered level by level, and work items of 1 to 9 queries: tasks that are not full."""
    problem = Problem(DOCUMENTS, seed=21, offset=1000)
    schedule = build_backward_schedule(problem.support.cpu(), DOCUMENTS)
    for name, foreign in (
        ("level by level", level_major(poison_unspecified(schedule))),
        ("short items", short_items(schedule)),
        ("both", short_items(level_major(schedule))),
    ):
        tensors = (tensor.to(testing.DEVICE) for tensor in schedule_tensors(foreign))
        problem.check(problem.run(MSABackwardSchedule(*tensors)), name)


def short_items(schedule: MSABackwardSchedule) -> MSABackwardSchedule:
    """The same schedule with its work items cut into pieces of 1 to 9 queries."""
    draw = random.Random(0)
    items = []
    for head, row, begin, count, *block in schedule.scheduler_metadata[
        : int(schedule.work_count)
    ].tolist():
        end = begin + count
        while begin < end:
            piece = min(draw.randint(1, 9), end - begin)
            items.append((head, row, begin, piece, *block))
            begin += piece
    row_ptr, q_indices, _, _, *documents = schedule_tensors(schedule)
    metadata = torch.tensor(items, dtype=torch.int32)
    count = torch.tensor([len(items)], dtype=torch.int32)
    return MSABackwardSchedule(row_ptr, q_indices, metadata, count, *documents)


def drain_autograd() -> None:
    """Runs an empty backward, so that the thread of the GPU lets go of the last one's tensors.

    It may still hold them when that backward returns, but not when it takes the next task.
    """
    leaf = torch.empty(0, device="cuda", requires_grad=True)
    torch.autograd.grad(leaf * 2, leaf, torch.empty_like(leaf))


@every_mode
def test_200_calls_of_alternating_shapes(mode):
    problems = [
        Problem(documents, seed, offset=1000 * (seed % 2))
        for seed, documents in enumerate(
            (DOCUMENTS, pack_lengths(1), pack_lengths(*[1] * 130), pack_lengths(1000)), start=22
        )
    ]
    with mode():
        first = [problem.run() for problem in problems]
        poison_free_memory()
        gc.collect()  # what earlier tests have left in cycles
        allocated = torch.cuda.memory_allocated()
        for call in range(200):
            number = call % len(problems)
            found = problems[number].run()
            problems[number].check(found, f"call {call}")
            if mode is deterministic:
                assert_equal(found, first[number], f"call {call}")
            del found
            drain_autograd()
            assert torch.cuda.memory_allocated() == allocated, f"call {call}"


def test_operators_keep_their_schemas():
    problem = Problem(DOCUMENTS, seed=26)
    schedule = schedule_tensors(build_backward_schedule(problem.support, problem.documents))
    out, lse = (x.clone() for x in problem.run()[:2])
    q, k, v, grad_out = problem.inputs
    for operator, operands in (
        (torch.ops.msa.sparse_attention, (q.requires_grad_(), k, v)),
        (torch.ops.msa.sparse_attention_backward, (grad_out, q.detach(), k, v, out, lse)),
    ):
        torch.library.opcheck(
            operator.default,
            (*operands, *schedule),
            test_utils=("test_schema", "test_autograd_registration", "test_faketensor"),
        )


@every_mode
def test_compiles_into_one_graph(mode):
    torch.compiler.reset()
    problem = Problem(DOCUMENTS, seed=27)
    compiled = torch.compile(sparse_attention, fullgraph=True, backend="aot_eager")
    leaves = [x.detach().requires_grad_() for x in problem.inputs[:3]]
    with mode():
        out, lse = compiled(*leaves, problem.support, problem.documents, return_lse=True)
        grads = torch.autograd.grad(out, leaves, problem.inputs.grad_out)
    problem.check(Results(out.detach(), lse, *grads), "compiled")


def test_a_support_of_every_block_under_inference():
    problem = Problem(DOCUMENTS, seed=28)
    support = every_block(DOCUMENTS).to(testing.DEVICE)
    wanted = define(problem.inputs, support, problem.documents)
    with torch.inference_mode():
        out, lse = sparse_attention(
            *problem.inputs[:3], support, problem.documents, return_lse=True
        )
    testing.assert_close("out", out, wanted.out, "inference")
    testing.assert_close("lse", lse, wanted.lse, "inference")
