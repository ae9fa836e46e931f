"""Operands that are refused before anything is allocated or launched; no GPU takes part."""

import pytest
import torch

from msa.kernels import attention, launch
from msa.schedule.backward_schedule import MSABackwardSchedule, schedule_tensors
from msa.schedule.support import edge_capacity, work_capacity
from msa.schedule.task_tables import task_window
from msa.schedule.topology import GROUP_COUNTS


def vast(*shape: int, dtype: torch.dtype = torch.int32) -> torch.Tensor:
    """A tensor of any shape in the memory of one element."""
    return torch.zeros((), dtype=dtype).expand(shape)


every_count = pytest.mark.parametrize("groups", GROUP_COUNTS)


def build_schedule(groups: int, num_tokens: int, num_rows: int):
    return launch.build_schedule_tensors(
        vast(groups, num_tokens, 16),
        vast(num_tokens, dtype=torch.int64),
        vast(num_tokens, dtype=torch.int64),
        vast(1),
        num_rows * 128,
    )


def build_tables(groups: int, num_rows: int, num_edges: int, num_items: int, window: int):
    return launch.build_task_tables(
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
    assert launch.max_tokens(groups) == most - 1
    assert 2 * groups * edge_capacity(most - 1) < 2**31


@every_count
@pytest.mark.parametrize("more", ["tokens", "key blocks", "either"])
def test_more_tokens_or_key_blocks_than_the_sort_counts(groups, more):
    most_tokens, most_rows = launch.max_tokens(groups), launch.MAX_KEY_BLOCKS
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


@pytest.mark.parametrize("groups", [1, 4, 8])
@pytest.mark.parametrize("length", [3, 1_048_576])
@pytest.mark.parametrize("tokens", [1, 65_537, 196_608, 1_048_576])
@pytest.mark.parametrize("window_of", [attention.forward_window, task_window])
def test_the_windows_of_training_fit(monkeypatch, tokens, length, window_of, groups):
    launched = []
    monkeypatch.setattr(launch, "_TASK_BUILD", lambda *arguments: launched.append(arguments))
    num_rows = -(-tokens // min(length, 128))
    schedule = MSABackwardSchedule(
        *(
            torch.empty(shape, dtype=torch.int32, device="meta")
            for shape in (
                (groups, num_rows + 1),
                (groups, edge_capacity(tokens)),
                (work_capacity(groups, num_rows, edge_capacity(tokens)), 6),
                (1,),
                (num_rows + 1,),
                (num_rows,),
            )
        )
    )
    launch.build_task_tables(*schedule_tensors(schedule), 132, window_of(tokens))
    assert len(launched) == 1


@every_count
@pytest.mark.parametrize(
    "tokens, heads",
    [
        (1, 8),
        (16_384, 8),
        (16_385, 4),
        (32_768, 4),
        (32_769, 2),
        (65_536, 2),
        (65_537, 1),
        (2**23 - 1, 1),
    ],
)
def test_pools_of_a_forward_take_a_gigabyte_or_8_kb_a_token(tokens, heads, groups):
    assert attention.heads_at_a_time(groups, tokens) == min(heads, groups)


def operands(num_tokens: int = 3, groups: int = 4) -> dict[str, torch.Tensor]:
    heads = 16 * groups
    return {
        "grad_out": torch.zeros(num_tokens, heads, 128, dtype=torch.bfloat16),
        "out": torch.zeros(num_tokens, heads, 128, dtype=torch.bfloat16),
        "lse": torch.zeros(num_tokens, heads),
    }


@pytest.mark.parametrize("name", ["grad_out", "out", "lse"])
def test_row_statistics_of_another_dtype(name):
    arguments = operands()
    dtype = arguments[name].dtype
    # Also of a wrong shape: the dtype comes first.
    arguments[name] = torch.zeros(2, dtype=torch.float16)
    if name == "grad_out":
        arguments[name] = torch.zeros(3, 64, 127, dtype=torch.float16)
    with pytest.raises(TypeError, match=f"^{name} must be {dtype}, got torch.float16$"):
        launch.row_statistics(**arguments)


@every_count
@pytest.mark.parametrize("name", ["out", "lse"])
def test_row_statistics_of_another_shape(name, groups):
    good = operands(groups=groups)
    for bad in (good[name][..., :-1], good[name][:, :8], good[name][..., None]):
        expected = rf"^{name} must be \[3, {16 * groups}.*got shape \[3, "
        with pytest.raises(ValueError, match=expected):
            launch.row_statistics(**good | {name: bad})


@pytest.mark.parametrize(
    "shape", [(3, 64, 127), (3, 64), (3, 64, 128, 1), (3, 4, 128), (3, 40, 128), (3, 48, 128)]
)
def test_row_statistics_of_a_gradient_that_is_none(shape):
    grad_out = torch.zeros(shape, dtype=torch.bfloat16)
    expected = r"^grad_out must be \[tokens, 16 G, 128\] with G of 1, 2, 4 or 8, got shape \[3, "
    with pytest.raises(ValueError, match=expected):
        launch.row_statistics(**operands() | {"grad_out": grad_out})


def test_row_statistics_of_another_number_of_tokens():
    with pytest.raises(ValueError, match=r"^out must be \[3, 64, 128\], got shape \[4, 64, 128\]$"):
        launch.row_statistics(**operands() | {"out": operands(4)["out"]})


@pytest.mark.parametrize("name", ["out", "lse"])
def test_row_statistics_on_another_device(name):
    arguments = operands()
    arguments[name] = arguments[name].to("meta")
    with pytest.raises(ValueError, match=f"^{name} must be on cpu, got meta$"):
        launch.row_statistics(**arguments)
