"""The modes of the attention kernels, which torch's global setting chooses."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TypeVar

import torch

_R = TypeVar("_R")


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


def in_mode(
    mode: Callable[[], contextlib.AbstractContextManager], operation: Callable[..., _R]
) -> Callable[..., _R]:
    """The operation, run in a mode."""

    def run(*arguments) -> _R:
        with mode():
            return operation(*arguments)

    return run
