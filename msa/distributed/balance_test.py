import pytest

from msa.distributed import Fragment
from msa.distributed.balance import contiguous, head_tail, imbalance, key_share, planned, rows

OFFSETS = (0, 1000, 1003, 4000, 4000, 9001)


@pytest.mark.parametrize("ranks", [1, 2, 7])
@pytest.mark.parametrize("split", [contiguous, head_tail, lambda o, n: planned(o, n, 256)])
def test_each_token_is_on_one_rank(split, ranks):
    fragments = split(OFFSETS, ranks)
    assert len(fragments) == ranks
    tokens = [
        OFFSETS[f.document] + position
        for some in fragments
        for f in some
        for position in range(f.start, f.end)
    ]
    assert sorted(tokens) == list(range(OFFSETS[-1]))


def test_splits_of_one_document():
    assert contiguous((0, 400), 2) == [[Fragment(0, 0, 200)], [Fragment(0, 200, 200)]]
    assert head_tail((0, 400), 2) == [
        [Fragment(0, 0, 100), Fragment(0, 300, 100)],
        [Fragment(0, 100, 100), Fragment(0, 200, 100)],
    ]
    assert imbalance(contiguous((0, 256), 2)) == pytest.approx(4 / 3)  # blocks cost 1 and 2
    assert key_share(contiguous((0, 400), 2), 400) == 1
    assert key_share(head_tail((0, 400), 4), 400) == 1
    assert key_share(contiguous((0, 100, 200), 2), 200) == 0.5


def test_the_table_has_all_microbatches():
    lines = list(rows([2, 64], 1024))
    assert len(lines) == 2 * len({line[0] for line in lines}) > 10
    for line in lines:
        assert all(value >= 1 for value in line[3:6])
        assert all(0 < value <= 100 for value in line[6:])
