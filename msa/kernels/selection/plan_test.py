"""The plan takes rows in place where the kernels can, and has room for every tile."""

import pytest
import torch

from msa.kernels.selection import plan
from msa.kernels.selection.interface import TILE_ROWS, UNSCORED_POSITIONS


def rows(*shape: int) -> torch.Tensor:
    return torch.zeros(*shape, dtype=torch.bfloat16)


@pytest.mark.parametrize(
    "operand",
    [
        rows(9, 4, 128),
        rows(9, 7, 128)[:, 2:6],
        rows(9, 4, 136)[..., :128],
        rows(4, 9, 128).transpose(0, 1),
        rows(9, 5, 128)[:, :1],
    ],
)
def test_rows_that_are_multiples_of_16_bytes_apart_stay(operand):
    assert plan._rows(operand) is operand


@pytest.mark.parametrize(
    "operand",
    [
        rows(9, 4, 132)[..., :128],
        rows(9, 4, 256)[..., ::2],
        rows(9 * 4 * 128 + 1)[1:].view(9, 4, 128),
        rows(1, 4, 128).expand(9, -1, -1),
        rows(9, 128, 4).transpose(1, 2),
    ],
)
def test_others_are_copied(operand):
    operand.fill_(3)
    copy = plan._rows(operand)
    assert copy.is_contiguous()
    assert copy.data_ptr() % 16 == 0
    assert torch.equal(copy, operand)


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
@pytest.mark.parametrize("length", [2049, 2050, 2303, 2304, 2305, 30000])
def test_there_is_room_for_the_tiles_of_every_pack(heads, length):
    queries = TILE_ROWS // heads
    for documents in (1, 2, 7):
        tiles = documents * -(-(length - UNSCORED_POSITIONS) // queries)
        assert plan._tile_capacity(documents * length, heads, 0) >= tiles
        few = int(1.5 * 132)
        if tiles < few:
            # Halves: each document may have one more than twice as many.
            halves = documents * -(-(length - UNSCORED_POSITIONS) // (queries // 2))
            assert plan._tile_capacity(documents * length, heads, 132) >= halves
