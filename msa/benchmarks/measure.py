"""Measures a row: the passes of one MSA layer in a training step, all or some of them."""

import dataclasses
import functools
import gc
import os
import traceback
from collections.abc import Callable
from typing import Any

import torch

from msa.autograd import (
    dense_index_kl_loss,
    flops,
    index_kl_loss,
    select_blocks,
    sparse_attention,
)
from msa.benchmarks.baselines import DenseAttention, TopK, backends, installed
from msa.benchmarks.device import device_name, open_clock, profiled
from msa.benchmarks.record import GRAPHED, MSA, STEP, Pass, RowRecord, Run
from msa.benchmarks.rows import INDEXER, KINDS, Kind, Row
from msa.benchmarks.timing import matrix_product, measure
from msa.kernels.attention.plan import has_kernels
from msa.schedule import (
    BLOCK_SIZE,
    PackedDocuments,
    build_backward_schedule,
    build_task_tables,
    task_window,
)
from msa.testing.check import Results, check_results
from msa.testing.inputs import Operands, dense_lse, random_operands
from msa.testing.modes import MODES
from msa.testing.pairs import causal_pairs, selected_pairs
from msa.testing.patterns import PATTERNS
from msa.testing.workloads import Workload

DENSE_PAIRS = 2**36
"""Most causal pairs of dense attention: 256K tokens in one document. More would take minutes."""

# The number of SMs for which a CPU builds task tables: an H200's.
_H200_SMS = 132


@dataclasses.dataclass(frozen=True)
class Settings:
    """What to run."""

    rows: tuple[Row, ...]
    groups: tuple[int, ...]  # KV groups to measure each row with, one number after the other
    device: torch.device
    dtype: torch.dtype  # of the operands
    mode: str = "fast"  # of the kernels, one of `MODES`
    baselines: bool = True  # whether to measure the baselines
    check: bool = True  # whether to check the results
    kernels: bool = False  # whether to profile single kernels
    seed: int = 0  # of the operands and of random patterns


class Layer:
    """The passes of a layer by the public functions, each over the results of those before it.

    Attributes:
        results: of the passes so far; without a support, the loss is that over all keys.
    """

    def __init__(self, operands: Operands, documents: PackedDocuments, mode: str):
        self.results = Results()
        self._operands = operands
        self._documents = documents
        self._mode = MODES[mode]

    def operation(self, name: str) -> Callable[..., Any]:
        """A pass by its name, in the mode."""
        method = getattr(self, "_" + name)

        def run(*arguments: torch.Tensor):
            with self._mode():
                return method(*arguments)

        return run

    def keep(self, name: str, result: Any) -> None:
        """Keeps the result of a pass for later passes and for the check."""
        results = self.results
        if name == "select":
            results.support, results.selected = result, True
        elif name in ("schedule", "tables"):
            setattr(results, name, result)
        elif name == "forward":
            results.out, results.lse = result
        elif name == "kl":
            results.index_q_grad = result[0]
        elif name == "backward":
            results.backward = self.operation("backward")
        elif name == STEP:
            results.index_q_grad = result[3]

    def _select(self) -> torch.Tensor:
        return select_blocks(self._operands.index_q, self._operands.index_k, self._documents)

    def _schedule(self):
        return build_backward_schedule(self.results.support, self._documents)

    def _tables(self):
        device = self._documents.device
        num_sms = _H200_SMS
        if device.type == "cuda":
            num_sms = torch.cuda.get_device_properties(device).multi_processor_count
        window = task_window(self._documents.num_tokens)
        return build_task_tables(self.results.schedule, num_sms=num_sms, window=window)

    def _forward(self) -> tuple[torch.Tensor, torch.Tensor]:
        return self._attend(self.results.support, self.results.schedule)

    def _kl(self) -> tuple[torch.Tensor, torch.Tensor]:
        index_q, index_k, q, k, *_ = self._operands
        results = self.results
        if results.support is None:
            loss = dense_index_kl_loss(q, k, results.lse, index_q, index_k, self._documents)
        else:
            loss = self._loss(results.lse, results.support, results.schedule)
        return torch.autograd.grad(loss, (index_q, index_k))

    def _backward(self, grad_out: torch.Tensor | None = None) -> tuple[torch.Tensor, ...]:
        """The gradients of q, k and v."""
        grad_out = self._operands.grad_out if grad_out is None else grad_out
        return torch.autograd.grad(
            self.results.out, self._operands[2:5], grad_out, retain_graph=True
        )

    def _step(self) -> tuple[torch.Tensor, ...]:
        """The gradients of q, k, v, index_q and index_k."""
        index_q, index_k, q, k, v, grad_out = self._operands
        support = self._select()
        schedule = build_backward_schedule(support, self._documents)
        out, lse = self._attend(support, schedule)
        loss = self._loss(lse, support, schedule)
        return torch.autograd.grad((out, loss), (q, k, v, index_q, index_k), (grad_out, None))

    def _attend(self, support, schedule) -> tuple[torch.Tensor, torch.Tensor]:
        return sparse_attention(
            *self._operands[2:5], support, self._documents, schedule=schedule, return_lse=True
        )

    def _loss(self, lse, support, schedule) -> torch.Tensor:
        index_q, index_k, q, k, *_ = self._operands
        return index_kl_loss(
            q, k, lse, index_q, index_k, support, self._documents, schedule=schedule
        )


class Bench:
    """Measures rows one by one, and keeps what they have in common.

    Args:
        settings: what to run.
        announce: called with what comes next, in words.
    """

    def __init__(self, settings: Settings, announce: Callable[[str], None]):
        self._settings = settings
        self._announce = announce
        self._clock = open_clock(settings.device)
        self._step = ""
        # By workload and groups: rows that differ in their selection alone have the same.
        self._dense: dict[tuple, RowRecord] = {}

    def start(self) -> Run:
        """Measures the reference rate of `torch.mm`; returns a run without rows."""
        settings, device = self._settings, self._settings.device
        self._announce("torch.mm")
        passes: list[Pass] = []
        self._timed(passes, "torch.mm", "torch", *matrix_product(device, settings.dtype))
        by_kernels = has_kernels(device) and settings.dtype == torch.bfloat16
        by_kernels &= os.environ.get("MSA_BACKEND") != "reference"
        return Run(
            device=device_name(device),
            torch_version=torch.__version__,
            cudnn_version=torch.backends.cudnn.version() if device.type == "cuda" else None,
            threads=torch.get_num_threads(),
            dtype=str(settings.dtype).removeprefix("torch."),
            operators="kernels" if by_kernels else "plain torch",
            mode=settings.mode,
            seed=settings.seed,
            ceiling=passes[0],
        )

    def row(self, row: Row, groups: int) -> RowRecord:
        """Measures a row as far as it goes."""
        documents = row.workload.documents(self._settings.device)
        record = RowRecord(
            workload=row.workload.name,
            kind=row.kind,
            groups=groups,
            tokens=documents.num_tokens,
            documents=len(row.workload.offsets) - 1,
            causal_pairs=causal_pairs(documents),
        )
        try:
            self._fill(record, row, documents)
        except Exception as error:  # of any kind: the other rows must still be shown
            record.error = f"{self._step}: {_reason(error)}"
            traceback.print_exc()
        return record

    def _fill(self, record: RowRecord, row: Row, documents: PackedDocuments) -> None:
        settings, kind = self._settings, KINDS[row.kind]
        self._say(record, "inputs")
        gc.collect()
        if settings.device.type == "cuda":
            torch.cuda.empty_cache()
        else:
            self._warm_up(kind, record.groups)
        generator = torch.Generator(settings.device).manual_seed(settings.seed)
        operands = self._operands(kind, documents, generator, record.groups)
        layer = self._passes(record, kind, operands, documents, generator)
        if settings.kernels:
            self._say(record, "kernels")
            names = [STEP] if STEP in kind.passes else kind.passes
            operations = [layer.operation(name) for name in names]
            record.kernels = profiled(lambda: [operation() for operation in operations])
            del operations
        if settings.check and kind.selection:
            self._say(record, "check")
            record.check = check_results(layer.results, operands, documents, settings.seed)
        del layer
        if settings.baselines:
            self._baselines(record, kind, operands, documents)

    def _operands(
        self, kind: Kind, documents: PackedDocuments, generator: torch.Generator, groups: int
    ) -> Operands:
        return random_operands(
            documents.num_tokens,
            self._settings.dtype,
            generator,
            num_groups=groups,
            attention=kind.has_attention,
        )

    def _passes(
        self,
        record: RowRecord | None,
        kind: Kind,
        operands: Operands,
        documents: PackedDocuments,
        generator: torch.Generator,
    ) -> Layer:
        """Runs the passes of a kind and what they need, measured where there is a record."""
        layer = Layer(operands, documents, self._settings.mode)
        groups = operands.index_q.shape[1]
        needed = {*kind.passes}
        if kind.selection is None:
            layer.results.lse = dense_lse(operands, documents)
        elif kind.passes != ("select",):
            needed |= {"schedule", "tables"} | ({"forward"} if kind.has_attention else set())
        if kind.selection == INDEXER:
            needed.add("select")
        elif kind.selection:
            layer.results.support = PATTERNS[kind.selection](documents, generator, groups)
        for name in ("select", "schedule", "tables", "forward", "kl", "backward", STEP):
            if name not in needed:
                continue
            operation = layer.operation(name)
            if record and name in kind.passes:
                flop = _flop(name, record, layer.results.support, documents)
                self._say(record, name)
                result = self._timed(record.passes, name, MSA, operation, flop)
            else:
                result = operation()
            layer.keep(name, result)
            result = None
        support = layer.results.support
        if record and support is not None:
            record.visible_pairs = selected_pairs(support, documents) / groups
        return layer

    def _warm_up(self, kind: Kind, groups: int) -> None:
        """Runs all passes on one block, so that imports, compilation and loading come first."""
        documents = Workload("warm-up", (0, BLOCK_SIZE)).documents(self._settings.device)
        generator = torch.Generator(self._settings.device).manual_seed(0)
        operands = self._operands(kind, documents, generator, groups)
        self._passes(None, kind, operands, documents, generator)
        if kind.baselines and self._settings.baselines:
            dense = DenseAttention(operands, documents)
            dense.backward(dense.forward())

    def _baselines(
        self, record: RowRecord, kind: Kind, operands: Operands, documents: PackedDocuments
    ) -> None:
        """Measures the baselines of a row; a package that cannot run leaves a note."""
        if kind.passes == ("select",):
            self._measure_baseline(record, TopK(operands, documents))
        if not kind.baselines:
            return
        if record.causal_pairs > DENSE_PAIRS:
            record.notes.append("dense attention is left out: it would take minutes")
            return
        key = (record.workload, record.tokens, record.groups)
        if key not in self._dense:
            one = self._dense[key] = dataclasses.replace(record, passes=[], notes=[])
            outs = self._measure_baseline(one, DenseAttention(operands, documents))
            if self._settings.device.type == "cuda":
                counts = ", ".join(f"{name} {count}" for name, count in backends(outs).items())
                one.notes.append(f"documents of dense attention by backend: {counts}")
            del outs
            for package in installed() if self._settings.device.type == "cuda" else ():
                try:
                    self._measure_baseline(one, package(operands, documents))
                except Exception as error:
                    one.notes.append(f"{package.name}: {_reason(error)}")
        one = self._dense[key]
        record.passes += [x for x in one.passes if x.name != STEP or STEP in kind.passes]
        record.notes += one.notes

    def _measure_baseline(self, record: RowRecord, baseline: Any) -> Any:
        """Measures each pass that a baseline has; returns the results of its forward."""
        pairs = record.groups * record.causal_pairs
        flop = {"forward": flops.forward_flop(pairs), "backward": flops.backward_flop(pairs)}
        outs = None
        for name in ("select", STEP, *flop):
            if operation := getattr(baseline, name, None):
                self._say(record, f"{baseline.name} {name}")
                run = functools.partial(operation, outs) if name == "backward" else operation
                result = self._timed(record.passes, name, baseline.name, run, flop.get(name))
                outs = result if name == "forward" else outs
        return outs

    def _timed(
        self,
        passes: list[Pass],
        name: str,
        by: str,
        operation: Callable[[], Any],
        flop: int | None,
    ) -> Any:
        """Measures an operation and adds it to `passes`; returns its result."""
        clock = self._clock
        if clock:
            clock.reset()
        graph = by == MSA and name in GRAPHED
        times, result = measure(operation, self._settings.device, graph=graph, watch=clock)
        passes.append(Pass.of(name, by, times, flop, clock))
        return result

    def _say(self, record: RowRecord, step: str) -> None:
        self._step = step
        self._announce(f"{record.workload}:{record.kind}, {record.groups} groups: {step}")


def _reason(error: Exception) -> str:
    """An error in a line."""
    first_line = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {first_line}"


def _flop(
    name: str, record: RowRecord, support: torch.Tensor | None, documents: PackedDocuments
) -> int | None:
    """Useful FLOP of a pass of the row, of all groups; the index loss over all keys by no support.

    A step is all of its passes.
    """
    causal = record.groups * record.causal_pairs
    pairs = causal if support is None else selected_pairs(support, documents)
    by_name = {
        "select": flops.selection_flop(causal),
        "forward": flops.forward_flop(pairs),
        "kl": flops.index_kl_flop(pairs),
        "backward": flops.backward_flop(pairs),
    }
    return sum(by_name.values()) if name == STEP else by_name.get(name)
