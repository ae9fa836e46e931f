"""What a profile of a step shows of the public calls."""

import torch
from torch.profiler import ProfilerActivity, profile

import msa
from msa.schedule.testing import pack_lengths
from msa.testing.inputs import attention_inputs, index_inputs

DOCUMENTS = pack_lengths(3, 130)
CALLS = {
    "msa.select_blocks": "msa::select_blocks",
    "msa.build_backward_schedule": "msa::build_backward_schedule",
    "msa.build_task_tables": "msa::build_task_tables",
    "msa.sparse_attention": "msa::sparse_attention",
    "msa.index_kl_loss": "msa::index_kl_loss",
    "msa.dense_index_kl_loss": "msa::dense_index_kl_loss",
}
"""By the range of a public call, the operator in it."""


def step() -> None:
    tokens = DOCUMENTS.num_tokens
    inputs = (*attention_inputs(tokens, 0), *index_inputs(tokens, 1))
    q, k, v, index_q, index_k = (x.requires_grad_() for x in inputs)
    support = msa.select_blocks(index_q, index_k, DOCUMENTS)
    schedule = msa.build_backward_schedule(support, DOCUMENTS)
    msa.build_task_tables(schedule, num_sms=4)
    out, lse = msa.sparse_attention(q, k, v, support, DOCUMENTS, schedule=schedule, return_lse=True)
    loss = msa.index_kl_loss(q, k, lse, index_q, index_k, support, DOCUMENTS, schedule=schedule)
    dense = msa.dense_index_kl_loss(q, k, lse, index_q, index_k, DOCUMENTS)
    (out.sum() + loss + dense).backward()


def test_each_public_call_is_a_range_around_its_operator():
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        step()
    events = profiled.events()
    for call, operator in CALLS.items():
        (found,) = (event for event in events if event.name == call)
        inside = next(event for event in events if event.name == operator)
        parents = []
        while inside is not None:
            parents.append(inside.name)
            inside = inside.cpu_parent
        assert found.name in parents, call
    backward = {event.name for event in events if event.name.endswith("Backward")}
    assert {"msa_sparse_attentionBackward", "msa_index_kl_lossBackward"} <= backward


def test_a_compiled_step_stays_whole_under_a_profiler():
    torch.compiler.reset()

    def attend(q, k, v, index_q, index_k):
        support = msa.select_blocks(index_q, index_k, DOCUMENTS)
        return msa.sparse_attention(q, k, v, support, DOCUMENTS)

    inputs = (*attention_inputs(DOCUMENTS.num_tokens, 0), *index_inputs(DOCUMENTS.num_tokens, 1))
    compiled = torch.compile(attend, fullgraph=True, backend="aot_eager")
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        out = compiled(*inputs)
    assert torch.equal(out, attend(*inputs))
    names = {event.name for event in profiled.events()}
    assert "msa::sparse_attention" in names
    assert "msa.sparse_attention" not in names
