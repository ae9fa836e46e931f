"""How gradients of the index branch are added: scales of fixed point, and the pools' rows."""

import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32
from cutlass.cute import arch

from msa.kernels.device.primitives import vector
from msa.kernels.index_kl.chunk import bits_float, float_bits
from msa.kernels.index_kl.interface import BOUNDS

_MANTISSA_BITS = 23
_BIAS = 127


@cute.jit
def gradient_scales(bounds: cute.Pointer, cu_seqlens: cute.Pointer, document: Int32, groups: Int32):
    """Powers of two in whose inverse units a document's gradients of queries and of keys are added.

    A query's divergence has the gradient `P_idx - P̄`, of which the sizes add up to 2 at most, so
    its own gradient is at most twice the largest magnitude in the document's keys: below 2^31
    units. That of a key is at most the largest in its queries, of all of them and all heads: 2^62
    units. Rounding to bf16 takes less than the bit that is left.
    """
    largest_key, largest_query = (vector(bounds)[BOUNDS * document + i] for i in range(2))
    offsets = vector(cu_seqlens)
    rows = (offsets[document + 1] - offsets[document]) * groups
    rows_bits = Int32(32) - Int32(arch.clz(rows))
    # A magnitude is below 2^(exponent - 126).
    query_exponent = 29 + 126 - (largest_key >> _MANTISSA_BITS)
    key_exponent = 61 + 126 - (largest_query >> _MANTISSA_BITS) - rows_bits
    return _power(query_exponent), _power(key_exponent)


def _power(exponent: Int32) -> Float32:
    """A power of two that has a normal inverse."""
    biased = cutlass.min(cutlass.max(exponent + _BIAS, 1), 2 * _BIAS - 1)
    return bits_float(biased << _MANTISSA_BITS)


def inverse(power: Float32) -> Float32:
    """One over a power of two."""
    return bits_float((2 * _BIAS << _MANTISSA_BITS) - float_bits(power))
