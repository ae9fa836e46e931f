"""The modes of the kernels, which torch's global setting chooses."""

import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def deterministic() -> Iterator[None]:
    """Under `torch.use_deterministic_algorithms(True)`; restores what was set."""
    enabled = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(enabled, warn_only=warn_only)


MODES = {"fast": contextlib.nullcontext, "deterministic": deterministic}
"""Context managers by the name of the mode."""
