"""Estimates of memory, against what autograd saves and what the plans allocate on a CPU."""

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks

import msa
from msa.autograd.memory import PeakMemory
from msa.kernels.attention import plan as attention
from msa.kernels.index_kl import plan as index_kl
from msa.kernels.runtime.launches import launches  # noqa: F401, a fixture
from msa.kernels.schedule import plan as schedule_plan
from msa.kernels.selection import plan as selection
from msa.schedule.backward_schedule import schedule_tensors
from msa.schedule.testing import pack_lengths

DOCUMENTS = pack_lengths(130, 3, 260)
LONG = pack_lengths(2**20)
KB = 2**10

every_count = pytest.mark.parametrize("groups", [1, 2, 4, 8])


@pytest.fixture(name="mode", params=[False, True], ids=["fast", "deterministic"])
def _mode(request):
    torch.use_deterministic_algorithms(request.param)
    yield request.param
    torch.use_deterministic_algorithms(False)


def inputs(documents, groups: int, dtype: torch.dtype) -> list[torch.Tensor]:
    """q, k, v, index_q and index_k."""
    generator = torch.Generator().manual_seed(0)
    return [
        torch.randn(documents.num_tokens, heads, 128, generator=generator).to(dtype)
        for heads in (16 * groups, groups, groups, groups, 1)
    ]


def saved_bytes(documents, groups: int, dtype: torch.dtype) -> int:
    """What autograd saves of a layer, each memory once and the layout of documents not at all."""
    saved = {}

    def save(tensor):
        storage = tensor.untyped_storage()
        saved[storage.data_ptr()] = storage.nbytes()
        return tensor

    q, k, v, index_q, index_k = (x.requires_grad_() for x in inputs(documents, groups, dtype))
    support = msa.select_blocks(index_q, index_k, documents)
    schedule = msa.build_backward_schedule(support, documents)
    with saved_tensors_hooks(save, lambda tensor: tensor):
        out, lse = msa.sparse_attention(
            q, k, v, support, documents, schedule=schedule, return_lse=True
        )
        loss = msa.index_kl_loss(q, k, lse, index_q, index_k, support, documents, schedule=schedule)
    assert out.requires_grad
    assert loss.requires_grad
    for part in (documents.cu_seqlens, documents.document_workspace_starts):
        del saved[part.untyped_storage().data_ptr()]
    return sum(saved.values())


@every_count
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_activations_are_what_autograd_saves(groups, dtype):
    estimate = msa.activation_bytes(DOCUMENTS, groups, dtype=dtype)
    assert sum(estimate) == saved_bytes(DOCUMENTS, groups, dtype)


@every_count
def test_parts_of_the_activations(groups):
    attention_bytes, schedule, kl = msa.activation_bytes(DOCUMENTS, groups)
    tokens, rows = 393, 2 + 1 + 3
    # q and out, k and v, in bf16; lse in FP32.
    assert attention_bytes == tokens * groups * (2 * 16 * 256 + 2 * 256 + 16 * 4)
    # index_q and its gradient, index_k and its.
    assert kl == tokens * (2 * groups * 256 + 2 * 256)
    # Offsets of the rows, queries by row, work items, their number.
    work = rows + -(-16 * tokens // 256)
    assert schedule == 4 * (groups * (rows + 1) + groups * 16 * tokens + groups * work * 6 + 1)


def test_a_token_of_a_whole_model_takes_37_kilobytes():
    parts = msa.activation_bytes(LONG, 4)
    assert round((parts.attention + parts.schedule) / LONG.num_tokens / KB, 1) == 34.5
    assert parts.index_kl == LONG.num_tokens * 2.5 * KB


def test_activations_depend_on_no_context():
    expected = msa.activation_bytes(DOCUMENTS, 2)
    with torch.no_grad():
        assert msa.activation_bytes(DOCUMENTS, 2) == expected
    with torch.inference_mode():
        assert msa.activation_bytes(DOCUMENTS, 2) == expected
    with msa.backend("reference"):
        assert msa.activation_bytes(DOCUMENTS, 2) == expected
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert msa.activation_bytes(DOCUMENTS, 2) == expected


@every_count
@pytest.mark.usefixtures("mode")
def test_workspace_is_what_the_plans_allocate(launches, groups):  # noqa: F811
    q, k, v, index_q, index_k = inputs(DOCUMENTS, groups, torch.bfloat16)
    support = msa.select_blocks(index_q, index_k, DOCUMENTS)
    schedule = schedule_tensors(msa.build_backward_schedule(support, DOCUMENTS))
    offsets = DOCUMENTS.cu_seqlens
    layout = (
        DOCUMENTS.document_positions,
        DOCUMENTS.workspace_positions,
        DOCUMENTS.document_workspace_starts,
        DOCUMENTS.workspace_size,
    )
    out, lse = torch.zeros_like(q), torch.zeros(q.shape[:2])
    index = (q, k, lse, index_q, index_k, True)
    passes = (
        lambda: selection.select_blocks(index_q, index_k, offsets, 0, 1),
        lambda: schedule_plan.build_schedule_tensors(support, *layout),
        lambda: attention.attention_forward(q, k, v, schedule),
        lambda: attention.attention_backward(out, q, k, v, out, lse, schedule),
        lambda: index_kl.index_kl(*index, schedule),
        lambda: index_kl.dense_index_kl(*index, offsets),
    )
    found = []
    for run in passes:
        launches.clear()
        with PeakMemory() as memory:
            results = run()
        assert launches
        found.append(memory.peak - memory.now)
        del results
    assert msa.workspace_bytes(DOCUMENTS, groups) == tuple(found)


@pytest.mark.parametrize("groups, heads", [(1, 1), (4, 1), (8, 1)])
def test_a_long_forward_takes_the_pools_of_one_head(groups, heads):
    workspace = msa.workspace_bytes(LONG, groups).sparse_attention / LONG.num_tokens
    assert heads * 8 * KB < workspace < heads * 8 * KB + groups * 0.4 * KB


def test_the_deterministic_mode_takes_more(mode):
    workspace = msa.workspace_bytes(LONG, 4).sparse_attention_backward / LONG.num_tokens
    # By token and head: 0.4 KB and pools of 1 KB; 9 KB and pools of 2 KB.
    low, high = (9, 11.5) if mode else (1, 1.4)
    assert 4 * low * KB < workspace < 4 * high * KB


@pytest.mark.parametrize("estimate", [msa.activation_bytes, msa.workspace_bytes])
def test_wrong_arguments(estimate):
    with pytest.raises(TypeError, match="documents must be a PackedDocuments, got list"):
        estimate([3], 4)
    with pytest.raises(TypeError, match="groups must be an int, got float"):
        estimate(DOCUMENTS, 4.0)
    with pytest.raises(ValueError, match=r"groups must be one of \(1, 2, 4, 8\), got 3"):
        estimate(DOCUMENTS, 3)


def test_a_wrong_dtype():
    with pytest.raises(TypeError, match=r"dtype must be bfloat16, .* got torch\.float16"):
        msa.activation_bytes(DOCUMENTS, 4, dtype=torch.float16)


def test_peak_memory_counts_each_memory_while_it_is_alive():
    with PeakMemory() as memory:
        first = torch.zeros(256)  # 1024 bytes
        view = first[3:]
        second = first + 1
        del second
        third = torch.empty(1)  # rounded up to 512
        assert (memory.now, memory.peak) == (1536, 2048)
        del first
        assert memory.now == 1536
        del view
        assert (memory.now, memory.peak) == (512, 2048)
        del third
    assert (memory.now, memory.peak) == (0, 2048)
