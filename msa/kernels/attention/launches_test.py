"""What a pass launches, against the kernels' signatures; no GPU takes part."""

import pytest
import torch

from msa.kernels.attention import plan
from msa.kernels.runtime import declared
from msa.kernels.runtime.launches import (
    assert_mistakes_are_refused,
    launches,  # noqa: F401, a fixture
)
from msa.schedule.backward_schedule import build_backward_schedule, schedule_tensors
from msa.schedule.testing import pack_lengths, random_support

DOCUMENTS = pack_lengths(130, 3, 260)


@pytest.fixture(params=[False, True], ids=["fast", "deterministic"])
def _mode(request):
    torch.use_deterministic_algorithms(request.param)
    yield
    torch.use_deterministic_algorithms(False)


def run(groups: int) -> None:
    """Forward and backward."""
    tokens = DOCUMENTS.num_tokens
    support = random_support(DOCUMENTS, seed=0, num_groups=groups)
    schedule = schedule_tensors(build_backward_schedule(support, DOCUMENTS))
    q, grad_out = (torch.zeros(tokens, 16 * groups, 128).bfloat16() for _ in range(2))
    k, v = (torch.zeros(tokens, groups, 128).bfloat16() for _ in range(2))
    out, lse = plan.attention_forward(q, k, v, schedule)
    plan.attention_backward(grad_out, q, k, v, out, lse, schedule)


@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("arch", ["sm_90a", "sm_100a", "sm_103a"])
@pytest.mark.usefixtures("_mode")
def test_every_launch_is_as_declared(launches, monkeypatch, arch, groups):  # noqa: F811
    monkeypatch.setattr(declared, "arch_of", lambda device: arch)
    run(groups)
    backward = plan.BACKWARD_OF_ITEMS if arch == "sm_90a" else plan.BACKWARD_OF_TASKS
    launched = [launch.signature for launch in launches]
    for kernel in (plan.PAD_BLOCKS, plan.FORWARD, plan.FINISH, plan.DELTA, backward):
        assert kernel.signature in launched
    assert launched[-1] is plan.GRAD_FINALIZE.signature


@pytest.mark.usefixtures("_mode")
def test_a_swapped_or_missing_argument_is_refused(launches):  # noqa: F811
    run(groups=2)
    for launch in {id(launch.signature): launch for launch in launches}.values():
        assert_mistakes_are_refused(launch)
