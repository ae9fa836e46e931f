import sys

import pytest
import torch

from msa.benchmarks.timing import AUTO_RUNS, Measurement, matrix_product_ceiling, measure

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
