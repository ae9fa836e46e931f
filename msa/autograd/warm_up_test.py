import pytest
import torch

from msa.autograd import warm_up
from msa.kernels.runtime import library


@pytest.fixture
def loaded(monkeypatch):
    """The devices whose kernels are loaded, on a machine with two GPUs of which 1 is current."""
    devices = []
    monkeypatch.setattr(library, "load_kernels", devices.append)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    return devices


@pytest.mark.parametrize("device", ["cuda:1", 1, torch.device("cuda", 1), "cuda"])
def test_loads_the_kernels_of_the_device(loaded, device):
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


@pytest.mark.parametrize("device", ["cuda:2", 2])
def test_a_gpu_that_is_not_there_is_rejected(loaded, device):
    with pytest.raises(ValueError, match="device must be one of 2 GPUs, got cuda:2"):
        warm_up(device)
    assert not loaded


@pytest.mark.parametrize("device", ["cuda", "cuda:0", 0])
def test_without_gpus_each_is_rejected(monkeypatch, device):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(ValueError, match="device must be one of 0 GPUs, got cuda"):
        warm_up(device)
