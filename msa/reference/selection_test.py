import math

import pytest
import torch

from msa.reference.selection import select_blocks
from msa.schedule.documents import PackedDocuments
from msa.schedule.support import check_support
from msa.schedule.testing import pack_lengths
from msa.testing.definition import selection_rows
from msa.testing.inputs import index_inputs
from msa.testing.memory import LargestTensor


def select(index_q, index_k, documents: PackedDocuments, init_blocks=0, local_blocks=1):
    return select_blocks(index_q, index_k, documents.cu_seqlens, init_blocks, local_blocks)


@pytest.mark.parametrize("forced", [(0, 1), (0, 0), (1, 2), (3, 0), (15, 1), (0, 16), (16, 0)])
@pytest.mark.parametrize("lengths", [(127, 129, 1, 2, 3, 5, 128), (0, 130, 0, 2400, 7, 0)], ids=str)
def test_selects_what_the_definition_selects(lengths, forced):
    documents = pack_lengths(*lengths)
    index_q, index_k = index_inputs(documents.num_tokens, seed=0)
    queries = torch.arange(0, documents.num_tokens, 17 if documents.num_tokens > 1000 else 1)
    support = select(index_q, index_k, documents, *forced)
    expected = selection_rows(
        index_q, index_k, documents, queries, init_blocks=forced[0], local_blocks=forced[1]
    )
    assert torch.equal(support[:, queries], expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_selects_by_the_exact_scores_in_lower_precision(dtype):
    # Small integers: exact in bf16, with sums that are exact in FP32 but not in bf16.
    documents = pack_lengths(2500)
    generator = torch.Generator().manual_seed(0)
    index_q = torch.randint(-8, 9, (2500, 4, 128), generator=generator).double()
    index_k = torch.randint(-8, 9, (2500, 1, 128), generator=generator).double()
    expected = select(index_q, index_k, documents)
    assert torch.equal(select(index_q.to(dtype), index_k.to(dtype), documents), expected)


def test_ids_are_distinct_ascending_and_as_many_as_there_are_candidates():
    documents = pack_lengths(2500, 127, 129)
    support = select(*index_inputs(documents.num_tokens, seed=0), documents)
    assert support.dtype == torch.int32
    assert support.shape == (4, documents.num_tokens, 16)
    check_support(support, documents)
    counts = (documents.document_positions // 128 + 1).clamp(max=16)
    used = torch.arange(16) < counts[:, None]
    assert torch.equal(support >= 0, used.expand_as(support))
    assert torch.all((support.diff(dim=-1) > 0) | ~used[:, 1:])


def test_ties_go_to_the_lower_id():
    documents = pack_lengths(18 * 128)
    zeros = torch.zeros(documents.num_tokens, 4, 128)
    support = select(zeros, torch.randn(documents.num_tokens, 1, 128), documents)
    assert support[:, -1].tolist() == [[*range(15), 17]] * 4


def test_each_index_head_selects_on_its_own():
    documents = pack_lengths(20 * 128)
    # Head g looks along channel g, where the blocks from 4 g to 4 g + 3 score lowest.
    index_q = torch.eye(4, 128).expand(documents.num_tokens, 4, 128)
    index_k = torch.zeros(documents.num_tokens, 1, 128)
    for head in range(4):
        index_k[4 * head * 128 : (4 * head + 4) * 128, 0, head] = -1
    support = select(index_q, index_k, documents)
    for head in range(4):
        expected = [block for block in range(20) if block not in range(4 * head, 4 * head + 4)]
        assert support[head, -1].tolist() == expected


def test_a_block_scores_its_best_key():
    # Block 3 has the worst mean and the best key.
    documents = pack_lengths(18 * 128)
    index_q = torch.eye(1, 128).expand(documents.num_tokens, 4, 128)
    index_k = torch.zeros(documents.num_tokens, 1, 128)
    index_k[3 * 128 : 4 * 128, 0, 0] = -50
    index_k[4 * 128 - 1, 0, 0] = 1
    index_k[5 * 128 : 7 * 128, 0, 0] = -1
    support = select(index_q, index_k, documents)
    assert support[0, -1].tolist() == [block for block in range(18) if block not in (5, 6)]


def test_keys_past_the_query_or_of_another_document_have_no_say():
    documents = pack_lengths(200, 2400, 200)
    index_q, index_k = index_inputs(documents.num_tokens, seed=0)
    query = 200 + 2300  # inside the last block of the second document
    expected = select(index_q, index_k, documents)[:, query]
    index_k[:200] *= 100
    index_k[query + 1 :] *= 100
    assert torch.equal(select(index_q, index_k, documents)[:, query], expected)
    # With no forced block, a key of the own block counts up to the query itself.
    index_q[query] = index_k[query]
    index_k[query] *= 1000
    unforced = select(index_q, index_k, documents, local_blocks=0)
    assert torch.all((unforced[:, query] == 2300 // 128).any(dim=-1))


@pytest.mark.parametrize("others", [1e30, math.inf, math.nan])
@pytest.mark.parametrize("forced_score", [-1e30, -math.inf])
def test_forced_blocks_are_kept_whatever_anything_scores(others, forced_score):
    num_blocks = 20
    documents = pack_lengths(num_blocks * 128)
    index_q = torch.ones(documents.num_tokens, 4, 128)
    index_k = torch.full((documents.num_tokens, 1, 128), others)
    index_k[: 2 * 128] = forced_score
    index_k[-3 * 128 :] = forced_score
    support = select(index_q, index_k, documents, init_blocks=2, local_blocks=3)
    assert support[:, -1].tolist() == [[*range(13), 17, 18, 19]] * 4


def test_candidates_that_score_minus_infinity_still_fill_the_support():
    documents = pack_lengths(3 * 128)
    index_q = torch.ones(documents.num_tokens, 4, 128)
    index_k = torch.full((documents.num_tokens, 1, 128), -math.inf)
    support = select(index_q, index_k, documents)
    assert support[0, -1].tolist() == [0, 1, 2] + [-1] * 13


def test_forced_blocks_overlap_in_a_short_document():
    documents = pack_lengths(3 * 128)
    index_q, index_k = index_inputs(documents.num_tokens, seed=0)
    support = select(index_q, index_k, documents, init_blocks=8, local_blocks=8)
    assert support[0, -1].tolist() == [0, 1, 2] + [-1] * 13


@pytest.mark.parametrize("local_blocks", [0, 1])
def test_nan_ranks_equal_to_infinity_and_above_all_else(local_blocks):
    num_blocks = 20
    documents = pack_lengths(num_blocks * 128)
    index_q = torch.zeros(documents.num_tokens, 4, 128)
    index_q[..., 0] = 1
    index_k = torch.zeros(documents.num_tokens, 1, 128)
    # Blocks 0 and 1 score the largest finite number, 2 to 17 NaN and +inf in turn, the others 0.
    index_k[5 : 18 * 128 : 128, 0, 0] = torch.tensor([math.nan, math.inf] * 9)
    index_k[5 : 2 * 128 : 128, 0, 0] = torch.finfo(torch.float32).max
    support = select(index_q, index_k, documents, 0, local_blocks)
    assert support[0, -1].tolist() == [*range(2, 17), 19 if local_blocks else 17]
    queries = torch.arange(0, documents.num_tokens, 119)
    expected = selection_rows(index_q, index_k, documents, queries, local_blocks=local_blocks)
    assert torch.equal(support[:, queries], expected)
    # Among all of NaN and +inf, the lower ids win.
    index_k[5::128, 0, 0] = torch.tensor([math.inf, math.nan] * 10)
    assert select(index_q, index_k, documents, 0, 0)[0, -1].tolist() == [*range(16)]


def test_minus_zero_ties_with_zero():
    documents = pack_lengths(18 * 128)
    index_q = torch.ones(documents.num_tokens, 4, 128)
    index_k = torch.zeros(documents.num_tokens, 1, 128)
    index_k[:128] = -0.0
    support = select(index_q, index_k, documents)
    assert support[0, -1].tolist() == [*range(15), 17]


EVERY_DTYPE = pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str
)


def inputs_that_tie_but_for_rounding(
    num_tokens: int, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor]:
    """`index_q` of 8 heads and `index_k`: a query's scores differ by the order of a sum alone.

    All keys have the same channels in different orders, all channels of a query are the same.
    """
    generator = torch.Generator().manual_seed(0)
    channels = torch.randn(128, generator=generator, dtype=torch.float64)
    order = torch.rand(num_tokens, 1, 128, generator=generator).argsort(dim=-1)
    queries = torch.randn(num_tokens, 8, 1, generator=generator, dtype=torch.float64)
    return queries.expand(-1, -1, 128).to(dtype), channels[order].to(dtype)


@EVERY_DTYPE
def test_scores_that_tie_but_for_rounding_are_told_apart(dtype):
    index_q, index_k = inputs_that_tie_but_for_rounding(2400, dtype)
    support = select(index_q, index_k, pack_lengths(2400))
    ties = torch.tensor([*range(15), 18], dtype=torch.int32)
    assert (support[:, -1] != ties).any()


@EVERY_DTYPE
@pytest.mark.parametrize("num_groups", [1, 2, 4])
def test_a_head_selects_the_same_to_the_last_bit_whichever_are_beside_it(num_groups, dtype):
    documents = pack_lengths(2400)
    index_q, index_k = inputs_that_tie_but_for_rounding(2400, dtype)
    expected = select(index_q, index_k, documents)
    for first in range(0, 8, num_groups):
        heads = slice(first, first + num_groups)
        assert torch.equal(select(index_q[:, heads], index_k, documents), expected[heads])


@EVERY_DTYPE
@pytest.mark.parametrize("before", [(1,), (128,), (300, 5), (2100,)], ids=str)
def test_a_document_selects_the_same_to_the_last_bit_wherever_it_stands(before, dtype):
    alone = inputs_that_tie_but_for_rounding(2400, dtype)
    expected = select(*alone, pack_lengths(2400))
    others = index_inputs(sum(before), seed=1, dtype=dtype, num_groups=8)
    # And the same again behind it.
    index_q, index_k = (torch.cat((x, y, x)) for x, y in zip(others, alone, strict=True))
    support = select(index_q, index_k, pack_lengths(*before, 2400, *before))
    assert torch.equal(support[:, sum(before) : sum(before) + 2400], expected)


@EVERY_DTYPE
@pytest.mark.parametrize("num_tokens", [2049, 2100, 2304, 2399])
def test_a_query_selects_the_same_to_the_last_bit_whichever_come_after_it(num_tokens, dtype):
    index_q, index_k = inputs_that_tie_but_for_rounding(2400, dtype)
    expected = select(index_q, index_k, pack_lengths(2400))[:, :num_tokens]
    for heads in (slice(None), slice(3, 4)):
        operands = index_q[:num_tokens, heads], index_k[:num_tokens]
        assert torch.equal(select(*operands, pack_lengths(num_tokens)), expected[heads])


def test_memory_is_linear_in_the_tokens():
    documents = pack_lengths(6000)
    inputs = index_inputs(6000, seed=0, dtype=torch.float32)
    with LargestTensor() as largest:
        select(*inputs, documents)
    assert largest.elements < 6000 * 6000 / 16
