"""Makes a GPU ready before the first training step."""

import torch

from msa.kernels import library
from msa.schedule.checks import as_device


def warm_up(device: torch.device | str | int) -> None:
    """Loads every kernel of a GPU, so that no later call on it loads one.

    A kernel is otherwise loaded by the first call that launches it, which then waits for what the
    device does: in the first forward, and again in the first backward. Nothing is launched here. A
    device without kernels has nothing to load.

    Args:
        device: the GPU, as torch names it: `"cuda"` is the current one.

    Raises:
        TypeError: `device` is not a device, its name or its index.
        ValueError: `device` names no device.
        RuntimeError: the kernels for the GPU are not there, or do not fit the process or driver.
    """
    library.load_kernels(as_device("device", device))
