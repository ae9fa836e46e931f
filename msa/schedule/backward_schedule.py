"""The int32 metadata that carries a selection from the forward to the backward."""

import dataclasses

import torch

from msa.schedule.documents import PackedDocuments
from msa.schedule.support import (
    build_csr,
    build_work_items,
    check_support_layout,
    edge_capacity,
    work_capacity,
)
from msa.schedule.topology import BLOCK_SIZE, NUM_INDEX_HEADS

WORK_ITEM_FIELDS = 6
"""`index_head, row_linear, q_begin, q_count, document_ordinal, document_local_kblock`."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class MSABackwardSchedule:
    """What the backward's task build reads, on one device.

    Layouts are checked on construction, values never: that would wait for the device. What lies
    behind `work_count`, or in `q_indices` behind the last row, is unspecified and never read.

    Attributes:
        row_ptr: int32 `[4, rows + 1]`, `rows >= 1`: CSR offsets of the map from key blocks to
            queries, one CSR per index head.
        q_indices: int32 `[4, edge_capacity]`, `edge_capacity >= 1`: document-local query positions
            of that map, ascending inside a row.
        scheduler_metadata: int32 `[work_capacity, 6]`, `work_capacity >= 1`: work items
            `(index_head, row_linear, q_begin, q_count, document_ordinal, document_local_kblock)`.
            `row_linear` is only an index into `row_ptr`, in whatever order rows are numbered;
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
        # Every type before any shape: a later field's shape may follow from an earlier field's.
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, torch.Tensor):
                raise TypeError(f"{field.name} must be an int32 tensor, got {type(value).__name__}")
            if value.dtype != torch.int32:
                raise TypeError(f"{field.name} must be int32, got {value.dtype}")
        heads = NUM_INDEX_HEADS
        _require_layout("row_ptr", self.row_ptr, f"[{heads}, rows + 1], rows >= 1", (heads, -2))
        _require_layout(
            "q_indices",
            self.q_indices,
            f"[{heads}, edge_capacity], edge_capacity >= 1",
            (heads, -1),
        )
        _require_layout(
            "scheduler_metadata",
            self.scheduler_metadata,
            f"[work_capacity, {WORK_ITEM_FIELDS}], work_capacity >= 1",
            (-1, WORK_ITEM_FIELDS),
        )
        _require_layout("work_count", self.work_count, "[1]", (1,))
        _require_layout("cu_seqlens", self.cu_seqlens, "[documents + 1], documents >= 1", (-2,))
        documents = self.cu_seqlens.shape[0] - 1
        _require_layout(
            "document_workspace_starts",
            self.document_workspace_starts,
            f"[documents] = [{documents}]",
            (documents,),
        )
        device = self.row_ptr.device
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value.device != device:
                raise ValueError(
                    f"{field.name} must be on the device of row_ptr, {device}, got {value.device}"
                )


def _require_layout(name: str, value: torch.Tensor, layout: str, sizes: tuple[int, ...]) -> None:
    """Raises unless `value` has `sizes`, where a negative size `-n` stands for at least `n`."""
    fits = value.dim() == len(sizes)
    for size, expected in zip(value.shape, sizes, strict=False):
        fits = fits and (size == expected if expected >= 0 else size >= -expected)
    if not fits:
        raise ValueError(f"{name} must be {layout}, got shape {list(value.shape)}")


def build_backward_schedule(
    support: torch.Tensor, documents: PackedDocuments
) -> MSABackwardSchedule:
    """Builds the schedule of a support: its CSR maps, then their work items.

    Rows are numbered in workspace order: key block `b` of document `d` is row
    `document_workspace_starts[d] // 128 + b`. Capacities depend on shapes alone:
    `edge_capacity = 16 T` and `work_capacity = 4 * (rows + ceil(edge_capacity / 256))`. Nothing
    waits for the device.

    Args:
        support: int32 `[4, T, 16]`, document-local block ids in any order, -1 in unused slots.
            Bad ids (see `check_support`) are dropped, and a repeated id counts once.
        documents: layout of the `T` tokens.

    Raises:
        TypeError: `support` is not an int32 tensor.
        ValueError: `support` is not `[4, T, 16]`, or is on another device than `documents`, or has
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


@torch.library.custom_op("msa::build_backward_schedule", mutates_args=())
def _build_backward_schedule(
    support: torch.Tensor,
    document_positions: torch.Tensor,
    workspace_positions: torch.Tensor,
    document_workspace_starts: torch.Tensor,
    workspace_size: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """`(row_ptr, q_indices, scheduler_metadata, work_count)` of a support."""
    row_ptr, q_indices = build_csr(
        support, document_positions, workspace_positions, workspace_size // BLOCK_SIZE
    )
    scheduler_metadata, work_count = build_work_items(
        row_ptr, document_workspace_starts, q_indices.shape[1]
    )
    return row_ptr, q_indices, scheduler_metadata, work_count


@_build_backward_schedule.register_fake
def _(support, document_positions, workspace_positions, document_workspace_starts, workspace_size):
    num_rows = workspace_size // BLOCK_SIZE
    num_edges = edge_capacity(support.shape[1])
    return (
        support.new_empty(NUM_INDEX_HEADS, num_rows + 1),
        support.new_empty(NUM_INDEX_HEADS, num_edges),
        support.new_empty(work_capacity(num_rows, num_edges), WORK_ITEM_FIELDS),
        support.new_empty(1),
    )
