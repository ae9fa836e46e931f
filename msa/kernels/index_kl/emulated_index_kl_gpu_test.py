"""The suite of the index losses on the kernel for Blackwell, emulated on Hopper.

Without what is about memory, which is the host code's, or takes more than some 20,000 tokens.
"""

import pytest

from msa.kernels.index_kl import index_kl_gpu_test, plan
from msa.kernels.runtime.library import Kernel
from msa.kernels.runtime.testing import needs_hopper

pytestmark = [
    needs_hopper,
    pytest.mark.filterwarnings("error::msa.MsaFallbackWarning"),
]

_NOT_EMULATED = {
    "test_131073_tokens",
    "test_long_documents_as_a_whole",
    "test_memory",
    "test_packs_of_training",
}

for _name, _value in vars(index_kl_gpu_test).items():
    if _name.startswith("test_") and _name not in _NOT_EMULATED:
        globals()[_name] = _value


@pytest.fixture(autouse=True, params=["eager", "lazy"])
def _emulated(request, monkeypatch):
    kernel = Kernel(f"emulation/index_kl/{request.param}", "sm100")
    monkeypatch.setitem(plan.INDEX_KL.sources, "sm_90a", kernel)
