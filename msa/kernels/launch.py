"""The kernels as functions of tensors: operand checks, buffers, and the launch.

What builds a schedule returns what its definition in plain torch does. Buffers come from torch's
allocator, so that calls can be captured in a CUDA graph; nothing waits for the device.
"""

import torch

from msa.kernels.library import Kernel
from msa.kernels.sort_plan import SortPlan
from msa.schedule.backward_schedule import WORK_ITEM_FIELDS
from msa.schedule.checks import ANY_GROUPS
from msa.schedule.support import edge_capacity, work_capacity
from msa.schedule.task_tables import (
    DESCRIPTOR_FIELDS,
    TASK_META_FIELDS,
    task_capacity,
)
from msa.schedule.topology import (
    BLOCK_SIZE,
    GROUP_COUNTS,
    GROUP_HEADS,
    HEAD_DIM,
    QUERY_CHUNK,
    TOPK_BLOCKS,
)

_CSR_BUILD = Kernel("common", "csr_build")
_TASK_BUILD = Kernel("common", "task_build")
_DELTA = Kernel("common", "delta")

MAX_KEY_BLOCKS = 2**24 - 1
"""Most key blocks of the documents: workspace rows are int32."""
# The slots of a support are words of two sort buffers, which int32 indexes together.
_MAX_SLOTS = 2**30 - 1
_INT32_MAX = 2**31 - 1
_ALIGNMENT = 16
# Of an int64 that is not negative: a sort word holds a task below its key.
_WORD_BITS = 63


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
    _buffer, addresses = _scratch(
        support.device,
        plan.words,
        4 * plan.words if plan.passes > 1 else 0,
        plan.segments,
        plan.counts,
        plan.totals,
        num_groups * num_rows,
    )
    _CSR_BUILD(
        support.device,
        plain(support),
        plain(document_positions),
        plain(workspace_positions),
        plain(document_workspace_starts),
        num_groups,
        num_tokens,
        num_rows,
        document_workspace_starts.shape[0],
        num_items,
        row_ptr,
        q_indices,
        scheduler_metadata,
        work_count,
        *addresses,
        plan.warps,
        plan.passes,
        plan.bits,
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
    _buffer, addresses = _scratch(
        row_ptr.device, num_items, capacity, 4 * capacity, 1, plan.counts, plan.totals
    )
    _TASK_BUILD(
        row_ptr.device,
        plain(row_ptr),
        plain(q_indices),
        plain(scheduler_metadata),
        plain(work_count),
        plain(cu_seqlens),
        plain(document_workspace_starts),
        num_groups,
        num_rows,
        num_edges,
        num_items,
        document_workspace_starts.shape[0],
        capacity,
        num_sms,
        num_windows,
        window,
        task_bits,
        task_meta,
        task_qrows,
        task_qpos,
        descriptor,
        *addresses,
        plan.warps,
        plan.passes,
        plan.bits,
    )
    return task_meta, task_qrows, task_qpos, descriptor


def row_statistics(grad_out: torch.Tensor, out: torch.Tensor, lse: torch.Tensor) -> torch.Tensor:
    """What the backward reads of each query and group: 16 of `lse * log2(e)`, 16 of scaled delta.

    That is `SOFTMAX_SCALE * delta`, where `delta = rowsum(dO * O)` is summed in FP32. An lse of
    -inf, or of 2^22 and more in size, counts as inf: such a query and head has no gradient.

    Args:
        grad_out: bf16 `[T, 16 G, 128]`.
        out: bf16 `[T, 16 G, 128]`.
        lse: FP32 `[T, 16 G]`, natural-log.

    Returns:
        FP32 `[T, G, 32]`.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: an operand has another shape, or is on another device than `grad_out`.
    """
    for name, operand, dtype in (
        ("grad_out", grad_out, torch.bfloat16),
        ("out", out, torch.bfloat16),
        ("lse", lse, torch.float32),
    ):
        if operand.dtype != dtype:
            raise TypeError(f"{name} must be {dtype}, got {operand.dtype}")
    shape = tuple(grad_out.shape)
    num_groups = shape[1] // GROUP_HEADS if len(shape) == 3 else 0
    if num_groups not in GROUP_COUNTS or shape[1:] != (num_groups * GROUP_HEADS, HEAD_DIM):
        raise ValueError(
            f"grad_out must be [tokens, {GROUP_HEADS} G, {HEAD_DIM}] with {ANY_GROUPS}, got shape "
            f"{list(shape)}"
        )
    for name, operand, expected in (("out", out, shape), ("lse", lse, shape[:2])):
        if tuple(operand.shape) != expected:
            raise ValueError(f"{name} must be {list(expected)}, got shape {list(operand.shape)}")
        if operand.device != grad_out.device:
            raise ValueError(f"{name} must be on {grad_out.device}, got {operand.device}")
    statistics = lse.new_empty(shape[0], num_groups, 2 * GROUP_HEADS)
    _DELTA(
        grad_out.device,
        plain(grad_out),
        plain(out),
        plain(lse),
        statistics,
        shape[0] * num_groups,
    )
    return statistics


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or a copy of it, contiguous and aligned as kernels take it."""
    tensor = tensor.contiguous()
    return tensor if tensor.data_ptr() % _ALIGNMENT == 0 else tensor.clone()


def _scratch(device: torch.device, *sizes: int) -> tuple[torch.Tensor, list[int]]:
    """One int32 buffer, to be held until the launch, and the aligned addresses of its parts."""
    offsets = [0]
    for size in sizes:
        words = _ALIGNMENT // 4
        offsets.append(offsets[-1] + -(-size // words) * words)
    buffer = torch.empty(offsets[-1], dtype=torch.int32, device=device)
    return buffer, [buffer.data_ptr() + 4 * offset for offset in offsets[:-1]]
