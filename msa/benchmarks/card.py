"""The clock of a GPU and whether its power limit holds it down, read while it works.

By NVML, a library that comes with the driver; torch reads it only through a package of its own.
"""

import contextlib
import ctypes
import statistics
from typing import NamedTuple

import torch

_LIBRARY = "libnvidia-ml.so.1"
# nvmlClockType_t's SM domain, and a bit of the reasons why a clock is below its highest.
_SM_CLOCK = 1
_SW_POWER_CAP = 0x4


class CardUse(NamedTuple):
    """A card at work, by some samples.

    Attributes:
        sm_mhz: median SM clock.
        power_capped: share of the samples at which the power limit held the clock down.
    """

    sm_mhz: float
    power_capped: float


class Card:
    """A GPU as NVML sees it."""

    def __init__(self, library: ctypes.CDLL, uuid: str):
        """Finds the GPU.

        Raises:
            OSError: NVML does not know it, or does not run.
        """
        self._library = library
        self._handle = ctypes.c_void_p()
        self._call("nvmlInit_v2")
        name = f"GPU-{uuid}".encode()
        self._call("nvmlDeviceGetHandleByUUID", name, ctypes.byref(self._handle))

    def sample(self) -> tuple[int, bool]:
        """The SM clock in MHz, and whether the power limit holds it down.

        Raises:
            OSError: NVML does not tell.
        """
        clock, reasons = ctypes.c_uint(), ctypes.c_ulonglong()
        self._call("nvmlDeviceGetClockInfo", self._handle, _SM_CLOCK, ctypes.byref(clock))
        self._call("nvmlDeviceGetCurrentClocksEventReasons", self._handle, ctypes.byref(reasons))
        return clock.value, bool(reasons.value & _SW_POWER_CAP)

    def _call(self, name: str, *arguments) -> None:
        function = getattr(self._library, name, None)
        status = function(*arguments) if function else "not there"
        if status != 0:
            raise OSError(f"{name}: {status}")


class CardWatch:
    """Collects samples of a card; with none, where there is no card to read."""

    def __init__(self, card: Card | None):
        self._card = card
        self._samples: list[tuple[int, bool]] = []

    def __call__(self) -> None:
        """Takes a sample."""
        if self._card is not None:
            with contextlib.suppress(OSError):
                self._samples.append(self._card.sample())

    @property
    def use(self) -> CardUse | None:
        """What the samples say, None without any."""
        if not self._samples:
            return None
        clocks, capped = zip(*self._samples, strict=True)
        return CardUse(statistics.median(clocks), sum(capped) / len(capped))


def open_card(device: torch.device) -> Card | None:
    """The card of a device, None where NVML does not tell of one."""
    if device.type != "cuda":
        return None
    try:
        uuid = str(torch.cuda.get_device_properties(device).uuid)
        card = Card(ctypes.CDLL(_LIBRARY), uuid)
        card.sample()
    except (AttributeError, OSError):  # a torch without uuid, a machine without NVML
        return None
    return card
