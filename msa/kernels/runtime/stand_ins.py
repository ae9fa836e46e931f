"""A signature at compile time: stand-ins for its arguments, and what the host function must be."""

import inspect
from collections.abc import Callable

import cuda.bindings.driver as cuda
import cutlass.cute as cute
import torch
from cutlass import BFloat16, Float32, Int32, Int64
from cutlass.cute.runtime import make_fake_stream, make_ptr

from msa.kernels.runtime.signature import VECTOR_BYTES, Array, Integer, Signature

_DTYPES = {
    torch.bfloat16: BFloat16,
    torch.float32: Float32,
    torch.int32: Int32,
    torch.int64: Int64,
}
_ADDRESS = 256  # any that is aligned


def stand_ins(signature: Signature) -> list:
    """What a host function of this signature is compiled with."""
    return [_stand_in(kind) for kind in signature.arguments.values()] + [make_fake_stream()]


def _stand_in(kind):
    if isinstance(kind, Integer):
        return Int32(1)
    alignment = kind.alignment if isinstance(kind, Array) else VECTOR_BYTES
    return make_ptr(_DTYPES[kind.dtype], _ADDRESS, cute.AddressSpace.gmem, assumed_align=alignment)


def check_host_function(function: Callable, signature: Signature) -> None:
    """Checks that a host function takes what its signature says.

    Raises:
        TypeError: names, their order or types differ; with both lists.
    """
    expected = {
        name: Int32 if isinstance(kind, Integer) else cute.Pointer
        for name, kind in signature.arguments.items()
    }
    expected["stream"] = cuda.CUstream
    parameters = inspect.signature(function).parameters
    got = {name: parameter.annotation for name, parameter in parameters.items()}
    if list(got.items()) != list(expected.items()):
        raise TypeError(f"must take {_text(expected)}, as its signature says, takes {_text(got)}")


def _text(parameters: dict) -> str:
    return "(" + ", ".join(f"{n}: {getattr(t, '__name__', t)}" for n, t in parameters.items()) + ")"
