import pytest
import torch

from msa.reference.work_items import dense_work_items, work_items
from msa.schedule.backward_schedule import build_backward_schedule
from msa.schedule.testing import pack_lengths, random_support
from msa.schedule.topology import WORK_ITEM_QUERIES
from msa.testing.definition import causal_keys, visible_keys


@pytest.mark.parametrize("lengths", [(1,), (127, 129, 1, 2, 3, 5, 128), (0, 700, 0, 3, 0)], ids=str)
def test_items_hold_every_visible_pair_once_and_hide_the_future(lengths):
    documents = pack_lengths(*lengths)
    support = random_support(documents, seed=0)
    found = torch.zeros(4, documents.num_tokens, documents.num_tokens, dtype=torch.int64)
    for item in work_items(build_backward_schedule(support, documents)):
        seen = torch.ones(len(item.queries), item.keys.stop - item.keys.start, dtype=torch.int64)
        if item.hidden is not None:
            seen -= item.hidden.long()
        found[item.head, item.queries, item.keys] += seen
    expected = visible_keys(support, documents, torch.arange(documents.num_tokens))
    assert torch.equal(found, expected.long())


def test_an_empty_support_has_no_items():
    documents = pack_lengths(200)
    support = torch.full((4, 200, 16), -1, dtype=torch.int32)
    assert not list(work_items(build_backward_schedule(support, documents)))


def test_dense_items_hold_every_causal_pair_once():
    documents = pack_lengths(3, 0, 128, 600, 129)
    pairs = torch.zeros(2, documents.num_tokens, documents.num_tokens, dtype=torch.int32)
    for item in dense_work_items(documents.cu_seqlens, 2):
        keys = torch.arange(item.keys.start, item.keys.stop)
        seen = torch.ones(len(item.queries), len(keys), dtype=torch.bool)
        if item.hidden is not None:
            seen &= ~item.hidden
        assert len(item.queries) <= WORK_ITEM_QUERIES
        pairs[item.head, item.queries[:, None], keys] += seen.int()
    expected = causal_keys(documents, torch.arange(documents.num_tokens)).int()
    assert torch.equal(pairs, expected.expand(2, -1, -1))
