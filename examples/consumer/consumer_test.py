"""What a workspace sees of //msa: its public names, on its own torch."""

import unittest

import torch

import msa


class ConsumerTest(unittest.TestCase):
    def test_sparse_attention_trains(self):
        generator = torch.Generator().manual_seed(0)
        documents = msa.PackedDocuments.from_cu_seqlens(torch.tensor([0, 5, 200]))
        tokens = documents.num_tokens

        def normal(*shape: int) -> torch.Tensor:
            return torch.randn(tokens, *shape, generator=generator).requires_grad_()

        q, k, v = normal(64, 128), normal(4, 128), normal(4, 128)
        support = msa.select_blocks(normal(4, 128), normal(1, 128), documents)
        out = msa.sparse_attention(q, k, v, support, documents)
        out.sum().backward()
        # The first token of a document sees itself alone.
        torch.testing.assert_close(out[0], v[0].repeat_interleave(16, dim=0))
        # The softmax weights of each query sum to 1, over 16 heads a group.
        torch.testing.assert_close(v.grad.sum(0), torch.full((4, 128), 16.0 * tokens))


if __name__ == "__main__":
    unittest.main()
