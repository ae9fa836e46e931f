"""What the GPU tests of the kernels share; each launch is checked, see `launches.py`."""

import contextlib
import warnings
from collections.abc import Iterator

import pytest
import torch

import msa.kernels.runtime.launches  # noqa: F401, checks launches
from msa.kernels.runtime.library import arch_of
from msa.schedule.backward_schedule import MSABackwardSchedule, schedule_tensors

# As FP32 a NaN, as int32 far below any value of a schedule.
_POISON = -0x3FFFFF
_SMALL_BLOCK = 1 << 20
# About a second.
_SLEEP_CYCLES = 2_000_000_000


def _why_not(*archs: str) -> str:
    if not torch.cuda.is_available():
        return "needs a GPU that torch can use"
    gpu = torch.device("cuda", torch.cuda.current_device())
    if arch_of(gpu) is None or (archs and arch_of(gpu) not in archs):
        expected = " or ".join(archs) or "a GPU that kernels are compiled for"
        return f"needs {expected}, got {torch.cuda.get_device_name(gpu)}"
    return ""


def _needs(*archs: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(bool(_why_not(*archs)), reason=_why_not(*archs))


needs_gpu = _needs()
"""Mark of a module whose tests run kernels: `pytestmark = needs_gpu`."""

needs_hopper = _needs("sm_90a")
"""Mark of a module whose tests run kernels that are there for Hopper alone."""


def poison(tensor: torch.Tensor) -> torch.Tensor:
    """Fills an FP32, int32 or bf16 tensor with values that no result holds; returns it."""
    tensor.view(torch.int32).fill_(_POISON)
    return tensor


def poison_free_memory(num_bytes: int = 1 << 30) -> None:
    """Poisons what torch's allocator hands out next, `num_bytes` of it and some small blocks.

    Nothing else stays cached, so that no allocation finds memory of another kind.
    """
    torch.cuda.empty_cache()
    # Allocations of up to a megabyte come from a pool of their own.
    small = [
        poison(torch.empty(_SMALL_BLOCK // 4, dtype=torch.int32, device="cuda")) for _ in range(16)
    ]
    large = poison(torch.empty(num_bytes // 4, dtype=torch.int32, device="cuda"))
    del small, large


def fragment_order(rows: torch.Tensor) -> torch.Tensor:
    """Rows `[..., 16, columns]` in fragment order, `[..., 16 * columns]`.

    Lane l of a warp holds of an accumulator, for each i, the columns `8i + 2 (l % 4)` and the next
    of rows `l // 4` and `l // 4 + 8`: four values that stand side by side, for all l and then i.
    """
    i = torch.arange(rows.shape[-1] // 8)[:, None, None]
    lane = torch.arange(32)[:, None]
    value = torch.arange(4)
    row = lane // 4 + 8 * (value // 2)
    column = 8 * i + 2 * (lane % 4) + value % 2
    return rows[..., row.expand_as(column), column].flatten(-3).contiguous()


def strided(tensor: torch.Tensor) -> torch.Tensor:
    """The same values, every second element of a memory that starts one element in."""
    memory = tensor.new_zeros(2 * tensor.numel() + 1)
    view = memory[1:].view(*tensor.shape[:-1], -1)[..., ::2]
    return view.copy_(tensor)


def offset(tensor: torch.Tensor) -> torch.Tensor:
    """The same values, contiguous, one element past an aligned address."""
    memory = tensor.new_zeros(tensor.numel() + 1)
    return memory[1:].view(tensor.shape).copy_(tensor)


def outer_stride(tensor: torch.Tensor) -> torch.Tensor:
    """The same values with the strides of the first and the last dimension exchanged."""
    return tensor.transpose(0, -1).contiguous().transpose(0, -1)


every_layout = pytest.mark.parametrize("layout", [strided, offset, outer_stride])
"""A test for each way, a function, to lay out an operand as kernels cannot take it."""


def schedule_to(
    schedule: MSABackwardSchedule, device: str | torch.device, layout=lambda tensor: tensor
) -> MSABackwardSchedule:
    """The schedule on another device, each field laid out by `layout`."""
    return MSABackwardSchedule(
        *(layout(field.to(device, copy=True)) for field in schedule_tensors(schedule))
    )


@contextlib.contextmanager
def without_waiting() -> Iterator[None]:
    """Keeps the current stream busy meanwhile, and asserts that the host did not wait for it.

    What is inside must have run once before on this stream: loading and the allocator may wait.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the mode is called a prototype
        torch.cuda.synchronize()
        torch.cuda._sleep(_SLEEP_CYCLES)
        slept = torch.cuda.Event()
        slept.record()
        torch.cuda.set_sync_debug_mode("error")
        try:
            yield
        finally:
            torch.cuda.set_sync_debug_mode("default")
    assert not slept.query(), "the host waited for the device"
