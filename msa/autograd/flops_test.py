import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from msa.autograd import (
    backend,
    dense_index_kl_loss,
    flops,
    index_kl_loss,
    select_blocks,
    sparse_attention,
)
from msa.schedule.testing import pack_lengths
from msa.testing.inputs import attention_inputs, index_inputs
from msa.testing.patterns import every_block

TOKENS = 40
PAIRS = 4 * TOKENS * 2048
"""Of all groups, at most."""


def test_flop_by_the_convention():
    """Per pair of a group, averaged over four groups: 32768 forward, 81920 backward."""
    assert flops.forward_flop(4) == 32768
    assert flops.backward_flop(4) == 81920
    assert flops.selection_flop(4) == 2 * 128 * 4
    assert flops.index_kl_flop(1) == 2 * 128 * (16 + 3)
    assert flops.index_kl_flop(1, with_gradients=False) == 2 * 128 * (16 + 1)


def count(function) -> int:
    with FlopCounterMode(display=False) as counter:
        function()
    return counter.get_total_flops()


@pytest.mark.parametrize("name", ["auto", "reference"])
def test_forward_and_backward_are_counted(name):
    documents = pack_lengths(TOKENS)
    q, k, v = (x.requires_grad_() for x in attention_inputs(TOKENS, 0, torch.float32))
    index_q, index_k = (x.requires_grad_() for x in index_inputs(TOKENS, 1, torch.float32))
    support = every_block(documents)
    results = []
    with backend(name):
        selection = count(lambda: select_blocks(index_q, index_k, documents))
        forward = count(
            lambda: results.extend(sparse_attention(q, k, v, support, documents, return_lse=True))
        )
        out, lse = results
        backward = count(lambda: out.sum().backward())
        kl = count(
            lambda: results.append(index_kl_loss(q, k, lse, index_q, index_k, support, documents))
        )
        kl_backward = count(lambda: results[-1].backward())
        dense_kl = count(
            lambda: results.append(dense_index_kl_loss(q, k, lse, index_q, index_k, documents))
        )
        dense_kl_backward = count(lambda: results[-1].backward())
        with torch.no_grad():
            kl_without_gradients = count(
                lambda: index_kl_loss(q, k, lse, index_q, index_k, support, documents)
            )
            dense_kl_without_gradients = count(
                lambda: dense_index_kl_loss(q, k, lse, index_q, index_k, documents)
            )
    assert selection == 2 * 128 * 4 * (TOKENS * (TOKENS + 1) // 2)
    assert forward == 2 * (128 + 128) * 16 * PAIRS
    assert backward == 2 * (3 * 128 + 2 * 128) * 16 * PAIRS
    causal_pairs = 4 * (TOKENS * (TOKENS + 1) // 2)
    assert kl == 2 * 128 * (16 + 1 + 2) * PAIRS
    assert dense_kl == 2 * 128 * (16 + 1 + 2) * causal_pairs
    assert kl_backward == dense_kl_backward == 0  # it scales
    assert kl_without_gradients == 2 * 128 * (16 + 1) * PAIRS
    assert dense_kl_without_gradients == 2 * 128 * (16 + 1) * causal_pairs


def test_counts_follow_the_groups_of_the_call():
    documents = pack_lengths(TOKENS)
    index_q, index_k = index_inputs(TOKENS, 1, torch.float32)
    with torch.device("meta"):
        fields = [torch.empty(1, dtype=torch.int32) for _ in range(6)]
        for groups in (1, 2, 8):
            q = torch.empty(TOKENS, 16 * groups, 128)
            k = torch.empty(TOKENS, groups, 128)
            found = count(lambda q=q, k=k: torch.ops.msa.sparse_attention(q, k, k, *fields))
            assert found == 2 * (128 + 128) * 16 * groups * TOKENS * 2048
    # Fewer queries than keys: those of a document's end.
    found = count(
        lambda: torch.ops.msa.select_blocks(
            index_q[-10:].to("meta"), index_k.to("meta"), documents.cu_seqlens.to("meta"), 0, 1
        )
    )
    assert found == 2 * 128 * 4 * sum(range(31, 41))
