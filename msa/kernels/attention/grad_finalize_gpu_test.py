"""The kernel that ends a backward, from pools with and without scales."""

import dataclasses
import math

import pytest
import torch

from msa.kernels.attention import plan
from msa.kernels.runtime.testing import fragment_order, needs_gpu, poison
from msa.schedule.documents import PackedDocuments
from msa.schedule.testing import pack_lengths

pytestmark = needs_gpu

DOCUMENTS = {
    "1": pack_lengths(1),
    "127": pack_lengths(127),
    "128": pack_lengths(128),
    "129": pack_lengths(129),
    "all of these": pack_lengths(385, 1, 127, 129, 128),
    "some without tokens": pack_lengths(0, 0, 130, 0, 0, 300, 0),
    "60 of one token": pack_lengths(*[1] * 60),
    "99 of 1 to 3": pack_lengths(*[1, 2, 3] * 33),
    "2000": pack_lengths(2000),
}
EVERY_CASE = pytest.mark.parametrize(
    "name, groups",
    [*((name, 4) for name in DOCUMENTS), *(("all of these", groups) for groups in (1, 2, 8))],
)
# Half a unit in the last place of bf16, and what FP32 adds to it.
BF16_ROUNDING = 2.0**-8 * 1.001


@dataclasses.dataclass
class Gradients:
    """dQ `[T, 16 G, 128]`, dK and dV `[T, G, 128]`."""

    dq: torch.Tensor
    dk: torch.Tensor
    dv: torch.Tensor


def run(
    documents: PackedDocuments,
    deterministic: bool,
    dk: torch.Tensor,
    dv: torch.Tensor,
    kv_scale: torch.Tensor,
    dq: torch.Tensor,
    dq_scale: torch.Tensor,
) -> Gradients:
    """The kernel's results of sums, of `dk` and `dv` `[workspace rows, G, 128]`."""
    groups = dk.shape[1]
    num_tokens, num_kblocks = documents.num_tokens, documents.workspace_size // 128
    dk_pool, dv_pool = (
        # Of each head and block of 128 keys, the fragments of 16 keys.
        fragment_order(sums.view(num_kblocks, 8, 16, groups, 128).permute(3, 0, 1, 2, 4)).cuda()
        for sums in (dk, dv)
    )
    dq_pool = fragment_order(dq.view(num_tokens, groups, 16, 128)).cuda()
    results = Gradients(
        *(
            poison(torch.empty(num_tokens, heads, 128, dtype=torch.bfloat16, device="cuda"))
            for heads in (16 * groups, groups, groups)
        )
    )
    on_gpu = documents.to("cuda")
    plan.GRAD_FINALIZE(
        results.dq.device,
        deterministic=int(deterministic),
        dk_pool=dk_pool.view(groups * num_kblocks, -1),
        dv_pool=dv_pool.view(groups * num_kblocks, -1),
        kv_scale=kv_scale.cuda(),
        dq_pool=dq_pool.view(results.dq.shape),
        dq_scale=dq_scale.cuda(),
        cu_seqlens=on_gpu.cu_seqlens,
        document_workspace_starts=on_gpu.document_workspace_starts,
        num_documents=on_gpu.document_workspace_starts.shape[0],
        num_groups=groups,
        num_tokens=num_tokens,
        num_kblocks=num_kblocks,
        dq=results.dq,
        dk=results.dk,
        dv=results.dv,
    )
    return Gradients(*(tensor.cpu() for tensor in (results.dq, results.dk, results.dv)))


def behind_ends(documents: PackedDocuments) -> torch.Tensor:
    """Which workspace rows are of no token."""
    behind = torch.ones(documents.workspace_size, dtype=torch.bool)
    behind[documents.workspace_positions] = False
    return behind


def normal(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def integers(*shape: int, bits: int, seed: int) -> torch.Tensor:
    """int64, their sizes evenly distributed over all numbers of bits."""
    generator = torch.Generator().manual_seed(seed)
    size = bits * torch.rand(shape, generator=generator, dtype=torch.float64)
    sign = torch.randint(2, shape, generator=generator) * 2 - 1
    return size.exp2().to(torch.int64) * sign


def assert_rounded(actual: torch.Tensor, expected: torch.Tensor) -> None:
    """Asserts that bf16 `actual` is `expected`, up to one rounding."""
    assert ((actual.double() - expected).abs() <= BF16_ROUNDING * expected.abs()).all()


@EVERY_CASE
def test_floating_point_pools(name, groups):
    documents = DOCUMENTS[name]
    rows, behind = documents.workspace_size, behind_ends(documents)
    dk, dv = (normal(rows, groups, 128, seed=seed) for seed in (1, 2))
    for sums in (dk, dv):
        sums[behind] = math.nan
    # The mode reads no scale.
    kv_scale = torch.full((2, groups, rows // 128), math.nan)
    dq_scale = torch.full((documents.num_tokens, 16 * groups), math.nan)
    dq = torch.zeros(documents.num_tokens, 16 * groups, 128, dtype=torch.int32)
    results = run(documents, False, dk, dv, kv_scale, dq, dq_scale)
    assert torch.equal(results.dk, dk[~behind].bfloat16())
    assert torch.equal(results.dv, dv[~behind].bfloat16())
    # The walk has written dQ itself.
    untouched = poison(torch.empty_like(results.dq))
    assert torch.equal(results.dq.view(torch.int16), untouched.view(torch.int16))


@EVERY_CASE
def test_fixed_point_pools(name, groups):
    documents = DOCUMENTS[name]
    num_tokens, behind = documents.num_tokens, behind_ends(documents)
    rows = documents.workspace_size
    dk, dv = (integers(rows, groups, 128, bits=62, seed=seed) for seed in (1, 2))
    dq = integers(num_tokens, 16 * groups, 128, bits=30, seed=3).to(torch.int32)
    kv_scale = torch.tensor([3.3e12, 4.5e-7])[:, None, None] * 2.0 ** torch.randint(
        -3, 4, (2, groups, rows // 128), generator=torch.Generator().manual_seed(5)
    )
    dq_scale = 10.0 ** (3 * normal(num_tokens, 16 * groups, seed=4))
    results = run(documents, True, dk, dv, kv_scale, dq, dq_scale)
    for actual, sums, scale in zip(
        (results.dk, results.dv), (dk, dv), kv_scale.double(), strict=True
    ):
        scale = scale.T.repeat_interleave(128, 0)[..., None]
        assert_rounded(actual, (sums.double() / scale)[~behind])
    assert_rounded(results.dq, dq.double() / dq_scale.double()[..., None])


def test_every_sum_finds_its_place():
    documents = pack_lengths(130, 5)
    rows = torch.arange(documents.workspace_size * 4 * 128).view(-1, 4, 128)
    places = torch.arange(documents.num_tokens * 64 * 128).view(-1, 64, 128)
    behind = behind_ends(documents)
    dq_scale = torch.ones(documents.num_tokens, 64)
    # Three readings of 8 bits, each exact in bf16, tell all places apart.
    for shift in (0, 8, 16):
        dk, dq = rows >> shift & 255, (places >> shift & 255).to(torch.int32)
        results = run(documents, True, dk, 255 - dk, torch.ones(2, 4, 3), dq, dq_scale)
        assert torch.equal(results.dk, dk[~behind].bfloat16())
        assert torch.equal(results.dv, 255 - dk[~behind].bfloat16())
        assert torch.equal(results.dq, dq.bfloat16())


@pytest.mark.parametrize("scale", [0.0, math.inf, math.nan, -1.0])
def test_scales_that_are_none(scale):
    documents = pack_lengths(200)
    dk, dv = (integers(256, 4, 128, bits=40, seed=seed) for seed in (1, 2))
    dk[10] = 0  # which times infinity or nothing must not come out as a number
    dq = integers(200, 64, 128, bits=30, seed=3).to(torch.int32)
    dq[33] = 0
    dq_scale = torch.ones(200, 64)
    dq_scale[33, 7] = dq_scale[34, 20] = scale
    kv_scale = torch.ones(2, 4, 2)
    kv_scale[0] = scale
    results = run(documents, True, dk, dv, kv_scale, dq, dq_scale)
    assert results.dk.isnan().all()
    assert_rounded(results.dv, dv[:200].double())
    assert results.dq.isnan().all(-1).nonzero().tolist() == [[33, 7], [34, 20]]
    assert results.dq.isnan().sum() == 2 * 128
