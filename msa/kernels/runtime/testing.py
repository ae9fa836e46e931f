"""What the tests of the kernels share, on a GPU and on a CPU."""

import contextlib
import itertools
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import pytest
import torch

from msa.kernels.runtime import declared, library
from msa.kernels.runtime.declared import DeclaredKernel
from msa.kernels.runtime.library import Kernel, arch_of
from msa.kernels.runtime.signature import Scratch, Signature
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


_launch = DeclaredKernel.__call__


def _checked_launch(kernel: DeclaredKernel, device: torch.device, **arguments) -> None:
    kernel.signature.check(arguments)
    _launch(kernel, device, **arguments)


# Where this module is loaded, every launch is checked against its kernel's signature.
DeclaredKernel.__call__ = _checked_launch


class Launch(NamedTuple):
    """A kernel's launch by its signature."""

    signature: Signature
    arguments: dict[str, torch.Tensor | int]


@pytest.fixture
def launches(monkeypatch) -> list[Launch]:
    """What is launched, checked as on a GPU, in order; operands are on a CPU and no kernel runs.

    The architecture is Hopper, where a test does not set `declared.arch_of`.
    """
    launched = []
    checked = DeclaredKernel.__call__

    def record(kernel: DeclaredKernel, device: torch.device, **arguments) -> None:
        checked(kernel, device, **arguments)
        launched.append(Launch(kernel.signature, arguments))

    monkeypatch.setattr(DeclaredKernel, "__call__", record)
    monkeypatch.setattr(Kernel, "launch", lambda kernel, device, words: None)
    monkeypatch.setattr(declared, "arch_of", lambda device: "sm_90a")
    monkeypatch.setattr(library, "_num_sms_of_gpu", lambda index: 132)
    return launched


def assert_mistakes_are_refused(launch: Launch) -> None:
    """Asserts that a launch is refused where an argument is missing or two that differ swap."""
    signature, arguments = launch
    for name in arguments:
        with pytest.raises(TypeError, match="expected the arguments"):
            signature.words({n: value for n, value in arguments.items() if n != name})
    for one, other in itertools.combinations(arguments, 2):
        swapped = arguments | {one: arguments[other], other: arguments[one]}
        if _differ(signature.arguments, arguments, one, other):
            with pytest.raises((TypeError, ValueError)):
                signature.check(swapped)


def _differ(kinds: dict, arguments: dict, *names: str) -> bool:
    """Whether two arguments can be told apart: tensors of other dtypes or ranks, a tensor and none,
    or scratch at other addresses."""
    values = [arguments[name] for name in names]
    if all(isinstance(value, torch.Tensor) for value in values):
        dtypes = [{kinds[n].dtype, *kinds[n].also} for n in names]
        return values[0].dtype not in dtypes[1] or len(values[0].shape) != len(values[1].shape)
    if all(isinstance(kinds[name], Scratch) for name in names):
        return values[0] != values[1]
    return any(isinstance(value, torch.Tensor) for value in values)


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
