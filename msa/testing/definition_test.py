import math

import pytest
import torch
from torch.nn.functional import kl_div, scaled_dot_product_attention

from msa.schedule.testing import pack_lengths, random_support
from msa.testing.definition import (
    attention_rows,
    causal_keys,
    index_kl_rows,
    selection_rows,
    visible_keys,
)
from msa.testing.inputs import attention_inputs, index_inputs
from msa.testing.patterns import every_block


def test_causal_keys_are_those_of_the_own_document_up_to_the_query():
    documents = pack_lengths(2, 0, 1, 3)
    expected = [
        [1, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0],
        [0, 0, 0, 1, 0, 0],
        [0, 0, 0, 1, 1, 0],
        [0, 0, 0, 1, 1, 1],
    ]
    assert torch.equal(causal_keys(documents, torch.arange(6)), torch.tensor(expected).bool())
    assert torch.equal(
        causal_keys(documents, torch.tensor([4, 1])),
        torch.tensor([expected[4], expected[1]]).bool(),
    )


def test_visible_keys_are_those_of_selected_blocks():
    documents = pack_lengths(50, 300)
    support = torch.full((4, 350, 16), -1, dtype=torch.int32)
    support[0, 349, 3] = 1
    support[1, 349, :2] = torch.tensor([2, 0])
    support[2, 349, :3] = torch.tensor([3, -7, 1000])
    visible = visible_keys(support, documents, torch.tensor([349]))[:, 0]
    rows = torch.arange(350)
    assert torch.equal(visible[0], (rows >= 178) & (rows < 306))
    assert torch.equal(visible[1], (rows >= 50) & (rows < 178) | (rows >= 306))
    assert not visible[2:].any()


def test_attention_over_every_block_is_causal_attention():
    documents = pack_lengths(200)
    q, k, v = attention_inputs(200, seed=0)
    out, lse = attention_rows(q, k, v, every_block(documents), documents, torch.arange(200))
    expected = scaled_dot_product_attention(
        *(x.transpose(0, 1) for x in (q, k, v)), is_causal=True, enable_gqa=True
    )
    torch.testing.assert_close(out, expected.transpose(0, 1))
    logits = torch.einsum("hc,thc->th", q[7], k[:8].repeat_interleave(16, dim=1)) / math.sqrt(128)
    torch.testing.assert_close(lse[7], logits.exp().sum(dim=0).log())


def test_attention_of_a_query_without_keys_is_zero_with_zero_gradients():
    documents = pack_lengths(3)
    support = torch.zeros(4, 3, 16, dtype=torch.int32)
    support[1, 2] = -1
    inputs = [x.requires_grad_() for x in attention_inputs(3, seed=0)]
    out, lse = attention_rows(*inputs, support, documents, torch.tensor([2]))
    assert torch.all(out[0, 16:32] == 0)
    assert torch.all(lse[0, 16:32] == -math.inf)
    dq, dk, dv = torch.autograd.grad(out.sum(), inputs)
    assert torch.all(dq[2, 16:32] == 0)
    assert torch.all(dk[:, 1] == 0)
    assert torch.all(dv[:, 1] == 0)
    assert all(grad.isfinite().all() for grad in (dq, dk, dv))


def test_selection_keeps_the_blocks_with_the_best_key():
    documents = pack_lengths(2300)
    index_q, index_k = index_inputs(2300, seed=0)
    query = 2299
    selected = selection_rows(index_q, index_k, documents, torch.tensor([query]))
    best = torch.stack(
        [
            (index_k[start : start + 128, 0] @ index_q[query].t()).amax(dim=0)
            for start in range(0, 2300, 128)
        ]
    )
    best[17] = math.inf
    expected = best.topk(16, dim=0).indices.sort(dim=0).values
    assert torch.equal(selected[:, 0], expected.t().int())


def test_index_kl_is_the_divergence_from_the_mean_of_the_group():
    documents = pack_lengths(5, 150)
    support = random_support(documents, seed=0)
    support[:, 154, 0] = 1
    q, k, _ = attention_inputs(155, seed=1)
    index_q, index_k = index_inputs(155, seed=2)
    divergence = index_kl_rows(q, k, index_q, index_k, support, documents, torch.tensor([154]))
    for group in range(4):
        keys = visible_keys(support, documents, torch.tensor([154]))[group, 0]
        logits = q[154, 16 * group : 16 * group + 16] @ k[keys, group].t() / math.sqrt(128)
        teacher = logits.softmax(dim=-1).mean(dim=0)
        student = (index_k[keys, 0] @ index_q[154, group] / math.sqrt(128)).log_softmax(dim=0)
        expected = kl_div(student, teacher, reduction="sum")
        assert divergence[0, group].item() == pytest.approx(expected.item())
