"""Timers and peak memory, and the matrix product that bounds rates, on a CPU or a GPU."""

import itertools
import math
import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import torch

from msa.testing.memory import peak_growth

_R = TypeVar("_R")

AUTO_RUNS = 10
"""Most runs of a measurement on a CPU."""
AUTO_SECONDS = 4.0
"""Such a measurement has as many runs as fit into about this time, at least 1."""
# A first run of at least this length counts as a measurement.
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
# Shorter operations count as this long: an event may read 0.
_SHORTEST_MS = 0.01
# A head start of the host, in cycles of a GPU: 5 ms at 2 GHz. The launches of a pass take it less,
# or less than the device takes for the pass.
_HOLD_CYCLES = 10_000_000
_WATCH_SECONDS = 0.01

# A square product large enough to reach the device's rate: 17 GFLOP on a CPU, 1.1 TFLOP on a GPU.
_PRODUCT_SIZES = {"cpu": 2048, "cuda": 8192}


class Times(NamedTuple):
    """Runs of one operation.

    Attributes:
        sustained_ms: milliseconds of runs back to back; on a GPU on a hot card, after `WARM_UP_MS`
            of the same work.
        spaced_ms: of runs with `PAUSE_SECONDS` of idleness before each; none on a CPU.
        peak_bytes: how far memory grew in the first run, at most; None where it is not known.
    """

    sustained_ms: tuple[float, ...]
    spaced_ms: tuple[float, ...]
    peak_bytes: int | None


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


def measure(
    operation: Callable[[], _R],
    device: torch.device,
    *,
    graph: bool = False,
    watch: Callable[[], None] | None = None,
) -> tuple[Times, _R]:
    """Times runs of `operation`; returns the times, and the result of one run.

    Args:
        operation: what to run.
        device: where it runs.
        graph: time replays of a CUDA graph, for what a GPU does faster than a host launches it.
        watch: called every few milliseconds while a GPU is at the sustained runs.
    """
    first, peak_bytes = peak_growth(lambda: _time_runs(operation, device, 1), device)
    (first_ms,), result = first
    del first
    if not has_regimes(device):
        # A long first run counts: its loading time is negligible.
        times_ms = [first_ms] if first_ms >= _LONG_RUN_MS else []
        fitting = int(AUTO_SECONDS * 1e3 // max(first_ms, 1e-3))
        runs = min(max(fitting, 1), AUTO_RUNS) - len(times_ms)
        if runs:
            del result  # freed before the next run
            more_ms, result = _time_runs(operation, device, runs)
            times_ms += more_ms
        return Times(tuple(times_ms), (), peak_bytes), result
    if graph:
        regimes, _ = _measure_regimes(captured(operation), device, watch)
    else:
        del result
        regimes, result = _measure_regimes(operation, device, watch)
    return Times(*regimes, peak_bytes), result


def has_regimes(device: torch.device) -> bool:
    """Whether back to back is measured apart from spaced: a GPU's clock depends on it."""
    return device.type == "cuda"


def _measure_regimes(
    operation: Callable[[], _R], device: torch.device, watch: Callable[[], None] | None
) -> tuple[tuple[tuple[float, ...], tuple[float, ...]], _R]:
    """Times of runs back to back, then with pauses, of an operation that has run before.

    On a GPU, events take the times, and the host queues runs before the device comes to them.
    """
    expected_ms = _time_runs(operation, device, 1, hold=True)[0][0]
    warm_up, runs, spaced_runs = RunPlan.of(expected_ms)
    sustained_ms = _time_runs(operation, device, runs, warm_up=warm_up, watch=watch)[0]
    spaced_ms, result = [], None
    for _ in range(spaced_runs):
        del result
        time.sleep(PAUSE_SECONDS)
        times_ms, result = _time_runs(operation, device, 1, hold=True)
        spaced_ms += times_ms
    return (tuple(sustained_ms), tuple(spaced_ms)), result


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


def matrix_product(device: torch.device, dtype: torch.dtype) -> tuple[Callable[[], object], int]:
    """`torch.mm` of two square matrices that reach the device's rate, and its FLOP."""
    size = _PRODUCT_SIZES[device.type]
    a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
    out = torch.empty_like(a)
    return lambda: torch.mm(a, b, out=out), 2 * size**3


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
        # Queued without waiting, as in training: the device's work hides the host's launches.
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
        result = None  # freed before the next run
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
