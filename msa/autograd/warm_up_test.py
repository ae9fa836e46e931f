import pytest
import torch

from msa.autograd import warm_up
from msa.kernels import library


@pytest.mark.parametrize("device", ["cuda:1", 1, torch.device("cuda", 1)])
def test_loads_the_kernels_of_the_device(monkeypatch, device):
    loaded = []
    monkeypatch.setattr(library, "load_kernels", loaded.append)
    warm_up(device)
    assert loaded == [torch.device("cuda", 1)]


def test_a_device_without_kernels_has_nothing_to_load():
    warm_up("cpu")


@pytest.mark.parametrize("device", [None, True, 1.0, torch.zeros(1)], ids=repr)
def test_what_is_no_device_is_rejected(device):
    with pytest.raises(TypeError, match=f"device must be .* got {type(device).__name__}"):
        warm_up(device)


@pytest.mark.parametrize("device", ["gpu", "cuda:x", "", -5])
def test_what_names_no_device_is_rejected(device):
    with pytest.raises(ValueError, match=f"device must name a device, got {device!r}"):
        warm_up(device)
