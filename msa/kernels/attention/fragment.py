"""Accumulator fragments in memory, and the way back from them to rows.

A warp's part of a wgmma accumulator has 16 rows. Of its columns, lane l holds for each i the
columns c = 8i + 2 (l % 4) and c + 1, in rows r = l // 4 and r + 8. *Fragment order* is the order
`[i][l]` of these four values, a *piece* `(r, c), (r, c + 1), (r + 8, c), (r + 8, c + 1)`: what is
added into memory in it leaves registers as it lies there, in 16-byte or 32-byte vectors without
gaps. Pools that only a finalize reads are in fragment order.
"""

import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32
from cutlass.cute import arch

from msa.kernels.device.primitives import BF16_VECTOR, WARP

FRAGMENT_ROWS = 16
_PIECE = 4
_QUAD = 4  # lanes that share a row


def row_of_lane(half: int) -> Int32:
    """The upper row of this lane (`half` 0) or the lower one (1)."""
    return arch.lane_idx() // _QUAD + half * (FRAGMENT_ROWS // 2)


@cute.jit
def load_fragment(first: cute.Pointer, size: cutlass.Constexpr[int]) -> cute.Tensor:
    """This lane's pieces `[4, n]` of the `size` values in fragment order from `first` on."""
    pieces = size // (WARP * _PIECE)
    lanes = cute.make_layout((_PIECE, pieces), stride=(1, WARP * _PIECE))
    memory = cute.make_tensor(first + arch.lane_idx() * _PIECE, lanes)
    values = cute.make_rmem_tensor((_PIECE, pieces), memory.element_type)
    for i in cutlass.range_constexpr(pieces):
        cute.autovec_copy(memory[None, i], values[None, i])
    return values


@cute.jit
def fragment_vectors(values: cute.Tensor, upper: Float32, lower: Float32) -> cute.Tensor:
    """Exchanges the pieces `[4, n]` of a warp for vectors of 8 columns, `[8, n / 4, 2]` in bf16.

    Values of the upper row are multiplied by `upper`, of the lower row by `lower`. Vector
    `[:, k, half]` has the columns `8 (4k + lane % 4)` to 8 more of `row_of_lane(half)`.
    """
    pieces = cute.size(values, mode=[1])
    words = cute.make_rmem_tensor((_QUAD, pieces // _QUAD, 2), Int32)
    pairs = cute.recast_tensor(words, BFloat16)
    for i in cutlass.range_constexpr(pieces):
        for half in cutlass.range_constexpr(2):
            scaled = cute.make_rmem_tensor((2,), Float32)
            for j in cutlass.range_constexpr(2):
                scaled[j] = values[2 * half + j, i].to(Float32) * (lower if half else upper)
            pair = scaled.load().to(BFloat16)
            for j in cutlass.range_constexpr(2):
                pairs[2 * (i % _QUAD) + j, i // _QUAD, half] = pair[j]
    for k in cutlass.range_constexpr(pieces // _QUAD):
        for half in cutlass.range_constexpr(2):
            _transpose_quad(words[None, k, half])
    return pairs


@cute.jit
def _transpose_quad(words: cute.Tensor) -> None:
    """Transposes the 4x4 words of four neighbouring lanes, in two butterfly steps."""
    for distance in (2, 1):
        is_upper = arch.lane_idx() & distance != 0
        for i in cutlass.range_constexpr(_QUAD):
            if cutlass.const_expr(i & distance == 0):
                one, other = words[i], words[i + distance]
                sent = Int32(cutlass.select_(is_upper, one, other))
                received = arch.shuffle_sync_bfly(sent, offset=distance)
                words[i] = Int32(cutlass.select_(is_upper, received, one))
                words[i + distance] = Int32(cutlass.select_(is_upper, other, received))


@cute.jit
def store_vectors(vectors: cute.Tensor, half: cutlass.Constexpr[int], row: cute.Pointer) -> None:
    """Writes this lane's vectors of `row_of_lane(half)`, whose first value is at `row`.

    Four lanes write 64 bytes of a row at a time.
    """
    first = row + arch.lane_idx() % _QUAD * BF16_VECTOR
    for k in cutlass.range_constexpr(cute.size(vectors, mode=[1])):
        target = cute.make_tensor(first + k * _QUAD * BF16_VECTOR, cute.make_layout(BF16_VECTOR))
        cute.autovec_copy(vectors[None, k, half], target)
