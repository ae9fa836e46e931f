"""Figures of the shared kernels on a GPU: `bazel run //msa/benchmarks:kernels`.

Device times are medians of CUDA-graph replays, which leave out what the host does between launches;
rates are held against a copy in the same run. The host's cost of a launch is a median too.
"""

import itertools
import statistics
import sys
import time
from collections.abc import Callable

import torch

from msa.benchmarks.patterns import PATTERNS
from msa.benchmarks.timing import measure
from msa.kernels import launch
from msa.kernels.library import Kernel, arch_of
from msa.schedule import (
    HEAD_DIM,
    NUM_KV_HEADS,
    NUM_Q_HEADS,
    PackedDocuments,
    build_backward_schedule,
    task_window,
)
from msa.schedule.backward_schedule import schedule_tensors

_DELTA = Kernel("common", "delta")
_REPLAYS = 30
_LAUNCHES = 200
_SCHEDULE_TOKENS = (8_192, 32_768, 196_608, 1_048_576)
_STATISTICS_TOKENS = (8_192, 32_768, 131_072)
_COPY_BYTES = 2**31


def _graph_ms(operation: Callable[[], object]) -> float:
    """Median milliseconds of a replay of `operation`."""
    operation()  # loads the kernels, which a capture must not
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        operation()
    for _ in range(3):
        graph.replay()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(_REPLAYS + 1)]
    events[0].record()
    for event in events[1:]:
        graph.replay()
        event.record()
    torch.cuda.synchronize()
    return statistics.median(a.elapsed_time(b) for a, b in itertools.pairwise(events))


def _host_us(operation: Callable[[], object]) -> float:
    """Median microseconds that the host spends in one of many calls in a row."""
    times = []
    for _ in range(_LAUNCHES):
        start = time.perf_counter()
        operation()
        times.append((time.perf_counter() - start) * 1e6)
    torch.cuda.synchronize()
    return statistics.median(times)


def _copy_rate(device: torch.device) -> float:
    """Bytes read and written a second by a large copy."""
    source = torch.randn(_COPY_BYTES // 4, device=device)
    target = torch.empty_like(source)
    # Not by a graph: that would copy by the copy engines, at two thirds of the rate.
    measurement, _ = measure(lambda: target.copy_(source), device, _REPLAYS)
    return 2 * _COPY_BYTES / (measurement.median_ms / 1e3)


def _schedule_row(tokens: int, pattern: str, device: torch.device) -> tuple[float, float]:
    """Milliseconds of the CSR and work item build, and of the task build, for one document."""
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, tokens], device=device))
    generator = torch.Generator(device).manual_seed(tokens)
    support = PATTERNS[pattern](documents, generator)
    schedule = build_backward_schedule(support, documents)
    num_sms = torch.cuda.get_device_properties(device).multi_processor_count
    window = task_window(tokens)
    csr_ms = _graph_ms(
        lambda: launch.build_schedule_tensors(
            support,
            documents.document_positions,
            documents.workspace_positions,
            documents.document_workspace_starts,
            documents.workspace_size,
        )
    )
    fields = schedule_tensors(schedule)
    return csr_ms, _graph_ms(lambda: launch.build_task_tables(*fields, num_sms, window))


def _statistics_operands(tokens: int, device: torch.device) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator(device).manual_seed(tokens)
    shape = (tokens, NUM_Q_HEADS, HEAD_DIM)
    grad_out, out = (
        torch.randn(shape, dtype=torch.bfloat16, device=device, generator=generator)
        for _ in range(2)
    )
    return grad_out, out, torch.randn(shape[:2], device=device, generator=generator)


def main() -> int:
    """Prints the tables; returns 1 where there is no GPU that kernels run on."""
    if not torch.cuda.is_available() or arch_of(torch.device("cuda", 0)) is None:
        print("kernels: expected a GPU that kernels are built for, found none", file=sys.stderr)
        return 1
    device = torch.device("cuda", torch.cuda.current_device())
    copy_rate = _copy_rate(device)
    print(f"{torch.cuda.get_device_name(device)}, torch {torch.__version__}")
    print(f"copy of 2 GiB, read and written: {copy_rate / 1e12:.2f} TB/s\n")

    row = "{:<11} {:>9} {:>13} {:>14} {:>9} {:>12}"
    print(
        row.format("selection", "tokens", "csr_build ms", "task_build ms", "sum ms", "ns a token")
    )
    for pattern in ("random", "clustered"):
        for tokens in _SCHEDULE_TOKENS:
            csr_ms, task_ms = _schedule_row(tokens, pattern, device)
            total = csr_ms + task_ms
            print(
                row.format(
                    pattern,
                    f"{tokens:,}",
                    f"{csr_ms:.3f}",
                    f"{task_ms:.3f}",
                    f"{total:.3f}",
                    f"{total * 1e6 / tokens:.1f}",
                )
            )

    row = "{:<21} {:>9} {:>9} {:>8} {:>13}"
    print("\n" + row.format("delta", "ms", "TB/s", "of copy", "host us/launch"))
    for tokens in _STATISTICS_TOKENS:
        operands = _statistics_operands(tokens, device)
        milliseconds = _graph_ms(lambda operands=operands: launch.row_statistics(*operands))
        result = launch.row_statistics(*operands)
        moved = sum(x.numel() * x.element_size() for x in (*operands, result))
        rate = moved / (milliseconds / 1e3)
        rows = tokens * NUM_KV_HEADS
        host = _host_us(lambda o=operands, r=result, n=rows: _DELTA(device, *o, r, n))
        print(
            row.format(
                f"{tokens:,} tokens",
                f"{milliseconds:.3f}",
                f"{rate / 1e12:.2f}",
                f"{rate / copy_rate:.0%}",
                f"{host:.1f}",
            )
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
