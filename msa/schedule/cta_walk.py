"""How the task rows of the SM100 backward are divided among its CTAs.

The rows are cut into chunks of `rows_per_cta`, one chunk per CTA. Complete waves (one CTA per SM)
consist of *full* CTAs. The rows of the last, incomplete wave are spread evenly in shorter *tail*
chunks over at most one CTA per SM, so that the wave does not wait for a few long chunks.
"""

from collections.abc import Callable
from typing import Any

import torch

from msa.schedule.checks import require_int, require_ints
from msa.schedule.topology import ROWS_PER_CTA_LARGE, ROWS_PER_CTA_SMALL, ROWS_PER_CTA_SWITCH

# Below this many rows per tail CTA, the prologue of each CTA costs more than the even spread gains.
_MIN_TAIL_ROWS = 3

# The rule is written once for counts on the host (int) and on the device: a torch tensor here, a
# DSL integer in a kernel, which passes its own `select`.
_Count = Any
Select = Callable[[Any, _Count, _Count], _Count]


def _select(condition: bool | torch.Tensor, if_true: _Count, if_false: _Count) -> _Count:
    if isinstance(condition, torch.Tensor):
        return torch.where(condition, if_true, if_false)
    return if_true if condition else if_false


def _ceil_div(a: _Count, b: _Count) -> _Count:
    return (a + b - 1) // b


def walk_rows_per_cta(num_rows: _Count, select: Select = _select) -> _Count:
    """`rows_per_cta` for any kind of count."""
    return select(num_rows <= ROWS_PER_CTA_SWITCH, ROWS_PER_CTA_SMALL, ROWS_PER_CTA_LARGE)


def walk_chunk_map(
    num_rows: _Count, rows_per_cta: _Count, num_sms: _Count, select: Select = _select
) -> tuple[_Count, _Count, _Count]:
    """`chunk_map` for any kind of count."""
    chunks = _ceil_div(num_rows, rows_per_cta)
    in_waves = chunks // num_sms * num_sms
    complete = num_rows // rows_per_cta
    full = select(in_waves < complete, in_waves, complete)
    rest = num_rows - full * rows_per_cta
    no_rest = rest == 0
    tail_rows = _ceil_div(rest, num_sms)
    spread = tail_rows >= _MIN_TAIL_ROWS
    tail_ctas = _ceil_div(rest, select(spread, tail_rows, 1))
    return (
        select(no_rest | spread, full, 0),
        select(spread, tail_rows, select(no_rest, 1, rows_per_cta)),
        select(spread, full + tail_ctas, chunks),
    )


def rows_per_cta(num_rows: int) -> int:
    """Returns how many task rows one full CTA walks: 4 up to 2,400 `num_rows`, else 64.

    Raises:
        TypeError: `num_rows` is not an int.
        ValueError: `num_rows` is negative.
    """
    return walk_rows_per_cta(require_int("num_rows", num_rows, 0))


def chunk_map(num_rows: int, rows_per_cta: int, num_sms: int) -> tuple[int, int, int]:
    """Divides `num_rows` task rows among CTAs, so that each row is walked exactly once.

    Args:
        num_rows: task rows to walk, at least 0.
        rows_per_cta: rows `r` of a full CTA, at least 1.
        num_sms: SMs that run CTAs concurrently, at least 1.

    Returns:
        `(num_full_ctas, tail_rows, grid_ctas)`. With `chunks = ceil(num_rows / r)`,
        `num_full_ctas` is `min(chunks // num_sms * num_sms, num_rows // r)`: the complete chunks of
        complete waves. The rest is spread over at most one CTA per SM,
        `tail_rows = ceil(rest / num_sms)` each. If that is fewer than 3 rows, there are no full
        CTAs and `tail_rows = r`. Without a rest, `tail_rows` is 1. `grid_ctas` is the number of
        CTAs that have rows to walk.

    Raises:
        TypeError: an argument is not an int.
        ValueError: `num_rows` is negative, or `rows_per_cta` or `num_sms` is below 1.
    """
    num_rows, rows_per_cta, num_sms = require_ints(
        ("num_rows", num_rows, 0), ("rows_per_cta", rows_per_cta, 1), ("num_sms", num_sms, 1)
    )
    return walk_chunk_map(num_rows, rows_per_cta, num_sms)


def device_walk(num_rows: torch.Tensor, num_sms: int) -> torch.Tensor:
    """`rows_per_cta` and `chunk_map` for counts that are on the device, without synchronization.

    Args:
        num_rows: int64 `[...]`, task rows to walk, at least 0.
        num_sms: SMs that run CTAs concurrently, at least 1.

    Returns:
        int64 `[..., 4]`: rows per CTA, full CTAs, tail rows, grid CTAs.
    """
    rows = walk_rows_per_cta(num_rows)
    return torch.stack((rows, *walk_chunk_map(num_rows, rows, num_sms)), dim=-1)


def cta_rows(
    cta: int, num_rows: int, rows_per_cta: int, chunk: tuple[int, int, int]
) -> tuple[int, int]:
    """Returns the half-open interval of task rows that one CTA walks.

    Args:
        cta: index of the CTA, at least 0; one past the grid gets an empty interval.
        num_rows: task rows to walk.
        rows_per_cta: rows of a full CTA.
        chunk: `chunk_map(num_rows, rows_per_cta, num_sms)`.

    Raises:
        TypeError: a number is not an int, or `chunk` is not a tuple of three.
        ValueError: `cta`, `num_rows` or a number in `chunk` is negative, or `rows_per_cta` or the
            tail rows in `chunk` are below 1.
    """
    if not isinstance(chunk, tuple) or len(chunk) != 3:
        raise TypeError(f"chunk must be a tuple of three ints, got {chunk!r}")
    cta, num_rows, rows_per_cta, num_full_ctas, tail_rows, _ = require_ints(
        ("cta", cta, 0),
        ("num_rows", num_rows, 0),
        ("rows_per_cta", rows_per_cta, 1),
        ("chunk[0]", chunk[0], 0),
        ("chunk[1]", chunk[1], 1),
        ("chunk[2]", chunk[2], 0),
    )
    if cta < num_full_ctas:
        start, length = cta * rows_per_cta, rows_per_cta
    else:
        start = num_full_ctas * rows_per_cta + (cta - num_full_ctas) * tail_rows
        length = tail_rows
    return min(start, num_rows), min(start + length, num_rows)


def grid_launch_bound(capacity: int, num_sms: int) -> int:
    """Returns a grid size that suffices for any number of task rows up to `capacity`.

    The number is on the device, and a launch must not wait for it. `chunk_map(n, r, s)[2]` is at
    most `n // r + s`; the bound is the larger of its maxima for the two values of `r`.

    Raises:
        TypeError: an argument is not an int.
        ValueError: `capacity` is negative or `num_sms` is below 1.
    """
    capacity, num_sms = require_ints(("capacity", capacity, 0), ("num_sms", num_sms, 1))
    small = min(capacity, ROWS_PER_CTA_SWITCH) // ROWS_PER_CTA_SMALL
    return max(small, capacity // ROWS_PER_CTA_LARGE) + num_sms
