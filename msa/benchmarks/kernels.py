"""Figures of single kernels on a GPU: `bazel run //msa/benchmarks:kernels`.

Device times are medians of CUDA-graph replays, which leave out what the host does between launches;
rates are held against a copy in the same run. The host's cost of a launch is a median too. The
kernels that walk a schedule are in the table of `msa.benchmarks.gpu_bench`, as whole passes.
"""

import itertools
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch

import msa.autograd  # noqa: F401, puts the kernels behind the operators
from msa.benchmarks.patterns import PATTERNS
from msa.benchmarks.timing import captured, measure
from msa.kernels import launch
from msa.kernels.attention import has_kernels, heads_at_a_time
from msa.kernels.formats import (
    BOUND_FIELDS,
    CHUNK_TASKS,
    CONTROL_FIELDS,
    FINISH_FAST,
    FINISH_FIXED,
    ITEM_FIELDS,
)
from msa.kernels.library import Kernel
from msa.schedule import (
    BLOCK_SIZE,
    GROUP_HEADS,
    HEAD_DIM,
    NUM_KV_HEADS,
    NUM_Q_HEADS,
    PackedDocuments,
    build_backward_schedule,
    build_task_tables,
    task_window,
)
from msa.schedule.backward_schedule import schedule_tensors

_DELTA = Kernel("common", "delta")
_FINISH = Kernel("common", "finish")
_GRAD_FINALIZE = Kernel("common", "grad_finalize")
_PAD_BLOCKS = Kernel("common", "pad_blocks")
_ITEMS = Kernel("common", "items")
_REPLAYS = 30
_LAUNCHES = 200
_SCHEDULE_TOKENS = (8_192, 32_768, 196_608, 1_048_576)
_STATISTICS_TOKENS = (8_192, 32_768, 131_072)
_FINISHING_TOKENS = (32_768, 131_072)
_COPY_BYTES = 2**31
_LAUNCH_ROW = "{:<28} {:>9} {:>9} {:>9} {:>8} {:>15}"


class _Launch(NamedTuple):
    """A kernel with its arguments, and the bytes that it reads and writes."""

    name: str
    kernel: Kernel
    arguments: tuple[torch.Tensor | int, ...]
    moved: int


def _graph_ms(operation: Callable[[], object]) -> float:
    """Median milliseconds of a replay of `operation`."""
    replay = captured(operation)
    for _ in range(3):
        replay()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(_REPLAYS + 1)]
    events[0].record()
    for event in events[1:]:
        replay()
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


def _support_of(
    tokens: int, pattern: str, device: torch.device
) -> tuple[torch.Tensor, PackedDocuments]:
    """A support of one document."""
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, tokens], device=device))
    generator = torch.Generator(device).manual_seed(tokens)
    return PATTERNS[pattern](documents, generator), documents


def _schedule_row(tokens: int, pattern: str, device: torch.device) -> tuple[float, float]:
    """Milliseconds of the CSR and work item build, and of the task build, for one document."""
    support, documents = _support_of(tokens, pattern, device)
    schedule = build_backward_schedule(support, documents)
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
    num_sms, window = _num_sms(device), task_window(tokens)
    return csr_ms, _graph_ms(lambda: launch.build_task_tables(*fields, num_sms, window))


def _num_sms(device: torch.device) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


def _num_bytes(*tensors: torch.Tensor) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def _delta_launch(tokens: int, device: torch.device) -> _Launch:
    generator = torch.Generator(device).manual_seed(tokens)
    shape = (tokens, NUM_Q_HEADS, HEAD_DIM)
    grad_out, out = (
        torch.randn(shape, dtype=torch.bfloat16, device=device, generator=generator)
        for _ in range(2)
    )
    lse = torch.randn(shape[:2], device=device, generator=generator)
    statistics_of_rows = lse.new_empty(tokens, NUM_KV_HEADS, 2 * GROUP_HEADS)
    operands = (grad_out, out, lse, statistics_of_rows)
    return _Launch("delta", _DELTA, (*operands, tokens * NUM_KV_HEADS), _num_bytes(*operands))


def _finishing_launches(tokens: int, device: torch.device) -> Iterator[_Launch]:
    """What runs before and after the walks of a pass."""
    yield from _finish_launches(tokens, device)
    for deterministic in (False, True):
        yield _grad_finalize_launch(tokens, deterministic, device)
    yield _pad_blocks_launch(tokens, device)
    for pattern in ("random", "clustered"):
        yield _items_launch(tokens, pattern, device)


def _finish_launches(tokens: int, device: torch.device) -> Iterator[_Launch]:
    """Of as many KV heads as a forward takes at a time."""
    heads = heads_at_a_time(NUM_KV_HEADS, tokens)
    shape = (tokens, NUM_Q_HEADS, HEAD_DIM)
    pool = torch.randn(
        (heads * tokens, 2 * GROUP_HEADS, HEAD_DIM), dtype=torch.bfloat16, device=device
    )
    sums = torch.ones(shape[:2], device=device)  # as an integer, a positive sum too
    references = torch.zeros(shape[:2], dtype=torch.int32, device=device)
    bounds = torch.ones(tokens, NUM_KV_HEADS, BOUND_FIELDS, device=device)
    flags = references.new_zeros((tokens, NUM_KV_HEADS))
    flagged = references.new_zeros(1)
    out, lse = pool.new_empty(shape), sums.new_empty(shape[:2])
    buffers = (pool, sums, references, bounds, flags, 0, flagged, out, lse)
    inputs = (*buffers, tokens, NUM_KV_HEADS, 0, heads)
    for name, mode, beside in (
        ("finish", FINISH_FAST, flags),
        ("finish, fixed", FINISH_FIXED, references),
    ):
        of_rows = _num_bytes(sums, out, lse, beside) * heads // NUM_KV_HEADS
        name = f"{name}, {heads} of {NUM_KV_HEADS} heads"
        yield _Launch(name, _FINISH, (mode, *inputs), _num_bytes(pool) + of_rows)


def _grad_finalize_launch(tokens: int, deterministic: bool, device: torch.device) -> _Launch:
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, tokens], device=device))
    num_kblocks = documents.workspace_size // BLOCK_SIZE
    pools = torch.zeros(
        (2, NUM_KV_HEADS, num_kblocks, BLOCK_SIZE * HEAD_DIM),
        dtype=torch.int64 if deterministic else torch.float32,
        device=device,
    )
    dk, dv = (
        torch.empty((tokens, NUM_KV_HEADS, HEAD_DIM), dtype=torch.bfloat16, device=device)
        for _ in range(2)
    )
    kv_scale = torch.ones(pools.shape[:3], device=device)
    dq = dq_pool = dq_scale = kv_scale  # not touched but in fixed point
    moved = _num_bytes(pools, dk, dv)
    if deterministic:
        dq = dk.new_empty((tokens, NUM_Q_HEADS, HEAD_DIM))
        dq_pool = torch.zeros(dq.shape, dtype=torch.int32, device=device)
        dq_scale = torch.ones(dq.shape[:2], device=device)
        moved += _num_bytes(kv_scale, dq, dq_pool, dq_scale)
    return _Launch(
        f"grad_finalize{', fixed point' if deterministic else ''}",
        _GRAD_FINALIZE,
        (
            int(deterministic),
            pools[0],
            pools[1],
            kv_scale,
            dq_pool,
            dq_scale,
            documents.cu_seqlens,
            documents.document_workspace_starts,
            1,
            NUM_KV_HEADS,
            tokens,
            num_kblocks,
            dq,
            dk,
            dv,
        ),
        moved,
    )


def _pad_blocks_launch(tokens: int, device: torch.device) -> _Launch:
    """Of a document that ends a key before its last block does."""
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, tokens - 1], device=device))
    k, v, padded_k, padded_v = (
        torch.randn((rows, NUM_KV_HEADS, HEAD_DIM), device=device).bfloat16()
        for rows in (*[documents.num_tokens] * 2, *[documents.workspace_size] * 2)
    )
    return _Launch(
        "pad_blocks",
        _PAD_BLOCKS,
        (
            k,
            v,
            documents.cu_seqlens,
            documents.document_workspace_starts,
            1,
            NUM_KV_HEADS,
            documents.workspace_size // BLOCK_SIZE,
            padded_k,
            padded_v,
        ),
        _num_bytes(k, v, padded_k, padded_v),
    )


def _items_launch(tokens: int, pattern: str, device: torch.device) -> _Launch:
    """Of all rows; what is moved are two readings of the tasks' heads and blocks, and the items."""
    schedule = build_backward_schedule(*_support_of(tokens, pattern, device))
    tables = build_task_tables(schedule, num_sms=_num_sms(device), window=task_window(tokens))
    capacity = tables.task_meta.shape[0]
    items = tables.task_meta.new_empty((capacity, ITEM_FIELDS))
    control = tables.task_meta.new_empty(CONTROL_FIELDS)
    arguments = (
        tables.task_meta,
        tables.task_qrows,
        tables.descriptor,
        control,  # no flags, and no count of them: all rows
        0,
        control,
        NUM_KV_HEADS,
        0,
        NUM_KV_HEADS,
        capacity,
        tables.task_meta.new_empty(-(-capacity // CHUNK_TASKS)),
        items,
        control,
    )
    _ITEMS(device, *arguments)
    num_tasks, num_items = int(tables.descriptor[0]), int(control[0])
    moved = 2 * _num_bytes(tables.task_meta[:num_tasks]) + _num_bytes(items[:num_items])
    return _Launch(f"items, {pattern}", _ITEMS, arguments, moved)


def _print_schedules(device: torch.device) -> None:
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


def _print_launch(item: _Launch, tokens: int, copy_rate: float, device: torch.device) -> None:
    def run() -> None:
        item.kernel(device, *item.arguments)

    milliseconds = _graph_ms(run)
    rate = item.moved / (milliseconds / 1e3)
    print(
        _LAUNCH_ROW.format(
            item.name,
            f"{tokens:,}",
            f"{milliseconds:.3f}",
            f"{rate / 1e12:.2f}",
            f"{rate / copy_rate:.0%}",
            f"{_host_us(run):.1f}",
        )
    )


def main() -> int:
    """Prints the tables; returns 1 where there is no GPU that kernels run on."""
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", torch.cuda.current_device())
    if not has_kernels(device):
        print("kernels: expected a GPU that kernels are built for, found none", file=sys.stderr)
        return 1
    copy_rate = _copy_rate(device)
    print(f"{torch.cuda.get_device_name(device)}, torch {torch.__version__}")
    print(f"copy of 2 GiB, read and written: {copy_rate / 1e12:.2f} TB/s\n")

    _print_schedules(device)
    titles = _LAUNCH_ROW.format("kernel", "tokens", "ms", "TB/s", "of copy", "host us/launch")
    print(f"\n{titles}")
    for tokens in _STATISTICS_TOKENS:
        _print_launch(_delta_launch(tokens, device), tokens, copy_rate, device)
    for tokens in _FINISHING_TOKENS:
        for item in _finishing_launches(tokens, device):
            _print_launch(item, tokens, copy_rate, device)
    return 0


if __name__ == "__main__":
    sys.exit(main())
