"""`torch.compile(mode="reduce-overhead")` on a GPU: CUDA graphs of what may be captured."""

import pytest
import torch

from msa.autograd import index_kl_loss, select_blocks, sparse_attention
from msa.kernels.runtime.testing import needs_gpu
from msa.schedule.testing import pack_lengths, random_support
from msa.testing.inputs import attention_inputs, index_inputs

pytestmark = [
    needs_gpu,
    pytest.mark.filterwarnings("ignore::msa.MsaFallbackWarning"),
]

DOCUMENTS = pack_lengths(3, 130)
SUPPORT = random_support(DOCUMENTS, seed=0)
# More than warming up, recording and the first replay.
CALLS = 5


def leaves(seed: int, dtype: torch.dtype) -> list[torch.Tensor]:
    inputs = (*attention_inputs(133, seed, dtype), *index_inputs(133, seed + 1, dtype))
    return [x.cuda().requires_grad_() for x in inputs]


def select(q, k, v, index_q, index_k, lse, support, documents):
    return select_blocks(index_q * 2, index_k, documents) + 1, None


def attention(q, k, v, index_q, index_k, lse, support, documents):
    out = sparse_attention(q * 2, k, v, support, documents)
    return out * 3, out.float().square().sum()


def index_kl(q, k, v, index_q, index_k, lse, support, documents):
    loss = index_kl_loss(q, k, lse, index_q * 2, index_k, support, documents, coefficient=100.0)
    return loss * 3, loss


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize("function", [select, attention, index_kl])
def test_reduce_overhead_gives_the_results_of_eager(function, dtype):
    torch.compiler.reset()
    documents, support = DOCUMENTS.to("cuda"), SUPPORT.cuda()
    compiled = torch.compile(function, fullgraph=True, mode="reduce-overhead")
    differentiable = {select: [], attention: [0, 1, 2], index_kl: [3, 4]}[function]
    for call in range(CALLS):
        results = []
        for run in (function, compiled):
            inputs = leaves(call, dtype)
            with torch.no_grad():
                _, lse = sparse_attention(*inputs[:3], support, documents, return_lse=True)
            torch.compiler.cudagraph_mark_step_begin()
            value, loss = run(*inputs, lse, support, documents)
            grads = []
            if loss is not None:
                grads = torch.autograd.grad(loss, [inputs[index] for index in differentiable])
            # Copies: the next call writes where a graph's results are.
            results.append([x.detach().clone() for x in (value, *grads)])
        for found, expected in zip(*reversed(results), strict=True):
            if function is select:
                assert torch.equal(found, expected), call
            else:
                # bf16 sums are added in any order.
                difference = (found.double() - expected.double()).norm()
                assert difference <= 0.01 * expected.double().norm(), call
