"""MiniMax Sparse Attention (MSA) for training on packed documents.

A model needs four names: `PackedDocuments`, `select_blocks`, `sparse_attention` and
`index_kl_loss`. The others are the contract between forward and backward. All names, and the
operators in `torch.ops.msa`, are loaded on first use, so that `import msa.schedule` loads nothing
but the schedule.
"""

import importlib
from typing import TYPE_CHECKING

import torch

__version__ = "0.1.0"  # the same as in MODULE.bazel

__all__ = [
    "BLOCK_SIZE",
    "DQ_ACCUM_DTYPE",
    "GROUP_COUNTS",
    "GROUP_HEADS",
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
    "ActivationBytes",
    "MSABackwardSchedule",
    "MsaFallbackWarning",
    "PackedDocuments",
    "TaskTables",
    "WorkspaceBytes",
    "activation_bytes",
    "backend",
    "build_backward_schedule",
    "build_task_tables",
    "check_support",
    "chunk_map",
    "cta_rows",
    "dense_index_kl_loss",
    "grid_launch_bound",
    "index_kl_loss",
    "rows_per_cta",
    "save_selection",
    "select_blocks",
    "selected_mass",
    "sparse_attention",
    "task_window",
    "warm_up",
    "workspace_bytes",
]

if TYPE_CHECKING:  # where each name comes from, for type checkers and readers
    from msa.autograd import (
        ActivationBytes,
        MsaFallbackWarning,
        WorkspaceBytes,
        activation_bytes,
        backend,
        dense_index_kl_loss,
        index_kl_loss,
        save_selection,
        select_blocks,
        selected_mass,
        sparse_attention,
        warm_up,
        workspace_bytes,
    )
    from msa.schedule.backward_schedule import MSABackwardSchedule, build_backward_schedule
    from msa.schedule.cta_walk import chunk_map, cta_rows, grid_launch_bound, rows_per_cta
    from msa.schedule.documents import PackedDocuments
    from msa.schedule.support import check_support
    from msa.schedule.task_tables import TaskTables, build_task_tables, task_window
    from msa.schedule.topology import (
        BLOCK_SIZE,
        DQ_ACCUM_DTYPE,
        GROUP_COUNTS,
        GROUP_HEADS,
        HEAD_DIM,
        INDEX_DIM,
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
else:  # hidden from type checkers, which would accept any name of a module with __getattr__
    # In this order: the second imports the first.
    _HOMES = ("msa.schedule", "msa.autograd")

    def __getattr__(name: str):
        if name in __all__:
            for home in _HOMES:
                if hasattr(module := importlib.import_module(home), name):
                    globals()[name] = getattr(module, name)
                    return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _load_operators() -> None:
    schedule = importlib.import_module("msa.schedule")
    # torch looks up an operator before it defines it. For one of the schedule's, this thread is in
    # the middle of importing the schedule (another thread would have waited), which has no
    # `__all__` yet: then nothing must be loaded.
    if hasattr(schedule, "__all__"):
        importlib.import_module("msa.autograd")


class _Operators(type(torch.ops.msa)):
    """The namespace `torch.ops.msa`, which loads its operators when one is first missed."""

    __module__ = type(torch.ops.msa).__module__  # part of an operator's name in a saved program

    def __getattr__(self, name: str):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("__"):  # tools probe for special methods; no operator is one
                raise
            _load_operators()
            # Defining the operator has put its one object into this namespace.
            return vars(self)[name] if name in vars(self) else super().__getattr__(name)

    def __dir__(self) -> list[str]:
        _load_operators()
        return [*super().__dir__()]


# The object stays the same, so that existing references to the namespace find the operators too.
torch.ops.msa.__class__ = _Operators
