import pytest
import torch

from msa.benchmarks.card import Card, CardUse, CardWatch, open_card

_POWER_CAP = 0x4


class FakeNvml:
    """Functions of NVML that tell one GPU's clock and reasons; each returns a status."""

    def __init__(self, clock=1980, reasons=0, status=0):
        self.clock, self.reasons, self.status = clock, reasons, status
        self.uuid = None

    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetHandleByUUID(self, uuid, handle):
        self.uuid = uuid
        handle._obj.value = 7
        return 0

    def nvmlDeviceGetClockInfo(self, handle, domain, clock):
        assert (handle.value, domain) == (7, 1)
        clock._obj.value = self.clock
        return self.status

    def nvmlDeviceGetCurrentClocksEventReasons(self, handle, reasons):
        assert handle.value == 7
        reasons._obj.value = self.reasons
        return self.status


def test_a_sample_is_the_clock_and_whether_the_power_limit_holds_it_down():
    nvml = FakeNvml()
    card = Card(nvml, "0123")
    assert nvml.uuid == b"GPU-0123"
    assert card.sample() == (1980, False)
    nvml.clock, nvml.reasons = 1500, 0x20 | _POWER_CAP
    assert card.sample() == (1500, True)
    nvml.reasons = 0x20  # held down by its temperature
    assert card.sample() == (1500, False)


def test_a_status_and_a_missing_function_are_os_errors():
    card = Card(FakeNvml(status=3), "0")
    with pytest.raises(OSError, match="nvmlDeviceGetClockInfo: 3"):
        card.sample()
    with pytest.raises(OSError, match="nvmlInit_v2"):
        Card(object(), "0")


def test_a_watch_tells_the_median_clock_and_the_share_of_capped_samples():
    nvml = FakeNvml()
    watch = CardWatch(Card(nvml, "0"))
    assert watch.use is None
    for clock, reasons in ((1980, 0), (1500, _POWER_CAP), (1400, _POWER_CAP), (1450, _POWER_CAP)):
        nvml.clock, nvml.reasons = clock, reasons
        watch()
    assert watch.use == CardUse(sm_mhz=1475, power_capped=0.75)


def test_a_watch_goes_without_what_it_cannot_read():
    watch = CardWatch(None)
    watch()
    assert watch.use is None
    nvml = FakeNvml(status=999)
    watch = CardWatch(Card(nvml, "0"))
    watch()
    assert watch.use is None
    nvml.status = 0
    watch()
    assert watch.use == CardUse(1980, 0.0)


def test_a_cpu_is_no_card():
    assert open_card(torch.device("cpu")) is None
