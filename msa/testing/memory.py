"""How much memory a computation takes."""

import ctypes
import gc
import pathlib
from collections.abc import Callable
from typing import TypeVar

import torch
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

_R = TypeVar("_R")

_STATUS = pathlib.Path("/proc/self/status")
_CLEAR_REFS = pathlib.Path("/proc/self/clear_refs")


class LargestTensor(TorchDispatchMode):
    """Records the number of elements of the largest tensor that an operation returns."""

    def __init__(self):
        super().__init__()
        self.elements = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in _pytree.tree_leaves(result):
            if isinstance(tensor, torch.Tensor):
                self.elements = max(self.elements, tensor.numel())
        return result


def peak_growth(operation: Callable[[], _R], device: torch.device) -> tuple[_R, int | None]:
    """Runs `operation`; its result, and by how many bytes memory grew at most while it ran.

    On CUDA that is the memory of torch's allocator; on a CPU the resident memory of the process,
    None where the system does not report it.
    """
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        result = operation()
        return result, torch.cuda.max_memory_allocated(device) - before
    _return_free_memory()
    try:
        _CLEAR_REFS.write_text("5")  # Linux sets the peak of resident memory to its present value
        before = _peak_resident_bytes()
    except OSError:
        return operation(), None
    result = operation()
    return result, _peak_resident_bytes() - before


def peak_memory(function: Callable[[], tuple[torch.Tensor, ...]]) -> int:
    """Bytes that a call takes on the GPU at its peak, besides its results and what was there."""
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    results, growth = peak_growth(function, torch.device("cuda", torch.cuda.current_device()))
    return growth - sum(result.untyped_storage().nbytes() for result in results)


def _peak_resident_bytes() -> int:
    (line,) = (line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def _return_free_memory() -> None:
    """Returns freed memory that glibc keeps, in which growth would not be measured."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
