"""Operands that are refused before anything is allocated or launched; no GPU takes part."""

import pytest
import torch

from msa.kernels import attention, launch
from msa.schedule.backward_schedule import MSABackwardSchedule, schedule_tensors
from msa.schedule.support import edge_capacity, work_capacity
from msa.schedule.task_tables import task_window


def vast(*shape: int, dtype: torch.dtype = torch.int32) -> torch.Tensor:
    """A tensor of any shape in the memory of one element."""
    return torch.zeros((), dtype=dtype).expand(shape)


def build_schedule(num_tokens: int, num_rows: int):
    return launch.build_schedule_tensors(
        vast(4, num_tokens, 16),
        vast(num_tokens, dtype=torch.int64),
        vast(num_tokens, dtype=torch.int64),
        vast(1),
        num_rows * 128,
    )


def build_tables(num_rows: int, num_edges: int, num_items: int, window: int):
    return launch.build_task_tables(
        vast(4, num_rows + 1),
        vast(4, num_edges),
        vast(num_items, 6),
        vast(1),
        vast(2),
        vast(1),
        132,
        window,
    )


@pytest.mark.parametrize(
    ("num_tokens", "num_rows"),
    [(launch.MAX_TOKENS + 1, 10), (10, launch.MAX_TOKENS + 1), (2**27, 2**20)],
)
def test_more_tokens_or_key_blocks_than_the_sort_counts(num_tokens, num_rows):
    expected = rf"^support must have at most {launch.MAX_TOKENS} tokens.* got {num_tokens} and "
    with pytest.raises(ValueError, match=expected + f"{num_rows}; split the microbatch$"):
        build_schedule(num_tokens, num_rows)


def test_more_tasks_than_the_tables_count():
    with pytest.raises(ValueError, match=r"^schedule must need at most 268435455 task rows.* got "):
        build_tables(num_rows=10, num_edges=2**30, num_items=10, window=512)


def test_a_window_that_leaves_more_sort_keys_than_a_word_holds():
    documents = 2**22  # of one token
    with pytest.raises(ValueError, match=r"^window must be larger .*with window 1$"):
        build_tables(documents, edge_capacity(documents), work_capacity(documents, 1), 1)


@pytest.mark.parametrize("length", [3, 1_048_576])
@pytest.mark.parametrize("tokens", [1, 65_537, 196_608, 1_048_576])
@pytest.mark.parametrize("window_of", [attention.forward_window, task_window])
def test_the_windows_of_training_fit(monkeypatch, tokens, length, window_of):
    launched = []
    monkeypatch.setattr(launch, "_TASK_BUILD", lambda *arguments: launched.append(arguments))
    num_rows = -(-tokens // min(length, 128))
    schedule = MSABackwardSchedule(
        *(
            torch.empty(shape, dtype=torch.int32, device="meta")
            for shape in (
                (4, num_rows + 1),
                (4, edge_capacity(tokens)),
                (work_capacity(num_rows, edge_capacity(tokens)), 6),
                (1,),
                (num_rows + 1,),
                (num_rows,),
            )
        )
    )
    launch.build_task_tables(*schedule_tensors(schedule), 132, window_of(tokens))
    assert len(launched) == 1


@pytest.mark.parametrize(
    "tokens, heads",
    [(1, 4), (32_768, 4), (32_769, 2), (65_536, 2), (65_537, 1), (launch.MAX_TOKENS, 1)],
)
def test_pools_of_a_forward_take_a_gigabyte_or_8_kb_a_token(tokens, heads):
    assert attention.heads_at_a_time(tokens) == heads


def operands(num_tokens: int = 3) -> dict[str, torch.Tensor]:
    return {
        "grad_out": torch.zeros(num_tokens, 64, 128, dtype=torch.bfloat16),
        "out": torch.zeros(num_tokens, 64, 128, dtype=torch.bfloat16),
        "lse": torch.zeros(num_tokens, 64),
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


@pytest.mark.parametrize("name", ["grad_out", "out", "lse"])
def test_row_statistics_of_another_shape(name):
    good = operands()[name]
    for bad in (good[..., :-1], good[:, :32], good[..., None]):
        with pytest.raises(ValueError, match=rf"^{name} must be \[3, 64.*got shape \[3, "):
            launch.row_statistics(**operands() | {name: bad})


def test_row_statistics_of_another_number_of_tokens():
    with pytest.raises(ValueError, match=r"^out must be \[3, 64, 128\], got shape \[4, 64, 128\]$"):
        launch.row_statistics(**operands() | {"out": operands(4)["out"]})


@pytest.mark.parametrize("name", ["out", "lse"])
def test_row_statistics_on_another_device(name):
    arguments = operands()
    arguments[name] = arguments[name].to("meta")
    with pytest.raises(ValueError, match=f"^{name} must be on cpu, got meta$"):
        launch.row_statistics(**arguments)
