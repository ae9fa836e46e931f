"""Puts the kernels behind the operators of the schedule; importing this module is enough.

On a GPU without kernels the operators go on in plain torch.
"""

import torch

from msa.kernels import launch
from msa.kernels.library import arch_of
from msa.schedule.backward_schedule import build_schedule_tensors
from msa.schedule.task_tables import build_table_tensors


@torch.library.register_kernel("msa::build_backward_schedule", "cuda")
def _(support, *arguments):
    build = launch.build_schedule_tensors if arch_of(support.device) else build_schedule_tensors
    return build(support, *arguments)


@torch.library.register_kernel("msa::build_task_tables", "cuda")
def _(row_ptr, *arguments):
    build = launch.build_task_tables if arch_of(row_ptr.device) else build_table_tensors
    return build(row_ptr, *arguments)
