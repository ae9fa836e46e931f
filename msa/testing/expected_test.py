import pytest
import torch

from msa.schedule import PackedDocuments
from msa.testing import definition, expected
from msa.testing.inputs import random_operands
from msa.testing.patterns import PATTERNS


@pytest.fixture(scope="module")
def layer():
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, 130, 131, 131, 420]))
    generator = torch.Generator().manual_seed(0)
    operands = random_operands(documents.num_tokens, torch.float64, generator)
    support = PATTERNS["random"](documents, generator)
    support[0, 300:, 1:] = -1  # groups that disagree, and queries that do not see themselves
    return operands, support, documents


def test_the_definition_at_a_sample_is_the_dense_one(layer, monkeypatch):
    """Also where it takes several pieces, and where a document has no sampled query."""
    monkeypatch.setattr(expected, "_QUERIES_AT_A_TIME", 3)
    operands, support, documents = layer
    q, k, v, grad_out = operands.q, operands.k, operands.v, operands.grad_out
    queries = torch.tensor([0, 1, 129, 300, 310, 402, 419])
    found = expected.attention(q, k, v, grad_out, support, documents, queries)

    everyone = torch.arange(documents.num_tokens)
    out, lse = definition.attention_rows(q, k, v, support, documents, everyone)
    masked = expected.only_at(queries, grad_out)
    dq, dk, dv = torch.autograd.grad(out, (q, k, v), masked)
    for name, whole in {
        "out": out[queries],
        "lse": lse[queries],
        "dq": dq[queries],
        "dk": dk,
        "dv": dv,
    }.items():
        torch.testing.assert_close(found[name], whole.detach(), rtol=1e-12, atol=1e-12)
    assert found["dk"][130].abs().max() == 0


def test_the_index_gradient_at_a_sample_is_the_dense_one(layer, monkeypatch):
    monkeypatch.setattr(expected, "_QUERIES_AT_A_TIME", 3)
    operands, support, documents = layer
    index_q, index_k, q, k, _, _ = operands
    queries = torch.tensor([0, 130, 131, 200, 300, 419])
    found = expected.index_q_grad(q, k, index_q, index_k, support, documents, queries)

    everyone = torch.arange(documents.num_tokens)
    divergences = definition.index_kl_rows(q, k, index_q, index_k, support, documents, everyone)
    (whole,) = torch.autograd.grad(divergences.sum(), index_q)
    torch.testing.assert_close(found, whole[queries], rtol=1e-12, atol=1e-14)
