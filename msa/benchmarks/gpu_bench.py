"""The table of a GPU with kernels: attention, selection, index loss and a layer's whole step.

`bazel run //msa:bench` on such a GPU or, where there is no Bazel but torch,

    python3 -m msa.benchmarks.gpu_bench [--rows=uniform/1x32768:random] [--nodense] [--json=FILE]
        [--mode=deterministic] [--groups=1,2,4,8]

Each row is printed when it is done; one that fails does not end the table. Operators are measured
on their own, without autograd around them.
"""

import argparse
import dataclasses
import gc
import itertools
import json
import pathlib
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import torch

from msa.autograd import dense_index_kl_loss, index_kl_loss, sparse_attention
from msa.benchmarks import counts, gpu_table
from msa.benchmarks.card import Card, CardWatch, open_card
from msa.benchmarks.check import check_results
from msa.benchmarks.dense import DenseAttention, backends, dense_lse
from msa.benchmarks.gpu_report import (
    DenseFigures,
    LayerFigures,
    PassFigures,
    RowReport,
    SelectFigures,
)
from msa.benchmarks.gpu_rows import (
    ALL,
    KINDS,
    KL_DENSE,
    KL_PATTERNS,
    LAYER,
    SELECT,
    Row,
    parse_rows,
)
from msa.benchmarks.layer import Layer
from msa.benchmarks.modes import MODES, in_mode
from msa.benchmarks.operands import Operands, Results, random_operands
from msa.benchmarks.passes import build_schedule, device_name
from msa.benchmarks.patterns import PATTERNS
from msa.benchmarks.report import Cost
from msa.benchmarks.selection import PRODUCT_FLOP, PRODUCT_SIZE, MatrixProduct, Selection
from msa.benchmarks.timing import PAUSE_SECONDS, WARM_UP_MS, captured, measure_regimes
from msa.kernels.attention import has_kernels
from msa.schedule import GROUP_COUNTS, NUM_KV_HEADS, PackedDocuments
from msa.schedule.backward_schedule import schedule_tensors


@dataclasses.dataclass(frozen=True)
class TableSettings:
    """What to run.

    Attributes:
        rows: of the table.
        device: a GPU with attention kernels.
        dense: whether to measure dense attention.
        check: whether to check the results.
        seed: of the operands and of random patterns.
        json: file for the figures, None for none.
        mode: of the kernels, one of `MODES`.
        groups: how many KV groups each row is measured with, one number after the other.
    """

    rows: tuple[Row, ...]
    device: torch.device
    dense: bool
    check: bool
    seed: int
    json: pathlib.Path | None
    mode: str = "fast"
    groups: tuple[int, ...] = (NUM_KV_HEADS,)


class _Bench:
    """Measures rows."""

    def __init__(self, settings: TableSettings):
        self._settings = settings
        self._card: Card | None = open_card(settings.device)
        self._start = time.monotonic()
        # By workload and groups: rows that differ in their pattern alone have the same.
        self._dense: dict[tuple[str, int], DenseFigures] = {}
        self._product: PassFigures | None = None
        self._step = ""

    def run(self, row: Row, num_groups: int) -> RowReport:
        """Measures a row as far as it goes."""
        report = RowReport(row, num_groups)
        try:
            self._announce(report, "inputs")
            gc.collect()
            torch.cuda.empty_cache()
            documents = row.workload.documents(self._settings.device)
            generator = torch.Generator(self._settings.device).manual_seed(self._settings.seed)
            operands = random_operands(
                documents.num_tokens,
                torch.bfloat16,
                generator,
                num_groups=num_groups,
                attention=row.pattern != SELECT,
            )
            report.causal_pairs = counts.causal_pairs(documents)
            if row.pattern == SELECT:
                self._measure_selection(report, operands, documents, generator)
            elif row.pattern == KL_DENSE:
                self._measure_dense_kl(report, operands, documents)
            elif row.pattern in KL_PATTERNS:
                pattern = PATTERNS[KL_PATTERNS[row.pattern]]
                support = pattern(documents, generator, num_groups)
                self._measure_kl(report, operands, support, documents)
            else:
                if row.pattern == LAYER:
                    self._measure_layer(report, operands, documents)
                else:
                    support = PATTERNS[row.pattern](documents, generator, num_groups)
                    self._measure_sparse(report, operands, support, documents)
                if self._settings.dense:
                    self._measure_dense(report, operands, documents)
        except Exception as error:  # of whatever kind: the rows before and after it must be seen
            reason = str(error).strip().partition("\n")[0]
            report.error = f"{self._step}: {type(error).__name__}: {reason}"
            traceback.print_exc()
        return report

    def _measure_selection(
        self,
        report: RowReport,
        operands: Operands,
        documents: PackedDocuments,
        generator: torch.Generator,
    ) -> None:
        self._announce(report, "matrix product")
        if self._product is None:
            product = MatrixProduct(generator, PRODUCT_SIZE)
            self._product = self._figures(product, PRODUCT_FLOP)
        selection = Selection(operands, documents, generator)
        self._announce(report, "select")
        flop = counts.selection_flop(report.num_groups * report.causal_pairs)
        # Captured: up to 8K tokens the device is faster than the host that launches.
        select = self._figures(captured(selection.select), flop)
        self._announce(report, "top-k")
        topk = self._figures(selection.topk, None)
        report.select = SelectFigures(select, self._product, topk)

    def _measure_sparse(
        self,
        report: RowReport,
        operands: Operands,
        support: torch.Tensor,
        documents: PackedDocuments,
    ) -> None:
        self._announce(report, "schedule")
        schedule, tables = build_schedule(support, documents)
        # Its kernels are too short to be queued one by one.
        replay = captured(lambda: build_schedule(support, documents))
        report.schedule = self._figures(replay, None)
        del replay
        pairs = counts.selected_pairs(support, documents)
        report.visible_pairs = pairs / report.num_groups

        q, k, v = (x.detach() for x in (operands.q, operands.k, operands.v))
        fields = schedule_tensors(schedule)
        mode = MODES[self._settings.mode]

        def forward():
            with mode():
                return torch.ops.msa.sparse_attention(q, k, v, *fields)

        def backward(grad_out):
            with mode():
                return torch.ops.msa.sparse_attention_backward(grad_out, q, k, v, out, lse, *fields)

        self._announce(report, "forward")
        report.forward = self._figures(forward, counts.forward_flop(pairs))
        out, lse = forward()
        self._announce(report, "backward")
        report.backward = self._figures(
            lambda: backward(operands.grad_out), counts.backward_flop(pairs)
        )
        if self._settings.check:
            self._announce(report, "check")
            results = Results(support, schedule, tables, out=out, lse=lse, backward=backward)
            report.check = check_results(results, operands, documents, self._settings.seed)

    def _measure_layer(
        self, report: RowReport, operands: Operands, documents: PackedDocuments
    ) -> None:
        self._announce(report, "layer")
        mode = MODES[self._settings.mode]
        with mode():
            layer = Layer(operands, documents)
        pairs = counts.selected_pairs(layer.support, documents)
        report.visible_pairs = pairs / report.num_groups
        flop = {
            "select": counts.selection_flop(report.num_groups * report.causal_pairs),
            "schedule": None,
            "forward": counts.forward_flop(pairs),
            "kl": counts.index_kl_flop(pairs),
            "backward": counts.backward_flop(pairs),
        }
        step = self._figures(in_mode(mode, layer.step), sum(filter(None, flop.values())))
        parts = {}
        for name, part in layer.parts().items():
            self._announce(report, f"layer's {name}")
            operation = in_mode(mode, part)
            if name in ("select", "schedule"):
                # Alone, they can be faster than the host that launches them.
                operation = captured(operation)
            parts[name] = self._figures(operation, flop[name])
            del operation
        report.layer = LayerFigures(step, parts)
        if self._settings.check:
            self._announce(report, "check")
            _, tables = build_schedule(layer.support, documents)
            results = Results(
                layer.support,
                layer.schedule,
                tables,
                selected=layer.support,
                out=layer.out.detach(),
                lse=layer.lse,
                backward=in_mode(mode, layer.backward),
                index_q_grad=in_mode(mode, layer.step)()[3],
            )
            report.check = check_results(results, operands, documents, self._settings.seed)

    def _measure_kl(
        self,
        report: RowReport,
        operands: Operands,
        support: torch.Tensor,
        documents: PackedDocuments,
    ) -> None:
        schedule, tables = build_schedule(support, documents)
        pairs = counts.selected_pairs(support, documents)
        report.visible_pairs = pairs / report.num_groups
        index_q, index_k, q, k, v, _ = operands
        with torch.no_grad():
            out, lse = sparse_attention(
                q, k, v, support, documents, schedule=schedule, return_lse=True
            )

        def loss_and_gradients():
            loss = index_kl_loss(q, k, lse, index_q, index_k, support, documents, schedule=schedule)
            return torch.autograd.grad(loss, (index_q, index_k))

        operation = in_mode(MODES[self._settings.mode], loss_and_gradients)
        self._announce(report, "kl")
        report.kl = self._figures(operation, counts.index_kl_flop(pairs))
        if self._settings.check:
            self._announce(report, "check")
            index_q_grad, _ = operation()
            results = Results(
                support, schedule, tables, out=out, lse=lse, index_q_grad=index_q_grad
            )
            report.check = check_results(results, operands, documents, self._settings.seed)

    def _measure_dense_kl(
        self, report: RowReport, operands: Operands, documents: PackedDocuments
    ) -> None:
        self._announce(report, "dense lse")
        lse = dense_lse(operands, documents)
        index_q, index_k, q, k, *_ = operands

        def loss_and_gradients():
            loss = dense_index_kl_loss(q, k, lse, index_q, index_k, documents)
            return torch.autograd.grad(loss, (index_q, index_k))

        self._announce(report, "kl")
        flop = counts.index_kl_flop(report.num_groups * report.causal_pairs)
        report.kl = self._figures(in_mode(MODES[self._settings.mode], loss_and_gradients), flop)

    def _measure_dense(
        self, report: RowReport, operands: Operands, documents: PackedDocuments
    ) -> None:
        key = (report.row.workload.name, report.num_groups)
        if key not in self._dense:
            self._announce(report, "dense")
            attention = DenseAttention(operands, documents)
            head_pairs = report.num_groups * report.causal_pairs
            forward = self._figures(attention.forward, counts.forward_flop(head_pairs))
            outs = attention.forward()
            self._announce(report, "dense backward")
            backward = self._figures(
                lambda: attention.backward(outs), counts.backward_flop(head_pairs)
            )
            self._dense[key] = DenseFigures(forward, backward, backends(outs))
        report.dense = self._dense[key]

    def _figures(self, operation: Callable[[], object], flop: int | None) -> PassFigures:
        watch = CardWatch(self._card)
        regimes = measure_regimes(operation, self._settings.device, watch)
        return PassFigures(*(Cost.of(regime, flop) for regime in regimes), watch.use)

    def _announce(self, report: RowReport, step: str) -> None:
        """Says on stderr what comes, and when: should it hang, that is the last line."""
        self._step = step
        elapsed = time.monotonic() - self._start
        name = f"{report.row}, {report.num_groups} groups"
        print(f"[{elapsed:6.1f} s] {name}: {step}", file=sys.stderr, flush=True)

    def header(self) -> str:
        """What runs, and how."""
        settings = self._settings
        clock = "read by NVML" if self._card else "not read, NVML does not tell"
        return (
            f"device   {device_name(settings.device)}; bfloat16, torch "
            f"{torch.__version__}, cuDNN {torch.backends.cudnn.version()}, seed {settings.seed}\n"
            f"mode     {settings.mode}\n"
            f"regimes  sustained: back to back after {WARM_UP_MS:.0f} ms of the same work; spaced: "
            f"{PAUSE_SECONDS * 1e3:.0f} ms of idleness before each run; medians\n"
            f"clock    SM clock and power cap {clock}"
        )


def main(settings: TableSettings) -> int:
    """Prints the table; returns 1 for a row that failed or a file that was not written, else 0."""
    bench = _Bench(settings)
    print(bench.header(), gpu_table.LEGEND, gpu_table.titles(), sep="\n\n", flush=True)
    reports = []
    status = 0
    for row, num_groups in itertools.product(settings.rows, settings.groups):
        reports.append(bench.run(row, num_groups))
        print(gpu_table.lines(reports[-1]), flush=True)
        if settings.json:
            try:
                text = json.dumps(_to_json(settings, reports), indent=2)
                settings.json.write_text(text + "\n", encoding="utf-8")
            except OSError as error:
                print(f"gpu_bench: {error}", file=sys.stderr)
                status = 1
    return status if all(report.passed for report in reports) else 1


def find_device() -> torch.device | None:
    """The current GPU if there are attention kernels for it."""
    if not torch.cuda.is_available():
        return None
    device = torch.device("cuda", torch.cuda.current_device())
    return device if has_kernels(device) else None


def _to_json(settings: TableSettings, reports: list[RowReport]) -> dict[str, Any]:
    return {
        "device": device_name(settings.device),
        "torch_version": torch.__version__,
        "cudnn_version": torch.backends.cudnn.version(),
        "seed": settings.seed,
        "mode": settings.mode,
        "rows": [report.to_json() for report in reports],
    }


def parse_arguments(arguments: list[str] | None = None) -> TableSettings:
    """The settings of a command line; ends the program with a message where it is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rows",
        default=ALL,
        help=f"<workload>:<pattern>, with commas between them and patterns of {', '.join(KINDS)}, "
        f"or {ALL} (the default)",
    )
    parser.add_argument("--nodense", action="store_true", help="leave dense attention out")
    parser.add_argument("--mode", choices=MODES, default="fast", help="of the kernels (fast)")
    parser.add_argument(
        "--groups",
        default=str(NUM_KV_HEADS),
        help=f"KV groups of 16 query heads to measure each row with, some of "
        f"{', '.join(map(str, GROUP_COUNTS))} with commas between them ({NUM_KV_HEADS})",
    )
    parser.add_argument("--nocheck", action="store_true", help="do not check the results")
    parser.add_argument("--seed", type=int, default=0, help="of the operands (0)")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file")
    options = parser.parse_args(arguments)
    try:
        rows = parse_rows(options.rows)
    except ValueError as error:
        parser.error(f"--rows: {error}")
    choices = {str(count): count for count in GROUP_COUNTS}
    groups = options.groups.split(",")
    if not choices.keys() >= set(groups):
        parser.error(
            f"--groups: expected some of {', '.join(choices)} with commas between them, "
            f"got {options.groups!r}"
        )
    device = find_device()
    if device is None:
        parser.error("expected a GPU with attention kernels, found none")
    return TableSettings(
        rows,
        device,
        not options.nodense,
        not options.nocheck,
        options.seed,
        options.json,
        options.mode,
        tuple(choices[count] for count in groups),
    )


if __name__ == "__main__":
    sys.exit(main(parse_arguments()))
