"""The dense walk's items, counted from a layout, and how pools are laid out."""

import itertools

import pytest
import torch

from msa.kernels.index_kl.interface import BASE_ORDER, SPAN_QUERIES, pool_place
from msa.kernels.index_kl.plan import dense_item_starts
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, INDEX_DIM


def count_items(length: int) -> int:
    """Key blocks that each span of a document's queries sees, one after the other."""
    spans = range(0, length, SPAN_QUERIES)
    return sum(-(-min(length, span + SPAN_QUERIES) // BLOCK_SIZE) for span in spans)


@pytest.mark.parametrize(
    "lengths",
    [
        [1],
        [0, 1, 0],
        [127, 128, 129],
        [511, 512, 513, 640, 1023, 1024, 1025],
        [20_000, 3, 0, 7_777],
        list(range(0, 3_000, 37)),
        [196_608],
    ],
)
def test_dense_items_are_those_of_every_span(lengths):
    cu_seqlens = torch.tensor([0, *itertools.accumulate(lengths)], dtype=torch.int32)
    starts = dense_item_starts(cu_seqlens)
    assert starts.dtype == torch.int32
    assert starts.tolist() == [0, *itertools.accumulate(map(count_items, lengths))]


def test_orders_are_permutations():
    assert sorted(BASE_ORDER) == list(range(GROUP_HEADS))
    assert sorted(map(pool_place, range(INDEX_DIM))) == list(range(INDEX_DIM))
