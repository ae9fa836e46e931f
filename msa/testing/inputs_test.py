import pytest
import torch

from msa.schedule import PackedDocuments
from msa.testing import definition
from msa.testing.inputs import dense_lse, random_operands
from msa.testing.patterns import PATTERNS


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_dense_lse_is_that_of_all_keys_of_each_document(dtype):
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, 130, 130, 131, 400]))
    operands = random_operands(
        documents.num_tokens, dtype, torch.Generator().manual_seed(0), num_groups=2
    )
    support = PATTERNS["recent"](documents, torch.Generator(), 2)
    q, k, v = (x.detach().double() for x in (operands.q, operands.k, operands.v))
    queries = torch.arange(documents.num_tokens)
    _, expected = definition.attention_rows(q, k, v, support, documents, queries)
    lse = dense_lse(operands, documents)
    assert lse.is_contiguous()
    torch.testing.assert_close(lse, expected.float(), rtol=0, atol=2e-3)
