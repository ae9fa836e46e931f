import math

import pytest
import torch

from msa.autograd import selected_mass, sparse_attention
from msa.schedule.testing import pack_lengths
from msa.testing.inputs import attention_inputs
from msa.testing.patterns import every_block

DOCUMENTS = pack_lengths(3, 300)


def lse_of(support: torch.Tensor) -> torch.Tensor:
    q, k, v = attention_inputs(303, seed=0)
    return sparse_attention(q, k, v, support, DOCUMENTS, return_lse=True)[1]


def test_is_the_share_of_the_probabilities_of_the_selected_keys():
    q, k, _ = attention_inputs(303, seed=0)
    everything = every_block(DOCUMENTS)
    some = everything.clone()
    some[:, -1, 1:] = -1  # the last query keeps the first block alone
    mass = selected_mass(lse_of(some), lse_of(everything))
    assert torch.equal(mass[:-1], torch.ones_like(mass[:-1]))
    logits = torch.einsum("hc,thc->ht", q[-1], k[3:].repeat_interleave(16, dim=1)) * 128**-0.5
    torch.testing.assert_close(mass[-1], logits.softmax(dim=1)[:, :128].sum(dim=1))


def test_a_query_without_keys_has_none():
    everything = every_block(DOCUMENTS)
    nothing = torch.full_like(everything, -1)
    dense = lse_of(everything)
    assert torch.equal(selected_mass(lse_of(nothing), dense), torch.zeros_like(dense))
    assert torch.equal(selected_mass(lse_of(nothing), lse_of(nothing)), torch.zeros_like(dense))


def test_is_not_differentiable():
    lse = torch.zeros(3, 16, requires_grad=True)
    assert not selected_mass(lse, lse).requires_grad


@pytest.mark.parametrize(
    "lse, dense_lse, error, message",
    [
        ([0.0], torch.zeros(3, 16), TypeError, "lse must be a tensor, got list"),
        (torch.zeros(3, 16).bfloat16(), torch.zeros(3, 16), TypeError, "lse .*bfloat16"),
        (torch.zeros(3, 16), torch.zeros(3, 16).double(), TypeError, "dense_lse .*float64"),
        (torch.zeros(3), torch.zeros(3), ValueError, r"lse must be \[tokens, heads\], got .*\[3\]"),
        (torch.zeros(3, 16), torch.zeros(3, 32), ValueError, r"dense_lse .*\[3, 16\], got .*32"),
        (torch.zeros(3, 16), torch.zeros(3, 16, device="meta"), ValueError, "dense_lse .*meta"),
    ],
)
def test_wrong_arguments_are_rejected(lse, dense_lse, error, message):
    with pytest.raises(error, match=message):
        selected_mass(lse, dense_lse)


def test_values_are_those_of_exp():
    lse, dense_lse = torch.tensor([[0.0, -math.inf]]), torch.tensor([[1.0, 1.0]])
    torch.testing.assert_close(selected_mass(lse, dense_lse), torch.tensor([[math.exp(-1), 0.0]]))
