"""The suite of selection on the kernel for Blackwell, emulated on Hopper.

Without what is about memory, which is the host code's, or takes more than some 20,000 tokens.
"""

import pytest

from msa.kernels.runtime.library import Kernel
from msa.kernels.runtime.testing import needs_hopper
from msa.kernels.selection import plan, selection_gpu_test

pytestmark = needs_hopper

_NOT_EMULATED = {"test_long_documents", "test_memory", "test_packs_of_training"}

for _name, _value in vars(selection_gpu_test).items():
    if _name.startswith("test_") and _name not in _NOT_EMULATED:
        globals()[_name] = _value


@pytest.fixture(autouse=True, params=["eager", "lazy"])
def _emulated(request, monkeypatch):
    kernel = Kernel(f"emulation/selection/{request.param}", "sm100")
    monkeypatch.setitem(plan.SELECT.sources, "sm_90a", kernel)
