"""Windows and heads of a pass, and operands that are refused; no GPU takes part."""

import pytest
import torch

from msa.kernels.attention import plan
from msa.kernels.schedule import plan as schedule_plan
from msa.schedule.backward_schedule import MSABackwardSchedule, schedule_tensors
from msa.schedule.support import edge_capacity, work_capacity
from msa.schedule.task_tables import task_window
from msa.schedule.topology import GROUP_COUNTS

every_count = pytest.mark.parametrize("groups", GROUP_COUNTS)


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
    assert plan.heads_at_a_time(groups, tokens) == min(heads, groups)


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
        plan.row_statistics(**arguments)


@every_count
@pytest.mark.parametrize("name", ["out", "lse"])
def test_row_statistics_of_another_shape(name, groups):
    good = operands(groups=groups)
    for bad in (good[name][..., :-1], good[name][:, :8], good[name][..., None]):
        expected = rf"^{name} must be \[3, {16 * groups}.*got shape \[3, "
        with pytest.raises(ValueError, match=expected):
            plan.row_statistics(**good | {name: bad})


@pytest.mark.parametrize(
    "shape", [(3, 64, 127), (3, 64), (3, 64, 128, 1), (3, 4, 128), (3, 40, 128), (3, 48, 128)]
)
def test_row_statistics_of_a_gradient_that_is_none(shape):
    grad_out = torch.zeros(shape, dtype=torch.bfloat16)
    expected = r"^grad_out must be \[tokens, 16 G, 128\] with G of 1, 2, 4 or 8, got shape \[3, "
    with pytest.raises(ValueError, match=expected):
        plan.row_statistics(**operands() | {"grad_out": grad_out})


def test_row_statistics_of_another_number_of_tokens():
    with pytest.raises(ValueError, match=r"^out must be \[3, 64, 128\], got shape \[4, 64, 128\]$"):
        plan.row_statistics(**operands() | {"out": operands(4)["out"]})


@pytest.mark.parametrize("name", ["out", "lse"])
def test_row_statistics_on_another_device(name):
    arguments = operands()
    arguments[name] = arguments[name].to("meta")
    with pytest.raises(ValueError, match=f"^{name} must be on cpu, got meta$"):
        plan.row_statistics(**arguments)


def test_a_cpu_has_no_kernels():
    assert not plan.has_kernels(torch.device("cpu"))


@pytest.mark.parametrize("groups", [1, 4, 8])
@pytest.mark.parametrize("length", [3, 1_048_576])
@pytest.mark.parametrize("tokens", [1, 65_537, 196_608, 1_048_576])
@pytest.mark.parametrize("window_of", [plan.forward_window, task_window])
def test_the_windows_of_training_fit(monkeypatch, tokens, length, window_of, groups):
    launched = []
    monkeypatch.setattr(
        schedule_plan, "TASK_BUILD", lambda device, **arguments: launched.append(arguments)
    )
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
    schedule_plan.build_task_tables(*schedule_tensors(schedule), 132, window_of(tokens))
    assert len(launched) == 1
