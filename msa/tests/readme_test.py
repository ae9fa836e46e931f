"""The README's example runs as it stands."""

import pathlib
import re

import torch

_README = pathlib.Path(__file__).parents[2] / "README.md"
_EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def test_example_trains_every_input():
    (example,) = _EXAMPLE.findall(_README.read_text())
    names: dict = {}
    exec(compile(example, str(_README), "exec"), names)
    assert names["support"].shape == (4, 550, 16)
    for name in ("q", "k", "v", "index_q", "index_k"):
        grad = names[name].grad
        assert torch.isfinite(grad).all(), name
        assert grad.any(), name
