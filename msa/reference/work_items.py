"""The work items that the blockwise operators walk: those of a schedule, or of all causal keys."""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import torch

from msa.schedule.backward_schedule import MSABackwardSchedule
from msa.schedule.topology import BLOCK_SIZE, WORK_ITEM_QUERIES


class WorkItem(NamedTuple):
    """Some queries that see one key block, in one index head.

    Attributes:
        head: the index head, and KV head.
        queries: int64 `[n]`, compact rows, ascending and distinct.
        keys: compact rows of the block's keys, up to the document's end.
        hidden: bool `[n, keys]`, which keys lie after the query, or None where none does.
    """

    head: int
    queries: torch.Tensor
    keys: slice
    hidden: torch.Tensor | None


def work_items(schedule: MSABackwardSchedule) -> Iterator[WorkItem]:
    """Yields the work items of `schedule`: each selected (query, key block) pair is in one of them.

    Copies the table of items to the host once, after their number.
    """
    num_items = int(schedule.work_count)
    table = schedule.scheduler_metadata[:num_items].to(torch.int64)
    head, row, begin, count, document, kblock = table.unbind(1)
    first = schedule.row_ptr[head, row] + begin
    document_start = schedule.cu_seqlens[document]
    key_start = document_start + kblock * BLOCK_SIZE
    key_end = torch.minimum(key_start + BLOCK_SIZE, schedule.cu_seqlens[document + 1])
    # Queries ascend: if any is in the key block itself, and needs the causal mask, the first one
    # is.
    is_causal = schedule.q_indices[head, first] < (kblock + 1) * BLOCK_SIZE
    columns = (head, first, first + count, document_start, key_start, key_end, is_causal)
    for head, first, end, document_start, key_start, key_end, is_causal in torch.stack(
        columns, dim=1
    ).tolist():
        queries = schedule.q_indices[head, first:end].to(torch.int64) + document_start
        yield _item(head, queries, key_start, key_end, bool(is_causal))


def dense_work_items(cu_seqlens: torch.Tensor, num_groups: int) -> Iterator[WorkItem]:
    """Yields work items that hold each query of a document with every key block up to its own.

    Copies `cu_seqlens` to the host once.

    Args:
        cu_seqlens: int32 `[documents + 1]`.
        num_groups: index heads.
    """
    for start, end in itertools.pairwise(cu_seqlens.tolist()):
        for key_start in range(start, end, BLOCK_SIZE):
            key_end = min(key_start + BLOCK_SIZE, end)
            for first in range(key_start, end, WORK_ITEM_QUERIES):
                last = min(first + WORK_ITEM_QUERIES, end)
                queries = torch.arange(first, last, device=cu_seqlens.device)
                for head in range(num_groups):
                    yield _item(head, queries, key_start, key_end, first < key_end)


def _item(
    head: int, queries: torch.Tensor, key_start: int, key_end: int, is_causal: bool
) -> WorkItem:
    """An item, with a mask if `is_causal`: if some of its keys may come after some query."""
    hidden = None
    if is_causal:
        key_rows = torch.arange(key_start, key_end, device=queries.device)
        hidden = key_rows > queries[:, None]
    return WorkItem(head, queries, slice(key_start, key_end), hidden)
