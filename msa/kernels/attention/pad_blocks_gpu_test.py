"""K and V in workspace rows, to the last bit."""

import math

import pytest
import torch

from msa.kernels.attention import plan
from msa.kernels.runtime.testing import needs_gpu, poison
from msa.schedule.documents import PackedDocuments
from msa.schedule.testing import pack_lengths

pytestmark = needs_gpu


def pad(
    k: torch.Tensor, v: torch.Tensor, documents: PackedDocuments
) -> tuple[torch.Tensor, torch.Tensor]:
    """The kernel's copies of K and V, in poisoned memory."""
    documents = documents.to("cuda")
    groups = k.shape[1]
    shape = (documents.workspace_size, groups, 128)
    padded_k, padded_v = (poison(torch.empty(shape, dtype=k.dtype, device="cuda")) for _ in "kv")
    plan.PAD_BLOCKS(
        k.device,
        k=k,
        v=v,
        cu_seqlens=documents.cu_seqlens,
        document_workspace_starts=documents.document_workspace_starts,
        num_documents=documents.document_workspace_starts.shape[0],
        num_groups=groups,
        num_kblocks=documents.workspace_size // 128,
        padded_k=padded_k,
        padded_v=padded_v,
    )
    return padded_k, padded_v


def assert_padded(padded: torch.Tensor, x: torch.Tensor, documents: PackedDocuments) -> None:
    expected = torch.zeros_like(padded)
    expected[documents.workspace_positions.cuda()] = x
    # By their bits: NaNs are copied as they are, and zeros are positive.
    assert torch.equal(padded.view(torch.int16), expected.view(torch.int16))


def random_bits(num_tokens: int, seed: int, groups: int = 4) -> torch.Tensor:
    """Whatever 16 bits can be, in memory that goes on with NaN behind the last token."""
    generator = torch.Generator("cuda").manual_seed(seed)
    bits = torch.randint(
        -(2**15), 2**15, (num_tokens + 128, groups, 128), device="cuda", generator=generator
    )
    memory = bits.to(torch.int16).view(torch.bfloat16)
    memory[num_tokens:] = math.nan
    return memory[:num_tokens]


@pytest.mark.parametrize(
    "lengths",
    [
        [1],
        [127],
        [128],
        [129],
        [256],
        [1, 127, 128, 129],
        [129, 128, 127, 1],
        [0, 130, 0, 0, 300, 0],
        [0, 0, 1],
        [1, 0, 0],
        [1] * 130,
        [1, 2, 3, 0] * 700,
        [5000],
        [65_537],
    ],
    ids=lambda lengths: str(lengths) if len(lengths) < 9 else f"{len(lengths)} documents",
)
def test_every_row(lengths):
    documents = pack_lengths(*lengths)
    k, v = (random_bits(documents.num_tokens, seed) for seed in (1, 2))
    padded_k, padded_v = pad(k, v, documents)
    assert_padded(padded_k, k, documents)
    assert_padded(padded_v, v, documents)


@pytest.mark.parametrize("groups", [1, 2, 8])
@pytest.mark.parametrize("lengths", [[1], [129, 128, 127, 1], [0, 130, 0, 0, 300, 0], [5000]])
def test_any_number_of_groups(lengths, groups):
    documents = pack_lengths(*lengths)
    k, v = (random_bits(documents.num_tokens, seed, groups) for seed in (5, 6))
    padded_k, padded_v = pad(k, v, documents)
    assert_padded(padded_k, k, documents)
    assert_padded(padded_v, v, documents)


@pytest.mark.parametrize("bad", [0, 1, 2])
def test_a_document_of_nan_stays_by_itself(bad):
    documents = pack_lengths(129, 1, 200)
    x = torch.ones(documents.num_tokens, 4, 128, dtype=torch.bfloat16, device="cuda")
    first, end = documents.cu_seqlens[bad : bad + 2].tolist()
    x[first:end] = math.nan
    for padded in pad(x, x, documents):
        rows = padded.isnan().any(-1).any(-1).nonzero().squeeze(1)
        start = int(documents.document_workspace_starts[bad])
        assert rows.tolist() == list(range(start, start + end - first))


def test_documents_with_padding_between():
    ids = torch.tensor([[0] * 5 + [1] * 700 + [0] * 3 + [2] * 92, [1] * 790 + [0] * 10])
    documents = PackedDocuments.from_document_ids(ids)
    k, v = (random_bits(documents.num_tokens, seed) for seed in (3, 4))
    padded_k, padded_v = pad(k, v, documents)
    assert_padded(padded_k, k, documents)
    assert_padded(padded_v, v, documents)
