import functools

import pytest
import torch
from functorch.compile import min_cut_rematerialization_partition
from torch._dynamo.backends.common import aot_autograd
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import CheckpointPolicy, checkpoint

from msa.autograd import (
    dense_index_kl_loss,
    index_kl_loss,
    save_selection,
    select_blocks,
    sparse_attention,
)
from msa.schedule.backward_schedule import build_backward_schedule
from msa.schedule.testing import pack_lengths
from msa.testing.inputs import attention_inputs, index_inputs

DOCUMENTS = pack_lengths(3, 150)


class Calls(TorchDispatchMode):
    """Counts the operators that run."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(function.name())
        return function(*args, **(kwargs or {}))


def layer(q, k, v, index_q, index_k):
    support = select_blocks(index_q, index_k, DOCUMENTS)
    schedule = build_backward_schedule(support, DOCUMENTS)
    out, lse = sparse_attention(q, k, v, support, DOCUMENTS, schedule=schedule, return_lse=True)
    loss = index_kl_loss(q, k, lse, index_q, index_k, support, DOCUMENTS, schedule=schedule)
    return out.square().sum() + loss


def leaves() -> list[torch.Tensor]:
    inputs = (*attention_inputs(153, 0, torch.float32), *index_inputs(153, 1, torch.float32))
    return [x.requires_grad_() for x in inputs]


def run(context_fn=None, function=layer) -> tuple[list[str], list[torch.Tensor]]:
    """The operators that ran, and the gradients, with `function` checkpointed."""
    inputs = leaves()
    options = {} if context_fn is None else {"context_fn": context_fn}
    with Calls() as calls:
        checkpoint(function, *inputs, use_reentrant=False, **options).backward()
    return calls.names, [x.grad for x in inputs]


def plain_gradients() -> list[torch.Tensor]:
    inputs = leaves()
    layer(*inputs).backward()
    return [x.grad for x in inputs]


def assert_equal(found: list[torch.Tensor], expected: list[torch.Tensor]) -> None:
    for one, other in zip(found, expected, strict=True):
        assert torch.equal(one, other)


def counts(names: list[str]) -> dict[str, int]:
    operators = ("select_blocks", "build_backward_schedule", "sparse_attention", "index_kl_loss")
    return {name: names.count(f"msa::{name}") for name in operators}


def test_without_it_all_is_computed_twice():
    names, _ = run()
    assert set(counts(names).values()) == {2}


@pytest.mark.parametrize("keep_kl", [False, True])
def test_the_selection_and_its_schedule_are_computed_once(keep_kl):
    names, gradients = run(functools.partial(save_selection, keep_kl=keep_kl))
    assert counts(names) == {
        "select_blocks": 1,
        "build_backward_schedule": 1,
        "sparse_attention": 2,
        "index_kl_loss": 1 if keep_kl else 2,
    }
    assert_equal(gradients, plain_gradients())


def save_attention(context, operator, *args, **kwargs):
    if operator is torch.ops.msa.sparse_attention.default:
        return CheckpointPolicy.MUST_SAVE
    assert operator is not torch.ops.msa.select_blocks.default, "what is kept goes first"
    return CheckpointPolicy.PREFER_RECOMPUTE


@pytest.mark.parametrize("policy", ["function", "list"])
def test_a_policy_says_what_becomes_of_the_others(policy):
    policy = {"function": save_attention, "list": [torch.ops.msa.sparse_attention.default]}[policy]
    names, gradients = run(functools.partial(save_selection, policy))
    assert counts(names) == {
        "select_blocks": 1,
        "build_backward_schedule": 1,
        "sparse_attention": 1,
        "index_kl_loss": 2,
    }
    assert_equal(gradients, plain_gradients())


def test_the_dense_loss_is_kept_as_well():
    def warm_up(q, k, v, index_q, index_k):
        lse = torch.zeros(q.shape[:2])
        return dense_index_kl_loss(q, k, lse, index_q.sin(), index_k.sin(), DOCUMENTS)

    results = [
        run(functools.partial(save_selection, keep_kl=keep), warm_up) for keep in (False, True)
    ]
    names = [found for found, _ in results]
    assert [found.count("msa::dense_index_kl_loss") for found in names] == [2, 1]
    for one, other in zip(results[0][1][3:], results[1][1][3:], strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("keep_kl", [False, True])
def test_compiles(keep_kl):
    torch.compiler.reset()
    compiled_calls = []

    def record(graph, inputs):
        compiled_calls.extend(str(node.target) for node in graph.graph.nodes)
        return graph

    backend = aot_autograd(
        fw_compiler=record, bw_compiler=record, partition_fn=min_cut_rematerialization_partition
    )
    inputs = leaves()
    compiled = torch.compile(
        lambda *x: checkpoint(
            layer,
            *x,
            use_reentrant=False,
            context_fn=functools.partial(save_selection, keep_kl=keep_kl),
        ),
        fullgraph=True,
        backend=backend,
    )
    compiled(*inputs).backward()
    assert compiled_calls.count("msa.select_blocks.default") == 1
    assert compiled_calls.count("msa.build_backward_schedule.default") == 1
    assert compiled_calls.count("msa.sparse_attention.default") == 2
    assert compiled_calls.count("msa.index_kl_loss.default") == (1 if keep_kl else 2)
    assert_equal([x.grad for x in inputs], plain_gradients())


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"policy": 3}, TypeError, "policy must be .* got int"),
        ({"policy": [torch.ops.msa.sparse_attention]}, ValueError, "policy must list .*overloads"),
        ({"keep_kl": 1}, TypeError, "keep_kl must be a bool, got int"),
    ],
)
def test_wrong_arguments_are_rejected(options, error, message):
    with pytest.raises(error, match=message):
        save_selection(**options)
