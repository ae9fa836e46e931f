"""What goes into the passes, and what comes out of them."""

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import torch

from msa.schedule import (
    GROUP_HEADS,
    HEAD_DIM,
    INDEX_DIM,
    NUM_KV_HEADS,
    MSABackwardSchedule,
    TaskTables,
)


class Operands(NamedTuple):
    """Operands of one layer, `[T, heads, channels]`; all but `grad_out` require gradients.

    Those of attention, the bulk of the memory, are None in a run without it.
    """

    index_q: torch.Tensor
    index_k: torch.Tensor
    q: torch.Tensor | None = None
    k: torch.Tensor | None = None
    v: torch.Tensor | None = None
    grad_out: torch.Tensor | None = None


def random_operands(
    num_tokens: int,
    dtype: torch.dtype,
    generator: torch.Generator,
    *,
    num_groups: int = NUM_KV_HEADS,
    attention: bool = True,
) -> Operands:
    """Unit-normal operands on the device of `generator`, with those of attention or without."""

    def normal(heads: int, channels: int) -> torch.Tensor:
        shape = (num_tokens, heads, channels)
        return torch.randn(shape, dtype=dtype, device=generator.device, generator=generator)

    index = Operands(
        index_q=normal(num_groups, INDEX_DIM).requires_grad_(),
        index_k=normal(1, INDEX_DIM).requires_grad_(),
    )
    if not attention:
        return index
    return index._replace(
        q=normal(GROUP_HEADS * num_groups, HEAD_DIM).requires_grad_(),
        k=normal(num_groups, HEAD_DIM).requires_grad_(),
        v=normal(num_groups, HEAD_DIM).requires_grad_(),
        grad_out=normal(GROUP_HEADS * num_groups, HEAD_DIM),
    )


@dataclasses.dataclass
class Results:
    """Results of the passes that ran, None for one that did not.

    Attributes:
        support: what attention ran over, int32 `[G, T, 16]`.
        schedule: of the support.
        tables: of the schedule.
        selected: what `select_blocks` chose, int32 `[G, T, 16]`.
        out: `[T, 16 G, 128]`.
        lse: `[T, 16 G]`.
        backward: `grad_out -> (dq, dk, dv)`.
        index_q_grad: of the index loss, `[T, G, 128]`.
    """

    support: torch.Tensor
    schedule: MSABackwardSchedule
    tables: TaskTables
    selected: torch.Tensor | None = None
    out: torch.Tensor | None = None
    lse: torch.Tensor | None = None
    backward: Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor, torch.Tensor]] | None = (
        None
    )
    index_q_grad: torch.Tensor | None = None
