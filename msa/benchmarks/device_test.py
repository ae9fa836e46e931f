from types import SimpleNamespace

import pynvml
import pytest
import torch
from torch.autograd import DeviceType

from msa.benchmarks.device import Clock, KernelTime, device_name, kernel_times, open_clock

THERMAL = 0x20
POWER = 0x4


class FakeNvml:
    """NVML of one GPU; `fails` stands for a driver that does not report the clock."""

    def __init__(self, fails=False):
        self.clock, self.reasons, self.fails = 1980, 0, fails

    def nvmlInit(self):
        pass

    def nvmlDeviceGetHandleByUUID(self, uuid):
        assert uuid == "GPU-0123"
        return "handle"

    def nvmlDeviceGetClockInfo(self, handle, domain):
        assert (handle, domain) == ("handle", pynvml.NVML_CLOCK_SM)
        if self.fails:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        return self.clock

    def nvmlDeviceGetCurrentClocksEventReasons(self, handle):
        return self.reasons


def test_a_clock_tells_the_median_and_the_share_of_capped_samples():
    nvml = FakeNvml()
    clock = Clock(nvml, "0123")
    assert (clock.median_mhz, clock.power_capped) == (None, None)
    for nvml.clock, nvml.reasons in ((1980, THERMAL), (1500, POWER), (1400, POWER | THERMAL)):
        clock()
    assert clock.median_mhz == 1500
    assert clock.power_capped == pytest.approx(2 / 3)
    clock.reset()
    assert clock.median_mhz is None


def test_a_clock_goes_without_what_it_cannot_read():
    nvml = FakeNvml()
    clock = Clock(nvml, "0123")
    nvml.fails = True
    clock()
    assert clock.median_mhz is None


def test_where_nvml_does_not_tell_there_is_no_clock(monkeypatch):
    assert open_clock(torch.device("cpu")) is None
    properties = SimpleNamespace(uuid="0123")
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: properties)
    cuda = torch.device("cuda", 0)
    assert open_clock(cuda, FakeNvml()) is not None
    assert open_clock(cuda, FakeNvml(fails=True)) is None
    del properties.uuid
    assert open_clock(cuda, FakeNvml()) is None


def test_a_cpu_has_a_name():
    assert device_name(torch.device("cpu"))


def test_kernel_times_are_those_of_this_repository_in_one_run():
    def event(key, count, microseconds, device_type=DeviceType.CUDA):
        return SimpleNamespace(
            key=key, count=count, self_device_time_total=microseconds, device_type=device_type
        )

    events = [
        event("msa_delta_1", 2, 1000.0),
        event("msa_attention_0", 8, 8000.0),
        event("ampere_gemm", 2, 9000.0),
        event("msa_delta_1", 2, 0.0, DeviceType.CPU),
    ]
    assert kernel_times(events, runs=2) == [
        KernelTime("msa_attention_0", 4, 4.0),
        KernelTime("msa_delta_1", 1, 0.5),
    ]
