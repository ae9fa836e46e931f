import sys

import pytest
import torch

from msa.benchmarks import timing
from msa.benchmarks.timing import (
    AUTO_RUNS,
    PAUSE_SECONDS,
    WARM_UP_MS,
    Measurement,
    RunPlan,
    matrix_product_ceiling,
    measure,
    measure_regimes,
)

CPU = torch.device("cpu")


@pytest.mark.parametrize("repeats", [1, 2, 7])
def test_measure_counts_as_many_runs_as_asked_and_returns_the_last_result(repeats):
    calls = []
    measurement, result = measure(lambda: calls.append(0) or len(calls), CPU, repeats)
    assert len(measurement.times_ms) == repeats
    assert result == len(calls)
    assert all(time >= 0 for time in measurement.times_ms)


def test_a_short_operation_runs_as_often_as_is_useful():
    measurement, _ = measure(lambda: None, CPU, None)
    assert len(measurement.times_ms) == AUTO_RUNS


def test_median():
    assert Measurement((5.0, 1.0, 100.0), None).median_ms == 5.0
    assert Measurement((1.0, 3.0), None).median_ms == 2.0


@pytest.mark.parametrize("size", [2**16, 2**22, 2**27])
def test_peak_memory_sees_what_a_pass_allocates_and_drops_again(size):
    """Small blocks too, which the allocator keeps when they are freed."""

    def operation():
        kept = [torch.ones(size, dtype=torch.uint8) for _ in range(2**27 // size)]
        return len(kept)

    operation()
    measurement, _ = measure(operation, CPU, 1)
    if sys.platform == "linux" and measurement.peak_bytes is not None:
        assert 0.9 * 2**27 < measurement.peak_bytes < 1.5 * 2**27


def test_the_ceiling_is_a_positive_rate():
    size, rate = matrix_product_ceiling(CPU, torch.float32)
    assert size > 0
    assert rate > 0


@pytest.mark.parametrize("milliseconds", [0.0, 0.2, 4.0, 30.0, 110.0, 199.0, 200.0, 505.0, 1331.0])
def test_a_plan_warms_up_and_runs_as_much_as_a_regime_asks_for_in_bounded_time(milliseconds):
    plan = RunPlan.of(milliseconds)
    if milliseconds >= WARM_UP_MS:
        assert plan.warm_up == 0  # the run whose length was measured
    elif milliseconds:
        assert WARM_UP_MS <= plan.warm_up * milliseconds < WARM_UP_MS + milliseconds
    whole = plan.sustained >= 5 and plan.sustained * milliseconds >= 300
    if milliseconds:
        assert whole or (plan.sustained + 1) * milliseconds > 2000 or plan.sustained == 2
        assert plan.sustained * milliseconds <= max(2000, 2 * milliseconds)
    assert plan.spaced == max(1, min(7, int(2000 / max(milliseconds, 1))))
    assert plan.sustained >= 2


class FakeTime:
    """A clock that only an operation and a pause move."""

    def __init__(self, run_seconds):
        self.now = 0.0
        self.idle = 0.0
        self.pauses = []
        self.runs = []
        self._run_seconds = run_seconds

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        self.idle += seconds

    def operation(self):
        """A first run is ten times as long, and one after a pause twice as fast."""
        self.pauses.append(self.idle)
        seconds = self._run_seconds * (10 if not self.runs else 0.5 if self.idle else 1)
        self.idle = 0.0
        self.now += seconds
        self.runs.append(seconds)


# Sums of these are exact.
@pytest.mark.parametrize("milliseconds", [0.9765625, 31.25, 156.25, 750.0, 3000.0])
def test_regimes_are_timed_back_to_back_and_then_with_pauses(milliseconds, monkeypatch):
    clock = FakeTime(milliseconds / 1e3)
    monkeypatch.setattr(timing, "time", clock)
    regimes = measure_regimes(clock.operation, CPU)
    plan = RunPlan.of(milliseconds)
    assert regimes.sustained.times_ms == pytest.approx((milliseconds,) * plan.sustained)
    assert regimes.spaced.times_ms == pytest.approx((milliseconds / 2,) * plan.spaced)
    # All runs that came before those with a pause.
    before = clock.pauses.index(PAUSE_SECONDS)
    assert clock.pauses == [0.0] * before + [PAUSE_SECONDS] * plan.spaced
    warm_up_ms = 1e3 * sum(clock.runs[1 : before - plan.sustained])
    assert warm_up_ms >= WARM_UP_MS - 1e-6


def test_a_first_run_that_loads_does_not_plan_the_others(monkeypatch):
    """Ten times as long as the others here: by its length, fewer would be run."""
    clock = FakeTime(0.1)
    monkeypatch.setattr(timing, "time", clock)
    assert len(measure_regimes(clock.operation, CPU).spaced.times_ms) == 7
