import pytest
import torch

from msa.schedule import BLOCK_SIZE, TOPK_BLOCKS, PackedDocuments, check_support
from msa.testing.patterns import CLUSTER_QUERIES, PATTERNS, POOL_BLOCKS

# Fewer blocks than are kept, exactly as many, one more, far more; partial blocks.
LENGTHS = (1, 127, 129, 16 * 128, 17 * 128, 77 * 128 + 5)


def make_support(pattern, lengths=LENGTHS, seed=0):
    offsets = torch.tensor([0, *lengths]).cumsum(0)
    documents = PackedDocuments.from_cu_seqlens(offsets)
    support = PATTERNS[pattern](documents, torch.Generator().manual_seed(seed))
    return support, documents, documents.document_positions // BLOCK_SIZE


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_query_keeps_valid_ascending_blocks_up_to_its_own(pattern):
    support, documents, own = make_support(pattern)
    check_support(support, documents)
    expected = (own + 1).clamp(max=TOPK_BLOCKS).expand(4, -1)
    assert torch.equal((support >= 0).sum(dim=-1), expected)
    assert (support == own[:, None]).any(dim=-1).all()
    ids = support.masked_fill(support < 0, 2**31 - 1)
    assert (ids.diff(dim=-1) >= 0).all()  # -1 comes after the ids


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_seed_makes_a_selection_repeatable(pattern):
    assert torch.equal(make_support(pattern)[0], make_support(pattern)[0])


@pytest.mark.parametrize("pattern", ["random", "clustered"])
def test_another_seed_or_head_selects_other_blocks(pattern):
    support = make_support(pattern)[0]
    assert not torch.equal(support, make_support(pattern, seed=1)[0])
    assert not torch.equal(support[0], support[1])


def test_recent_keeps_the_last_blocks():
    support, _, own = make_support("recent", [40 * 128])
    query = own == 39
    assert (support[:, query] == torch.arange(24, 40)).all()


def test_random_draws_earlier_blocks_uniformly():
    support, _, own = make_support("random", [64 * 128])
    late = support[:, own == 63]
    counts = torch.bincount(late[late < 63].long(), minlength=63)
    draws = late.shape[0] * late.shape[1]
    # Each of 63 earlier blocks has 15 chances in 63; 5 standard deviations either way.
    expected = draws * 15 / 63
    assert counts.sum() == draws * 15
    assert ((counts - expected).abs() < 5 * (expected * (1 - 15 / 63)) ** 0.5).all()


def test_hot_keeps_block_0_in_every_query():
    support = make_support("hot", [80 * 128])[0]
    assert (support[..., 0] == 0).all()
    others = make_support("random", [80 * 128])[0]
    assert torch.equal(support[..., 1:], others[..., 1:])


def test_clustered_keeps_block_0_in_99_percent_of_the_queries():
    support, _, own = make_support("clustered", [80 * 128])
    late = support[:, own >= TOPK_BLOCKS]
    share = (late == 0).any(dim=-1).double().mean()
    assert 0.985 < share < 0.995


def test_clustered_draws_a_cluster_from_one_small_pool_that_its_queries_do_not_exhaust():
    support, _, own = make_support("clustered", [200 * 128])
    assert (own == 150).sum() == 2 * CLUSTER_QUERIES
    pools = []
    for head in range(4):
        for cluster in support[head, own == 150].split(CLUSTER_QUERIES):
            ids = set(cluster.flatten().tolist()) - {0, 150}
            assert len(ids) <= POOL_BLOCKS
            assert len({tuple(query.tolist()) for query in cluster}) > CLUSTER_QUERIES / 2
            pools.append(ids)
    # Independent pools of 24 among 149 blocks share 4 on average.
    assert all(len(a & b) < 15 for i, a in enumerate(pools) for b in pools[:i])


def test_a_document_of_a_microbatch_does_not_reach_into_its_neighbour():
    """The first cluster of a document starts at its first token, wherever that is packed."""
    support, _, own = make_support("clustered", [64 * 40 + 3, 30 * 128])
    second = support[:, 64 * 40 + 3 :]
    assert (second.amax(dim=-1) == own[64 * 40 + 3 :]).all()
