"""Makes a GPU ready before the first training step."""

import torch

from msa.kernels.runtime import library
from msa.schedule.checks import as_device


def warm_up(device: torch.device | str | int) -> None:
    """Loads every kernel of a GPU, so that no later call on it loads one.

    Otherwise the first call that launches a kernel loads it, and waits for the device: in the first
    forward, and again in the first backward. Nothing is launched here. A
    device without kernels has nothing to load.

    Args:
        device: the GPU, as torch names it: `"cuda"` is the current one.

    Raises:
        TypeError: `device` is not a device, its name or its index.
        ValueError: `device` names no device, or a GPU that is not there.
        RuntimeError: the kernels for the GPU are not there, or do not fit the process or driver.
    """
    device = as_device("device", device)
    if device.type == "cuda":
        count = torch.cuda.device_count()
        if (device.index or 0) >= count:
            raise ValueError(f"device must be one of {count} GPUs, got {device}")
        # With its index, so that the cache of loaded GPUs does not depend on the current one.
        if device.index is None:
            device = torch.device("cuda", torch.cuda.current_device())
    library.load_kernels(device)
