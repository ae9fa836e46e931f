"""Examples of pages run as they stand."""

import pathlib

import torch

from tools.ci import readme

_ROOT = pathlib.Path(__file__).parents[2]


def test_example_trains_every_input():
    names: dict = {}
    exec(readme.example(_ROOT / "README.md"), names)
    assert names["support"].shape == (4, 550, 16)
    for name in ("q", "k", "v", "index_q", "index_k"):
        grad = names[name].grad
        assert torch.isfinite(grad).all(), name
        assert grad.any(), name


def test_the_memory_page_says_what_its_example_prints(capsys):
    page = _ROOT / "docs/memory.md"
    exec(readme.example(page), {})
    assert f"This prints `{capsys.readouterr().out.strip()}`." in page.read_text()
