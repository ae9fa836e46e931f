"""Which operator runs which kernel on which architecture and dtype, or in plain torch.

A public function is two operators. The default one has its name: on a CPU it runs in plain torch,
on a GPU the kernel of the table below. The other one, `<name>_reference`, runs in plain torch
wherever its operands are; it reads the schedule on the host, so it carries
`torch.Tag.cudagraph_unsafe`, which is an operator's and not a dtype's. The public function takes
the second where a GPU has no kernel for the operands, which a warning says, and where `backend`
asks for it. Operators of the backward come in the same pairs, so that a backward runs as its
forward did. The operators of the schedule read nothing on the host and are one each.
"""

import contextlib
import functools
import os
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch

from msa.kernels.attention import plan as attention
from msa.kernels.index_kl import plan as index_kl
from msa.kernels.runtime.library import arch_of
from msa.kernels.schedule import plan as launch
from msa.kernels.selection import plan as selection
from msa.schedule.backward_schedule import (
    MSABackwardSchedule,
    build_schedule_tensors,
)
from msa.schedule.task_tables import build_table_tensors


class MsaFallbackWarning(UserWarning):
    """A GPU runs an operator in plain torch, up to a thousand times slower than a kernel."""


_BACKENDS = ("auto", "reference")


def _known_backend(source: str, name: str) -> str:
    choices = " or ".join(map(repr, _BACKENDS))
    if not isinstance(name, str):
        raise TypeError(f"{source} must be {choices}, got {type(name).__name__}")
    if name not in _BACKENDS:
        raise ValueError(f"{source} must be {choices}, got {name!r}")
    return name


_backend = _known_backend("MSA_BACKEND", os.environ.get("MSA_BACKEND", "auto"))


@contextlib.contextmanager
def backend(name: str) -> Iterator[None]:
    """Says what runs the operators that are called inside, in all threads: for debugging.

    `with msa.backend("reference"):` runs them in plain torch, those of the schedule too. The
    backward of a forward runs as the forward did, wherever it is called. The environment variable
    `MSA_BACKEND`, read when `msa.autograd` loads, says what runs them elsewhere.

    Args:
        name: "reference", or "auto": kernels where there are some for the operands.

    Raises:
        TypeError: `name` is not a str.
        ValueError: `name` is another one.
    """
    global _backend
    outer, _backend = _backend, _known_backend("backend", name)
    try:
        yield
    finally:
        _backend = outer


def flat(run: Callable) -> Callable:
    """`run(*operands, schedule)` as an operator is called, with the schedule's tensors last."""

    def flattened(*arguments):
        operands, fields = arguments[:-NUM_FIELDS], arguments[-NUM_FIELDS:]
        return run(*operands, MSABackwardSchedule(*fields))

    return flattened


NUM_FIELDS = len(MSABackwardSchedule.__dataclass_fields__)
"""How many tensors of a schedule an operator takes, behind its operands."""

SCHEDULE_SCHEMA = ", ".join(f"Tensor {name}" for name in MSABackwardSchedule.__dataclass_fields__)
"""These tensors in an operator's schema."""

NO_SCHEDULE_GRADS = (None,) * NUM_FIELDS
"""Their gradients."""


class _Kernels(NamedTuple):
    """The kernels of an operator.

    Attributes:
        run: their function of the operator's arguments.
        dtype: of its first argument.
        archs: the architectures that they are compiled for.
    """

    run: Callable
    dtype: torch.dtype
    archs: tuple[str, ...]


_EVERY_ARCH = ("sm_90a", "sm_100a", "sm_103a")

_KERNELS = {
    "select_blocks": _Kernels(
        selection.select_blocks, torch.bfloat16, tuple(selection.SELECT.sources)
    ),
    "build_backward_schedule": _Kernels(launch.build_schedule_tensors, torch.int32, _EVERY_ARCH),
    "build_task_tables": _Kernels(launch.build_task_tables, torch.int32, _EVERY_ARCH),
    "sparse_attention": _Kernels(flat(attention.attention_forward), torch.bfloat16, _EVERY_ARCH),
    "sparse_attention_backward": _Kernels(
        flat(attention.attention_backward), torch.bfloat16, _EVERY_ARCH
    ),
    "index_kl_loss": _Kernels(
        flat(index_kl.index_kl), torch.bfloat16, tuple(index_kl.INDEX_KL.sources)
    ),
    "index_kl_loss_backward": _Kernels(index_kl.scale_unit_gradients, torch.bfloat16, _EVERY_ARCH),
    "dense_index_kl_loss": _Kernels(
        index_kl.dense_index_kl, torch.bfloat16, tuple(index_kl.INDEX_KL.sources)
    ),
    "dense_index_kl_loss_backward": _Kernels(
        index_kl.scale_unit_gradients, torch.bfloat16, _EVERY_ARCH
    ),
}


@functools.cache
def _no_kernel(name: str, device: torch.device, dtype: torch.dtype) -> str:
    """Why operator `name` has no kernel for a first argument of `dtype` on `device`; "" if so."""
    if name not in _KERNELS:
        return "it has no kernels yet"
    kernels = _KERNELS[name]
    if device.type != "cuda":
        return f"its kernels are for CUDA devices, got {device}"
    if arch_of(device) not in kernels.archs:
        version = ".".join(map(str, torch.cuda.get_device_capability(device)))
        return (
            f"its kernels are for {', '.join(kernels.archs)}, got {device}, "
            f"{torch.cuda.get_device_name(device)} (compute capability {version})"
        )
    if dtype != kernels.dtype:
        return f"its kernels take {kernels.dtype}, got {dtype}"
    return ""


@functools.cache
def _warn(name: str, reason: str) -> None:
    warnings.warn(
        f"{name} runs in plain torch on a GPU, up to a thousand times slower: {reason}",
        MsaFallbackWarning,
        stacklevel=5,
    )


def _constant_in_graphs(function: Callable) -> Callable:
    """Marks a function as `torch.compiler.assume_constant_result` does.

    That one imports torch._dynamo, as much code as torch itself, in programs that compile nothing.
    """
    function._dynamo_marked_constant = True
    return function


# A device and a dtype are constants of a compiled graph. The backend is not: it is a guard.
@_constant_in_graphs
def _falls_back(name: str, device: torch.device, dtype: torch.dtype) -> bool:
    """Whether a call on `device` runs in plain torch for want of a kernel; warns once if so."""
    if device.type in ("cpu", "meta"):
        return False
    if device.type == "cuda" and not torch.cuda.is_available():
        return False  # traced for a GPU that is not here
    reason = _no_kernel(name, device, dtype)
    if reason:
        _warn(name, reason)
    return bool(reason)


_LIBRARY = torch.library.Library("msa", "FRAGMENT")


class Operators(NamedTuple):
    """The two operators of a function."""

    name: str
    default: torch._ops.OpOverload
    reference: torch._ops.OpOverload

    def of(self, operand: torch.Tensor) -> torch._ops.OpOverload:
        """The one that runs where the first argument of the forward is `operand`."""
        if _backend == "reference" or _falls_back(self.name, operand.device, operand.dtype):
            return self.reference
        return self.default


def define(name: str, schema: str, reference: Callable, fake: Callable) -> Operators:
    """Registers `msa::<name>` and `msa::<name>_reference`.

    With `torch.library.Library`, not `custom_op`, whose calls cost the host three times as much: 40
    instead of 12 microseconds, or 60 where an operand requires a gradient.

    Args:
        name: of the default operator.
        schema: of both, from the first parenthesis on.
        reference: the operator in plain torch.
        fake: its fake implementation.
    """

    def on_gpu(*arguments):
        reason = _no_kernel(name, arguments[0].device, arguments[0].dtype)
        if reason:
            raise RuntimeError(
                f"msa::{name} cannot run: {reason}; call the public function, which chooses the "
                f"operator, or msa::{name}_reference"
            )
        return _KERNELS[name].run(*arguments)

    default = _register(name, schema, fake, CPU=reference, CUDA=on_gpu)
    plain = _register(
        f"{name}_reference",
        schema,
        fake,
        torch.Tag.cudagraph_unsafe,
        CompositeExplicitAutograd=reference,
    )
    return Operators(name, default, plain)


def _register(
    name: str, schema: str, fake: Callable, *tags: torch.Tag, **implementations: Callable
) -> torch._ops.OpOverload:
    """Registers one operator; `implementations` by their dispatch keys."""
    _LIBRARY.define(name + schema, tags=(torch.Tag.pt2_compliant_tag, *tags))
    for key, implementation in implementations.items():
        _LIBRARY.impl(name, implementation, key)
    torch.library.register_fake(f"msa::{name}", fake, lib=_LIBRARY)
    return getattr(torch.ops.msa, name).default


def differentiate(
    forward: Operators, backward: Operators, setup: Callable, grads: Callable
) -> None:
    """Registers each operator of `backward` as the derivative of that of `forward`.

    Args:
        forward: operators.
        backward: operators, which have no derivative themselves.
        setup: saves what the backward takes, `setup(ctx, inputs, output)`.
        grads: `grads(backward, ctx, *output_grads)`, the gradients of all inputs.
    """

    def no_second_derivative(ctx, *_):
        raise RuntimeError(
            f"{forward.name} is differentiable once: its backward has no second derivative"
        )

    pairs = ((forward.default, backward.default), (forward.reference, backward.reference))
    for operator, derivative in pairs:
        _register_autograd(operator, setup, functools.partial(grads, derivative))
        _register_autograd(derivative, lambda *_: None, no_second_derivative)


def _register_autograd(operator: torch._ops.OpOverload, setup: Callable, grads: Callable) -> None:
    """As `torch.library.register_autograd`, of an operator whose arguments have no defaults.

    That one looks for defaults in each call that records a graph, for 30 microseconds of the host.
    """

    def run(keyset, *arguments):
        with torch._C._AutoDispatchBelowAutograd():
            return operator.redispatch(keyset & torch._C._after_autograd_keyset, *arguments)

    def forward(ctx, keyset, *arguments):
        output = run(keyset, *arguments)
        setup(ctx, arguments, output)
        return output

    def backward(ctx, *output_grads):
        return None, *grads(ctx, *output_grads)

    name = operator._schema.name.partition("::")[2]
    # The nodes of the graph are called after it.
    function = type(
        f"msa_{name}",
        (torch.autograd.Function,),
        {"forward": staticmethod(forward), "backward": staticmethod(backward)},
    )

    def record(keyset, *arguments):
        if torch.is_grad_enabled() and torch._C._any_requires_grad(*arguments):
            return function.apply(keyset, *arguments)
        return run(keyset, *arguments)

    _LIBRARY.impl(name, record, "Autograd", with_keyset=True)


def _schedule_operator(name: str, reference: Callable) -> None:
    """Puts the kernel of a schedule's operator behind it, on a GPU that has one."""

    def on_gpu(first, *rest):
        if _backend == "reference" or _falls_back(name, first.device, first.dtype):
            return reference(first, *rest)
        return _KERNELS[name].run(first, *rest)

    _LIBRARY.impl(name, on_gpu, "CUDA")


_schedule_operator("build_backward_schedule", build_schedule_tensors)
_schedule_operator("build_task_tables", build_table_tensors)
