"""Runs the passes of a workload, in order: what a layer does in a training step."""

import contextlib
import dataclasses
import pathlib
import platform
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from msa.benchmarks import counts
from msa.benchmarks.check import check_results
from msa.benchmarks.dense import DenseAttention
from msa.benchmarks.operands import Operands, Results, random_operands
from msa.benchmarks.operators import Operators
from msa.benchmarks.patterns import PATTERNS
from msa.benchmarks.report import Cost, PassCost, Report
from msa.benchmarks.timing import matrix_product_ceiling, measure
from msa.benchmarks.workloads import Workload
from msa.schedule import (
    BLOCK_SIZE,
    MSABackwardSchedule,
    PackedDocuments,
    TaskTables,
    build_backward_schedule,
    build_task_tables,
    task_window,
)

_R = TypeVar("_R")
Step = Callable[[str], contextlib.AbstractContextManager]

PASSES = ("select", "schedule", "forward", "backward", "kl")
"""In the order they run; `kl` is the index loss, forward and backward."""
DEFAULT_PASSES = PASSES[:4]
"""Those of the main branch's training step."""
DENSE_PASSES = ("forward", "backward")
"""Those with a counterpart in dense attention."""
INDEXER = "indexer"
"""The pattern that `select_blocks` makes of random index vectors."""

# Tasks are walked by a GPU's SMs; on a CPU, they are built for an H200.
_H200_SMS = 132


@dataclasses.dataclass(frozen=True)
class Settings:
    """What to run.

    Attributes:
        workload: the documents.
        pattern: `indexer`, or one of `PATTERNS`.
        passes: some of `PASSES`.
        backend: name of the operators.
        device: where to run.
        dtype: of the operands.
        check: whether to check the results.
        repeats: runs of a measurement, None for as many as are worth their time.
        seed: of the operands and of random patterns.
    """

    workload: Workload
    pattern: str
    passes: tuple[str, ...]
    backend: str
    device: torch.device
    dtype: torch.dtype
    check: bool
    repeats: int | None
    seed: int

    @property
    def has_attention(self) -> bool:
        """Whether attention runs."""
        return not {"forward", "backward", "kl"}.isdisjoint(self.passes)

    @property
    def num_steps(self) -> int:
        """How many steps `run` announces."""
        dense = sum(name in self.passes for name in DENSE_PASSES)
        return 2 + len(self.passes) + dense + self.check


class _Timer:
    """Measures the passes that were asked for, and just runs others."""

    def __init__(self, settings: Settings, step: Step, prefix: str = ""):
        self._settings = settings
        self._step = step
        self._prefix = prefix
        self.costs: dict[str, Cost] = {}

    def __call__(self, name: str, operation: Callable[[], _R], flop: int | None = None) -> _R:
        """Returns the operation's result."""
        if name not in self._settings.passes:
            return operation()
        with self._step(self._prefix + name):
            measurement, result = measure(operation, self._settings.device, self._settings.repeats)
        self.costs[name] = Cost.of(measurement, flop)
        return result


def run(settings: Settings, operators: Operators, step: Step = contextlib.nullcontext) -> Report:
    """Measures the passes, checks their results, and measures dense attention.

    What a pass needs of one that was not asked for is computed untimed.

    Args:
        settings: what to run.
        operators: of the backend.
        step: called with the name of each step, its context entered for the time of it.
    """
    documents = settings.workload.documents(settings.device)
    generator = torch.Generator(settings.device).manual_seed(settings.seed)
    operands = _random_operands(settings, documents, generator)
    with step("warm-up"):
        _warm_up(settings, operators)
    with step("torch.mm"):
        ceiling_size, ceiling = matrix_product_ceiling(settings.device, settings.dtype)

    timer = _Timer(settings, step)
    results = _sparse_passes(settings, operators, operands, documents, generator, timer)
    check = None
    if settings.check:
        with step("check"):
            check = check_results(results, operands, documents, settings.seed)
    visible_pairs = counts.selected_pairs(results.support, documents) / results.support.shape[0]
    del results
    dense_timer = _Timer(settings, step, "dense ")
    _dense_passes(operands, documents, settings.passes, dense_timer)

    offsets = settings.workload.offsets
    return Report(
        workload=settings.workload.name,
        tokens=documents.num_tokens,
        documents=len(offsets) - 1,
        longest_document=documents.max_seqlen,
        pattern=settings.pattern,
        visible_pairs=visible_pairs,
        causal_pairs=counts.causal_pairs(documents),
        backend=settings.backend,
        dtype=str(settings.dtype).removeprefix("torch."),
        device=device_name(settings.device),
        threads=torch.get_num_threads(),
        torch_version=torch.__version__,
        seed=settings.seed,
        ceiling_size=ceiling_size,
        ceiling=ceiling,
        passes=tuple(
            PassCost(name, timer.costs[name], dense_timer.costs.get(name))
            for name in settings.passes
        ),
        check=check,
    )


def _warm_up(settings: Settings, operators: Operators) -> None:
    """Runs all once on one block, for what first calls do: imports, compilation, loading."""
    settings = dataclasses.replace(settings, workload=Workload("warm-up", (0, BLOCK_SIZE)))
    documents = settings.workload.documents(settings.device)
    generator = torch.Generator(settings.device)
    operands = _random_operands(settings, documents, generator)
    _sparse_passes(settings, operators, operands, documents, generator, _untimed)
    _dense_passes(operands, documents, settings.passes, _untimed)


def _untimed(_name: str, operation: Callable[[], _R], _flop: int | None = None) -> _R:
    """In the place of a `_Timer`, just runs the operation."""
    return operation()


def _random_operands(
    settings: Settings, documents: PackedDocuments, generator: torch.Generator
) -> Operands:
    return random_operands(
        documents.num_tokens, settings.dtype, generator, attention=settings.has_attention
    )


def _sparse_passes(
    settings: Settings,
    operators: Operators,
    operands: Operands,
    documents: PackedDocuments,
    generator: torch.Generator,
    timer: Callable[..., Any],
) -> Results:
    index_q, index_k, q, k, v, grad_out = operands
    passes = settings.passes
    selected = None
    if "select" in passes or settings.pattern == INDEXER:
        selected = timer(
            "select",
            lambda: operators.select(index_q, index_k, documents),
            counts.selection_flop(index_q.shape[1] * counts.causal_pairs(documents)),
        )
    if settings.pattern == INDEXER:
        support = selected
    else:
        support = PATTERNS[settings.pattern](documents, generator)
    schedule, tables = timer("schedule", lambda: build_schedule(support, documents))
    results = Results(support, schedule, tables, selected)
    if not settings.has_attention:
        return results

    pairs = counts.selected_pairs(support, documents)
    out, lse = timer(
        "forward",
        lambda: operators.forward(q, k, v, support, documents, schedule),
        counts.forward_flop(pairs),
    )
    results.out, results.lse = out, lse
    if "backward" in passes:
        results.backward = lambda grad: operators.backward(grad, q, k, v, out, lse, schedule)
        timer("backward", lambda: results.backward(grad_out), counts.backward_flop(pairs))
    if "kl" in passes:
        _, results.index_q_grad, _ = timer(
            "kl",
            lambda: operators.index_kl(q, k, lse, index_q, index_k, support, documents, schedule),
            counts.index_kl_flop(pairs),
        )
    return results


def build_schedule(
    support: torch.Tensor, documents: PackedDocuments
) -> tuple[MSABackwardSchedule, TaskTables]:
    """The schedule of a support and its task tables."""
    num_sms = _H200_SMS
    if support.is_cuda:
        num_sms = torch.cuda.get_device_properties(support.device).multi_processor_count
    schedule = build_backward_schedule(support, documents)
    window = task_window(documents.num_tokens)
    return schedule, build_task_tables(schedule, num_sms=num_sms, window=window)


def _dense_passes(
    operands: Operands,
    documents: PackedDocuments,
    passes: tuple[str, ...],
    timer: Callable[..., Any],
) -> None:
    if set(DENSE_PASSES).isdisjoint(passes):
        return
    attention = DenseAttention(operands, documents)
    head_pairs = operands.k.shape[1] * counts.causal_pairs(documents)
    outs = timer("forward", attention.forward, counts.forward_flop(head_pairs))
    if "backward" in passes:
        timer("backward", lambda: attention.backward(outs), counts.backward_flop(head_pairs))


def device_name(device: torch.device) -> str:
    """The model of a GPU, or of the CPU where the system tells."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
