import pytest
import torch

from msa.reference.definition import visible_keys
from msa.reference.work_items import work_items
from msa.schedule.backward_schedule import build_backward_schedule
from msa.schedule.testing import pack_lengths, random_support


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
