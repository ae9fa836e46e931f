import pytest
import torch

from msa.benchmarks import timing
from msa.benchmarks.timing import (
    AUTO_RUNS,
    PAUSE_SECONDS,
    WARM_UP_MS,
    RunPlan,
    matrix_product,
    measure,
)

CPU = torch.device("cpu")


def test_a_short_operation_runs_as_often_as_is_useful_and_gives_its_last_result():
    calls = []
    times, result = measure(lambda: calls.append(0) or len(calls), CPU)
    assert len(times.sustained_ms) == AUTO_RUNS
    assert result == len(calls) == AUTO_RUNS + 1
    assert times.spaced_ms == ()


def test_the_product_is_counted_whole():
    product, flop = matrix_product(CPU, torch.bfloat16)
    assert product().shape == (2048, 2048)
    assert flop == 2 * 2048**3


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


@pytest.fixture
def regimes(monkeypatch):
    """A CPU is measured as a GPU is."""
    monkeypatch.setattr(timing, "has_regimes", lambda device: True)


# Sums of these are exact.
@pytest.mark.parametrize("milliseconds", [0.9765625, 31.25, 156.25, 750.0, 3000.0])
def test_regimes_are_timed_back_to_back_and_then_with_pauses(milliseconds, monkeypatch, regimes):
    clock = FakeTime(milliseconds / 1e3)
    monkeypatch.setattr(timing, "time", clock)
    times, _ = measure(clock.operation, CPU)
    plan = RunPlan.of(milliseconds)
    assert times.sustained_ms == pytest.approx((milliseconds,) * plan.sustained)
    assert times.spaced_ms == pytest.approx((milliseconds / 2,) * plan.spaced)
    # All runs that came before those with a pause.
    before = clock.pauses.index(PAUSE_SECONDS)
    assert clock.pauses == [0.0] * before + [PAUSE_SECONDS] * plan.spaced
    warm_up_ms = 1e3 * sum(clock.runs[1 : before - plan.sustained])
    assert warm_up_ms >= WARM_UP_MS - 1e-6


def test_a_first_run_that_loads_does_not_plan_the_others(monkeypatch, regimes):
    """Ten times as long as the others here: by its length, fewer would be run."""
    clock = FakeTime(0.1)
    monkeypatch.setattr(timing, "time", clock)
    assert len(measure(clock.operation, CPU)[0].spaced_ms) == 7


def test_a_long_first_run_is_a_measurement_where_there_are_no_regimes(monkeypatch):
    clock = FakeTime(0.3)
    monkeypatch.setattr(timing, "time", clock)
    times, _ = measure(clock.operation, CPU)
    assert times.sustained_ms == pytest.approx((3000.0,))


def test_replays_are_timed_in_the_place_of_runs_whose_result_is_kept(monkeypatch, regimes):
    """Of a GPU's graph; memory is that of the run, which a replay does not allocate."""
    monkeypatch.setattr(RunPlan, "of", lambda milliseconds: RunPlan(1, 3, 2))
    monkeypatch.setattr(timing, "PAUSE_SECONDS", 0)
    calls = []

    def captured(_operation):
        calls.append("captured")
        return lambda: calls.append("replay")

    monkeypatch.setattr(timing, "captured", captured)
    times, result = measure(lambda: calls.append("run") or "result", CPU, graph=True)
    assert result == "result"
    assert calls == ["run", "captured", *["replay"] * (1 + 1 + 3 + 2)]
    assert (len(times.sustained_ms), len(times.spaced_ms)) == (3, 2)
