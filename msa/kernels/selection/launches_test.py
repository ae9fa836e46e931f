"""What selection launches, against its kernels' signature; no GPU takes part."""

import torch

from msa.kernels.runtime.launches import (
    assert_mistakes_are_refused,
    launches,  # noqa: F401, a fixture
)
from msa.kernels.selection import plan


def test_a_launch_is_as_declared_and_mistakes_are_refused(launches):  # noqa: F811
    index_q = torch.zeros(390, 4, 128).bfloat16()
    index_k = torch.zeros(390, 1, 128).bfloat16()
    cu_seqlens = torch.tensor([0, 130, 390], dtype=torch.int32)
    plan.select_blocks(index_q, index_k, cu_seqlens, init_blocks=1, local_blocks=2)
    (launch,) = launches
    assert launch.signature is plan.SELECT.signature
    assert_mistakes_are_refused(launch)
