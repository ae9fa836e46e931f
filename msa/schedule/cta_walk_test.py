import itertools
import random

import pytest
import torch

from msa.schedule.cta_walk import (
    chunk_map,
    cta_rows,
    device_walk,
    grid_launch_bound,
    rows_per_cta,
)

SM_COUNTS = (1, 2, 78, 114, 132, 148, 160)
MAX_COUNT = 20_000


def sampled_counts(num_sms: int) -> list[int]:
    """Counts up to 1e7: random ones, and some around complete waves of long chunks."""
    rng = random.Random(num_sms)
    counts = [round(10 ** rng.uniform(4, 7)) for _ in range(30)]
    waves = [64 * num_sms * rng.randrange(1, 10**7 // (64 * num_sms)) for _ in range(4)]
    offsets = (-1, 0, 1, 2 * num_sms, 2 * num_sms + 1)
    return counts + [wave + offset for wave in waves for offset in offsets] + [10**7]


def expected_chunk_map(num_rows: int, length: int, num_sms: int) -> tuple[int, int, int]:
    chunks, last = divmod(num_rows, length)
    complete = chunks
    chunks += last > 0
    full = min(chunks - chunks % num_sms, complete)
    rest = num_rows - full * length
    if rest == 0:
        return full, 1, full
    if rest <= 2 * num_sms:  # At most 2 rows for each of the SMs.
        return 0, length, chunks
    tail = next(t for t in itertools.count(rest // num_sms) if t * num_sms >= rest)
    return full, tail, full + len(range(0, rest, tail))


def assert_covers(num_rows: int, length: int, chunk: tuple[int, int, int]) -> None:
    """Every row is walked exactly once, in order, by the CTAs of the grid and by no other."""
    num_full, tail, grid = chunk
    # Only the last full CTA is checked; `test_full_ctas_walk_consecutive_chunks` checks all.
    assert num_full * length <= num_rows
    end = 0
    if num_full:
        start, end = cta_rows(num_full - 1, num_rows, length, chunk)
        assert (start, end) == ((num_full - 1) * length, num_full * length)
    for cta in range(num_full, grid):
        start, stop = cta_rows(cta, num_rows, length, chunk)
        assert start == end, "a gap or an overlap"
        assert 0 < stop - start <= tail
        end = stop
    assert end == num_rows
    for cta in (grid, grid + 1, grid + 10**6):
        assert cta_rows(cta, num_rows, length, chunk) == (num_rows, num_rows)


@pytest.mark.parametrize(
    ("arguments", "chunk"),
    [
        ((0, 4, 148), (0, 1, 0)),
        ((1, 4, 148), (0, 4, 1)),
        ((592, 4, 148), (148, 1, 148)),
        ((5, 4, 2), (0, 4, 2)),
        ((374, 64, 2), (5, 27, 7)),
        ((2400, 4, 132), (528, 3, 624)),
    ],
)
def test_chunk_map_values(arguments, chunk):
    assert chunk_map(*arguments) == chunk


def test_rows_per_cta_switches_above_2400():
    assert [rows_per_cta(n) for n in (0, 1, 2399, 2400)] == [4] * 4
    assert [rows_per_cta(n) for n in (2401, 20_000, 10**7)] == [64] * 3


@pytest.mark.parametrize("num_sms", SM_COUNTS)
def test_walk_of_every_count(num_sms):
    largest_grid = 0
    for num_rows in range(MAX_COUNT + 1):
        length = rows_per_cta(num_rows)
        chunk = chunk_map(num_rows, length, num_sms)
        assert chunk == expected_chunk_map(num_rows, length, num_sms)
        assert_covers(num_rows, length, chunk)
        assert chunk[2] <= num_rows // length + num_sms
        largest_grid = max(largest_grid, chunk[2])
        assert largest_grid <= grid_launch_bound(num_rows, num_sms)


@pytest.mark.parametrize("num_sms", SM_COUNTS)
def test_walk_of_sampled_counts(num_sms):
    for num_rows in sampled_counts(num_sms):
        length = rows_per_cta(num_rows)
        chunk = chunk_map(num_rows, length, num_sms)
        assert chunk == expected_chunk_map(num_rows, length, num_sms)
        assert_covers(num_rows, length, chunk)
        assert chunk[2] <= grid_launch_bound(num_rows, num_sms)


@pytest.mark.parametrize("length", [1, 3, 4, 64, 100])
@pytest.mark.parametrize("num_sms", [1, 7, 132])
def test_walk_with_either_length_at_any_count(length, num_sms):
    for num_rows in range(0, 3000, 7):
        chunk = chunk_map(num_rows, length, num_sms)
        assert chunk == expected_chunk_map(num_rows, length, num_sms)
        assert_covers(num_rows, length, chunk)


@pytest.mark.parametrize("num_rows", [2400, 20_000, 10**6])
def test_full_ctas_walk_consecutive_chunks(num_rows):
    length = rows_per_cta(num_rows)
    chunk = chunk_map(num_rows, length, 132)
    assert chunk[0] > 0
    for cta in range(chunk[0]):
        assert cta_rows(cta, num_rows, length, chunk) == (cta * length, (cta + 1) * length)


def test_tail_is_at_most_one_cta_per_sm():
    for num_rows in range(0, MAX_COUNT, 3):
        num_full, tail, grid = chunk_map(num_rows, 64, 148)
        assert num_full % 148 == 0 or num_full == num_rows // 64
        assert grid - num_full <= 148 or tail == 64


@pytest.mark.parametrize("num_sms", SM_COUNTS)
def test_device_walk_is_the_walk_of_the_host(num_sms):
    counts = [*range(MAX_COUNT + 1), *sampled_counts(num_sms)]
    host = [(rows_per_cta(n), *chunk_map(n, rows_per_cta(n), num_sms)) for n in counts]
    device = device_walk(torch.tensor(counts), num_sms)
    assert device.dtype == torch.int64
    assert device.tolist() == [list(walk) for walk in host]


def test_grid_launch_bound_values():
    assert grid_launch_bound(0, 148) == 148
    assert grid_launch_bound(2400, 132) == 600 + 132
    # Long chunks need fewer CTAs than 2400 rows in short ones until 64 * 600 rows.
    assert grid_launch_bound(38_400, 132) == 600 + 132
    assert grid_launch_bound(38_464, 132) == 601 + 132
    assert grid_launch_bound(10**7, 1) == 156_250 + 1


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: rows_per_cta(-1), "num_rows"),
        (lambda: chunk_map(-1, 4, 148), "num_rows"),
        (lambda: chunk_map(10, 0, 148), "rows_per_cta"),
        (lambda: chunk_map(10, 4, 0), "num_sms"),
        (lambda: cta_rows(-1, 10, 4, (0, 4, 3)), "cta"),
        (lambda: cta_rows(0, -1, 4, (0, 4, 3)), "num_rows"),
        (lambda: cta_rows(0, 10, 0, (0, 4, 3)), "rows_per_cta"),
        (lambda: cta_rows(0, 10, 4, (-1, 4, 3)), r"chunk\[0\]"),
        (lambda: cta_rows(0, 10, 4, (0, 0, 3)), r"chunk\[1\]"),
        (lambda: cta_rows(0, 10, 4, (0, 4, -1)), r"chunk\[2\]"),
        (lambda: grid_launch_bound(-1, 148), "capacity"),
        (lambda: grid_launch_bound(10, 0), "num_sms"),
    ],
)
def test_rejects_numbers_out_of_range(call, name):
    with pytest.raises(ValueError, match=rf"^{name} must be at least [01], got (-1|0)$"):
        call()


@pytest.mark.parametrize("value", [4.0, "4", None, True])
def test_rejects_what_is_not_an_int(value):
    with pytest.raises(TypeError, match=rf"^num_rows must be an int, got {type(value).__name__}$"):
        rows_per_cta(value)
    with pytest.raises(TypeError, match=r"^num_sms must be an int, got "):
        chunk_map(10, 4, value)
    with pytest.raises(TypeError, match=r"^num_sms must be an int, got "):
        chunk_map(-1, 0, value)  # types come first
    with pytest.raises(TypeError, match=r"^chunk\[1\] must be an int, got "):
        cta_rows(0, 10, 4, (0, value, 3))


@pytest.mark.parametrize("chunk", [5, (0, 4), [0, 4, 3], None], ids=repr)
def test_a_chunk_is_what_chunk_map_returns(chunk):
    with pytest.raises(TypeError, match=r"^chunk must be a tuple of three ints, got "):
        cta_rows(0, 10, 4, chunk)


def test_integers_of_any_library_are_ints_and_tensors_are_not():
    class Four:
        def __index__(self):
            return 4

    assert rows_per_cta(Four()) == rows_per_cta(4)
    # Reading an int from a tensor waits for its device.
    with pytest.raises(TypeError, match=r"^num_rows must be an int, got Tensor$"):
        rows_per_cta(torch.tensor(4))
