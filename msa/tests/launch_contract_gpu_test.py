"""What every operator keeps to on a GPU, whatever it computes: one test for each clause.

It never waits for the device, launches on the current stream of the operands' device, shares
nothing between streams, can be captured in a CUDA graph whose replays follow the operands, and does
not read memory that it has not written.
"""

import dataclasses
from collections.abc import Callable

import pytest
import torch

from msa.autograd import select_blocks
from msa.kernels.index_kl import testing as index_kl
from msa.kernels.runtime.testing import needs_gpu, poison_free_memory, without_waiting
from msa.schedule import PackedDocuments, build_backward_schedule, build_task_tables
from msa.schedule.backward_schedule import MSABackwardSchedule, schedule_tensors
from msa.schedule.task_tables import TaskTables
from msa.schedule.testing import (
    assert_same_schedule,
    assert_same_tables,
    pack_lengths,
    random_support,
)
from msa.testing.modes import MODES
from msa.tests import attention_testing as attention

pytestmark = [needs_gpu, pytest.mark.filterwarnings("error::msa.MsaFallbackWarning")]

# The last has more blocks than a query selects.
LENGTHS = (385, 1, 2, 3, 129, 2200)
DOCUMENTS = pack_lengths(*LENGTHS)

Tensors = tuple[torch.Tensor, ...]


@dataclasses.dataclass(frozen=True)
class Case:
    """A call of an operator.

    Attributes:
        operands: tensors that decide its results; its documents are `DOCUMENTS`.
        check: asserts that results are right.
    """

    operands: Tensors
    check: Callable[[Tensors], None]


@dataclasses.dataclass(frozen=True)
class Operator:
    """An operator, with its backward if it has one.

    Attributes:
        case: makes a case of a seed, on the first GPU.
        run: its results, of the operands and documents of one device.
        mode: of the kernels, one of `MODES`.
    """

    case: Callable[[int], Case]
    run: Callable[[Tensors, PackedDocuments], Tensors]
    mode: str = "fast"

    def __call__(self, operands: Tensors, documents: PackedDocuments | None = None) -> Tensors:
        """Runs in the mode."""
        with MODES[self.mode]():
            return self.run(operands, documents or DOCUMENTS.to("cuda"))


def integers(heads: int, seed: int) -> torch.Tensor:
    """bf16 `[T, heads, 128]`, whose products FP32 sums exactly."""
    generator = torch.Generator().manual_seed(seed)
    shape = (DOCUMENTS.num_tokens, heads, 128)
    return torch.randint(-4, 5, shape, generator=generator).bfloat16()


def selection_case(seed: int) -> Case:
    index_q, index_k = integers(4, seed), integers(1, seed + 100)
    expected = select_blocks(index_q, index_k, DOCUMENTS)

    def check(results: Tensors) -> None:
        assert torch.equal(results[0].cpu(), expected)

    return Case((index_q.cuda(), index_k.cuda()), check)


def run_selection(operands: Tensors, documents: PackedDocuments) -> Tensors:
    return (select_blocks(*operands, documents),)


def schedule_case(seed: int) -> Case:
    support = random_support(DOCUMENTS, seed)
    schedule = build_backward_schedule(support, DOCUMENTS)
    tables = build_task_tables(schedule, num_sms=132, window=256)

    def check(results: Tensors) -> None:
        # The rest of a schedule belongs to the documents.
        layout = (schedule.cu_seqlens, schedule.document_workspace_starts)
        assert_same_schedule(
            MSABackwardSchedule(*(x.cpu() for x in results[:4]), *layout), schedule
        )
        assert_same_tables(TaskTables(*results[4:]), tables)

    return Case((support.cuda(),), check)


def run_schedule(operands: Tensors, documents: PackedDocuments) -> Tensors:
    schedule = build_backward_schedule(operands[0], documents)
    tables = build_task_tables(schedule, num_sms=132, window=256)
    return *schedule_tensors(schedule)[:4], *tables


def attention_case(seed: int) -> Case:
    support = random_support(DOCUMENTS, seed).cuda()
    offsets = torch.zeros(DOCUMENTS.num_tokens, 1)
    # An even seed has queries for the second pass of the fast mode.
    offsets[::29] = 1000 * (1 - seed % 2)
    inputs, units = attention.with_logits_around(
        attention.unit_normal(DOCUMENTS.num_tokens, seed), offsets
    )
    expected = attention.define(inputs, support, DOCUMENTS.to("cuda"))

    def check(results: Tensors) -> None:
        found = attention.Results(*(x.to("cuda") for x in results))
        attention.assert_right(found, expected, f"seed {seed}", **units)

    return Case((*inputs, support), check)


def run_attention(operands: Tensors, documents: PackedDocuments) -> Tensors:
    return attention.run(attention.Inputs(*operands[:4]), operands[4], documents)


def loss_case(pattern: str) -> Callable[[int], Case]:
    def make(seed: int) -> Case:
        case = index_kl.make_case(DOCUMENTS.to("cuda"), index_kl.PATTERNS[pattern], seed=seed)

        def check(results: Tensors) -> None:
            index_kl.assert_right(index_kl.Results(*(x.to("cuda") for x in results)), case)

        return Case(case.operands + (() if case.support is None else (case.support,)), check)

    return make


def run_loss(operands: Tensors, documents: PackedDocuments) -> Tensors:
    support = operands[5] if len(operands) > 5 else None
    return index_kl.run(index_kl.Case(*operands[:5], documents, support))


OPERATORS = {
    "select_blocks": Operator(selection_case, run_selection),
    "schedule_and_tables": Operator(schedule_case, run_schedule),
} | {
    f"{name}-{mode}": Operator(case, run, mode)
    for mode in MODES
    for name, case, run in (
        ("sparse_attention", attention_case, run_attention),
        ("index_kl_loss", loss_case("random"), run_loss),
        ("dense_index_kl_loss", loss_case("dense"), run_loss),
    )
}

every_operator = pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS.keys())


def blank(operands: Tensors) -> Tensors:
    """Valid operands of the same shapes: zeros, and a support of no blocks."""
    return tuple(
        torch.zeros_like(x) if x.is_floating_point() else torch.full_like(x, -1) for x in operands
    )


def overwrite(operands: Tensors, values: Tensors) -> None:
    for operand, value in zip(operands, values, strict=True):
        operand.copy_(value)


def spoil(results: Tensors) -> None:
    """Fills results with what none of them is."""
    for result in results:
        result.fill_(torch.nan if result.is_floating_point() else -77)


@every_operator
def test_it_does_not_wait_for_the_device(operator):
    case = operator.case(1)
    documents = DOCUMENTS.to("cuda")
    operator(case.operands, documents)
    with without_waiting():
        results = operator(case.operands, documents)
    case.check(results)


@every_operator
def test_it_launches_on_the_current_stream(operator):
    case = operator.case(2)
    documents = DOCUMENTS.to("cuda")
    late = blank(case.operands)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        operator(late, documents)
        # On any other stream, kernels would overtake the copies.
        with without_waiting():
            overwrite(late, case.operands)
            results = operator(late, documents)
    stream.synchronize()
    case.check(results)


@every_operator
def test_streams_share_nothing(operator):
    cases = [operator.case(seed) for seed in (3, 4)]
    documents = DOCUMENTS.to("cuda")
    streams = [torch.cuda.Stream() for _ in cases]
    torch.cuda.synchronize()
    found = []
    for _ in range(5):
        for case, stream in zip(cases, streams, strict=True):
            with torch.cuda.stream(stream):
                found.append((case, operator(case.operands, documents)))
    torch.cuda.synchronize()
    for case, results in found:
        case.check(results)


@every_operator
def test_replays_of_a_graph_follow_the_operands(operator):
    documents = DOCUMENTS.to("cuda")
    operands = tuple(x.clone() for x in operator.case(5).operands)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        operator(operands, documents)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = operator(operands, documents)
    for seed in (6, 7, 6):
        case = operator.case(seed)
        overwrite(operands, case.operands)
        spoil(results)
        graph.replay()
        case.check(results)


@every_operator
def test_it_reads_no_memory_before_it_writes_it(operator):
    case = operator.case(8)
    poison_free_memory(1 << 28)
    case.check(operator(case.operands))


@every_operator
def test_the_operands_device_need_not_be_the_current_one(operator):
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    case = operator.case(9)
    for current, device in ((0, 1), (1, 0), (1, 1)):
        operands = tuple(x.to(f"cuda:{device}") for x in case.operands)
        with torch.cuda.device(current):
            results = operator(operands, DOCUMENTS.to(f"cuda:{device}"))
            assert torch.cuda.current_device() == current
        assert {result.device.index for result in results} == {device}
        case.check(results)
