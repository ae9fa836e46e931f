"""Runs MSA on tensor-parallel ranks, each with some of the KV groups, and prints what they find.

A group is 16 query heads, one KV head and one index head. Of a model with 4 groups, each of 4 ranks
holds 16 + 1 + 1 heads, each of 2 ranks 32 + 2 + 2; a group is never split. `index_k` has one head
that all groups share, and so is on every rank, as in the whole model. `attend` is the recipe; in a
model, q, k, v and index_q come from column-parallel projections, and out goes into a row-parallel
one.
"""

import pathlib
import tempfile

import torch
import torch.distributed as dist
from absl import app, flags
from torch.multiprocessing.spawn import spawn

from msa import (
    GROUP_HEADS,
    HEAD_DIM,
    INDEX_DIM,
    NUM_KV_HEADS,
    PackedDocuments,
    build_backward_schedule,
    index_kl_loss,
    select_blocks,
    sparse_attention,
)

_RANKS = flags.DEFINE_enum("ranks", "2", ["1", "2", "4"], "Processes to run on.")
_TOKENS = flags.DEFINE_integer("tokens", 600, "Length of the document.", lower_bound=1)


def attend(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    documents: PackedDocuments,
    group: dist.ProcessGroup,
    coefficient: float = 1.0,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Selects and attends in the KV groups of this rank.

    Args:
        q: `[T, 16 G, 128]`, the query heads of the rank's `G` groups.
        k: `[T, G, 128]`.
        v: `[T, G, 128]`.
        index_q: `[T, G, 128]`.
        index_k: `[T, 1, 128]`, the same on all ranks, and so is its gradient.
        documents: layout of the `T` tokens.
        group: the ranks that hold the model's groups, as many on each.
        coefficient: factor of the index loss.

    Returns:
        `out` `[T, 16 G, 128]` of the rank's heads; the index loss of the whole model, the same on
        all ranks; and the support `[G, T, 16]` of the rank's groups.
    """
    index_k = _SumGradients.apply(index_k, group)
    support = select_blocks(index_q, index_k, documents)
    schedule = build_backward_schedule(support, documents)
    out, lse = sparse_attention(q, k, v, support, documents, schedule=schedule, return_lse=True)
    # A mean over all groups is the mean over ranks of the means over a rank's groups.
    loss = index_kl_loss(
        *(q, k, lse, index_q, index_k, support, documents),
        coefficient=coefficient / dist.get_world_size(group),
        schedule=schedule,
    )
    return out, _Sum.apply(loss, group), support


class _SumGradients(torch.autograd.Function):
    """Passes on a tensor that all ranks hold; each adds its part to the gradient."""

    @staticmethod
    def forward(ctx, x: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
        ctx.group = group
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad: torch.Tensor) -> tuple[torch.Tensor, None]:
        grad = grad.clone()
        dist.all_reduce(grad, group=ctx.group)
        return grad, None


class _Sum(torch.autograd.Function):
    """The sum of all ranks' parts; a part's gradient is the sum's."""

    @staticmethod
    def forward(ctx, x: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
        total = x.clone()
        dist.all_reduce(total, group=group)
        return total

    @staticmethod
    def backward(ctx, grad: torch.Tensor) -> tuple[torch.Tensor, None]:
        return grad, None


def of_rank(x: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
    """The heads of `x` `[T, heads, 128]` that this rank holds: those of its groups, in order."""
    return x.chunk(dist.get_world_size(group), dim=1)[dist.get_rank(group)]


def random_operands(num_tokens: int) -> list[torch.Tensor]:
    """Unit-normal q, k, v, index_q and index_k of the whole model, the same in every process."""
    generator = torch.Generator().manual_seed(0)
    heads = (GROUP_HEADS * NUM_KV_HEADS, NUM_KV_HEADS, NUM_KV_HEADS, NUM_KV_HEADS, 1)
    channels = (HEAD_DIM, HEAD_DIM, HEAD_DIM, INDEX_DIM, INDEX_DIM)
    return [
        torch.randn(num_tokens, *shape, generator=generator)
        for shape in zip(heads, channels, strict=True)
    ]


def run_rank(rank: int, num_ranks: int, num_tokens: int, rendezvous: str) -> None:
    """What a rank does: its part of a layer, forward and backward."""
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=num_ranks
    )
    group = dist.group.WORLD
    assert group is not None  # as long as the process group is not destroyed
    *whole, index_k = random_operands(num_tokens)
    q, k, v, index_q = (of_rank(x, group).requires_grad_() for x in whole)
    index_k.requires_grad_()
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, num_tokens]))
    out, loss, support = attend(q, k, v, index_q, index_k, documents, group)
    (out.square().sum() + loss).backward()
    assert index_k.grad is not None
    print(
        f"rank {rank}: {support.shape[0]} of {NUM_KV_HEADS} groups, index loss of all {loss:.4f}, "
        f"norm of index_k's gradient {index_k.grad.norm():.4f}",
        flush=True,
    )
    dist.destroy_process_group()


def main(argv: list[str]) -> None:
    """Runs the ranks."""
    if len(argv) > 1:
        raise app.UsageError(f"expected flags only, got {' '.join(argv[1:])}")
    num_ranks = int(_RANKS.value)
    with tempfile.TemporaryDirectory() as folder:
        rendezvous = str(pathlib.Path(folder, "rendezvous"))
        spawn(run_rank, (num_ranks, _TOKENS.value, rendezvous), nprocs=num_ranks)


if __name__ == "__main__":
    app.run(main)
