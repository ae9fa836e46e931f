"""Device functions that the selection kernels of all architectures have in common."""

from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64
from cutlass.cute import arch

from msa.kernels.common.attention import View
from msa.kernels.selection.interface import CONTROL_FIELDS, STRIDE_UNIT, TILE_FIELDS
from msa.schedule.topology import BLOCK_SIZE, INDEX_DIM, TOPK_BLOCKS

NO_SCORE = -(2**31)
"""Score of an entry of a list that holds no block: below every score, that of -inf among them."""
NO_BLOCK = 0xFFFFFF
"""Its id: above all ids."""
FORCED = 2**31 - 1
"""Score of a forced block: above every score."""
_INFINITY = 0x7F800000


# Scores.


def choose(condition, a, b) -> Int32:
    """One of two integers, without a branch."""
    return Int32(cutlass.select_(condition, a, b))


def choose_float(condition, a, b) -> Float32:
    """One of two floats, without a branch."""
    return Float32(cutlass.select_(condition, a, b))


def maximum(a: Float32, b: Float32) -> Float32:
    """The greater, or NaN if one is."""
    return arch.fmax(a, b, nan=True)


def ordered(score: Float32) -> Int32:
    """An integer that ranks as a score does: -0 as 0, NaN as inf."""
    zero = arch.inline_ptx(
        "add.rn.f32 {$w0}, {$r0}, 0f00000000;", write_only_types=[Float32], read_only_args=[score]
    )
    bits = zero.bitcast(Int32)
    return cutlass.min(bits ^ ((bits >> 31) & 0x7FFFFFFF), Int32(_INFINITY))


# Tiles.


class Work(NamedTuple):
    """What a kernel selects for: see `SELECT`."""

    tiles: cute.Pointer
    control: cute.Pointer
    tokens: Int32
    heads: Int32
    init_blocks: Int32
    local_blocks: Int32

    @property
    def count(self) -> Int32:
        """How many tiles there are."""
        return _words(self.control, 0, CONTROL_FIELDS)[0]

    @property
    def rows(self) -> Int32:
        """Rows of a tile."""
        return _words(self.control, 0, CONTROL_FIELDS)[1]

    @property
    def head_bits(self) -> Int32:
        """Of the number of a head: there are a power of two."""
        return Int32(arch.popc(self.heads - 1))


class Tile(NamedTuple):
    """Queries of all heads, and the blocks that are scored for them.

    Attributes:
        query_row: compact row of the first query.
        key_row: compact row of the document's first key.
        position: of the first query in the document.
        queries: how many there are.
        blocks: how many are scored, from `init_blocks` on; the first queries may see fewer.
    """

    query_row: Int32
    key_row: Int32
    position: Int32
    queries: Int32
    blocks: Int32


def tile_index(turn: Int32) -> Int32:
    """The tile of this CTA's turn: in a snake over the CTAs, since heavy tiles come first."""
    ctas, cta, _ = arch.grid_dim()[0], arch.block_idx()[0], 0
    return turn * ctas + choose(turn % 2 == 0, cta, ctas - 1 - cta)


@cute.jit
def read_tile(work: Work, index: Int32) -> Tile:
    """A tile that there is."""
    fields = cute.make_rmem_tensor(TILE_FIELDS, Int32)
    cute.autovec_copy(_words(work.tiles, Int64(index) * TILE_FIELDS, TILE_FIELDS), fields)
    query_row, key_row, position, queries = (fields[i] for i in range(TILE_FIELDS))
    last = (position + queries - 1) // BLOCK_SIZE
    blocks = last + 1 - work.init_blocks - work.local_blocks
    return Tile(query_row, key_row, position, queries, blocks)


def _words(pointer: cute.Pointer, at, count: int) -> cute.Tensor:
    return cute.make_tensor((pointer + at).align(4 * count), cute.make_layout(count))


# Lists.


@cute.jit
def initial_entry(work: Work, own: Int32, entry: Int32) -> tuple:
    """Score and id of an entry of a list that has seen no block: the forced ones come first."""
    forced = work.init_blocks + work.local_blocks
    block = choose(entry < work.init_blocks, entry, own + work.init_blocks - entry)
    return (
        choose(entry < forced, FORCED, NO_SCORE),
        choose(entry < forced, block, NO_BLOCK),
    )


def support_row(support: cute.Pointer, work: Work, head: Int32, row: Int32) -> cute.Tensor:
    """The 16 ids of a query, by its compact row."""
    at = (Int64(head) * work.tokens + row) * TOPK_BLOCKS
    return cute.make_tensor((support + at).align(16), cute.make_layout(TOPK_BLOCKS))


# Keys.


def keys_layout(tokens: Int32, stride: Int32) -> cute.Layout:
    """`[keys, channels]`; the stride counts 16 bytes."""
    return cute.make_layout(
        (tokens, INDEX_DIM), stride=(cute.assume(Int64(stride) * STRIDE_UNIT, STRIDE_UNIT), 1)
    )


def keys_from(keys: View, row: Int32) -> cute.Tensor:
    """The coordinates of 128 keys from a row on; those behind the last are read as zeros."""
    return cute.local_tile(
        cute.domain_offset((row, 0), keys.tensor), (BLOCK_SIZE, INDEX_DIM), (0, 0)
    )
