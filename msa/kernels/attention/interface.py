"""What the attention's kernels hand to each other: the numbers that host and device share."""

from msa.schedule.topology import BLOCK_SIZE, TOPK_BLOCKS

FORWARD_FAST = 0
"""Mode of `forward`: weights without a reference, added in bf16 and FP32."""
FORWARD_MAX = 1
"""Mode of `forward`: only the largest score, q k, of each row, its reference."""
FORWARD_SUM = 2
"""Mode of `forward`: only the sum of each row's weights below its reference, in fixed point."""
FORWARD_FIXED = 3
"""Mode of `forward`: weights over their sum, added in fixed point."""

FINISH_FAST = 0
"""Mode of `finish`: bf16 pools and FP32 sums."""
FINISH_FIXED = 1
"""Mode of `finish`: fixed-point pools and sums."""

NO_REFERENCE = -(2**31)
"""Reference, as an integer that orders as scores do, of a row and head that has seen no key."""
SUM_ONE = 2.0**30 / (TOPK_BLOCKS * BLOCK_SIZE)
"""What 1, a row's largest weight, is in the fixed-point sum of its weights."""
NAN_OUT = -(2**31)
"""The sign of that sum: of a row and head with values that are not finite, whose output is NaN."""
FIXED_ONE = 2.0**30
"""What the largest |V| is in a fixed-point pool. int32 leaves a bit for what rounding adds."""

BOUND_FIELDS = 4
"""Of a key block's or a row's bounds: largest |V|, norm of V and |K|, and one that is not used."""
V_BOUND_FLOOR = 2.0**-90
"""Least bound of |V|: its reciprocal times `FIXED_ONE` is finite."""
