"""A stable radix sort of int64 words by some of their bits, in segments of equal stride.

A pass sorts by one digit of at most 8 bits, in three launches. Every *warp* owns a contiguous
stretch of a segment: it counts the digits there (`count`), a scan over the warps turns counts into
places (`scan`), and it walks its stretch again to put each word in its place (`scatter`). Within 32
words, `match.any` finds the lanes of one digit, so that ranks follow the lanes and no atomic is
needed: the sort is stable, and the same on every run.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Boolean, Int32, Int64
from cutlass.cute import arch

from msa.kernels.device.primitives import WARP, cta_exclusive_scan, name_kernels, shared, vector
from msa.kernels.schedule.sort_plan import DIGITS, WARPS_PER_CTA

_THREADS = WARPS_PER_CTA * WARP
assert _THREADS == DIGITS  # a CTA gives each digit a thread

# Words that a lane loads before it ranks the first of them, so that their latencies overlap.
_UNROLL = 4


class Words(NamedTuple):
    """int64 words; of segment `s`, `sizes[s]` from `s * stride` on.

    One store a word: the scattered stores bound a pass, and a key and a value apart are two.
    """

    words: cute.Pointer
    sizes: cute.Pointer


class Columns(NamedTuple):
    """Upper and lower halves, int32 each, where a pass may put its words; `sizes` as in `Words`."""

    upper: cute.Pointer
    lower: cute.Pointer
    sizes: cute.Pointer


class Scratch(NamedTuple):
    """int32 counts `[segments, 256, warps]` and totals `[segments, 256]`."""

    counts: cute.Pointer
    totals: cute.Pointer


class RadixPass:
    """One pass over words in memory; a subclass may take them from elsewhere.

    `source` is what `size` and `load` read, here `Words`.
    """

    def size(self, source, segment: Int32) -> Int32:
        """Words to read of a segment."""
        return vector(source.sizes)[segment]

    @cute.jit
    def load(self, source, stride: Int32, segment: Int32, index: Int32, in_range: Boolean):
        """`(word, valid)` of one word; all lanes of the warp call this together."""
        word = Int64(0)
        if in_range:
            word = vector(source.words)[segment * stride + index]
        return word, in_range

    def __call__(
        self,
        source,
        stride: Int32,
        segments: Int32 | int,
        warps: Int32,
        shift: Int32,
        bits: Int32,
        scratch: Scratch,
        out: Words | Columns,
        stream: cuda.CUstream,
    ) -> None:
        """Launches the pass: sorts by `bits` bits from bit `shift` on, into `out`.

        `out.sizes[segment]` becomes the number of valid words; only those are there.
        """
        mask = (Int32(1) << bits) - 1
        stretches = [warps // WARPS_PER_CTA, segments, 1]
        block = [_THREADS, 1, 1]
        self.count(source, stride, scratch.counts, shift, mask).launch(
            grid=stretches, block=block, stream=stream
        )
        self.scan(scratch.counts, scratch.totals, warps).launch(
            grid=[DIGITS, segments, 1], block=block, stream=stream
        )
        self.scatter(source, stride, scratch, shift, mask, out).launch(
            grid=stretches, block=block, stream=stream
        )

    @cute.kernel
    def count(self, source, stride: Int32, counts: cute.Pointer, shift: Int32, mask: Int32):
        """Writes `counts[segment, digit, warp]`."""
        thread = arch.thread_idx()[0]
        segment = arch.block_idx()[1]
        counter = shared(Int32, (DIGITS, WARPS_PER_CTA))
        mine = counter[None, arch.warp_idx()]
        for i in cutlass.range_constexpr(DIGITS // WARP):
            mine[i * WARP + arch.lane_idx()] = 0
        arch.sync_warp()
        first, end = _stretch(self.size(source, segment))
        for base in cutlass.range(first, end, _UNROLL * WARP):
            words = self._load_some(source, stride, segment, base, end)
            for u in cutlass.range_constexpr(_UNROLL):
                word, valid = words[u]
                digit, peers = _peers(word, valid, shift, mask)
                if valid and _rank(peers) == 0:
                    mine[digit] += Int32(arch.popc(peers))
                arch.sync_warp()
        arch.sync_threads()
        out = vector(counts)
        at = _count_index(segment, thread)
        for w in cutlass.range_constexpr(WARPS_PER_CTA):
            out[at + w] = counter[thread, w]

    @cute.kernel
    def scan(self, counts: cute.Pointer, totals: cute.Pointer, warps: Int32):
        """Turns the counts of a segment and digit into places among its words, and a total."""
        thread = arch.thread_idx()[0]
        row = arch.block_idx()[1] * DIGITS + arch.block_idx()[0]
        warp_sums = shared(Int32, (WARPS_PER_CTA,))
        data = vector(counts + row * warps)
        carry = Int32(0)
        for base in cutlass.range(0, warps, _THREADS):
            index = base + thread
            value = Int32(0)
            if index < warps:
                value = data[index]
            before, total = cta_exclusive_scan(value, warp_sums)
            if index < warps:
                data[index] = carry + before
            carry += total
        if thread == 0:
            vector(totals)[row] = carry

    @cute.kernel
    def scatter(self, source, stride: Int32, scratch: Scratch, shift: Int32, mask: Int32, out):
        """Puts each valid word in its place."""
        thread = arch.thread_idx()[0]
        segment = arch.block_idx()[1]
        warp_sums = shared(Int32, (WARPS_PER_CTA,))
        place_of = shared(Int32, (DIGITS, WARPS_PER_CTA))
        total = vector(scratch.totals)[segment * DIGITS + thread]
        first_of_digit, size = cta_exclusive_scan(total, warp_sums)
        at = _count_index(segment, thread)
        for w in cutlass.range_constexpr(WARPS_PER_CTA):
            place_of[thread, w] = first_of_digit + vector(scratch.counts)[at + w]
        if thread == 0 and arch.block_idx()[0] == 0:
            vector(out.sizes)[segment] = size
        arch.sync_threads()

        mine = place_of[None, arch.warp_idx()]
        first, end = _stretch(self.size(source, segment))
        for base in cutlass.range(first, end, _UNROLL * WARP):
            words = self._load_some(source, stride, segment, base, end)
            for u in cutlass.range_constexpr(_UNROLL):
                word, valid = words[u]
                digit, peers = _peers(word, valid, shift, mask)
                rank = _rank(peers)
                place = Int32(0)
                if valid:
                    place = mine[digit] + rank
                arch.sync_warp()
                if valid:
                    if rank == 0:
                        mine[digit] = place + Int32(arch.popc(peers))
                    _store(out, segment * stride + place, word)
                arch.sync_warp()

    def _load_some(self, source, stride, segment, base, end):
        """This lane's words of the next steps of 32."""
        index = base + arch.lane_idx()
        return [
            self.load(source, stride, segment, index + u * WARP, index + u * WARP < end)
            for u in range(_UNROLL)
        ]


name_kernels(RadixPass.count, RadixPass.scan, RadixPass.scatter)


@cute.jit
def _stretch(size: Int32):
    """The words of this warp, from a multiple of 32 to another or the end."""
    warps = arch.grid_dim()[0] * WARPS_PER_CTA
    length = (size + (warps * WARP - 1)) // (warps * WARP) * WARP
    warp = arch.block_idx()[0] * WARPS_PER_CTA + arch.warp_idx()
    first = cutlass.min(warp * length, size)
    return first, cutlass.min(first + length, size)


def _store(out: Words | Columns, at: Int32, word: Int64) -> None:
    if isinstance(out, Columns):
        vector(out.upper)[at] = Int32(word >> 32)
        vector(out.lower)[at] = Int32(word)
    else:
        vector(out.words)[at] = word


@cute.jit
def _count_index(segment: Int32, digit: Int32) -> Int32:
    """Index of `counts[segment, digit, first warp of this CTA]`."""
    warps = arch.grid_dim()[0] * WARPS_PER_CTA
    return (segment * DIGITS + digit) * warps + arch.block_idx()[0] * WARPS_PER_CTA


@cute.jit
def _peers(word: Int64, valid: Boolean, shift: Int32, mask: Int32):
    """The digit of a word, and the lanes of the warp whose valid words have the same."""
    digit = Int32(word >> Int64(shift)) & mask
    code = Int32(-1)
    if valid:
        code = digit
    return digit, arch.match_sync(arch.FULL_MASK, code)


def _rank(peers) -> Int32:
    """How many of `peers` are lanes before this one."""
    return Int32(arch.popc(peers & arch.lanemask_lt()))
