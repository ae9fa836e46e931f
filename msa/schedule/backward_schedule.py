"""The int32 metadata that carries a selection from the forward to the backward."""

import dataclasses
from typing import NamedTuple

import torch

from msa.schedule.checks import ANY_GROUPS, require_tensor
from msa.schedule.documents import PackedDocuments
from msa.schedule.operators import define
from msa.schedule.profiling import recorded
from msa.schedule.record import Record, frozen
from msa.schedule.support import (
    build_csr,
    build_work_items,
    check_support_layout,
    edge_capacity,
    work_capacity,
)
from msa.schedule.topology import BLOCK_SIZE, GROUP_COUNTS

WORK_ITEM_FIELDS = 6
"""`index_head, row_linear, q_begin, q_count, document_ordinal, document_local_kblock`."""

# Each field's layout, as text for messages and as expected sizes: a negative size `-n` means at
# least `n`, a tuple means any one of its members.
_LAYOUTS = {
    "row_ptr": (f"int32 [G, rows + 1], {ANY_GROUPS}, rows >= 1", (GROUP_COUNTS, -2)),
    "q_indices": (
        f"int32 [G, edge_capacity], {ANY_GROUPS}, edge_capacity >= 1",
        (GROUP_COUNTS, -1),
    ),
    "scheduler_metadata": (
        f"int32 [work_capacity, {WORK_ITEM_FIELDS}], work_capacity >= 1",
        (-1, WORK_ITEM_FIELDS),
    ),
    "work_count": ("int32 [1]", (1,)),
    "cu_seqlens": ("int32 [documents + 1], documents >= 1", (-2,)),
    "document_workspace_starts": ("int32 [documents], documents >= 1", (-1,)),
}


@frozen
@dataclasses.dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class MSABackwardSchedule(Record):
    """The input of `build_task_tables`, on one device.

    Construction checks layouts but not values, which would wait for the device. Work items past
    `work_count`, and entries of `q_indices` past the last CSR row, are unspecified and never read.

    Attributes:
        row_ptr: int32 `[G, rows + 1]`, `G` of 1, 2, 4 or 8, `rows >= 1`: CSR offsets of the map
            from key blocks to queries, one CSR per index head.
        q_indices: int32 `[G, edge_capacity]`, `edge_capacity >= 1`: document-local query positions
            of that map, ascending inside a row.
        scheduler_metadata: int32 `[work_capacity, 6]`, `work_capacity >= 1`: work items
            `(index_head, row_linear, q_begin, q_count, document_ordinal, document_local_kblock)`.
            `row_linear` is only an index into `row_ptr`; CSR rows may be numbered in any order;
            `q_begin` counts from `row_ptr[index_head, row_linear]`.
        work_count: int32 `[1]`, number of valid work items.
        cu_seqlens: int32 `[documents + 1]`, `documents >= 1`: compact document offsets.
        document_workspace_starts: int32 `[documents]`: workspace row where each document starts, a
            multiple of 128.

    Raises:
        TypeError: a field is not an int32 tensor.
        ValueError: a field has another shape, or is on another device than `row_ptr`.
    """

    row_ptr: torch.Tensor
    q_indices: torch.Tensor
    scheduler_metadata: torch.Tensor
    work_count: torch.Tensor
    cu_seqlens: torch.Tensor
    document_workspace_starts: torch.Tensor

    def __post_init__(self) -> None:
        for name, (layout, _) in _LAYOUTS.items():
            value = getattr(self, name)
            require_tensor(name, value, layout)
            if value.dtype != torch.int32:
                raise TypeError(f"{name} must be {layout}, got {value.dtype}")
        for name, (layout, sizes) in _LAYOUTS.items():
            shape = getattr(self, name).shape
            if not _fits(shape, sizes):
                raise ValueError(f"{name} must be {layout}, got shape {list(shape)}")
        groups = self.row_ptr.shape[0]
        if self.q_indices.shape[0] != groups:
            raise ValueError(
                f"q_indices must be int32 [G, edge_capacity] with G = {groups} as in row_ptr, "
                f"got shape {list(self.q_indices.shape)}"
            )
        documents = self.cu_seqlens.shape[0] - 1
        if self.document_workspace_starts.shape[0] != documents:
            raise ValueError(
                f"document_workspace_starts must be int32 [documents] = [{documents}] as in "
                f"cu_seqlens, got shape {list(self.document_workspace_starts.shape)}"
            )
        device = self.row_ptr.device
        for name in _LAYOUTS:
            value = getattr(self, name)
            if value.device != device:
                raise ValueError(
                    f"{name} must be on the device of row_ptr, {device}, got {value.device}"
                )


class ScheduleTensors(NamedTuple):
    """The fields of a schedule, in the order of its constructor: what operators take.

    Nothing is checked: that is done once, by the schedule.
    """

    row_ptr: torch.Tensor
    q_indices: torch.Tensor
    scheduler_metadata: torch.Tensor
    work_count: torch.Tensor
    cu_seqlens: torch.Tensor
    document_workspace_starts: torch.Tensor


def schedule_tensors(schedule: MSABackwardSchedule | ScheduleTensors) -> ScheduleTensors:
    """The fields of `schedule`."""
    return ScheduleTensors(
        schedule.row_ptr,
        schedule.q_indices,
        schedule.scheduler_metadata,
        schedule.work_count,
        schedule.cu_seqlens,
        schedule.document_workspace_starts,
    )


def _fits(shape: torch.Size, sizes: tuple[int | tuple[int, ...], ...]) -> bool:
    """Whether `shape` matches `sizes`, which are in the notation of `_LAYOUTS`."""
    return len(shape) == len(sizes) and all(
        _is_size(extent, size) for extent, size in zip(shape, sizes, strict=True)
    )


def _is_size(extent: int, size: int | tuple[int, ...]) -> bool:
    if isinstance(size, tuple):
        return extent in size
    return extent == size if size >= 0 else extent >= -size


@recorded
def build_backward_schedule(
    support: torch.Tensor, documents: PackedDocuments
) -> MSABackwardSchedule:
    """Builds the schedule of a support: its CSR maps, then their work items.

    Rows are numbered in workspace order: key block `b` of document `d` is row
    `document_workspace_starts[d] // 128 + b`. Capacities depend on shapes alone:
    `edge_capacity = 16 T` and `work_capacity = G * (rows + ceil(edge_capacity / 256))`. Nothing
    waits for the device.

    Args:
        support: int32 `[G, T, 16]`, `G` of 1, 2, 4 or 8, document-local block ids in any order, -1
            in unused slots. Bad ids (see `check_support`) are dropped, and a repeated id counts
            once.
        documents: layout of the `T` tokens.

    Raises:
        TypeError: `support` is not an int32 tensor.
        ValueError: `support` is not `[G, T, 16]`, or is on another device than `documents`, or has
            more slots than int32 offsets can count.
    """
    check_support_layout(support, documents)
    limit = torch.iinfo(torch.int32).max
    if edge_capacity(documents.num_tokens) > limit:
        raise ValueError(
            f"support must have at most {limit} slots per index head, offsets are int32, "
            f"got shape {list(support.shape)}"
        )
    return MSABackwardSchedule(
        *_build_backward_schedule(
            support,
            documents.document_positions,
            documents.workspace_positions,
            documents.document_workspace_starts,
            documents.workspace_size,
        ),
        cu_seqlens=documents.cu_seqlens,
        document_workspace_starts=documents.document_workspace_starts,
    )


@torch.inference_mode(False)  # a schedule built under inference mode can train
def build_schedule_tensors(
    support: torch.Tensor,
    document_positions: torch.Tensor,
    workspace_positions: torch.Tensor,
    document_workspace_starts: torch.Tensor,
    workspace_size: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The operator `msa::build_backward_schedule` in torch, on any device.

    Returns `(row_ptr, q_indices, scheduler_metadata, work_count)`.
    """
    row_ptr, q_indices = build_csr(
        support, document_positions, workspace_positions, workspace_size // BLOCK_SIZE
    )
    scheduler_metadata, work_count = build_work_items(
        row_ptr, document_workspace_starts, q_indices.shape[1]
    )
    return row_ptr, q_indices, scheduler_metadata, work_count


def _fake_schedule_tensors(
    support, document_positions, workspace_positions, document_workspace_starts, workspace_size
):
    num_groups, num_tokens, _ = support.shape
    num_rows = workspace_size // BLOCK_SIZE
    num_edges = edge_capacity(num_tokens)
    return (
        support.new_empty(num_groups, num_rows + 1),
        support.new_empty(num_groups, num_edges),
        support.new_empty(work_capacity(num_groups, num_rows, num_edges), WORK_ITEM_FIELDS),
        support.new_empty(1),
    )


_build_backward_schedule = define(
    "build_backward_schedule", build_schedule_tensors, _fake_schedule_tensors
)
