"""The contract between MSA's forward and backward, in torch alone.

Packed documents, supports, the backward schedule, its task tables and how CTAs divide the tasks.
Nothing here launches a kernel or imports one.
"""

from msa.schedule.backward_schedule import MSABackwardSchedule, build_backward_schedule
from msa.schedule.cta_walk import chunk_map, cta_rows, grid_launch_bound, rows_per_cta
from msa.schedule.documents import PackedDocuments
from msa.schedule.support import (
    check_support,
    check_support_layout,
    edge_capacity,
    work_capacity,
)
from msa.schedule.task_tables import (
    OVERFLOW_FLAG,
    TaskTables,
    build_task_tables,
    task_capacity,
    task_window,
)
from msa.schedule.topology import (
    BLOCK_SIZE,
    DQ_ACCUM_DTYPE,
    GROUP_COUNTS,
    GROUP_HEADS,
    HEAD_DIM,
    INDEX_DIM,
    MAX_TASK_WINDOWS,
    MIN_TASK_WINDOW,
    NUM_INDEX_HEADS,
    NUM_KV_HEADS,
    NUM_Q_HEADS,
    QUERY_CHUNK,
    ROWS_PER_CTA_LARGE,
    ROWS_PER_CTA_SMALL,
    ROWS_PER_CTA_SWITCH,
    SOFTMAX_SCALE,
    TOPK_BLOCKS,
    WORK_ITEM_QUERIES,
)

__all__ = [
    "BLOCK_SIZE",
    "DQ_ACCUM_DTYPE",
    "GROUP_COUNTS",
    "GROUP_HEADS",
    "HEAD_DIM",
    "INDEX_DIM",
    "MAX_TASK_WINDOWS",
    "MIN_TASK_WINDOW",
    "NUM_INDEX_HEADS",
    "NUM_KV_HEADS",
    "NUM_Q_HEADS",
    "OVERFLOW_FLAG",
    "QUERY_CHUNK",
    "ROWS_PER_CTA_LARGE",
    "ROWS_PER_CTA_SMALL",
    "ROWS_PER_CTA_SWITCH",
    "SOFTMAX_SCALE",
    "TOPK_BLOCKS",
    "WORK_ITEM_QUERIES",
    "MSABackwardSchedule",
    "PackedDocuments",
    "TaskTables",
    "build_backward_schedule",
    "build_task_tables",
    "check_support",
    "check_support_layout",
    "chunk_map",
    "cta_rows",
    "edge_capacity",
    "grid_launch_bound",
    "rows_per_cta",
    "task_capacity",
    "task_window",
    "work_capacity",
]
