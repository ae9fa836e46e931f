import pytest
import torch

from msa.schedule import PackedDocuments
from msa.testing import definition, pairs
from msa.testing.patterns import PATTERNS


def make_documents(*lengths):
    return PackedDocuments.from_cu_seqlens(torch.tensor([0, *lengths]).cumsum(0))


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("lengths", [(1,), (127, 129, 1, 2, 128), (18 * 128 + 7, 300)])
def test_selected_pairs_are_those_of_the_visible_mask(pattern, lengths):
    documents = make_documents(*lengths)
    support = PATTERNS[pattern](documents, torch.Generator().manual_seed(0))
    queries = torch.arange(documents.num_tokens)
    visible = definition.visible_keys(support, documents, queries)
    assert pairs.selected_pairs(support, documents) == visible.sum()


def test_selected_pairs_take_ids_in_any_order_and_groups_that_disagree():
    documents = make_documents(300)
    support = torch.full((4, 300, 16), -1, dtype=torch.int32)
    support[0, 299, 15] = 0
    support[1, 299, 3], support[1, 299, 7] = 2, 1
    # 128 keys of block 0; then 44 of the own block and 128 of block 1.
    assert pairs.selected_pairs(support, documents) == 128 + 44 + 128


def test_causal_pairs_are_those_of_the_causal_mask():
    documents = make_documents(127, 1, 300)
    causal = definition.causal_keys(documents, torch.arange(documents.num_tokens))
    assert pairs.causal_pairs(documents) == causal.sum()


def test_pairs_of_a_large_microbatch_do_not_wrap():
    documents = make_documents(196608)
    support = PATTERNS["recent"](documents, torch.Generator())
    full = 2048 * 196608 - 2048 * 2047 // 2  # each query sees 2048 keys, the first ones fewer
    missing = (127 - torch.arange(128)).sum().item() * (196608 // 128 - 16)  # of the own block
    assert pairs.selected_pairs(support, documents) == 4 * (full - missing)
