"""A schedule as the flat tensors that operators take."""

import dataclasses

import torch

from msa.schedule.backward_schedule import MSABackwardSchedule

NO_SCHEDULE_GRADS = (None,) * len(dataclasses.fields(MSABackwardSchedule))
"""The gradients of those tensors."""


def schedule_tensors(schedule: MSABackwardSchedule) -> tuple[torch.Tensor, ...]:
    """The fields of `schedule`, in the order of its constructor."""
    return (
        schedule.row_ptr,
        schedule.q_indices,
        schedule.scheduler_metadata,
        schedule.work_count,
        schedule.cu_seqlens,
        schedule.document_workspace_starts,
    )
