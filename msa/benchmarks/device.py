"""The device that is measured: its name, a GPU's clock, and the times of its kernels."""

import contextlib
import dataclasses
import pathlib
import platform
import statistics
from collections.abc import Callable, Iterable
from typing import Any

import pynvml
import torch
from torch.profiler import ProfilerActivity, profile

# All kernels of this repository are called msa_<function>_<number>.
_KERNEL_PREFIX = "msa_"
_PROFILED_RUNS = 3


@dataclasses.dataclass(frozen=True)
class KernelTime:
    """One of the kernels of a row's passes: launches in a run, and their device time in all."""

    name: str
    launches: float
    milliseconds: float


def device_name(device: torch.device) -> str:
    """The model of a GPU, or of the CPU if the system reports it."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


class Clock:
    """Samples a GPU's SM clock, and whether the power limit holds it down, by NVML.

    Raises:
        pynvml.NVMLError: NVML does not know the GPU, does not report its clock, or is not there.
    """

    def __init__(self, nvml: Any, uuid: str):
        self._nvml = nvml
        nvml.nvmlInit()
        self._handle = nvml.nvmlDeviceGetHandleByUUID(f"GPU-{uuid}")
        self._sample()
        self.reset()

    def reset(self) -> None:
        """Forgets the samples."""
        self._mhz: list[int] = []
        self._capped: list[bool] = []

    def __call__(self) -> None:
        """Takes a sample."""
        with contextlib.suppress(pynvml.NVMLError):
            mhz, capped = self._sample()
            self._mhz.append(mhz)
            self._capped.append(capped)

    @property
    def median_mhz(self) -> float | None:
        """Of the samples, None without any."""
        return statistics.median(self._mhz) if self._mhz else None

    @property
    def power_capped(self) -> float | None:
        """Share of the samples at which the power limit held the clock down."""
        return statistics.mean(self._capped) if self._capped else None

    def _sample(self) -> tuple[int, bool]:
        clock = self._nvml.nvmlDeviceGetClockInfo(self._handle, pynvml.NVML_CLOCK_SM)
        reasons = self._nvml.nvmlDeviceGetCurrentClocksEventReasons(self._handle)
        return clock, bool(reasons & pynvml.nvmlClocksEventReasonSwPowerCap)


def open_clock(device: torch.device, nvml: Any = pynvml) -> Clock | None:
    """The clock of a GPU; None on a CPU, and where NVML does not report it."""
    if device.type != "cuda":
        return None
    try:
        return Clock(nvml, str(torch.cuda.get_device_properties(device).uuid))
    except (AttributeError, pynvml.NVMLError):  # a torch without uuid, a machine without NVML
        return None


def profiled(operation: Callable[[], object]) -> list[KernelTime]:
    """Device times of this repository's kernels in a run of `operation` on the current GPU."""
    operation()  # loads the kernels
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(_PROFILED_RUNS):
            operation()
        torch.cuda.synchronize()
    return kernel_times(profiler.key_averages(), _PROFILED_RUNS)


def kernel_times(events: Iterable[Any], runs: int) -> list[KernelTime]:
    """A profile's kernels, the longest first, as averages of `runs` runs."""
    times = (
        KernelTime(event.key, event.count / runs, event.self_device_time_total / 1e3 / runs)
        for event in events
        if event.device_type.name == "CUDA" and _KERNEL_PREFIX in event.key
    )
    return sorted(times, key=lambda kernel: -kernel.milliseconds)
