"""A declared kernel is launched as the one of the device's architecture, by its signature."""

import torch

from msa.kernels.runtime import declared
from msa.kernels.runtime.declared import DeclaredKernel
from msa.kernels.runtime.library import Kernel
from msa.kernels.runtime.signature import Array, Integer, Signature

SIGNATURE = Signature(values=Array(torch.float32, ("size",)), size=Integer())


def test_launch(monkeypatch):
    launches = []
    monkeypatch.setattr(Kernel, "launch", lambda *call: launches.append(call))
    monkeypatch.setattr(declared, "arch_of", lambda device: "sm_100a")
    hopper, blackwell = Kernel("room", "sm90"), Kernel("room", "sm100")
    kernel = DeclaredKernel(SIGNATURE, {"sm_90a": hopper, "sm_100a": blackwell})
    device, values = torch.device("cpu"), torch.zeros(4)
    kernel(device, size=4, values=values)
    assert launches == [(blackwell, device, [values.data_ptr(), 4])]
