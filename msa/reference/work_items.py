"""The work items of a schedule, as the blockwise operators walk them."""

from collections.abc import Iterator
from typing import NamedTuple

import torch

from msa.schedule.backward_schedule import MSABackwardSchedule
from msa.schedule.topology import BLOCK_SIZE

# 64 queries x 16 heads x 128 keys: an FP32 tile of 512 KB stays in a core's cache. Forward and
# backward at T = 4096 reach 0.71, 0.75, 0.68 and 0.60 of the matrix product's rate at 32, 64, 128
# and 256 queries.
_TILE_QUERIES = 128


class Tile(NamedTuple):
    """Some queries that selected one key block, in one index head.

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


def tiles(schedule: MSABackwardSchedule) -> Iterator[Tile]:
    """Yields every (query, key block) pair of the schedule once, in the order of its work items.

    Copies the work items to the host once, after their number.
    """
    num_items = int(schedule.work_count)
    items = schedule.scheduler_metadata[:num_items].to(torch.int64)
    head, row, begin, count, document, kblock = items.unbind(1)
    first = schedule.row_ptr[head, row] + begin
    document_start = schedule.cu_seqlens[document]
    key_start = document_start + kblock * BLOCK_SIZE
    key_end = torch.minimum(key_start + BLOCK_SIZE, schedule.cu_seqlens[document + 1])
    # Queries ascend inside a row, so those in the block itself, which the causal mask is for, come
    # first.
    own = schedule.q_indices[head, first] < (kblock + 1) * BLOCK_SIZE
    own_count = torch.where(own, count.clamp(max=BLOCK_SIZE), 0)
    table = torch.stack((head, first, count, document_start, key_start, key_end, own_count), dim=1)
    for head, first, count, document_start, key_start, key_end, own_count in table.tolist():
        keys = slice(key_start, key_end)
        for begin in range(first, first + count, _TILE_QUERIES):
            end = min(begin + _TILE_QUERIES, first + count)
            queries = schedule.q_indices[head, begin:end].to(torch.int64) + document_start
            hidden = None
            if begin < first + own_count:
                key_rows = torch.arange(key_start, key_end, device=queries.device)
                hidden = key_rows > queries[:, None]
            yield Tile(head, queries, keys, hidden)
