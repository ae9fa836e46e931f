"""Attention on a GPU with 1, 2 and 8 KV groups, as tensor-parallel ranks hold them."""

import pytest
import torch

from msa.autograd import select_blocks
from msa.kernels.runtime.testing import needs_gpu
from msa.schedule import PackedDocuments, build_backward_schedule, build_task_tables
from msa.schedule.testing import (
    assert_same_schedule,
    assert_same_tables,
    first_groups,
    pack_lengths,
    random_support,
)
from msa.testing import patterns
from msa.testing.inputs import index_inputs
from msa.testing.modes import MODES
from msa.testing.patterns import no_block
from msa.tests.attention_testing import (
    DEVICE,
    Inputs,
    Results,
    check,
    run,
    unit_normal,
    with_large_value,
    with_logits_around,
)

pytestmark = needs_gpu

MOST_GROUPS = 8
SHORT = pack_lengths(127, 129, 1, 2, 3, 5, 128)
# More blocks than a query keeps, and a document that starts and ends inside a block of rows.
LONG = pack_lengths(2200, 385)

every_number = pytest.mark.parametrize("num_groups", [1, 2, 8])


def random_blocks(documents: PackedDocuments, num_groups: int) -> torch.Tensor:
    return patterns.random(documents, torch.Generator().manual_seed(2), num_groups)


@every_number
@pytest.mark.parametrize("lengths", [(1,), (385,), (127, 129, 1, 2, 3, 5, 128)], ids=str)
def test_documents_of_groups(lengths, num_groups):
    documents = pack_lengths(*lengths)
    support = random_support(documents, seed=1, num_groups=num_groups)
    inputs = unit_normal(documents.num_tokens, 1, num_groups)
    check(inputs, support, documents, f"{lengths}, {num_groups} groups")


@every_number
def test_more_blocks_than_are_kept(num_groups):
    inputs = unit_normal(LONG.num_tokens, 2, num_groups)
    check(inputs, random_blocks(LONG, num_groups), LONG, f"{num_groups} groups")


@every_number
def test_one_group_selects(num_groups):
    """The last group alone has work."""
    support = no_block(SHORT, num_groups)
    support[-1, :, 3] = 0
    inputs = unit_normal(SHORT.num_tokens, 3, num_groups)
    check(inputs, support, SHORT, f"the last of {num_groups} groups")


@every_number
def test_logits_that_take_a_second_pass(num_groups):
    """Of every other query head; `2**100` is about `exp(69)`."""
    offsets = torch.zeros(SHORT.num_tokens, 16 * num_groups)
    offsets[:, ::2] = 69.0
    offsets[::3] *= -1
    inputs, units = with_logits_around(unit_normal(SHORT.num_tokens, 4, num_groups), offsets)
    support = random_support(SHORT, seed=4, num_groups=num_groups)
    check(inputs, support, SHORT, f"large logits, {num_groups} groups", **units)


def test_one_value_far_above_the_others_of_eight_groups():
    inputs, units = with_large_value(unit_normal(SHORT.num_tokens, 5, MOST_GROUPS))
    support = random_support(SHORT, seed=5, num_groups=MOST_GROUPS)
    check(inputs, support, SHORT, "a value of 128", **units)


def of_groups(tensors: Inputs | Results, first: int, num_groups: int) -> Inputs | Results:
    """What some of the 8 groups hold of each tensor `[T, heads, ...]`; views."""
    parts = []
    for x in tensors:
        heads = x.shape[1] // MOST_GROUPS
        parts.append(x[:, heads * first : heads * (first + num_groups)])
    return type(tensors)(*parts)


@pytest.mark.parametrize("documents", [SHORT, LONG], ids=["short", "long"])
def test_groups_have_the_same_bits_whichever_are_beside_them(documents):
    """In the deterministic mode, at every number of groups."""
    inputs = unit_normal(documents.num_tokens, 6, MOST_GROUPS)
    # Large values and logits in one group must not move the fixed points of another.
    inputs.v[:, 3] *= 1000
    inputs.q[:, 16 * 5 : 16 * 6] *= 30
    support = random_blocks(documents, MOST_GROUPS).to(DEVICE)
    documents = documents.to(DEVICE)
    with MODES["deterministic"]():
        whole = run(inputs, support, documents)
        for num_groups in (1, 2, 4):
            for first in range(0, MOST_GROUPS, num_groups):
                part = of_groups(inputs, first, num_groups)
                found = run(part, support[first : first + num_groups], documents)
                expected = of_groups(whole, first, num_groups)
                for name, one, other in zip(Results._fields, found, expected, strict=True):
                    case = f"{name} of {num_groups} groups from {first} on"
                    assert torch.equal(one, other), case


@pytest.mark.parametrize("num_groups", [1, 2, 4])
def test_schedules_of_groups_are_slices(num_groups):
    support = random_blocks(LONG, MOST_GROUPS)
    whole = build_backward_schedule(support.to(DEVICE), LONG.to(DEVICE))
    part = build_backward_schedule(support[:num_groups].to(DEVICE), LONG.to(DEVICE))
    assert_same_schedule(part, first_groups(whole, num_groups))
    expected = build_backward_schedule(support[:num_groups], LONG)
    assert_same_schedule(part, expected)
    tables = build_task_tables(part, num_sms=132)
    assert_same_tables(tables, build_task_tables(expected, num_sms=132))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize("num_groups", [1, 2, 4])
def test_selections_of_groups_are_slices(num_groups, dtype):
    documents = LONG.to(DEVICE)
    index_q, index_k = (x.to(DEVICE) for x in index_inputs(LONG.num_tokens, 7, dtype, MOST_GROUPS))
    whole = select_blocks(index_q, index_k, documents)
    for first in range(0, MOST_GROUPS, num_groups):
        heads = slice(first, first + num_groups)
        assert torch.equal(select_blocks(index_q[:, heads], index_k, documents), whole[heads])
