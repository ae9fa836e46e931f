import pytest
import torch

from msa.autograd.selection import select_blocks
from msa.schedule.documents import PackedDocuments
from msa.schedule.support import check_support
from msa.schedule.testing import pack_lengths
from msa.testing.definition import selection_rows
from msa.testing.inputs import index_inputs


def test_selects_what_the_definition_selects():
    documents = pack_lengths(127, 129, 1, 2300)
    index_q, index_k = index_inputs(documents.num_tokens, seed=0)
    queries = torch.arange(0, documents.num_tokens, 23)
    support = select_blocks(index_q, index_k, documents, init_blocks=2, local_blocks=3)
    check_support(support, documents)
    expected = selection_rows(index_q, index_k, documents, queries, init_blocks=2, local_blocks=3)
    assert torch.equal(support[:, queries], expected)


def test_the_own_block_alone_is_forced_by_default():
    documents = pack_lengths(18 * 128)
    zeros = torch.zeros(documents.num_tokens, 4, 128)
    support = select_blocks(zeros, zeros[:, :1], documents)
    assert support[:, -1].tolist() == [[*range(15), 17]] * 4


def test_the_selection_is_repeatable_and_not_differentiable():
    documents = pack_lengths(2300)
    index_q, index_k = (x.requires_grad_() for x in index_inputs(2300, 0, torch.bfloat16))
    support = select_blocks(index_q, index_k, documents)
    assert not support.requires_grad
    assert torch.equal(select_blocks(index_q, index_k, documents), support)


def test_strided_inputs_are_right():
    documents = pack_lengths(2300)
    index_q, index_k = index_inputs(2300, seed=0)
    fused = torch.cat((index_q, index_k), dim=1)
    strided = select_blocks(fused[:, :4], fused[:, 4:], documents)
    assert torch.equal(strided, select_blocks(index_q, index_k, documents))


@pytest.mark.parametrize("padding", [0, 1, 77, 128])
def test_padding_before_a_document_changes_nothing(padding):
    ids = torch.zeros(2, padding + 2400, dtype=torch.int64)
    ids[0, padding:] = 1
    ids[1, :50] = 1
    documents = PackedDocuments.from_document_ids(ids)
    index_q, index_k = index_inputs(2400, seed=0, dtype=torch.float32)
    padded = torch.full((2, padding + 2400, 5, 128), float("nan"))
    padded[0, padding:] = torch.cat((index_q, index_k), dim=1)
    padded[1, :50] = 1
    packed = documents.pack(padded)
    support = select_blocks(packed[:, :4], packed[:, 4:], documents)
    expected = select_blocks(index_q, index_k, pack_lengths(2400))
    assert torch.equal(support[:, :2400], expected)
