"""Ranges of public calls in a profile."""

import inspect

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from msa.schedule.profiling import recorded


@recorded
def double(x: torch.Tensor, *, times: int = 1) -> torch.Tensor:
    """Twice `x`, so many times."""
    for _ in range(times):
        x = 2 * x
    return x


def names(run) -> list[str]:
    """The names in a profile of `run`."""
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        run()
    return [event.name for event in profiled.events()]


def test_a_range_where_a_profiler_runs():
    x = torch.ones(2)
    found = names(lambda: double(x, times=2))
    assert found.count("msa.double") == 1
    assert "msa.double" not in names(lambda: 2 * x)


def test_the_function_stays_what_it_was():
    assert torch.equal(double(torch.ones(2), times=3), torch.full((2,), 8.0))
    assert double.__name__ == "double"
    assert double.__doc__ == "Twice `x`, so many times."
    assert list(inspect.signature(double).parameters) == ["x", "times"]
    with pytest.raises(TypeError, match="unexpected keyword"):
        double(torch.ones(2), time=3)


def test_the_range_ends_with_an_error():
    @recorded
    def fail():
        raise ValueError

    def run():
        with pytest.raises(ValueError):
            fail()
        double(torch.ones(2))

    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        run()
    events = {event.name: event for event in profiled.events()}
    assert events["msa.double"].cpu_parent is None
    assert events["msa.fail"].time_range.end <= events["msa.double"].time_range.start


def test_compiled_whole_and_once_whether_a_profiler_runs_or_not():
    torch.compiler.reset()
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph.forward

    compiled = torch.compile(double, fullgraph=True, backend=backend)
    x = torch.ones(2)
    assert torch.equal(compiled(x), 2 * x)
    names(lambda: compiled(x))
    assert len(graphs) == 1
