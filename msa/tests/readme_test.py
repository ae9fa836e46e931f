"""The README's example runs as it stands."""

import pathlib

import torch

from tools.ci import readme

_README = pathlib.Path(__file__).parents[2] / "README.md"


def test_example_trains_every_input():
    names: dict = {}
    exec(compile(readme.example(_README), str(_README), "exec"), names)
    assert names["support"].shape == (4, 550, 16)
    for name in ("q", "k", "v", "index_q", "index_k"):
        grad = names[name].grad
        assert torch.isfinite(grad).all(), name
        assert grad.any(), name
