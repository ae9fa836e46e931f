"""Timers, peak memory and the matrix-product ceiling, on a CPU or a CUDA device."""

import ctypes
import dataclasses
import itertools
import math
import pathlib
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import torch

_R = TypeVar("_R")

AUTO_RUNS = 10
"""Most runs of a measurement whose number of runs was left open."""
AUTO_SECONDS = 4.0
"""Further runs of such a measurement start only within about this time."""
# A first run from this length on is a measurement.
_LONG_RUN_MS = 1e3

WARM_UP_MS = 200.0
"""A sustained measurement starts after this much of the same work: a card that runs into its power
limit does so within tens of milliseconds."""
PAUSE_SECONDS = 0.06
"""How long a device is idle before each run of a spaced measurement."""
_SUSTAINED_RUNS = 5
_SUSTAINED_MS = 300.0
_SPACED_RUNS = 7
# Of long operations there are as many runs as fit into this, at least 2 sustained and 1 spaced.
_MOST_MS = 2e3
# Shorter operations than this are taken for as long: an event may read 0.
_SHORTEST_MS = 0.01
# A head start of the host, in cycles of a GPU: 5 ms at 2 GHz. The launches of a pass take it less,
# or less than the device takes for the pass.
_HOLD_CYCLES = 10_000_000
_WATCH_SECONDS = 0.01

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


class Regimes(NamedTuple):
    """One operation, measured back to back on a hot card and with pauses.

    Attributes:
        sustained: runs back to back, after `WARM_UP_MS` of the same work.
        spaced: runs with `PAUSE_SECONDS` of idleness before each.
    """

    sustained: Measurement
    spaced: Measurement


class RunPlan(NamedTuple):
    """How often an operation runs: as warm-up, back to back, and with pauses."""

    warm_up: int
    sustained: int
    spaced: int

    @classmethod
    def of(cls, milliseconds: float) -> "RunPlan":
        """The plan for an operation of about so many milliseconds that has just run.

        Sustained are at least 5 runs and 300 ms, spaced are 7; fewer of those that take long.
        """
        milliseconds = max(milliseconds, _SHORTEST_MS)
        most = int(_MOST_MS / milliseconds)
        wanted = max(_SUSTAINED_RUNS, math.ceil(_SUSTAINED_MS / milliseconds))
        return cls(
            # The run that has just ended was warm-up enough if it is that long itself.
            warm_up=math.ceil(WARM_UP_MS / milliseconds) if milliseconds < WARM_UP_MS else 0,
            sustained=max(2, min(wanted, most)),
            spaced=max(1, min(_SPACED_RUNS, most)),
        )


def measure_regimes(
    operation: Callable[[], object],
    device: torch.device,
    watch: Callable[[], None] | None = None,
) -> Regimes:
    """Times runs of `operation` back to back, then with pauses, after a first one that loads.

    On a GPU, events take the times, and the host queues runs before the device comes to them.

    Args:
        operation: what to run; its results are dropped.
        device: where it runs.
        watch: called every few milliseconds while a GPU is at the sustained runs.

    Returns:
        Both measurements, with the peak memory of the first run.
    """
    _, peak_bytes = _peak_growth(lambda: _time_one(operation, device)[0], device)
    expected_ms = _time_runs(operation, device, 1, hold=True)[0][0]
    warm_up, runs, spaced_runs = RunPlan.of(expected_ms)
    sustained_ms = _time_runs(operation, device, runs, warm_up=warm_up, watch=watch)[0]
    spaced_ms = []
    for _ in range(spaced_runs):
        time.sleep(PAUSE_SECONDS)
        spaced_ms += _time_runs(operation, device, 1, hold=True)[0]
    return Regimes(
        Measurement(tuple(sustained_ms), peak_bytes), Measurement(tuple(spaced_ms), peak_bytes)
    )


def captured(operation: Callable[[], object]) -> Callable[[], None]:
    """The operation's work on the current GPU as a CUDA graph; returns what replays it.

    A replay costs the host one launch, so that an operation of many short kernels can be timed.
    """
    operation()  # loads the kernels, which a capture must not
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        operation()
    return graph.replay


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
    operation: Callable[[], _R],
    device: torch.device,
    runs: int,
    *,
    warm_up: int = 0,
    hold: bool = False,
    watch: Callable[[], None] | None = None,
) -> tuple[list[float], _R]:
    """Milliseconds of each of `runs` runs, and the last one's result.

    Args:
        operation: what to run.
        device: where it runs.
        runs: runs that are timed, at least 1.
        warm_up: runs right before them.
        hold: keep a GPU from starting for some milliseconds, in which the host queues the run.
        watch: called every few milliseconds while a GPU is at the timed runs.
    """
    result = None
    if device.type == "cuda":
        # Queued without waiting, as in training: the host's launches hide behind the device's work.
        events = [torch.cuda.Event(enable_timing=True) for _ in range(runs + 1)]
        torch.cuda.synchronize(device)
        if hold:
            torch.cuda._sleep(_HOLD_CYCLES)
        for _ in range(warm_up):
            result = None
            result = operation()
        events[0].record()
        for event in events[1:]:
            result = None
            result = operation()
            event.record()
        if watch is not None:
            _watch(watch, events[0], events[-1])
        torch.cuda.synchronize(device)
        return [a.elapsed_time(b) for a, b in itertools.pairwise(events)], result
    times_ms = []
    for _ in range(warm_up):
        operation()
    for _ in range(runs):
        result = None  # not held beside the next one
        start = time.perf_counter()
        result = operation()
        times_ms.append((time.perf_counter() - start) * 1e3)
    return times_ms, result


def _watch(watch: Callable[[], None], first: torch.cuda.Event, last: torch.cuda.Event) -> None:
    """Calls `watch` now and then while the device is between two events."""
    while not last.query():
        if first.query():
            watch()
        time.sleep(_WATCH_SECONDS)


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
