"""Estimates of memory, against torch's allocator on a GPU."""

import pytest
import torch

import msa
from msa.kernels.runtime.testing import needs_gpu
from msa.schedule.backward_schedule import schedule_tensors
from msa.schedule.testing import pack_lengths
from msa.testing.memory import peak_memory

pytestmark = needs_gpu

# The allocator leaves up to a megabyte of a large block unused, and sums have scratch of their own.
_SLACK = 8 << 20
# Kernels for Blackwell take no items for the backward.
_SLACK_SHARE = 0.05

LAYOUTS = {
    "whole blocks": (32_768,),
    "ragged": (20_001, 3, 9_000, 130),
}


@pytest.fixture(params=[False, True], ids=["fast", "deterministic"])
def _mode(request):
    torch.use_deterministic_algorithms(request.param)
    yield
    torch.use_deterministic_algorithms(False)


def layer(lengths, groups: int):
    """A layout on the GPU, and q, k, v, index_q and index_k that require gradients."""
    documents = pack_lengths(*lengths).to("cuda")
    generator = torch.Generator("cuda").manual_seed(0)
    operands = [
        torch.randn(
            (documents.num_tokens, heads, 128), generator=generator, device="cuda"
        ).bfloat16()
        for heads in (16 * groups, groups, groups, groups, 1)
    ]
    return documents, [operand.requires_grad_() for operand in operands]


def forward(documents, q, k, v, index_q, index_k) -> tuple[torch.Tensor, torch.Tensor]:
    support = msa.select_blocks(index_q, index_k, documents)
    schedule = msa.build_backward_schedule(support, documents)
    out, lse = msa.sparse_attention(q, k, v, support, documents, schedule=schedule, return_lse=True)
    loss = msa.index_kl_loss(q, k, lse, index_q, index_k, support, documents, schedule=schedule)
    return out, loss


def assert_near(found: int, expected: int) -> None:
    """The same but for a few percent, and what the allocator adds to large blocks."""
    slack = _SLACK_SHARE * expected
    assert expected - slack <= found <= expected + slack + _SLACK


@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("lengths", LAYOUTS.values(), ids=LAYOUTS)
def test_activations(lengths, groups):
    documents, operands = layer(lengths, groups)
    # Loads kernels.
    forward(documents, *operands)
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    results = forward(documents, *operands)
    found = torch.cuda.memory_allocated() - before
    inputs = sum(operand.untyped_storage().nbytes() for operand in operands)
    assert_near(found, sum(msa.activation_bytes(documents, groups)) - inputs)
    del results


@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("lengths", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.usefixtures("_mode")
def test_workspace(lengths, groups):
    documents, (q, k, v, index_q, index_k) = layer(lengths, groups)
    support = msa.select_blocks(index_q, index_k, documents)
    schedule = msa.build_backward_schedule(support, documents)
    out, lse = msa.sparse_attention(q, k, v, support, documents, schedule=schedule, return_lse=True)
    grad_out = torch.ones_like(out)
    # Operators, since the public functions keep the gradients.
    index = (q.detach(), k.detach(), lse, index_q.detach(), index_k.detach(), True)

    def build():
        built = msa.build_backward_schedule(support, documents)
        return built.row_ptr, built.q_indices, built.scheduler_metadata, built.work_count

    passes = {
        "select_blocks": lambda: (msa.select_blocks(index_q, index_k, documents),),
        "build_backward_schedule": build,
        "sparse_attention": lambda: torch.ops.msa.sparse_attention(
            q.detach(), k.detach(), v.detach(), *schedule_tensors(schedule)
        ),
        "sparse_attention_backward": lambda: torch.autograd.grad(
            out, (q, k, v), grad_out, retain_graph=True
        ),
        "index_kl_loss": lambda: torch.ops.msa.index_kl_loss(*index, *schedule_tensors(schedule)),
        "dense_index_kl_loss": lambda: torch.ops.msa.dense_index_kl_loss(
            *index, documents.cu_seqlens
        ),
    }
    expected = msa.workspace_bytes(documents, groups)._asdict()
    assert passes.keys() == expected.keys()
    for name, run in passes.items():
        run()  # loads kernels
        found = peak_memory(run)
        print(f"{name}: {found} bytes, expected {expected[name]}")
        assert_near(found, expected[name])
