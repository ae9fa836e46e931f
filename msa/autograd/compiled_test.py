"""The public functions under `torch.compile` by Inductor, and what its guards must follow."""

import numpy as np
import pytest
import torch
from torch._dynamo.testing import CompileCounterWithBackend

import msa
from msa.autograd import dense_index_kl_loss, index_kl_loss, select_blocks, sparse_attention
from msa.schedule.testing import pack_lengths
from msa.testing.inputs import attention_inputs, index_inputs
from msa.testing.patterns import every_block

DOCUMENTS = pack_lengths(3, 20)
SUPPORT = every_block(DOCUMENTS)


def operands() -> dict[str, torch.Tensor]:
    q, k, v = attention_inputs(23, 0, torch.float32)
    index_q, index_k = index_inputs(23, 1, torch.float32)
    _, lse = sparse_attention(q, k, v, SUPPORT, DOCUMENTS, return_lse=True)
    return {"q": q, "k": k, "v": v, "lse": lse, "index_q": index_q, "index_k": index_k}


def attention(q, k, v):
    # Beside operations that Inductor fuses.
    return (sparse_attention(q * 2, k + 1, v, SUPPORT, DOCUMENTS) * 3).square().sum()


def index_kl(q, k, lse, index_q, index_k):
    return index_kl_loss(q, k, lse, index_q * 2, index_k + 1, SUPPORT, DOCUMENTS) * 3


def dense_index_kl(q, k, lse, index_q, index_k):
    return dense_index_kl_loss(q, k, lse, index_q * 2, index_k + 1, DOCUMENTS) * 3


FUNCTIONS = {
    attention: (("q", "k", "v"), ("q", "k", "v")),
    index_kl: (("q", "k", "lse", "index_q", "index_k"), ("index_q", "index_k")),
    dense_index_kl: (("q", "k", "lse", "index_q", "index_k"), ("index_q", "index_k")),
}
"""What each takes, and what has a gradient."""


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_inductor_gives_the_values_and_gradients_of_eager(function):
    names, differentiable = FUNCTIONS[function]
    results = []
    for call in (function, torch.compile(function, fullgraph=True)):
        inputs = {name: value for name, value in operands().items() if name in names}
        wanted = [inputs[name].requires_grad_() for name in differentiable]
        value = call(*(inputs[name] for name in names))
        results.append((value, *torch.autograd.grad(value, wanted)))
    for found, expected in zip(*reversed(results), strict=True):
        torch.testing.assert_close(found, expected)


def test_inductor_gives_the_selection_of_eager():
    def select(index_q, index_k):
        return select_blocks(index_q * 2, index_k + 1, DOCUMENTS) + 1

    index_q, index_k = index_inputs(23, 1, torch.float32)
    compiled = torch.compile(select, fullgraph=True)
    assert torch.equal(compiled(index_q, index_k), select(index_q, index_k))


def operators_of(function, *arguments):
    """A list that takes the operators of `msa` in each graph that is compiled, and the call."""
    found = []

    def backend(graph, example_inputs):
        found.extend(str(node.target) for node in graph.graph.nodes if "msa" in str(node.target))
        return graph.forward

    compiled = torch.compile(function, fullgraph=True, backend=backend)
    return found, lambda: compiled(*arguments)


def test_a_graph_follows_the_backend():
    torch.compiler.reset()
    index_q, index_k = index_inputs(23, 1, torch.float32)
    found, call = operators_of(lambda q, k: select_blocks(q, k, DOCUMENTS), index_q, index_k)
    for name, operator in (
        ("auto", "msa.select_blocks.default"),
        ("reference", "msa.select_blocks_reference.default"),
        ("auto", None),
        ("reference", None),
    ):
        found.clear()
        with msa.backend(name):
            call()
        assert found == ([operator] if operator else [])


def test_the_backend_may_be_chosen_inside_of_a_graph():
    torch.compiler.reset()

    def select(index_q, index_k):
        with msa.backend("reference"):
            support = select_blocks(index_q, index_k, DOCUMENTS)
        return support, select_blocks(index_q, index_k, DOCUMENTS)

    found, call = operators_of(select, *index_inputs(23, 1, torch.float32))
    one, other = call()
    assert found == ["msa.select_blocks_reference.default", "msa.select_blocks.default"]
    assert torch.equal(one, other)


@pytest.mark.parametrize("coefficient", [np.float64(0.5), np.float32(0.5), 0.5, 2], ids=repr)
def test_a_coefficient_may_be_any_number(coefficient):
    torch.compiler.reset()
    inputs = [value for name, value in operands().items() if name != "v"]
    inputs[3:] = [x.requires_grad_() for x in inputs[3:]]

    def loss(coefficient):
        return index_kl_loss(*inputs, SUPPORT, DOCUMENTS, coefficient=coefficient)

    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    unit = loss(1.0)
    assert compiled(coefficient).dtype == torch.float32
    torch.testing.assert_close(compiled(coefficient), unit * float(coefficient))
    for found, expected in zip(
        torch.autograd.grad(compiled(coefficient), inputs[3:]),
        torch.autograd.grad(unit, inputs[3:]),
        strict=True,
    ):
        torch.testing.assert_close(found, expected * float(coefficient))


def index_losses(*inputs, coefficient):
    sparse = index_kl_loss(*inputs, SUPPORT, DOCUMENTS, coefficient=coefficient)
    return sparse, dense_index_kl_loss(*inputs, DOCUMENTS, coefficient=coefficient)


@pytest.mark.parametrize("as_coefficient, most", [(float, 2), (torch.tensor, 1)])
def test_a_coefficient_that_changes_from_call_to_call_compiles_at_most(as_coefficient, most):
    torch.compiler.reset()
    inputs = [value for name, value in operands().items() if name != "v"]
    inputs[3:] = [x.requires_grad_() for x in inputs[3:]]
    counter = CompileCounterWithBackend("aot_eager")
    call = torch.compile(index_losses, fullgraph=True, backend=counter)
    unit = index_losses(*inputs, coefficient=1.0)
    unit_grads = torch.autograd.grad(sum(unit), inputs[3:])
    for coefficient in (0.1, 0.2, 0.7, 0.0, 0.3, 1.9):
        losses = call(*inputs, coefficient=as_coefficient(coefficient))
        for found, wanted in zip(losses, unit, strict=True):
            torch.testing.assert_close(found, wanted * coefficient)
        grads = torch.autograd.grad(sum(losses), inputs[3:])
        for found, wanted in zip(grads, unit_grads, strict=True):
            torch.testing.assert_close(found, wanted * coefficient)
    assert counter.frame_count <= most


def test_numpy_counts_of_forced_blocks():
    torch.compiler.reset()
    index_q, index_k = index_inputs(300, 1, torch.float32)
    documents = pack_lengths(300)
    compiled = torch.compile(select_blocks, fullgraph=True, backend="aot_eager")
    for count in (np.int64(1), np.int64(2)):
        found = compiled(index_q, index_k, documents, init_blocks=count)
        assert torch.equal(found, select_blocks(index_q, index_k, documents, init_blocks=count))
