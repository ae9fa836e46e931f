"""After `warm_up` a process's first step does not wait for the device."""

import subprocess
import sys

import pytest

from msa.kernels.runtime.testing import needs_gpu

pytestmark = needs_gpu

# Memory is taken beforehand (the allocator waits), and so are torch's own kernels loaded, which are
# not ours to load: by a step on the same shapes whose kernels are replaced by nothing.
_FIRST_STEP = """
import sys

import torch

import msa
from msa.kernels.runtime import library
from msa.kernels.runtime.testing import without_waiting

documents = msa.PackedDocuments.from_cu_seqlens(torch.tensor([0, 385, 386, 2586])).to("cuda")
tokens = documents.num_tokens
torch.manual_seed(0)
q, k, v = (
    torch.randn(tokens, heads, 128, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    for heads in (64, 4, 4)
)
blocks = documents.document_positions // msa.BLOCK_SIZE
slots = torch.arange(msa.TOPK_BLOCKS, device="cuda")
support = torch.where(slots <= blocks[:, None], slots, -1).to(torch.int32).repeat(4, 1, 1)
grad = torch.randn_like(q)


def step():
    out = msa.sparse_attention(q, k, v, support, documents)
    return torch.autograd.grad(out, (q, k, v), grad)


torch.use_deterministic_algorithms(sys.argv[1] == "deterministic")
launch = library.Kernel.launch
library.Kernel.launch = lambda self, device, words: None
step()
library.Kernel.launch = launch
assert not library._function.cache_info().currsize

msa.warm_up("cuda")
loaded = library._function.cache_info().currsize
with without_waiting():
    step()
torch.cuda.synchronize()
assert library._function.cache_info().currsize == loaded, "a launch loaded a kernel"
"""


@pytest.mark.parametrize("mode", ["fast", "deterministic"])
def test_the_first_step_after_it_does_not_wait(mode):
    command = [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{_FIRST_STEP}", mode]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
