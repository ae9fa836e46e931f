from types import SimpleNamespace

import pytest
import torch

from msa.benchmarks.dense import DenseAttention, backends, dense_lse
from msa.benchmarks.operands import random_operands
from msa.benchmarks.patterns import PATTERNS
from msa.reference import definition
from msa.schedule import PackedDocuments


def test_dense_attention_is_sparse_attention_that_keeps_all_blocks():
    """Each document on its own, with the same scale and grouping of heads; one is empty."""
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, 130, 130, 131, 400]))
    generator = torch.Generator().manual_seed(0)
    operands = random_operands(documents.num_tokens, torch.float64, generator)
    dense = DenseAttention(operands, documents)
    outs = dense.forward()
    grads = dense.backward(outs)

    q, k, v = operands.q, operands.k, operands.v
    support = PATTERNS["recent"](documents, generator)
    queries = torch.arange(documents.num_tokens)
    out, _ = definition.attention_rows(q, k, v, support, documents, queries)
    expected = (out, *torch.autograd.grad(out, (q, k, v), operands.grad_out))
    found = (outs, grads[:3], grads[3:6], grads[6:])
    for parts, whole in zip(found, expected, strict=True):
        packed = torch.cat([part[0].transpose(0, 1) for part in parts])
        torch.testing.assert_close(packed, whole, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_dense_lse_is_that_of_all_keys_of_each_document(dtype):
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, 130, 130, 131, 400]))
    operands = random_operands(
        documents.num_tokens, dtype, torch.Generator().manual_seed(0), num_groups=2
    )
    support = PATTERNS["recent"](documents, torch.Generator(), 2)
    q, k, v = (x.detach().double() for x in (operands.q, operands.k, operands.v))
    queries = torch.arange(documents.num_tokens)
    _, expected = definition.attention_rows(q, k, v, support, documents, queries)
    lse = dense_lse(operands, documents)
    assert lse.is_contiguous()
    torch.testing.assert_close(lse, expected.float(), rtol=0, atol=2e-3)


def test_backends_are_counted_by_what_made_the_results():
    names = [
        "ScaledDotProductCudnnAttentionBackward0",
        "ScaledDotProductFlashAttentionBackward0",
        "ScaledDotProductCudnnAttentionBackward0",
        "UnsafeViewBackward0",
    ]
    outs = [SimpleNamespace(grad_fn=SimpleNamespace(name=lambda name=name: name)) for name in names]
    assert backends(outs) == {"cuDNN": 2, "flash": 1, "math": 1}
