"""The backward of the index loss: unit gradients times the gradient of their sum, in one launch."""

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32, Int64
from cutlass.cute import arch

from msa.kernels.device.primitives import name_kernels, vector
from msa.kernels.index_kl.interface import SCALE
from msa.schedule.topology import INDEX_DIM

SIGNATURE = SCALE
_THREADS = 256
_VECTOR = 8  # bf16 values of a 16-byte access
_STEPS = 4  # vectors of a thread, all loaded before the first is used
_ROWS = _THREADS * _STEPS * _VECTOR // INDEX_DIM  # of a CTA


@cute.kernel
def scaled_gradients(
    unit_q: cute.Pointer,
    unit_k: cute.Pointer,
    factor: cute.Pointer,
    grad_q: cute.Pointer,
    grad_k: cute.Pointer,
    groups: Int32,
    tokens: Int32,
):
    """A CTA to some rows, first of queries and groups, then of keys."""
    by = vector(factor)[0]
    cta = arch.block_idx()[0]
    query_ctas = cute.ceil_div(tokens * groups, _ROWS)
    if cta < query_ctas:
        _scale(unit_q, grad_q, by, cta, tokens * groups)
    else:
        _scale(unit_k, grad_k, by, cta - query_ctas, tokens)


@cute.jit
def _scale(
    unit: cute.Pointer, grad: cute.Pointer, factor: Float32, place: Int32, rows: Int32
) -> None:
    """Scales the rows of one CTA; where the factor is 0 they are 0, not 0 * inf."""
    first = Int64(place) * (_ROWS * INDEX_DIM) + arch.thread_idx()[0] * _VECTOR
    end = Int64(rows) * INDEX_DIM
    values = cute.make_rmem_tensor((_VECTOR, _STEPS), BFloat16)
    for step in cutlass.range_constexpr(_STEPS):
        at = first + step * (_THREADS * _VECTOR)
        if at < end:
            cute.autovec_copy(_words(unit + at), values[None, step])
    for step in cutlass.range_constexpr(_STEPS):
        at = first + step * (_THREADS * _VECTOR)
        if at < end:
            for i in cutlass.range_constexpr(_VECTOR):
                product = values[i, step].to(Float32) * factor
                product = Float32(cutlass.select_(factor == 0, Float32(0), product))
                values[i, step] = product.to(BFloat16)
            cute.autovec_copy(values[None, step], _words(grad + at))


def _words(pointer: cute.Pointer) -> cute.Tensor:
    """A vector, read or written at a time."""
    return cute.make_tensor(pointer.align(2 * _VECTOR), cute.make_layout(_VECTOR))


name_kernels(scaled_gradients)


@cute.jit
def launch(
    unit_q: cute.Pointer,
    unit_k: cute.Pointer,
    factor: cute.Pointer,
    grad_q: cute.Pointer,
    grad_k: cute.Pointer,
    groups: Int32,
    tokens: Int32,
    stream: cuda.CUstream,
):
    """Writes the gradients; arguments are those of `SIGNATURE`."""
    ctas = cute.ceil_div(tokens * groups, _ROWS) + cute.ceil_div(tokens, _ROWS)
    scaled_gradients(unit_q, unit_k, factor, grad_q, grad_k, groups, tokens).launch(
        grid=[ctas, 1, 1], block=[_THREADS, 1, 1], stream=stream
    )
