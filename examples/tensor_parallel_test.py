"""4 and 2 ranks against one process: selection bit for bit, the rest within FP32's accuracy."""

import datetime

import pytest
import torch
import torch.distributed as dist
from torch import multiprocessing

from examples import tensor_parallel
from msa import NUM_KV_HEADS, PackedDocuments

# The processes that run as so many tensor-parallel ranks.
PROCESSES = {1: [3], 2: [0, 1], 4: [0, 1, 2, 3]}
# The last queries of the longer document choose 16 of their 17 blocks.
LENGTHS = (20, 2100)
NUM_TOKENS = sum(LENGTHS)
COEFFICIENT = 0.3


def run(process: int, folder: str) -> None:
    """Writes what each of 1, 2 and 4 tensor-parallel ranks gets: rank `r` of `n` to `n.r.pt`."""
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo",
        init_method=f"file://{folder}/rendezvous",
        rank=process,
        world_size=len(PROCESSES[4]),
        timeout=datetime.timedelta(minutes=10),
    )
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, *LENGTHS]).cumsum(0))
    *whole, index_k = tensor_parallel.random_operands(NUM_TOKENS)
    for num_ranks, processes in PROCESSES.items():
        group = dist.new_group(processes)
        if process in processes:
            parts = [tensor_parallel.of_rank(x, group) for x in (*whole, whole[0].flip(0))]
            *operands, grad_out = parts
            leaves = [x.detach().requires_grad_() for x in (*operands, index_k)]
            out, loss, support = tensor_parallel.attend(*leaves, documents, group, COEFFICIENT)
            torch.autograd.backward((out, loss), (grad_out, None))
            names = ("q", "k", "v", "index_q", "index_k")
            grads = {f"d {name}": x.grad for name, x in zip(names, leaves, strict=True)}
            results = {"out": out.detach(), "loss": loss.detach(), "support": support, **grads}
            torch.save(results, f"{folder}/{num_ranks}.{dist.get_rank(group)}.pt")
    dist.barrier()
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[int, list[dict[str, torch.Tensor]]]:
    """Results of every rank, by the number of ranks."""
    folder = tmp_path_factory.mktemp("ranks")
    multiprocessing.spawn(run, (str(folder),), nprocs=len(PROCESSES[4]))
    return {
        num_ranks: [torch.load(folder / f"{num_ranks}.{rank}.pt") for rank in range(num_ranks)]
        for num_ranks in PROCESSES
    }


def assert_close(name: str, found: torch.Tensor, wanted: torch.Tensor) -> None:
    assert (found - wanted).norm() <= 1e-5 * wanted.norm(), name


@pytest.mark.parametrize("num_ranks", [2, 4])
def test_ranks_select_as_one_process_does(results, num_ranks):
    (whole,) = results[1]
    supports = [part["support"] for part in results[num_ranks]]
    assert {support.shape[0] for support in supports} == {NUM_KV_HEADS // num_ranks}
    assert torch.equal(torch.cat(supports), whole["support"])
    # Something was to be selected: heads differ in the blocks that they leave out.
    assert (whole["support"][1:, -1] != whole["support"][0, -1]).any()


@pytest.mark.parametrize("num_ranks", [2, 4])
def test_ranks_attend_as_one_process_does(results, num_ranks):
    (whole,) = results[1]
    for name in ("out", "d q", "d k", "d v", "d index_q"):
        parts = [part[name] for part in results[num_ranks]]
        assert_close(name, torch.cat(parts, dim=1), whole[name])


@pytest.mark.parametrize("num_ranks", [2, 4])
def test_every_rank_has_the_loss_and_the_gradient_of_index_k_of_the_whole_model(results, num_ranks):
    (whole,) = results[1]
    for part in results[num_ranks]:
        for name in ("loss", "d index_k"):
            assert_close(name, part[name], whole[name])
            assert torch.equal(part[name], results[num_ranks][0][name]), name
