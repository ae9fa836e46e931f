"""The schedule and its tests depend on torch alone: asked of Bazel's own build graph."""

import pathlib

import pytest

_CLOSURE = pathlib.Path(__file__).with_name("schedule_closure")


@pytest.fixture(name="labels")
def _labels() -> list[str]:
    return _CLOSURE.read_text().splitlines()


def test_schedule_reaches_no_other_floor(labels):
    packages = {label.split(":")[0] for label in labels if label.startswith("//")}
    assert packages <= {"//msa/schedule", "//third_party/python", "//tools/pytest"}
    assert "//msa/schedule" in packages


def test_schedule_reaches_torch_and_no_kernel_language(labels):
    # torch may bring CUDA's runtime libraries; the language of the kernels only comes with kernels.
    assert any("torch//" in label for label in labels)
    assert not [label for label in labels if "cutlass" in label]
