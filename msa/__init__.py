"""MiniMax Sparse Attention (MSA) for training on packed documents.

A model needs four names: `PackedDocuments`, `select_blocks`, `sparse_attention` and
`index_kl_loss`. The others state the contract between the passes. A name is imported when it is
first used, so that `import msa.schedule` loads the schedule alone.
"""

import importlib

_HOMES = {
    "msa.autograd": (
        "index_kl_loss",
        "select_blocks",
        "sparse_attention",
        "warm_up",
    ),
    "msa.schedule": (
        # Topology
        "BLOCK_SIZE",
        "DQ_ACCUM_DTYPE",
        "HEAD_DIM",
        "INDEX_DIM",
        "NUM_INDEX_HEADS",
        "NUM_KV_HEADS",
        "NUM_Q_HEADS",
        "QUERY_CHUNK",
        "ROWS_PER_CTA_LARGE",
        "ROWS_PER_CTA_SMALL",
        "ROWS_PER_CTA_SWITCH",
        "SOFTMAX_SCALE",
        "TOPK_BLOCKS",
        "WORK_ITEM_QUERIES",
        # The CTA walk
        "chunk_map",
        "cta_rows",
        "grid_launch_bound",
        "rows_per_cta",
        # Documents and supports
        "PackedDocuments",
        "check_support",
        # From a support to tasks
        "MSABackwardSchedule",
        "TaskTables",
        "build_backward_schedule",
        "build_task_tables",
        "task_window",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str):
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
