"""The suites of attention on the kernels for Blackwell, emulated on Hopper.

Without what is about memory, which is the host code's, or takes more than a few thousand tokens.
"""

import pytest

from msa.kernels.attention import plan as attention
from msa.kernels.runtime.library import Kernel
from msa.kernels.runtime.testing import needs_hopper
from msa.tests import (
    attention_extremes_gpu_test,
    attention_gpu_test,
    attention_groups_gpu_test,
    attention_modes_gpu_test,
)

pytestmark = needs_hopper

_NOT_EMULATED = {
    "test_deterministic_results_are_equal_bit_for_bit",
    "test_memory",
}

for _suite in (
    attention_extremes_gpu_test,
    attention_gpu_test,
    attention_groups_gpu_test,
    attention_modes_gpu_test,
):
    for _name, _value in vars(_suite).items():
        if _name.startswith("test_") and _name not in _NOT_EMULATED:
            assert _name not in globals(), _name
            globals()[_name] = _value


@pytest.fixture(autouse=True, params=["eager", "lazy"])
def _emulated(request, monkeypatch):
    folder = f"emulation/attention/{request.param}"
    for kernel, name in (
        (attention.FORWARD, "forward_sm100"),
        (attention.BACKWARD_OF_TASKS, "backward_sm100"),
    ):
        monkeypatch.setitem(kernel.sources, "sm_90a", Kernel(folder, name))
