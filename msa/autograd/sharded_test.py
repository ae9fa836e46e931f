"""Checkpointing that keeps the selection, in a layer that FSDP2 shards over two processes."""

import datetime
import functools

import pytest
import torch
import torch.distributed as dist
from torch import multiprocessing
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from msa.autograd import index_kl_loss, save_selection, select_blocks, sparse_attention
from msa.schedule.backward_schedule import build_backward_schedule
from msa.schedule.testing import pack_lengths

WORLD_SIZE = 2
HEADS = (16, 1, 1, 1, 1)
LENGTHS = ((3, 150), (200,))
"""The documents of each rank."""


class Layer(torch.nn.Module):
    """An MSA layer over a few features, checkpointed by `options`."""

    def __init__(self, **options):
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        self.weight = torch.nn.Parameter(torch.randn(8, sum(HEADS) * 128, generator=generator))
        self.options = options

    def forward(self, x: torch.Tensor, rank: int) -> torch.Tensor:
        attend = functools.partial(_attend, rank)
        projected = (x @ self.weight).unflatten(-1, (-1, 128))
        if not self.options:
            return attend(projected)
        return checkpoint(attend, projected, use_reentrant=False, **self.options)


def _attend(rank: int, projected: torch.Tensor) -> torch.Tensor:
    documents = pack_lengths(*LENGTHS[rank])
    q, k, v, index_q, index_k = projected.split(HEADS, dim=1)
    support = select_blocks(index_q, index_k, documents)
    schedule = build_backward_schedule(support, documents)
    out, lse = sparse_attention(q, k, v, support, documents, schedule=schedule, return_lse=True)
    loss = index_kl_loss(q, k, lse, index_q, index_k, support, documents, schedule=schedule)
    return out.square().mean() + loss


class Selections(TorchDispatchMode):
    """Counts the selections that run."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.count += function is torch.ops.msa.select_blocks.default
        return function(*args, **(kwargs or {}))


def tokens(rank: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1 + rank)
    return torch.randn(sum(LENGTHS[rank]), 8, generator=generator)


def run(rank: int, folder: str) -> None:
    """Writes how often rank `rank` selected, and its gradient, the mean of both, to `rank.pt`."""
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo",
        init_method=f"file://{folder}/rendezvous",
        rank=rank,
        world_size=WORLD_SIZE,
        timeout=datetime.timedelta(minutes=5),
    )
    results = []
    for keep_kl in (False, True):
        layer = Layer(context_fn=functools.partial(save_selection, keep_kl=keep_kl))
        fully_shard(layer, mesh=init_device_mesh("cpu", (WORLD_SIZE,)))
        with Selections() as selections:
            layer(tokens(rank), rank).backward()
        results.append((selections.count, layer.weight.grad.full_tensor()))
    torch.save(results, f"{folder}/{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> list[list[tuple[int, torch.Tensor]]]:
    """Of each rank, without and with the KL kept."""
    folder = tmp_path_factory.mktemp("ranks")
    multiprocessing.spawn(run, (str(folder),), nprocs=WORLD_SIZE)
    return [torch.load(folder / f"{rank}.pt") for rank in range(WORLD_SIZE)]


def test_every_rank_selects_once(results):
    assert [[count for count, _ in rank] for rank in results] == [[1, 1], [1, 1]]


def test_gradients_are_the_mean_of_those_without_either(results):
    plain = Layer()
    for rank in range(WORLD_SIZE):
        plain(tokens(rank), rank).backward()
    for rank in results:
        for _, gradient in rank:
            torch.testing.assert_close(gradient, plain.weight.grad / WORLD_SIZE)
