"""The support of queries that need no score, and the tiles of the others, heavy ones first.

A query of at most 16 candidates keeps them all, and where 16 blocks are forced every query keeps
those. The other queries of a document, from position 2,048 on, are cut into tiles: the same queries
of all heads. The first CTA sorts the tiles of all documents by the blocks that they see, the most
first, so that CTAs which take turns end together. Tiles that see equally many stand in no order.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Int32, Int64
from cutlass.cute import arch
from cutlass.memory import SmemAllocator

from msa.kernels.device.primitives import cta_exclusive_scan, name_kernels, upper_bound, vector
from msa.kernels.selection.interface import (
    HALF_TILE_ROWS,
    MAX_TOKENS,
    TILE_FIELDS,
    TILE_ROWS,
    UNSCORED_POSITIONS,
)
from msa.schedule.topology import BLOCK_SIZE, TOPK_BLOCKS

_THREADS = 512
_WARPS = _THREADS // 32
_LEVELS = 2048  # of weight, that tiles are sorted by; a level is one block up to 262,144 tokens
_THREAD_LEVELS = _LEVELS // _THREADS
_WORDS = 4  # of a row of the support, that a thread writes at once
_ROW_THREADS = TOPK_BLOCKS // _WORDS
assert TOPK_BLOCKS % _WORDS == 0
_MAX_LONG = MAX_TOKENS // UNSCORED_POSITIONS + 1  # documents with scored queries


class _Documents(NamedTuple):
    """Where documents start, and last where the last one ends: `offsets` of them."""

    cu_seqlens: cute.Tensor
    offsets: Int32


class _Sort(NamedTuple):
    """Shared memory of the CTA that sorts.

    `long` and `firsts` are the documents with scored queries, and the number of tiles before each;
    `totals` how many of them there are, and tiles of whole rows. `levels` counts tiles by weight,
    the heaviest level first, and then says where the next of a level belongs.
    """

    long: cute.Tensor
    firsts: cute.Tensor
    levels: cute.Tensor
    totals: cute.Tensor
    warp_sums: cute.Tensor


@cute.kernel
def unscored_and_tiles(
    documents: _Documents,
    tiles: cute.Pointer,
    support: cute.Pointer,
    tokens: Int32,
    heads: Int32,
    init_blocks: Int32,
    local_blocks: Int32,
    few_tiles: Int32,
):
    """The first CTA makes the tiles, the others write rows."""
    arch.griddepcontrol_launch_dependents()
    allocator = SmemAllocator()

    def array(size):
        return allocator.allocate_tensor(Int32, cute.make_layout(size), 16)

    sort = _Sort(array(_MAX_LONG), array(_MAX_LONG), array(_LEVELS), array(2), array(_WARPS))
    cta = arch.block_idx()[0]
    forced = init_blocks + local_blocks
    if cta > 0:
        _write_row(documents, support, tokens, heads, init_blocks, forced)
    elif forced < TOPK_BLOCKS:
        _make_tiles(documents, sort, tiles, tokens, heads, few_tiles)


name_kernels(unscored_and_tiles)


@cute.jit
def _write_row(
    documents: _Documents,
    support: cute.Pointer,
    tokens: Int32,
    heads: Int32,
    init_blocks: Int32,
    forced: Int32,
) -> None:
    """Writes a quarter of a query's row, for all heads, if the query needs no score."""
    item = (arch.block_idx()[0] - 1) * _THREADS + arch.thread_idx()[0]
    token = item // _ROW_THREADS
    if token < tokens:
        position = token - documents.cu_seqlens[_document_of(documents, token)]
        own = position // BLOCK_SIZE
        if own < TOPK_BLOCKS or forced == TOPK_BLOCKS:
            first = item % _ROW_THREADS * _WORDS
            row = cute.make_rmem_tensor(_WORDS, Int32)
            for i in cutlass.range_constexpr(_WORDS):
                slot = first + i
                block = slot
                if own >= TOPK_BLOCKS and slot >= init_blocks:
                    block = own - (TOPK_BLOCKS - 1 - slot)
                if block > own:
                    block = Int32(-1)
                row[i] = block
            for head in cutlass.range(heads, unroll=1):
                at = (Int64(head) * tokens + token) * TOPK_BLOCKS + first
                cute.autovec_copy(row, _words(support, at))


@cute.jit
def _make_tiles(
    documents: _Documents,
    sort: _Sort,
    tiles: cute.Pointer,
    tokens: Int32,
    heads: Int32,
    few_tiles: Int32,
) -> None:
    thread = arch.thread_idx()[0]
    if thread < 2:
        sort.totals[thread] = Int32(0)
    for i in cutlass.range_constexpr(_THREAD_LEVELS):
        sort.levels[thread + i * _THREADS] = Int32(0)
    arch.sync_threads()
    _find_long(documents, sort, TILE_ROWS // heads)
    arch.sync_threads()
    num_long = sort.totals[0]
    rows = Int32(TILE_ROWS)
    if sort.totals[1] < few_tiles:
        rows = Int32(HALF_TILE_ROWS)
    queries = rows // heads
    num_tiles = _number_tiles(documents, sort, num_long, queries)
    level_blocks = (tokens // BLOCK_SIZE) // _LEVELS + 1
    for tile in cutlass.range(thread, num_tiles, _THREADS, unroll=1):
        _, position = _tile_of(sort, num_long, queries, tile)
        arch.atomic_add(_level(sort, position, level_blocks), Int32(1), sem="relaxed", scope="cta")
    arch.sync_threads()
    _place_levels(sort)
    for tile in cutlass.range(thread, num_tiles, _THREADS, unroll=1):
        document, position = _tile_of(sort, num_long, queries, tile)
        at = arch.atomic_add(
            _level(sort, position, level_blocks), Int32(1), sem="relaxed", scope="cta"
        )
        start = documents.cu_seqlens[document]
        end = documents.cu_seqlens[document + 1]
        fields = cute.make_rmem_tensor(TILE_FIELDS, Int32)
        fields[0] = start + position
        fields[1] = start
        fields[2] = position
        fields[3] = cutlass.min(end - start - position, queries)
        cute.autovec_copy(fields, _words(tiles, Int64(1 + at) * TILE_FIELDS))
    if thread == 0:
        vector(tiles)[0] = num_tiles
        vector(tiles)[1] = rows


@cute.jit
def _find_long(documents: _Documents, sort: _Sort, queries: Int32) -> None:
    """Lists the documents with scored queries, and counts their tiles of so many queries."""
    for document in cutlass.range(arch.thread_idx()[0], documents.offsets - 1, _THREADS, unroll=8):
        tiles = _count_tiles(documents, document, queries)
        if tiles > 0:
            totals = sort.totals.iterator
            at = arch.atomic_add(totals, Int32(1), sem="relaxed", scope="cta")
            sort.long[at] = document
            arch.atomic_add(totals + 1, tiles, sem="relaxed", scope="cta")


@cute.jit
def _number_tiles(documents: _Documents, sort: _Sort, num_long: Int32, queries: Int32) -> Int32:
    """Sets `firsts`; returns the number of all tiles."""
    before = Int32(0)
    for first in cutlass.range(0, num_long, _THREADS, unroll=1):
        i = first + arch.thread_idx()[0]
        tiles = Int32(0)
        if i < num_long:
            tiles = _count_tiles(documents, sort.long[i], queries)
        offset, total = cta_exclusive_scan(tiles, sort.warp_sums)
        if i < num_long:
            sort.firsts[i] = before + offset
        before += total
    arch.sync_threads()
    return before


@cute.jit
def _place_levels(sort: _Sort) -> None:
    """From the number of tiles of each level to that of all levels before it."""
    first = arch.thread_idx()[0] * _THREAD_LEVELS
    counts = [sort.levels[first + i] for i in range(_THREAD_LEVELS)]
    before, _ = cta_exclusive_scan(sum(counts[1:], counts[0]), sort.warp_sums)
    for i in cutlass.range_constexpr(_THREAD_LEVELS):
        sort.levels[first + i] = before
        before += counts[i]
    arch.sync_threads()


@cute.jit
def _count_tiles(documents: _Documents, document: Int32, queries: Int32) -> Int32:
    """How many tiles of so many queries a document has."""
    starts = documents.cu_seqlens
    scored = starts[document + 1] - starts[document] - UNSCORED_POSITIONS
    return (cutlass.max(scored, 0) + queries - 1) // queries


@cute.jit
def _tile_of(sort: _Sort, num_long: Int32, queries: Int32, tile: Int32):
    """The document of a tile, and the position of its first query."""
    i = upper_bound(sort.firsts, num_long, tile) - 1
    return sort.long[i], UNSCORED_POSITIONS + (tile - sort.firsts[i]) * queries


@cute.jit
def _level(sort: _Sort, position: Int32, level_blocks: Int32) -> cute.Pointer:
    """The level of the tile from a position on."""
    return sort.levels.iterator + (_LEVELS - 1 - position // BLOCK_SIZE // level_blocks)


@cute.jit
def _document_of(documents: _Documents, token: Int32) -> Int32:
    # Documents without tokens share a start with the next that has any, which owns the token.
    return upper_bound(documents.cu_seqlens, documents.offsets, token) - 1


def _words(pointer: cute.Pointer, at: Int64) -> cute.Tensor:
    """Four words, 16 bytes, of an aligned array."""
    return cute.make_tensor((pointer + at).align(16), cute.make_layout(_WORDS))


def write_unscored_and_make_tiles(
    cu_seqlens: cute.Pointer,
    tiles: cute.Pointer,
    support: cute.Pointer,
    offsets: Int32,
    tokens: Int32,
    heads: Int32,
    init_blocks: Int32,
    local_blocks: Int32,
    few_tiles: Int32,
    stream: cuda.CUstream,
) -> None:
    """Launches the kernel. Arguments are those of `SIGNATURE`; fewer tiles than `few_tiles` are cut
    in halves."""
    rows = (tokens * _ROW_THREADS + _THREADS - 1) // _THREADS
    unscored_and_tiles(
        _Documents(vector(cu_seqlens), offsets),
        tiles,
        support,
        tokens,
        heads,
        init_blocks,
        local_blocks,
        few_tiles,
    ).launch(grid=[1 + rows, 1, 1], block=[_THREADS, 1, 1], stream=stream)
