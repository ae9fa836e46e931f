"""The schedule, its tasks and their items by the kernels: buffers, and the launches.

What builds a schedule returns what its definition in plain torch does. Buffers come from torch's
allocator, so that calls can be captured in a CUDA graph; nothing waits for the device.
"""

from typing import NamedTuple

import torch

from msa.kernels.runtime.declared import on_every_arch
from msa.kernels.runtime.library import num_sms
from msa.kernels.runtime.operands import plain, scratch
from msa.kernels.schedule import interface
from msa.kernels.schedule.interface import (
    ALL_ROWS,
    CHUNK_TASKS,
    CONTROL_FIELDS,
    FLAGGED_ROWS,
    ITEM_FIELDS,
)
from msa.kernels.schedule.sort_plan import SortPlan
from msa.schedule.backward_schedule import (
    WORK_ITEM_FIELDS,
    ScheduleTensors,
)
from msa.schedule.support import edge_capacity, work_capacity
from msa.schedule.task_tables import (
    DESCRIPTOR_FIELDS,
    TASK_META_FIELDS,
    task_capacity,
)
from msa.schedule.topology import (
    BLOCK_SIZE,
    QUERY_CHUNK,
    TOPK_BLOCKS,
)

CSR_BUILD = on_every_arch(interface.CSR_BUILD, "schedule", "csr_build")
TASK_BUILD = on_every_arch(interface.TASK_BUILD, "schedule", "task_build")
ITEMS = on_every_arch(interface.ITEMS, "schedule", "items")

MAX_KEY_BLOCKS = 2**24 - 1
"""Most key blocks of the documents: workspace rows are int32."""
# The slots of a support are words of two sort buffers, which int32 indexes together.
_MAX_SLOTS = 2**30 - 1
_INT32_MAX = 2**31 - 1
# Of an int64 that is not negative: a sort word holds a task below its key.
_WORD_BITS = 63


class Tasks(NamedTuple):
    """Tasks in locality order: `TaskTables`, and the SMs that they are cut for."""

    meta: torch.Tensor
    qrows: torch.Tensor
    qpos: torch.Tensor
    descriptor: torch.Tensor
    num_sms: int


class Items(NamedTuple):
    """Tasks cut into items, for CTAs to draw.

    Attributes:
        items: int32 `[capacity, ITEM_FIELDS]`, `(first_quad, num_quads, head, workspace_kblock)`.
        chunk_counts: int32, scratch of their build.
        control: int32 `[CONTROL_FIELDS]`, see there.
    """

    items: torch.Tensor
    chunk_counts: torch.Tensor
    control: torch.Tensor


def max_tokens(num_groups: int) -> int:
    """Most tokens of a support of `num_groups` heads for its schedule to be built on a GPU."""
    return _MAX_SLOTS // (num_groups * TOPK_BLOCKS)


@torch.inference_mode(False)  # as in the schedule: what is built can train
def build_schedule_tensors(
    support: torch.Tensor,
    document_positions: torch.Tensor,
    workspace_positions: torch.Tensor,
    document_workspace_starts: torch.Tensor,
    workspace_size: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The operator `msa::build_backward_schedule` on a GPU.

    Args:
        support: int32 `[G, T, 16]`.
        document_positions: int64 `[T]`.
        workspace_positions: int64 `[T]`.
        document_workspace_starts: int32 `[documents]`.
        workspace_size: rows of the workspace.

    Returns:
        `row_ptr`, `q_indices`, `scheduler_metadata` and `work_count` of `MSABackwardSchedule`.

    Raises:
        ValueError: more tokens or workspace rows than the kernel's indices can count.
    """
    num_groups, num_tokens, _ = support.shape
    num_rows = workspace_size // BLOCK_SIZE
    if num_tokens > max_tokens(num_groups) or num_rows > MAX_KEY_BLOCKS:
        raise ValueError(
            f"support must have at most {max_tokens(num_groups)} tokens of {num_groups} groups, "
            f"and documents at most {MAX_KEY_BLOCKS} key blocks, for the schedule to be built on a "
            f"GPU, got {num_tokens} and {num_rows}; split the microbatch"
        )
    num_edges = edge_capacity(num_tokens)
    num_items = work_capacity(num_groups, num_rows, num_edges)
    row_ptr = support.new_empty(num_groups, num_rows + 1)
    q_indices = support.new_empty(num_groups, num_edges)
    scheduler_metadata = support.new_empty(num_items, WORK_ITEM_FIELDS)
    work_count = support.new_empty(1)
    plan = SortPlan.of(num_groups, num_edges, num_rows)
    _buffer, (rows, words, sizes, counts, totals, ends) = scratch(
        support.device,
        plan.words,
        4 * plan.words if plan.passes > 1 else 0,
        plan.segments,
        plan.counts,
        plan.totals,
        num_groups * num_rows,
    )
    CSR_BUILD(
        support.device,
        support=plain(support),
        document_positions=plain(document_positions),
        workspace_positions=plain(workspace_positions),
        document_workspace_starts=plain(document_workspace_starts),
        num_groups=num_groups,
        num_tokens=num_tokens,
        num_rows=num_rows,
        num_documents=document_workspace_starts.shape[0],
        work_capacity=num_items,
        row_ptr=row_ptr,
        q_indices=q_indices,
        scheduler_metadata=scheduler_metadata,
        work_count=work_count,
        rows=rows,
        words=words,
        sizes=sizes,
        counts=counts,
        totals=totals,
        ends=ends,
        warps=plan.warps,
        passes=plan.passes,
        bits=plan.bits,
    )
    return row_ptr, q_indices, scheduler_metadata, work_count


@torch.inference_mode(False)
def build_task_tables(
    row_ptr: torch.Tensor,
    q_indices: torch.Tensor,
    scheduler_metadata: torch.Tensor,
    work_count: torch.Tensor,
    cu_seqlens: torch.Tensor,
    document_workspace_starts: torch.Tensor,
    num_sms: int,
    window: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The operator `msa::build_task_tables` on a GPU.

    Args:
        row_ptr: this and the next five are the fields of an `MSABackwardSchedule`.
        q_indices: int32 `[G, edge_capacity]`.
        scheduler_metadata: int32 `[work_capacity, 6]`.
        work_count: int32 `[1]`.
        cu_seqlens: int32 `[documents + 1]`.
        document_workspace_starts: int32 `[documents]`.
        num_sms: SMs that walk the tasks.
        window: compact query rows per locality window.

    Returns:
        The fields of `TaskTables`.

    Raises:
        ValueError: the schedule is larger than the kernel's indices can count, or `window` is so
            small that head, window and key block do not fit one sort key.
    """
    num_groups, num_edges = q_indices.shape
    num_rows = row_ptr.shape[1] - 1
    num_items = scheduler_metadata.shape[0]
    capacity = task_capacity(num_groups, num_edges, num_items)
    if capacity * QUERY_CHUNK > _INT32_MAX:
        raise ValueError(
            f"schedule must need at most {_INT32_MAX // QUERY_CHUNK} task rows for its tables to "
            f"be built on a GPU, got {capacity}; split the microbatch"
        )
    # More SMs than task rows walk as these many do, and fit int32.
    num_sms = min(num_sms, capacity)
    # Query rows are fewer than workspace rows: a window of all of them is as good as a larger one.
    window = min(window, num_rows * BLOCK_SIZE)
    num_windows = -(-num_rows * BLOCK_SIZE // window)
    num_keys = num_groups * num_windows * num_rows
    task_bits = capacity.bit_length()
    if num_keys.bit_length() + task_bits > _WORD_BITS:
        raise ValueError(
            f"window must be larger for a workspace of {num_rows} key blocks and {capacity} task "
            f"rows: expected at most {2 ** (_WORD_BITS - task_bits)} sort keys (heads x windows x "
            f"key blocks), got {num_keys} with window {window}"
        )
    task_meta = row_ptr.new_empty(capacity, TASK_META_FIELDS)
    task_qrows = row_ptr.new_empty(capacity, QUERY_CHUNK)
    task_qpos = row_ptr.new_empty(capacity, QUERY_CHUNK)
    descriptor = row_ptr.new_empty(DESCRIPTOR_FIELDS)
    plan = SortPlan.of(1, capacity, num_keys)
    _buffer, (ends, items, words, size, counts, totals) = scratch(
        row_ptr.device, num_items, capacity, 4 * capacity, 1, plan.counts, plan.totals
    )
    TASK_BUILD(
        row_ptr.device,
        row_ptr=plain(row_ptr),
        q_indices=plain(q_indices),
        scheduler_metadata=plain(scheduler_metadata),
        work_count=plain(work_count),
        cu_seqlens=plain(cu_seqlens),
        document_workspace_starts=plain(document_workspace_starts),
        num_groups=num_groups,
        num_rows=num_rows,
        edge_capacity=num_edges,
        work_capacity=num_items,
        num_documents=document_workspace_starts.shape[0],
        capacity=capacity,
        num_sms=num_sms,
        num_windows=num_windows,
        window=window,
        task_bits=task_bits,
        task_meta=task_meta,
        task_qrows=task_qrows,
        task_qpos=task_qpos,
        descriptor=descriptor,
        ends=ends,
        items=items,
        words=words,
        size=size,
        counts=counts,
        totals=totals,
        warps=plan.warps,
        passes=plan.passes,
        bits=plan.bits,
    )
    return task_meta, task_qrows, task_qpos, descriptor


def build_tasks(schedule: ScheduleTensors, window: int) -> Tasks:
    """The tasks of a schedule in locality order, for the SMs of its device."""
    sms = num_sms(schedule.row_ptr.device)
    return Tasks(*build_task_tables(*schedule, sms, window), sms)


def build_items(tasks: Tasks, num_groups: int) -> Items:
    """All items of the tasks."""
    capacity = tasks.meta.shape[0]
    items = Items(
        tasks.meta.new_empty((capacity, ITEM_FIELDS)),
        tasks.meta.new_empty(-(-capacity // CHUNK_TASKS)),
        tasks.meta.new_empty(CONTROL_FIELDS),
    )
    _cut(tasks, items, num_groups, filtered=ALL_ROWS)
    return items


def cut_flagged(
    tasks: Tasks,
    items: Items,
    flags: torch.Tensor,
    num_flagged: torch.Tensor,
    first_head: int,
    num_heads: int,
) -> torch.Tensor:
    """Cuts the items of some heads that hold a flagged row; returns their control words.

    They take the place of the first of all items, which are of these heads or those before, so that
    they have been walked: of items with a flagged row there are no more than of all.

    Args:
        tasks: of all heads.
        items: all of them.
        flags: int32 `[T, G]`.
        num_flagged: int32, whose first says how many flags are not 0.
        first_head: the first of the heads.
        num_heads: how many.
    """
    flagged = items._replace(control=torch.empty_like(items.control))
    _cut(
        tasks,
        flagged,
        flags.shape[1],
        filtered=FLAGGED_ROWS,
        flags=flags,
        flagged=num_flagged,
        first_head=first_head,
        num_heads=num_heads,
    )
    return flagged.control


def _cut(
    tasks: Tasks,
    items: Items,
    num_groups: int,
    *,
    filtered: int,
    flags: torch.Tensor | int = 0,
    flagged: torch.Tensor | int = 0,
    first_head: int = 0,
    num_heads: int = 0,
) -> None:
    """Writes items, all or those that hold a flagged row."""
    ITEMS(
        items.items.device,
        task_meta=tasks.meta,
        task_qrows=tasks.qrows,
        descriptor=tasks.descriptor,
        flags=flags,
        filtered=filtered,
        flagged=flagged,
        num_groups=num_groups,
        first_head=first_head,
        num_heads=num_heads,
        capacity=items.items.shape[0],
        chunk_counts=items.chunk_counts,
        items=items.items,
        control=items.control,
    )
