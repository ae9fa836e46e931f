"""Device functions that the selection kernels of all architectures have in common."""

from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64
from cutlass.cute import arch

from msa.kernels.device.instructions import ordered_bits
from msa.kernels.device.tiles import View
from msa.kernels.selection.interface import STRIDE_UNIT, TILE_FIELDS
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
    return cutlass.min(ordered_bits(bits), Int32(_INFINITY))


# Tiles.


class Work(NamedTuple):
    """What a kernel selects for: see `SIGNATURE`."""

    tiles: cute.Pointer
    tokens: Int32
    heads: Int32
    init_blocks: Int32
    local_blocks: Int32

    @property
    def count(self) -> Int32:
        """How many tiles there are."""
        return _words(self.tiles, 0, TILE_FIELDS)[0]

    @property
    def rows(self) -> Int32:
        """Rows of a tile."""
        return _words(self.tiles, 0, TILE_FIELDS)[1]

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
    ctas, cta = arch.grid_dim()[0], arch.block_idx()[0]
    return turn * ctas + choose(turn % 2 == 0, cta, ctas - 1 - cta)


@cute.jit
def read_tile(work: Work, index: Int32) -> Tile:
    """A tile that there is."""
    fields = cute.make_rmem_tensor(TILE_FIELDS, Int32)
    cute.autovec_copy(_words(work.tiles, Int64(1 + index) * TILE_FIELDS, TILE_FIELDS), fields)
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


def insert(
    scores: cute.Tensor, ids: cute.Tensor, score: Int32, block: Int32, key: Int32, mark: int = 0
) -> tuple:
    """Puts a score and its id into a descending list, before all scores below `key`.

    A predicated select moves an entry by one, or puts the new one there, or leaves it: with the
    compare 3 instructions an entry, where the compiler has 5 for a maximum and a minimum.

    Returns:
        Score and id that leave the list; the id with the bits of `mark` if they were in it.
    """
    n = cute.size(scores)
    score_in, id_in, key_in = (f"{{$r{2 * n + i}}}" for i in range(3))
    text = [f".reg .pred p<{n}>; .reg .b32 s<{n}>, d<{n}>, s_out, d_out, marked;"]
    for i in range(n):
        text.append(f"mov.b32 s{i}, {{$r{i}}}; mov.b32 d{i}, {{$r{n + i}}};")
        text.append(f"setp.gt.s32 p{i}, {key_in}, s{i};")
    last = n - 1
    text.append(f"or.b32 marked, d{last}, {mark};")
    text.append(f"selp.b32 s_out, s{last}, {score_in}, p{last};")
    text.append(f"selp.b32 d_out, marked, {id_in}, p{last};")
    for i in range(last, 0, -1):
        text.append(f"@p{i} selp.b32 s{i}, s{i - 1}, {score_in}, p{i - 1};")
        text.append(f"@p{i} selp.b32 d{i}, d{i - 1}, {id_in}, p{i - 1};")
    text.append(f"@p0 mov.b32 s0, {score_in}; @p0 mov.b32 d0, {id_in};")
    for i in range(n):
        text.append(f"mov.b32 {{$w{i}}}, s{i}; mov.b32 {{$w{n + i}}}, d{i};")
    text.append(f"mov.b32 {{$w{2 * n}}}, s_out; mov.b32 {{$w{2 * n + 1}}}, d_out;")
    entries = [scores[i] for i in range(n)] + [ids[i] for i in range(n)]
    results = arch.inline_ptx(
        "{" + "\n".join(text) + "}",
        write_only_types=[Int32] * (2 * n + 2),
        read_only_args=[*entries, score, block, key],
    )
    for i in range(n):
        scores[i], ids[i] = results[i], results[n + i]
    return results[2 * n], results[2 * n + 1]


def rank(block: Int32, blocks: list) -> Int32:
    """How many of `blocks` are lower ids."""
    below = Int32(0)
    for other in blocks:
        below += choose(other < block, 1, 0)
    return below


def support_row(support: cute.Pointer, work: Work, head: Int32, row: Int32) -> cute.Tensor:
    """The 16 ids of a query, by its compact row."""
    at = (Int64(head) * work.tokens + row) * TOPK_BLOCKS
    return cute.make_tensor((support + at).align(16), cute.make_layout(TOPK_BLOCKS))


# Rows of operands.


def rows_layout(tokens: Int32, stride: Int32) -> cute.Layout:
    """`[keys, channels]` of index_k."""
    return cute.make_layout((tokens, INDEX_DIM), stride=(elements(stride), 1))


def elements(stride: Int32) -> Int64:
    """A stride in elements, which is known to be one of 16 bytes."""
    return cute.assume(Int64(stride) * STRIDE_UNIT, divby=STRIDE_UNIT)


def from_row(view: View, row: Int32) -> View:
    """A view whose first row is `row`; TMA reads rows past the last as zeros."""
    offset = (row, *[0] * (cute.rank(view.tensor) - 1))
    return View(view.atom, cute.domain_offset(offset, view.tensor))
