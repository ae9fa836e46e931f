"""Operands that are refused before anything is allocated or launched; no GPU takes part."""

import pytest
import torch

from msa.kernels.schedule import plan
from msa.schedule.support import edge_capacity, work_capacity
from msa.schedule.topology import GROUP_COUNTS


def vast(*shape: int, dtype: torch.dtype = torch.int32) -> torch.Tensor:
    """A tensor of any shape in the memory of one element."""
    return torch.zeros((), dtype=dtype).expand(shape)


every_count = pytest.mark.parametrize("groups", GROUP_COUNTS)


def build_schedule(groups: int, num_tokens: int, num_rows: int):
    return plan.build_schedule_tensors(
        vast(groups, num_tokens, 16),
        vast(num_tokens, dtype=torch.int64),
        vast(num_tokens, dtype=torch.int64),
        vast(1),
        num_rows * 128,
    )


def build_tables(groups: int, num_rows: int, num_edges: int, num_items: int, window: int):
    return plan.build_task_tables(
        vast(groups, num_rows + 1),
        vast(groups, num_edges),
        vast(num_items, 6),
        vast(1),
        vast(2),
        vast(1),
        132,
        window,
    )


@pytest.mark.parametrize("groups, most", [(1, 2**26), (2, 2**25), (4, 2**24), (8, 2**23)])
def test_two_sort_buffers_of_the_most_tokens_are_counted_by_int32(groups, most):
    assert plan.max_tokens(groups) == most - 1
    assert 2 * groups * edge_capacity(most - 1) < 2**31


@every_count
@pytest.mark.parametrize("more", ["tokens", "key blocks", "either"])
def test_more_tokens_or_key_blocks_than_the_sort_counts(groups, more):
    most_tokens, most_rows = plan.max_tokens(groups), plan.MAX_KEY_BLOCKS
    num_tokens = 10 if more == "key blocks" else most_tokens + 1
    num_rows = 10 if more == "tokens" else most_rows + 1
    expected = (
        f"^support must have at most {most_tokens} tokens of {groups} groups, and documents at "
        f"most {most_rows} key blocks.* got {num_tokens} and {num_rows}; split the microbatch$"
    )
    with pytest.raises(ValueError, match=expected):
        build_schedule(groups, num_tokens, num_rows)


@pytest.mark.parametrize("groups, num_edges", [(1, 2**31 - 8), (4, 2**29), (8, 2**28)])
def test_more_tasks_than_the_tables_count(groups, num_edges):
    with pytest.raises(ValueError, match=r"^schedule must need at most 268435455 task rows.* got "):
        build_tables(groups, num_rows=10, num_edges=num_edges, num_items=10, window=512)


@every_count
def test_a_window_that_leaves_more_sort_keys_than_a_word_holds(groups):
    documents = 2**22 * 4 // groups  # of one token
    edges, items = edge_capacity(documents), work_capacity(groups, documents, 1)
    with pytest.raises(ValueError, match=r"^window must be larger .*with window 1$"):
        build_tables(groups, documents, edges, items, 1)
