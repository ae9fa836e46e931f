import torch

from msa.schedule import PackedDocuments
from msa.testing.sampling import SAMPLE_QUERIES, pieces, sample_queries
from msa.testing.workloads import parse_workload

CPU = torch.device("cpu")


def test_a_sample_has_the_edges_of_the_longest_and_the_last_document():
    documents = parse_workload("packed_192k/9").documents(CPU)
    offsets = documents.cu_seqlens.tolist()
    longest = max(range(len(offsets) - 1), key=lambda d: offsets[d + 1] - offsets[d])
    queries = sample_queries(documents, seed=0)
    for document in (longest, len(offsets) - 2):
        start, end = offsets[document], offsets[document + 1]
        partial = end - 1 - (end - 1 - start) % 128
        assert {start, end - 1, partial} <= set(queries.tolist())
    assert len(queries) == SAMPLE_QUERIES
    assert (queries.diff() > 0).all()


def test_a_sample_of_few_tokens_is_all_of_them():
    documents = parse_workload("uniform/3x2").documents(CPU)
    assert sample_queries(documents, seed=0).tolist() == [0, 1, 2, 3, 4, 5]


def test_seeds_choose_other_samples():
    documents = parse_workload("uniform/2x1000").documents(CPU)
    first, again, other = (sample_queries(documents, seed) for seed in (0, 0, 1))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_pieces_have_every_query_once_in_its_own_document():
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, 20000, 20000, 20003, 20200]))
    queries = torch.tensor([0, *range(100, 140), 19999, 20001, 20003, 20199])
    found = []
    for layout, rows, positions in pieces(documents, queries):
        assert layout.cu_seqlens.tolist() == [0, rows.stop - rows.start]
        assert rows in (slice(0, 20000), slice(20000, 20003), slice(20003, 20200))
        assert len(positions) * layout.num_tokens <= 2**18
        found += (positions + rows.start).tolist()
    assert found == queries.tolist()
