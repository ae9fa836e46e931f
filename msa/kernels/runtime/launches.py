"""Launches as tests see them: checked against signatures, and on a CPU only recorded.

Where this module is loaded, every launch is checked against its kernel's signature.
"""

import itertools
from typing import NamedTuple

import pytest
import torch

from msa.kernels.runtime import declared, library
from msa.kernels.runtime.declared import DeclaredKernel
from msa.kernels.runtime.library import Kernel
from msa.kernels.runtime.signature import Scratch, Signature

_launch = DeclaredKernel.__call__


def _checked_launch(kernel: DeclaredKernel, device: torch.device, **arguments) -> None:
    kernel.signature.check(arguments)
    _launch(kernel, device, **arguments)


DeclaredKernel.__call__ = _checked_launch


class Launch(NamedTuple):
    """A kernel's launch by its signature."""

    signature: Signature
    arguments: dict[str, torch.Tensor | int]


@pytest.fixture
def launches(monkeypatch) -> list[Launch]:
    """What is launched, checked as on a GPU, in order; operands are on a CPU and no kernel runs.

    The architecture is Hopper, where a test does not set `declared.arch_of`.
    """
    launched = []
    checked = DeclaredKernel.__call__

    def record(kernel: DeclaredKernel, device: torch.device, **arguments) -> None:
        checked(kernel, device, **arguments)
        launched.append(Launch(kernel.signature, arguments))

    monkeypatch.setattr(DeclaredKernel, "__call__", record)
    monkeypatch.setattr(Kernel, "launch", lambda kernel, device, words: None)
    monkeypatch.setattr(declared, "arch_of", lambda device: "sm_90a")
    monkeypatch.setattr(library, "_num_sms_of_gpu", lambda index: 132)
    return launched


def assert_mistakes_are_refused(launch: Launch) -> None:
    """Asserts that a launch is refused where an argument is missing or two that differ swap."""
    signature, arguments = launch
    for name in arguments:
        with pytest.raises(TypeError, match="expected the arguments"):
            signature.words({n: value for n, value in arguments.items() if n != name})
    for one, other in itertools.combinations(arguments, 2):
        swapped = arguments | {one: arguments[other], other: arguments[one]}
        if _differ(signature.arguments, arguments, one, other):
            with pytest.raises((TypeError, ValueError)):
                signature.check(swapped)


def _differ(kinds: dict, arguments: dict, *names: str) -> bool:
    """Whether two arguments can be told apart: tensors of other dtypes or ranks, a tensor and none,
    or scratch at other addresses."""
    values = [arguments[name] for name in names]
    if all(isinstance(value, torch.Tensor) for value in values):
        dtypes = [{kinds[n].dtype, *kinds[n].also} for n in names]
        return values[0].dtype not in dtypes[1] or len(values[0].shape) != len(values[1].shape)
    if all(isinstance(kinds[name], Scratch) for name in names):
        return values[0] != values[1]
    return any(isinstance(value, torch.Tensor) for value in values)
