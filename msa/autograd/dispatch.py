"""Chooses for each operator, architecture and dtype between a kernel and plain torch.

Each public function has two operators. The default one, of the same name, runs in plain torch on a
CPU and the kernel of the table below on a GPU. The other one, `<name>_reference`, runs in plain
torch on any device; since it reads the schedule on the host, it is tagged
`torch.Tag.cudagraph_unsafe` (a tag applies to an operator for all dtypes, so there are two). The
public function calls it, with a warning, if a GPU has no kernel for the operands, or if `backend`
asks for it. Backward operators come in the same pairs, so that a backward runs like its forward. An
operator of the schedule reads nothing on the host and needs no second one.
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
from msa.kernels.runtime.declared import DeclaredKernel
from msa.kernels.runtime.library import arch_of
from msa.kernels.schedule import plan as schedule
from msa.kernels.selection import plan as selection
from msa.schedule.backward_schedule import ScheduleTensors, build_schedule_tensors
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
    """Chooses what runs the operators called inside, in all threads; for debugging.

    `with msa.backend("reference"):` runs them in plain torch, those of the schedule too. The
    backward of a forward runs as the forward did, wherever it is called. The environment variable
    `MSA_BACKEND`, read when `msa.autograd` loads, sets the default.

    Args:
        name: "reference", or "auto": kernels, if there are any for the operands.

    Raises:
        TypeError: `name` is not a str.
        ValueError: `name` is another str.
    """
    global _backend
    outer, _backend = _backend, _known_backend("backend", name)
    try:
        yield
    finally:
        _backend = outer


def flat(run: Callable) -> Callable:
    """Turns `run(*operands, schedule)` into one of the operands and schedule tensors."""

    def flattened(*arguments):
        operands, fields = arguments[:-NUM_FIELDS], arguments[-NUM_FIELDS:]
        return run(*operands, ScheduleTensors(*fields))

    return flattened


NUM_FIELDS = len(ScheduleTensors._fields)
"""How many tensors of a schedule an operator takes, after its operands."""

SCHEDULE_SCHEMA = ", ".join(f"Tensor {name}" for name in ScheduleTensors._fields)
"""These tensors in an operator's schema."""

NO_SCHEDULE_GRADS = (None,) * NUM_FIELDS
"""Their gradients."""


class _Kernels(NamedTuple):
    """The kernels of an operator.

    Attributes:
        run: their function of the operator's arguments.
        kernel: the one of them by whose architectures they run.
        dtype: of the operator's first argument.
    """

    run: Callable
    kernel: DeclaredKernel
    dtype: torch.dtype


_KERNELS = {
    "select_blocks": _Kernels(selection.select_blocks, selection.SELECT, torch.bfloat16),
    "build_backward_schedule": _Kernels(
        schedule.build_schedule_tensors, schedule.CSR_BUILD, torch.int32
    ),
    "build_task_tables": _Kernels(schedule.build_task_tables, schedule.TASK_BUILD, torch.int32),
    "sparse_attention": _Kernels(
        flat(attention.attention_forward), attention.FORWARD, torch.bfloat16
    ),
    "sparse_attention_backward": _Kernels(
        flat(attention.attention_backward), attention.GRAD_FINALIZE, torch.bfloat16
    ),
    "index_kl_loss": _Kernels(flat(index_kl.index_kl), index_kl.INDEX_KL, torch.bfloat16),
    "index_kl_loss_backward": _Kernels(
        index_kl.scale_unit_gradients, index_kl.INDEX_KL, torch.bfloat16
    ),
    "dense_index_kl_loss": _Kernels(index_kl.dense_index_kl, index_kl.INDEX_KL, torch.bfloat16),
    "dense_index_kl_loss_backward": _Kernels(
        index_kl.scale_unit_gradients, index_kl.INDEX_KL, torch.bfloat16
    ),
}
"""By operator; one that is not here has none."""


@functools.cache
def _no_kernel(name: str, device: torch.device, dtype: torch.dtype) -> str:
    """Why operator `name` has no kernel for a first argument of `dtype` on `device`, or ""."""
    if name not in _KERNELS:
        return "it has no kernels yet"
    kernels = _KERNELS[name]
    if device.type != "cuda":
        return f"its kernels are for CUDA devices, got {device}"
    archs = kernels.kernel.sources
    if arch_of(device) not in archs:
        version = ".".join(map(str, torch.cuda.get_device_capability(device)))
        return (
            f"its kernels are for {', '.join(archs)}, got {device}, "
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
        stacklevel=7,  # at the caller of the public function
    )


def _constant_in_graphs(function: Callable) -> Callable:
    """Marks a function as `torch.compiler.assume_constant_result` does.

    The original imports torch._dynamo, as much code as torch itself, even in programs that compile
    nothing.
    """
    function._dynamo_marked_constant = True
    return function


# A device and a dtype are constants of a compiled graph. The backend is not: it is a guard.
@_constant_in_graphs
def _falls_back(name: str, device: torch.device, dtype: torch.dtype) -> bool:
    """Whether a call on `device` runs in plain torch for lack of a kernel; warns once if so."""
    if device.type in ("cpu", "meta"):
        return False
    if device.type == "cuda" and not torch.cuda.is_available():
        return False  # traced for a GPU that is not here
    reason = _no_kernel(name, device, dtype)
    if reason:
        _warn(name, reason)
    return bool(reason)


def _in_plain_torch(name: str, operand: torch.Tensor) -> bool:
    """Whether a call with the first argument `operand` runs in plain torch where it may choose."""
    return _backend == "reference" or _falls_back(name, operand.device, operand.dtype)


def _run_kernels(name: str, *arguments):
    """Runs operator `name` by its kernels."""
    reason = _no_kernel(name, arguments[0].device, arguments[0].dtype)
    if reason:
        raise RuntimeError(
            f"msa::{name} cannot run: {reason}; call the public function, which chooses the "
            f"operator, or msa::{name}_reference"
        )
    return _KERNELS[name].run(*arguments)


_LIBRARY = torch.library.Library("msa", "FRAGMENT")


class Operators(NamedTuple):
    """The two operators of a function."""

    name: str
    default: torch._ops.OpOverload
    reference: torch._ops.OpOverload

    def of(self, operand: torch.Tensor) -> torch._ops.OpOverload:
        """The one that runs where the first argument of the forward is `operand`."""
        return self.reference if _in_plain_torch(self.name, operand) else self.default


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
    on_gpu = functools.partial(_run_kernels, name)
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
        run_derivative = functools.partial(_without_recording, derivative)
        _register_autograd(operator, setup, functools.partial(grads, run_derivative))
        _register_autograd(derivative, lambda *_: None, no_second_derivative)


def _without_recording(operator: torch._ops.OpOverload, *arguments):
    """Calls an operator, without a detour by its autograd kernel where no graph is recorded."""
    if torch.is_grad_enabled():  # for a second derivative, which that refuses
        return operator(*arguments)
    with torch._C._AutoDispatchBelowAutograd():
        return operator(*arguments)


def _register_autograd(operator: torch._ops.OpOverload, setup: Callable, grads: Callable) -> None:
    """As `torch.library.register_autograd`, for an operator whose arguments have no defaults.

    The original looks for defaults in each call that records a graph: 30 microseconds on the host.
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
    # The class's name becomes that of the nodes in the graph.
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


def _choose_on_gpu(name: str, reference: Callable) -> None:
    """Lets a schedule's operator, which is one, choose on a GPU whenever it runs."""

    def on_gpu(*arguments):
        if _in_plain_torch(name, arguments[0]):
            return reference(*arguments)
        return _run_kernels(name, *arguments)

    _LIBRARY.impl(name, on_gpu, "CUDA")


_choose_on_gpu("build_backward_schedule", build_schedule_tensors)
_choose_on_gpu("build_task_tables", build_table_tensors)
