"""Attention on a GPU at the sizes of training: 192K tokens as packed in practice, and 300,000.

A sample is checked: queries in float64 by the keys they selected, key blocks in float64 by the
queries that selected them.
"""

import itertools
import random

import pytest
import torch

from msa.kernels.runtime.testing import needs_gpu, poison_free_memory
from msa.schedule import BLOCK_SIZE, NUM_KV_HEADS, PackedDocuments
from msa.testing import expected, patterns
from msa.testing.sampling import sample_queries
from msa.testing.workloads import PACKED_PREFIX, parse_workload
from msa.tests import attention_testing as testing
from msa.tests.attention_testing import (
    Inputs,
    Results,
    assert_close,
    define_block,
    every_mode,
    first_block_hot,
    run,
    unit_normal,
    with_logits_around,
)

pytestmark = needs_gpu

CASES = ("2", "3", "8", "9", "14", "21", "28", "30")

# In a document of this many tokens, q, out, dq and the forward's pool pass 2**31 elements or bytes
# at row 262,144, and the deterministic sums of dQ, 8 KB for each query and group, at row 65,536.
LARGE = 300_000


def sample_blocks(documents: PackedDocuments, seed: int) -> list[tuple[int, slice]]:
    """KV heads and compact rows of some key blocks.

    Of the longest and the last document the first and the last block, for every head one of them;
    the rest is random.
    """
    draw = random.Random(seed)
    offsets = documents.cu_seqlens.tolist()
    spans = [span for span in itertools.pairwise(offsets) if span[0] < span[1]]
    blocks = []
    for start, end in (max(spans, key=lambda span: span[1] - span[0]), spans[-1]):
        blocks += [(start, end), (start + (end - 1 - start) // BLOCK_SIZE * BLOCK_SIZE, end)]
    for start, end in draw.choices(spans, k=4):
        blocks.append((start + draw.randrange(0, end - start, BLOCK_SIZE), end))
    return [
        (number % NUM_KV_HEADS, slice(start, min(start + BLOCK_SIZE, end)))
        for number, (start, end) in enumerate(blocks)
    ]


def assert_sample_right(
    inputs: Inputs,
    found: Results,
    support: torch.Tensor,
    documents: PackedDocuments,
    queries: torch.Tensor,
    case: str,
    **units: torch.Tensor | float,
) -> None:
    for name, result in found._asdict().items():
        assert result.isfinite().all(), f"{case}: {name}"
    rows = expected.attention(*inputs, support, documents, queries)
    for name in ("out", "lse", "dq"):
        actual = getattr(found, name)[queries]
        assert_close(name, actual, rows[name], case, units.get(name, 1.0))
    for head, keys in sample_blocks(documents, seed=0):
        block = define_block(inputs, found, support, documents, head, keys)
        for name, wanted in zip(("dk", "dv"), block, strict=True):
            actual = getattr(found, name)[keys, head, None]
            where = f"{case}, head {head}, keys {keys.start} to {keys.stop}"
            assert_close(name, actual, wanted[:, None], where, units.get(name, 1.0))


@every_mode
@pytest.mark.parametrize("case", CASES)
def test_real_packed_documents(case, mode):
    documents = parse_workload(PACKED_PREFIX + case).documents(testing.DEVICE)
    generator = torch.Generator(testing.DEVICE).manual_seed(1)
    # Each pattern at half of the layouts.
    pattern = patterns.random if CASES.index(case) % 2 else patterns.clustered
    support = pattern(documents, generator)
    inputs = unit_normal(documents.num_tokens, seed=2)
    poison_free_memory(8 << 30)
    with mode():
        found = run(inputs, support, documents)
    queries = sample_queries(documents, seed=3)
    assert_sample_right(inputs, found, support, documents, queries, f"packed case {case}")


@every_mode
def test_a_document_of_300_000_tokens(mode):
    """Also where a few of its queries have logits that only the second pass can sum."""
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, LARGE])).to(testing.DEVICE)
    generator = torch.Generator(testing.DEVICE).manual_seed(4)
    support = patterns.clustered(documents, generator)
    # Among them rows before and behind each border, and the last.
    borders = torch.tensor([65_536, 131_072, 262_144, LARGE])
    far_off = torch.cat((borders - 1, borders[:-1] + 1, torch.tensor([LARGE - 3])))
    offsets = torch.zeros(LARGE, 1)
    offsets[far_off] = 1000
    inputs, units = with_logits_around(unit_normal(LARGE, seed=5), offsets)
    poison_free_memory(16 << 30)
    with mode():
        found = run(inputs, support, documents)
    near = torch.cat((far_off, borders - 2, borders[:-1], torch.tensor([0, 1, 127, 128])))
    sample = sample_queries(documents, seed=6)
    queries = torch.cat((sample, near.to(sample.device))).unique()
    assert_sample_right(inputs, found, support, documents, queries, "300,000 tokens", **units)
    assert (found.lse[far_off.to(sample.device)] > 900).all()


@every_mode
def test_a_block_that_every_query_of_128k_selects(mode):
    """Sums of 2,097,152 heads of queries in one key block."""
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, 131_072])).to(testing.DEVICE)
    support = first_block_hot(documents)
    inputs = unit_normal(131_072, seed=8)
    with mode():
        found = run(inputs, support, documents)
    queries = sample_queries(documents, seed=9)
    assert_sample_right(inputs, found, support, documents, queries, "hot block")
