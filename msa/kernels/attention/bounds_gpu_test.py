"""The kernels that bound keys and values, and carry maxima along the tasks."""

import math

import pytest
import torch

from msa.kernels.attention import plan
from msa.kernels.attention.interface import BOUND_FIELDS
from msa.kernels.runtime.testing import needs_gpu, poison
from msa.schedule import PackedDocuments, build_backward_schedule, build_task_tables
from msa.schedule.testing import DOCUMENTS, queries_of_blocks, random_support

pytestmark = needs_gpu

EVERY_CASE = pytest.mark.parametrize(
    "name, groups",
    [*((name, 4) for name in DOCUMENTS), *((list(DOCUMENTS)[1], groups) for groups in (1, 2, 8))],
)


def keys_and_values(
    documents: PackedDocuments, seed: int, groups: int = 4
) -> tuple[torch.Tensor, torch.Tensor]:
    """In workspace rows, of sizes that differ from row to row, some of it not finite."""
    generator = torch.Generator().manual_seed(seed)
    shape = (documents.workspace_size, groups, 128)

    def draw() -> torch.Tensor:
        size = 10.0 ** (4 * torch.rand(shape[0], 1, 1, generator=generator) - 2)
        values = (size * torch.randn(shape, generator=generator)).bfloat16()
        for value in (math.nan, math.inf, -math.inf):
            values[torch.rand(shape, generator=generator) < 1e-4] = value
        return values

    return draw(), draw()


def run(to_blocks: bool, support, documents, blocks, rows, *, flagged=0, filtered=0) -> None:
    """Carries maxima, on the GPU."""
    tables = build_task_tables(build_backward_schedule(support, documents), num_sms=7, window=256)
    plan.TASK_MAXIMA(
        blocks.device,
        to_blocks=int(to_blocks),
        task_meta=tables.task_meta.cuda(),
        task_qrows=tables.task_qrows.cuda(),
        descriptor=tables.descriptor.cuda(),
        wanted=torch.tensor([flagged], dtype=torch.int32, device="cuda"),
        filtered=filtered,
        num_groups=len(support),
        num_kblocks=documents.workspace_size // 128,
        num_sms=5,
        blocks=blocks,
        rows=rows,
    )


def bounds_of_blocks(k, v, *, flagged: int = 0, filtered: int = 0) -> torch.Tensor:
    """`[G, num_kblocks, BOUND_FIELDS]`, in poisoned memory."""
    groups, num_kblocks = k.shape[1], len(k) // 128
    blocks = poison(torch.empty(groups, num_kblocks, BOUND_FIELDS, device="cuda"))
    wanted = torch.tensor([flagged], dtype=torch.int32, device="cuda")
    plan.BLOCK_BOUNDS(
        blocks.device,
        k=k.cuda(),
        v=v.cuda(),
        wanted=wanted,
        filtered=filtered,
        num_groups=groups,
        num_kblocks=num_kblocks,
        bounds=blocks,
    )
    return blocks


def expected_of_blocks(k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    k, v = (
        x.double().nan_to_num(nan=0.0, posinf=0.0, neginf=0.0).unflatten(0, (-1, 128))
        for x in (k, v)
    )
    largest = (v.abs().amax((1, 3)), v.norm(dim=3).amax(1), k.abs().amax((1, 3)))
    return torch.stack((*largest, torch.zeros_like(largest[0])), -1).transpose(0, 1)


@EVERY_CASE
def test_blocks_against_float64(name, groups):
    k, v = keys_and_values(DOCUMENTS[name], seed=2, groups=groups)
    expected = expected_of_blocks(k, v)
    torch.testing.assert_close(bounds_of_blocks(k, v).cpu().double(), expected, rtol=1e-6, atol=0)


def test_norms_whose_squares_overflow():
    k = v = torch.zeros(128, 4, 128, dtype=torch.bfloat16)
    v = v.clone()
    v[0, 2, 5] = 2.0**100
    v[:, 3] = 3e38
    blocks = bounds_of_blocks(k, v)
    assert blocks[2, 0, 0] == 2.0**100
    assert 2.0**100 <= blocks[2, 0, 1] <= 2.0**100 * 128**0.5 * (1 + 1e-6)
    assert blocks[3].isfinite().all()
    assert blocks[3, 0, 1] >= 3e38
    assert not blocks[:2].any()


@pytest.mark.parametrize("to_blocks", [False, True])
@EVERY_CASE
def test_maxima_along_the_tasks(name, groups, to_blocks):
    documents = DOCUMENTS[name]
    support = random_support(documents, seed=1, fill=0.7, num_groups=groups)
    generator = torch.Generator().manual_seed(2)
    blocks = torch.rand(groups, documents.workspace_size // 128, BOUND_FIELDS, generator=generator)
    rows = torch.rand(documents.num_tokens, groups, BOUND_FIELDS, generator=generator)
    found_blocks, found_rows = blocks.cuda(), rows.cuda()
    run(to_blocks, support, documents, found_blocks, found_rows)
    expected_blocks, expected_rows = blocks.clone(), rows.clone()
    for (head, kblock), queries in queries_of_blocks(support, documents).items():
        block, met = blocks[head, kblock], rows[queries, head]
        if to_blocks:
            expected_blocks[head, kblock] = torch.maximum(block, met.amax(0))
        else:
            before = expected_rows[queries, head]
            expected_rows[queries, head] = torch.maximum(before, block)
    assert torch.equal(found_blocks.cpu(), expected_blocks)
    assert torch.equal(found_rows.cpu(), expected_rows)


def test_only_where_a_row_is_flagged():
    documents = DOCUMENTS["lengths around a block"]
    support = random_support(documents, seed=3)
    k, v = keys_and_values(documents, seed=4)
    blocks = bounds_of_blocks(k, v)
    assert torch.equal(bounds_of_blocks(k, v, flagged=3, filtered=1), blocks)
    untouched = bounds_of_blocks(k, v, flagged=0, filtered=1)
    assert torch.equal(
        untouched.view(torch.int32), poison(torch.empty_like(untouched)).view(torch.int32)
    )
    rows = torch.zeros(documents.num_tokens, 4, BOUND_FIELDS, device="cuda")
    run(False, support, documents, blocks, rows, flagged=0, filtered=1)
    assert not rows.any()
    run(False, support, documents, blocks, rows, flagged=1, filtered=1)
    assert rows.any()
