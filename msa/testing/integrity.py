"""Checks a selection by its scores, and a schedule by its counts."""

import math

import torch

from msa.schedule import (
    BLOCK_SIZE,
    INDEX_DIM,
    OVERFLOW_FLAG,
    TOPK_BLOCKS,
    MSABackwardSchedule,
    PackedDocuments,
    TaskTables,
)
from msa.testing import definition
from msa.testing.sampling import pieces


class IntegrityError(Exception):
    """A selection or a schedule is wrong."""


def check_schedule(
    support: torch.Tensor, schedule: MSABackwardSchedule, tables: TaskTables
) -> None:
    """Checks that CSR, work items and tasks all hold as many (query, block) pairs as the support.

    Raises:
        IntegrityError: they do not.
    """
    selected = int((support >= 0).sum())
    num_tasks, flags = (int(tables.descriptor[index]) for index in (0, 7))
    found = {
        "CSR": int(schedule.row_ptr[:, -1].sum()),
        "work items": int(schedule.scheduler_metadata[: int(schedule.work_count), 3].sum()),
        "tasks": int(tables.task_meta[:num_tasks, 3].sum()),
    }
    if flags & OVERFLOW_FLAG or set(found.values()) != {selected}:
        raise IntegrityError(
            f"schedule must hold the {selected} (query, block) pairs of the support, got "
            + ", ".join(f"{count} in {where}" for where, count in found.items())
        )


def check_selection(
    support: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    documents: PackedDocuments,
    queries: torch.Tensor,
) -> None:
    """Checks that each query kept its own block and the best-scoring others, as many as there are.

    A kept block may score below one left out by the rounding of their sums.

    Args:
        support: int32 `[G, T, 16]`, valid by `check_support`.
        index_q: `[T, G, 128]`.
        index_k: `[T, 1, 128]`.
        documents: layout of the `T` tokens.
        queries: int64 `[n]`, ascending compact rows.

    Raises:
        IntegrityError: it did not.
    """
    for layout, document, positions in pieces(documents, queries):
        rows = positions + document.start
        query, keys = index_q[rows].detach().double(), index_k[document, 0].detach().double()
        scores = torch.einsum("ngc,tc->gnt", query, keys)
        scores = scores.masked_fill(~definition.causal_keys(layout, positions), -math.inf)
        whole_blocks = (0, -scores.shape[-1] % BLOCK_SIZE)
        scores = torch.nn.functional.pad(scores, whole_blocks, value=-math.inf)
        scores = scores.unflatten(-1, (-1, BLOCK_SIZE)).amax(dim=-1)
        # However they are ordered, the 128 terms of a sum err by less than this.
        precision = torch.finfo(torch.promote_types(index_q.dtype, torch.float32)).eps
        rounding = INDEX_DIM * precision * query.norm(dim=-1).t() * keys.norm(dim=-1).max()

        own = (positions // BLOCK_SIZE)[:, None]
        blocks = torch.arange(scores.shape[-1], device=scores.device)
        kept = (support[:, rows, :, None] == blocks).any(dim=2)
        # The own block is kept whatever it scores.
        worst_kept = scores.masked_fill(~kept | (blocks == own), math.inf).amin(dim=-1)
        best_left = scores.masked_fill(kept, -math.inf).amax(dim=-1)
        for right, expected in (
            (kept.sum(dim=-1) == (own[:, 0] + 1).clamp(max=TOPK_BLOCKS), "min(16, candidates)"),
            ((kept & (blocks == own)).any(dim=-1), "its own"),
            (worst_kept >= best_left - 2 * rounding, "its best-scoring"),
        ):
            if not right.all():
                head, index = torch.nonzero(~right)[0].tolist()
                raise IntegrityError(
                    f"support must hold {expected} blocks of each query, got "
                    f"{support[head, rows[index]].tolist()} at (head, query) = "
                    f"{(head, rows[index].item())}"
                )
