"""What the GPU tests of the kernels share."""

import contextlib
import warnings
from collections.abc import Iterator

import pytest
import torch

from msa.kernels.library import arch_of
from msa.schedule.backward_schedule import MSABackwardSchedule, schedule_tensors

# As FP32 a NaN, as int32 far below any value of a schedule.
_POISON = -0x3FFFFF
_SMALL_BLOCK = 1 << 20
# About a second.
_SLEEP_CYCLES = 2_000_000_000


def _why_not() -> str:
    if not torch.cuda.is_available():
        return "needs a GPU that torch can use"
    gpu = torch.device("cuda", torch.cuda.current_device())
    if arch_of(gpu) is None:
        return f"needs a GPU that kernels are compiled for, got {torch.cuda.get_device_name(gpu)}"
    return ""


needs_gpu = pytest.mark.skipif(bool(_why_not()), reason=_why_not())
"""Mark of a module whose tests run kernels: `pytestmark = needs_gpu`."""


def poison(tensor: torch.Tensor) -> torch.Tensor:
    """Fills an FP32 or int32 tensor with a value that no result holds; returns it."""
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


def strided(tensor: torch.Tensor) -> torch.Tensor:
    """The same values, every second element of a memory that starts one element in."""
    memory = tensor.new_zeros(2 * tensor.numel() + 1)
    view = memory[1:].view(*tensor.shape[:-1], -1)[..., ::2]
    return view.copy_(tensor)


def offset(tensor: torch.Tensor) -> torch.Tensor:
    """The same values, contiguous, one element behind an aligned address."""
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
