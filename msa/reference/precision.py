"""The precision of the reference operators, and the torch modes that they switch off."""

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

import torch

_P = ParamSpec("_P")
_R = TypeVar("_R")


def accumulation_dtype(dtype: torch.dtype) -> torch.dtype:
    """dtype of sums and softmax statistics for inputs of `dtype`: FP64 for FP64, else FP32."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def below_autograd_and_autocast(
    operator: Callable[Concatenate[torch.Tensor, _P], _R],
) -> Callable[Concatenate[torch.Tensor, _P], _R]:
    """Runs `operator`, whose first argument is a tensor, without autograd and autocast.

    As in a kernel, no graph is recorded, and FP32 copies of bf16 inputs stay FP32 under autocast.
    """

    @functools.wraps(operator)
    def wrapped(operand: torch.Tensor, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with torch.no_grad(), torch.autocast(operand.device.type, enabled=False):
            return operator(operand, *args, **kwargs)

    return wrapped
