"""What the index losses launch, against their kernels' signatures; no GPU takes part."""

import pytest
import torch

from msa.kernels.index_kl import plan
from msa.kernels.runtime.launches import (
    assert_mistakes_are_refused,
    launches,  # noqa: F401, a fixture
)
from msa.schedule.backward_schedule import build_backward_schedule, schedule_tensors
from msa.schedule.testing import pack_lengths, random_support

DOCUMENTS = pack_lengths(130, 3, 260)


@pytest.mark.parametrize("deterministic", [False, True])
@pytest.mark.parametrize("with_gradients", [False, True])
@pytest.mark.parametrize("dense", [False, True])
def test_launches_are_as_declared_and_mistakes_are_refused(
    launches,  # noqa: F811
    dense,
    with_gradients,
    deterministic,
):
    tokens = DOCUMENTS.num_tokens
    support = random_support(DOCUMENTS, seed=0)
    schedule = schedule_tensors(build_backward_schedule(support, DOCUMENTS))
    q, k, index_q, index_k = (torch.zeros(tokens, heads, 128).bfloat16() for heads in (64, 4, 4, 1))
    run, last = plan.index_kl, schedule
    if dense:
        run, last = plan.dense_index_kl, DOCUMENTS.cu_seqlens
    torch.use_deterministic_algorithms(deterministic)
    try:
        run(q, k, torch.zeros(tokens, 64), index_q, index_k, with_gradients, last)
    finally:
        torch.use_deterministic_algorithms(False)
    launched = {id(launch.signature): launch for launch in launches}
    assert id(plan.INDEX_KL.signature) in launched
    for launch in launched.values():
        assert_mistakes_are_refused(launch)
