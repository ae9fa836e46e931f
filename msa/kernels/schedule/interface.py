"""What the plan and the kernels of the schedule agree on, and those that walk it: numbers, formats,
signatures."""

import torch

from msa.kernels.runtime.signature import Array, Integer, Scratch, Signature, word
from msa.schedule.backward_schedule import WORK_ITEM_FIELDS
from msa.schedule.task_tables import DESCRIPTOR_FIELDS, TASK_META_FIELDS
from msa.schedule.topology import GROUP_COUNTS, QUERY_CHUNK, TOPK_BLOCKS

QUAD_SLOTS = QUERY_CHUNK // 2
"""Query slots of a quad, which is half a task."""
assert 2 * QUAD_SLOTS == QUERY_CHUNK

ITEM_FIELDS = 4
"""Of a walk's item: first quad, quads, head, workspace key block. A quad is half a task."""
ITEM_TASKS = 16
"""Most tasks of an item, which begins at every so many of a run of one head and key block."""
CHUNK_TASKS = 1024
"""Tasks to a CTA, which finds the items that begin there."""

MAX_GROUPS = max(GROUP_COUNTS)
"""Most KV heads of a call, each with its group of query heads: those that there are words for."""
FLAGGED_FIELD = 4
"""Of a walk's control words, after the number of items and three counters to draw items from: the
first of those, one for each KV head, that count flagged rows of it, or it and others."""
HEAD_END_FIELD = FLAGGED_FIELD + MAX_GROUPS
"""The first of the words, one for each KV head, that say where its items end."""
HEAD_COUNTER_FIELD = HEAD_END_FIELD + MAX_GROUPS
"""The first of the counters, one for each KV head, to draw items of it, or it and others, from."""
CONTROL_FIELDS = HEAD_COUNTER_FIELD + MAX_GROUPS
"""How many control words a walk has."""

ALL_ROWS, FLAGGED_ROWS = 0, 1
"""Which rows a pass takes: all, or those that are flagged."""

_SORT_SCRATCH = {
    "counts": Scratch(torch.int32),
    "totals": Scratch(torch.int32),
}
_SORT_PLAN = {"warps": Integer(), "passes": Integer(), "bits": Integer()}
"""Of a `SortPlan`."""

CSR_BUILD = Signature(
    support=Array(torch.int32, ("num_groups", "num_tokens", TOPK_BLOCKS)),
    document_positions=Array(torch.int64, ("num_tokens",)),
    workspace_positions=Array(torch.int64, ("num_tokens",)),
    document_workspace_starts=Array(torch.int32, ("num_documents",)),
    num_groups=Integer(),
    num_tokens=Integer(),
    num_rows=Integer(),
    num_documents=Integer(),
    work_capacity=Integer(),
    row_ptr=Array(torch.int32, ("num_groups", "row_offsets")),
    q_indices=Array(torch.int32, ("num_groups", "edge_capacity")),
    scheduler_metadata=Array(torch.int32, ("work_capacity", WORK_ITEM_FIELDS)),
    work_count=Array(torch.int32, (1,)),
    rows=Scratch(torch.int32),
    words=Scratch(torch.int64),
    sizes=Scratch(torch.int32),
    **_SORT_SCRATCH,
    ends=Scratch(torch.int32),
    **_SORT_PLAN,
)
"""Shapes as in `MSABackwardSchedule`. Scratch: `rows` `[G, 16 T]`; `words` `[2, G, 16 T]` where
there are several passes; `sizes` `[G]`; `ends` `[G, rows]`; counts and totals as the plan says."""

TASK_BUILD = Signature(
    row_ptr=Array(torch.int32, ("num_groups", "row_offsets")),
    q_indices=Array(torch.int32, ("num_groups", "edge_capacity")),
    scheduler_metadata=Array(torch.int32, ("work_capacity", WORK_ITEM_FIELDS)),
    work_count=Array(torch.int32, (1,)),
    cu_seqlens=Array(torch.int32, ("document_offsets",)),
    document_workspace_starts=Array(torch.int32, ("num_documents",)),
    num_groups=Integer(),
    num_rows=Integer(),
    edge_capacity=Integer(),
    work_capacity=Integer(),
    num_documents=Integer(),
    capacity=Integer(),
    num_sms=Integer(),
    num_windows=Integer(),
    window=Integer(),
    task_bits=Integer(),
    task_meta=Array(torch.int32, ("capacity", TASK_META_FIELDS)),
    task_qrows=Array(torch.int32, ("capacity", QUERY_CHUNK)),
    task_qpos=Array(torch.int32, ("capacity", QUERY_CHUNK)),
    descriptor=Array(torch.int32, (DESCRIPTOR_FIELDS,)),
    ends=Scratch(torch.int32),
    items=Scratch(torch.int32),
    words=Scratch(torch.int64),
    size=Scratch(torch.int32),
    **_SORT_SCRATCH,
    **_SORT_PLAN,
)
"""Shapes as in `TaskTables`. Scratch: `ends` `[work_capacity]`; `items` `[capacity]`; `words` `[2,
capacity]`; `size` `[1]`; counts and totals as the plan says."""

ITEMS = Signature(
    task_meta=Array(torch.int32, ("capacity", TASK_META_FIELDS)),
    task_qrows=Array(torch.int32, ("capacity", QUERY_CHUNK)),
    descriptor=Array(torch.int32, (DESCRIPTOR_FIELDS,)),
    flags=Array(torch.int32, ("tokens", "num_groups"), optional=True),
    filtered=Integer(),
    flagged=word("flagged_words")._replace(optional=True),
    num_groups=Integer(),
    first_head=Integer(),
    num_heads=Integer(),
    capacity=Integer(),
    chunk_counts=Array(torch.int32, ("chunks",)),
    items=Array(torch.int32, ("capacity", ITEM_FIELDS)),
    control=Array(torch.int32, (CONTROL_FIELDS,)),
)
"""`filtered` is `ALL_ROWS`, for which flags and their number are not read, or `FLAGGED_ROWS`.
Scratch: `chunk_counts`, one for every `CHUNK_TASKS` of `capacity`."""
