"""Timers, peak memory and the matrix-product ceiling, on a CPU or a CUDA device."""

import ctypes
import dataclasses
import itertools
import pathlib
import statistics
import time
from collections.abc import Callable
from typing import TypeVar

import torch

_R = TypeVar("_R")

AUTO_RUNS = 10
"""Most runs of a measurement whose number of runs was left open."""
AUTO_SECONDS = 4.0
"""Further runs of such a measurement start only within about this time."""
# A first run from this length on is a measurement.
_LONG_RUN_MS = 1e3

# A square product large enough to reach the device's rate: 17 GFLOP on a CPU, 1.1 TFLOP on a GPU.
_CEILING_SIZES = {"cpu": 2048, "cuda": 8192}
_CEILING_RUNS = 5

_STATUS = pathlib.Path("/proc/self/status")
_CLEAR_REFS = pathlib.Path("/proc/self/clear_refs")


@dataclasses.dataclass(frozen=True)
class Measurement:
    """Runs of one operation.

    Attributes:
        times_ms: milliseconds of each run.
        peak_bytes: how far memory grew in the first run, at most, above what was held before. On
            CUDA this is the memory of torch's allocator; on a CPU the resident memory of the
            process, None where the system does not tell.
    """

    times_ms: tuple[float, ...]
    peak_bytes: int | None

    @property
    def median_ms(self) -> float:
        """Median time of a run, in milliseconds."""
        return statistics.median(self.times_ms)


def measure(
    operation: Callable[[], _R], device: torch.device, repeats: int | None
) -> tuple[Measurement, _R]:
    """Times runs of `operation`, back to back, after a first one that fills caches.

    A first run of a second or more counts: against that, caches are noise.

    Args:
        operation: what to run; its results are dropped but for the last.
        device: where it runs.
        repeats: runs that count, or None for up to 10 that fit into 4 seconds, at least 1.

    Returns:
        The measurement, and the result of the last run.
    """
    (first_ms, result), peak_bytes = _peak_growth(lambda: _time_one(operation, device), device)
    runs = repeats
    if runs is None:
        fitting = int(AUTO_SECONDS * 1e3 // max(first_ms, 1e-3))  # an event may read 0
        runs = min(max(fitting, 1), AUTO_RUNS)
    times_ms = []
    if first_ms >= _LONG_RUN_MS:
        times_ms.append(first_ms)
        runs -= 1
    if runs:
        del result
        more_ms, result = _time_runs(operation, device, runs)
        times_ms += more_ms
    return Measurement(tuple(times_ms), peak_bytes), result


def matrix_product_ceiling(device: torch.device, dtype: torch.dtype) -> tuple[int, float]:
    """Measures `torch.mm` of two square matrices: their rows, and FLOP per second (median)."""
    size = _CEILING_SIZES[device.type]
    a = torch.randn(size, size, device=device, dtype=dtype)
    b = torch.randn(size, size, device=device, dtype=dtype)
    measurement, _ = measure(lambda: torch.mm(a, b), device, _CEILING_RUNS)
    return size, 2 * size**3 / (measurement.median_ms / 1e3)


def _time_one(operation: Callable[[], _R], device: torch.device) -> tuple[float, _R]:
    (milliseconds,), result = _time_runs(operation, device, 1)
    return milliseconds, result


def _time_runs(
    operation: Callable[[], _R], device: torch.device, runs: int
) -> tuple[list[float], _R]:
    """Milliseconds of each of `runs` runs, and the last one's result."""
    result = None
    if device.type == "cuda":
        # Queued without waiting, as in training: the host's launches hide behind the device's work.
        events = [torch.cuda.Event(enable_timing=True) for _ in range(runs + 1)]
        torch.cuda.synchronize(device)
        events[0].record()
        for event in events[1:]:
            result = None
            result = operation()
            event.record()
        torch.cuda.synchronize(device)
        return [a.elapsed_time(b) for a, b in itertools.pairwise(events)], result
    times_ms = []
    for _ in range(runs):
        result = None  # not held beside the next one
        start = time.perf_counter()
        result = operation()
        times_ms.append((time.perf_counter() - start) * 1e3)
    return times_ms, result


def _peak_growth(operation: Callable[[], _R], device: torch.device) -> tuple[_R, int | None]:
    """Runs `operation`; its result, and by how many bytes memory grew at most while it ran."""
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


def _peak_resident_bytes() -> int:
    (line,) = (line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def _return_free_memory() -> None:
    """Gives back what glibc's allocator keeps of freed memory, where growth would go unseen."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
