"""How a radix sort is cut into passes and warps: plain arithmetic, for kernels and their launch."""

from typing import NamedTuple

DIGIT_BITS = 8
DIGITS = 1 << DIGIT_BITS
WARPS_PER_CTA = 8
# Warps that share the words of all segments. More would not fit an H200 at once (132 SMs x 64), and
# the counts, 256 a warp, stay at 4 MB whatever the number of words.
MAX_WARPS = 4096


class SortPlan(NamedTuple):
    """A sort of `segments` segments of at most `stride` words, by keys below `num_keys`.

    Attributes:
        segments: segments, each sorted on its own.
        stride: words from one segment to the next.
        warps: warps to a segment.
        passes: passes over the words.
        bits: bits of a pass's digit.
    """

    segments: int
    stride: int
    warps: int
    passes: int
    bits: int

    @classmethod
    def of(cls, segments: int, stride: int, num_keys: int) -> "SortPlan":
        """The plan for keys in `[0, num_keys)`."""
        key_bits = max(1, (num_keys - 1).bit_length())
        passes = -(-key_bits // DIGIT_BITS)
        # A warp takes at least 32 pairs; a CTA is full.
        useful = -(-stride // (32 * WARPS_PER_CTA)) * WARPS_PER_CTA
        return cls(
            segments=segments,
            stride=stride,
            warps=min(MAX_WARPS // segments, useful),
            passes=passes,
            bits=-(-key_bits // passes),
        )

    @property
    def counts(self) -> int:
        """Elements of the table of counts."""
        return self.segments * DIGITS * self.warps

    @property
    def totals(self) -> int:
        """Elements of the table of totals."""
        return self.segments * DIGITS

    @property
    def words(self) -> int:
        """Words of all segments."""
        return self.segments * self.stride
