import sys
from types import ModuleType, SimpleNamespace

import pytest
import torch

from msa.benchmarks.baselines import (
    DenseAttention,
    FlashAttention4,
    FlashMsa,
    TopK,
    backends,
)
from msa.schedule import PackedDocuments
from msa.testing import definition
from msa.testing.inputs import random_operands
from msa.testing.patterns import PATTERNS


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


def test_backends_are_counted_by_what_made_the_results():
    names = [
        "ScaledDotProductCudnnAttentionBackward0",
        "ScaledDotProductFlashAttentionBackward0",
        "ScaledDotProductCudnnAttentionBackward0",
        "UnsafeViewBackward0",
    ]
    outs = [SimpleNamespace(grad_fn=SimpleNamespace(name=lambda name=name: name)) for name in names]
    assert backends(outs) == {"cuDNN": 2, "flash": 1, "math": 1}


def fake_package(monkeypatch, name, **functions):
    """A package that computes what another one's functions do, on a CPU."""
    module = ModuleType(name)
    vars(module).update(functions)
    monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture(name="operands")
def _operands():
    generator = torch.Generator().manual_seed(0)
    return random_operands(512, torch.float64, generator, num_groups=1)


DOCUMENTS = PackedDocuments.from_cu_seqlens(torch.tensor([0, 256, 512]))


def test_flash_attention_4_gets_packed_documents_and_their_bounds(monkeypatch, operands):
    def varlen(q, k, v, *, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, **options):
        assert options == {"softmax_scale": 128**-0.5, "causal": True}
        assert cu_seqlens_q is cu_seqlens_k is DOCUMENTS.cu_seqlens
        assert max_seqlen_q == max_seqlen_k == 256
        return q + k.sum() + v.sum(), None

    fake_package(monkeypatch, "flash_attn.cute", flash_attn_varlen_func=varlen)
    fake_package(monkeypatch, "flash_attn")
    attention = FlashAttention4(operands, DOCUMENTS)
    grads = attention.backward(attention.forward())
    assert [x.shape for x in grads] == [x.shape for x in operands[2:5]]


def test_flash_msa_gets_documents_as_a_batch_and_gives_all_gradients(monkeypatch, operands):
    def attend(index_q, index_k, q, k, v, top_k, scale):
        assert (top_k, scale) == (2048, 128**-0.5)
        assert q.shape == (2, 16, 256, 128)
        rows = operands.q[256:].transpose(0, 1)
        assert torch.equal(q[1], rows)
        out = (q + k + v).transpose(1, 2).flatten(2)
        return out, (index_q + index_k).sum()

    fake_package(monkeypatch, "flash_msa", flash_msa_func=attend)
    grads = FlashMsa(operands, DOCUMENTS).step()
    assert [x.shape[1] for x in grads] == [1, 1, 16, 1, 1]
    # Of q, in the layout of the batch, what the output's gradient says.
    expected = operands.grad_out[:256].transpose(0, 1)
    torch.testing.assert_close(grads[2][0], expected)
    other = PackedDocuments.from_cu_seqlens(torch.tensor([0, 128, 512]))
    with pytest.raises(ValueError, match="documents of one length in whole blocks"):
        FlashMsa(operands, other)


def test_top_k_ranks_the_blocks_of_documents_that_leave_some_out(monkeypatch):
    ranked = []
    monkeypatch.setattr(torch, "topk", lambda scores, count: ranked.append((scores.shape, count)))
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, 2048, 2048 + 2049]))
    generator = torch.Generator()
    operands = random_operands(4097, torch.float32, generator, num_groups=2, attention=False)
    TopK(operands, documents).select()
    assert ranked == [((2049, 17), 16)] * 2
