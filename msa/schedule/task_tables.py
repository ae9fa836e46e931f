"""From work items to the tasks that the backward's CTAs walk, in locality order."""

from typing import NamedTuple

import torch

from msa.schedule.backward_schedule import MSABackwardSchedule, schedule_tensors
from msa.schedule.checks import require_at_most, require_int, require_ints
from msa.schedule.cta_walk import device_walk
from msa.schedule.operators import define
from msa.schedule.profiling import recorded
from msa.schedule.topology import (
    BLOCK_SIZE,
    MAX_TASK_WINDOWS,
    MIN_TASK_WINDOW,
    QUERY_CHUNK,
)

TASK_META_FIELDS = 4
"""`0, index_head, workspace_kblock, valid`."""
DESCRIPTOR_FIELDS = 8
"""See `TaskTables.descriptor`."""
OVERFLOW_FLAG = 1
"""Bit of `TaskTables.descriptor[7]`: the schedule's counts contradict its shapes."""

_INT32_MAX = torch.iinfo(torch.int32).max
_INT64_MAX = torch.iinfo(torch.int64).max


class TaskTables(NamedTuple):
    """The tasks of a backward, each of up to 8 queries that selected one key block; all int32.

    Attributes:
        task_meta: `[capacity, 4]`, `(0, index_head, workspace_kblock, valid)`, where `valid` is the
            number of queries.
        task_qrows: `[capacity, 8]`, compact rows of the queries, -1 from `valid` on.
        task_qpos: `[capacity, 8]`, workspace rows of the queries, -1 from `valid` on.
        descriptor: `[8]`, task rows to walk, rows per CTA, full CTAs, tail rows, grid CTAs, work
            items, tasks needed, flags. With `OVERFLOW_FLAG` set there is nothing to walk.
    """

    task_meta: torch.Tensor
    task_qrows: torch.Tensor
    task_qpos: torch.Tensor
    descriptor: torch.Tensor


def task_window(num_tokens: int) -> int:
    """Returns the locality window of a call with `num_tokens` tokens, in compact query rows.

    512, or the smallest power of two not below `num_tokens / 32` if that is more.

    Raises:
        TypeError: `num_tokens` is not an int.
        ValueError: `num_tokens` is negative.
    """
    share = -(-require_int("num_tokens", num_tokens, 0) // MAX_TASK_WINDOWS)
    return max(MIN_TASK_WINDOW, 1 << max(share - 1, 0).bit_length())


def task_capacity(num_groups: int, num_edges: int, num_items: int) -> int:
    """Most tasks of `[num_groups, num_edges]` edges in `num_items` items, one partial each."""
    return num_groups * num_edges // QUERY_CHUNK + num_items


@recorded
def build_task_tables(
    schedule: MSABackwardSchedule, *, num_sms: int, window: int = MIN_TASK_WINDOW
) -> TaskTables:
    """Cuts the work items of a schedule into tasks and puts these in locality order.

    Tasks are sorted, stably in the order of the work items, by (index head, first compact query row
    `// window`, workspace key block), so that a wave of CTAs finds its rows of Q, dO and dQ in L2.
    The tables have `task_capacity` rows; those past the last task are unspecified. Nothing waits
    for the device.

    A `work_count` outside `[0, work_capacity]`, or work items that need more tasks than the
    capacity, set `OVERFLOW_FLAG` and leave no task to walk. The descriptor still holds the given
    `work_count` and, if that is in range, the number of tasks needed (else 0).

    Args:
        schedule: the work items; rows may be numbered in any order.
        num_sms: SMs that walk the tasks.
        window: compact query rows per locality window, `task_window(num_tokens)` in training.

    Raises:
        TypeError: an argument has another type.
        ValueError: `num_sms` or `window` is below 1, or past int32 or int64; or the schedule has
            capacity for more tasks than int32 can count.
    """
    if not isinstance(schedule, MSABackwardSchedule):
        raise TypeError(f"schedule must be an MSABackwardSchedule, got {type(schedule).__name__}")
    num_sms, window = require_ints(("num_sms", num_sms, 1), ("window", window, 1))
    require_at_most("num_sms", num_sms, _INT32_MAX)
    require_at_most("window", window, _INT64_MAX)
    capacity = _capacity(schedule.q_indices, schedule.scheduler_metadata)
    if capacity > _INT32_MAX:
        raise ValueError(
            f"schedule must have capacity for at most {_INT32_MAX} tasks, got {capacity} of "
            f"q_indices {list(schedule.q_indices.shape)} and scheduler_metadata "
            f"{list(schedule.scheduler_metadata.shape)}"
        )
    return TaskTables(*_build_task_tables(*schedule_tensors(schedule), num_sms, window))


@torch.inference_mode(False)  # a backward can save tables built under inference mode
def build_table_tensors(
    row_ptr: torch.Tensor,
    q_indices: torch.Tensor,
    scheduler_metadata: torch.Tensor,
    work_count: torch.Tensor,
    cu_seqlens: torch.Tensor,
    document_workspace_starts: torch.Tensor,
    num_sms: int,
    window: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The operator `msa::build_task_tables` in torch, on any device: the fields of `TaskTables`."""
    device = row_ptr.device
    num_items = scheduler_metadata.shape[0]
    num_groups, num_edges = q_indices.shape
    capacity = _capacity(q_indices, scheduler_metadata)

    work_count = work_count[0].to(torch.int64)
    count_fits = (work_count >= 0) & (work_count <= num_items)
    is_item = (torch.arange(num_items, device=device) < work_count) & count_fits
    # All indices are clamped: a `work_count` that is too high reads unspecified items.
    items = torch.where(is_item[:, None], scheduler_metadata, 0).to(torch.int64)
    head, row, begin, count, document, local_kblock = items.unbind(1)
    head = head.clamp(0, num_groups - 1)
    row = row.clamp(0, row_ptr.shape[1] - 2)
    count = count.clamp(min=0)
    document = document.clamp(0, document_workspace_starts.shape[0] - 1)
    first_edge = head * num_edges + row_ptr[head, row] + begin
    workspace_start = document_workspace_starts[document].to(torch.int64)
    kblock = workspace_start // BLOCK_SIZE + local_kblock

    item_tasks = -(-count // QUERY_CHUNK)
    task_ends = item_tasks.cumsum(0)
    needed = task_ends[-1]
    fits = count_fits & (needed <= capacity)
    num_tasks = torch.where(fits, needed, 0)

    task = torch.arange(capacity, device=device)
    is_task = task < num_tasks
    item = torch.searchsorted(task_ends, task, right=True).clamp(max=num_items - 1)
    offset = (task - (task_ends - item_tasks)[item]) * QUERY_CHUNK
    valid = torch.where(is_task, (count[item] - offset).clamp(max=QUERY_CHUNK), 0)
    edge = first_edge[item] + offset

    q_indices = q_indices.reshape(-1)
    last_edge = q_indices.shape[0] - 1
    compact_start = cu_seqlens[document].to(torch.int64)
    first_row = compact_start[item] + q_indices[edge.clamp(0, last_edge)]
    # One key for one sort: windows are below 2**31 and key blocks below 2**24, so the head starts
    # at bit 55. Ties are tasks of one key block, which stay in the order of its work items.
    key = head[item] << 55 | first_row // window << 24 | kblock[item]
    key = torch.where(is_task, key, _INT64_MAX)
    order = key.argsort(stable=True)

    item, valid, edge = item[order], valid[order], edge[order]
    lane = torch.arange(QUERY_CHUNK, device=device)
    is_query = lane < valid[:, None]
    position = q_indices[(edge[:, None] + lane).clamp(0, last_edge)]
    task_qrows = torch.where(is_query, compact_start[item][:, None] + position, -1)
    task_qpos = torch.where(is_query, workspace_start[item][:, None] + position, -1)
    task_meta = torch.stack((torch.zeros_like(item), head[item], kblock[item], valid), dim=1)
    flags = torch.where(fits, 0, OVERFLOW_FLAG)
    descriptor = torch.cat(
        (
            num_tasks[None],
            device_walk(num_tasks, num_sms),
            torch.stack((work_count, needed.clamp(max=_INT32_MAX), flags)),
        )
    )
    return (
        task_meta.to(torch.int32),
        task_qrows.to(torch.int32),
        task_qpos.to(torch.int32),
        descriptor.to(torch.int32),
    )


def _capacity(q_indices: torch.Tensor, scheduler_metadata: torch.Tensor) -> int:
    num_groups, num_edges = q_indices.shape
    return task_capacity(num_groups, num_edges, scheduler_metadata.shape[0])


def _fake_table_tensors(row_ptr, q_indices, scheduler_metadata, *_):
    capacity = _capacity(q_indices, scheduler_metadata)
    return (
        row_ptr.new_empty(capacity, TASK_META_FIELDS),
        row_ptr.new_empty(capacity, QUERY_CHUNK),
        row_ptr.new_empty(capacity, QUERY_CHUNK),
        row_ptr.new_empty(DESCRIPTOR_FIELDS),
    )


_build_task_tables = define("build_task_tables", build_table_tensors, _fake_table_tensors)
