import contextlib
import dataclasses
import math

import pytest
import torch

from msa.benchmarks.operators import BACKENDS
from msa.benchmarks.passes import PASSES, Settings, run
from msa.benchmarks.workloads import parse_workload

SETTINGS = Settings(
    workload=parse_workload("uniform/2x150").cut(290),
    pattern="indexer",
    passes=PASSES,
    backend="auto",
    device=torch.device("cpu"),
    dtype=torch.float32,
    check=True,
    repeats=1,
    seed=0,
)


def changed(**changes):
    return dataclasses.replace(SETTINGS, **changes)


@pytest.fixture(autouse=True)
def small_ceiling(monkeypatch):
    monkeypatch.setattr("msa.benchmarks.timing._CEILING_SIZES", {"cpu": 64})


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_every_backend_and_dtype_passes_the_check(backend, dtype):
    report = run(changed(backend=backend, dtype=dtype), BACKENDS[backend])
    assert report.check.passed, report.check
    assert [found.tensor for found in report.check.comparisons] == [
        "out",
        "lse",
        "dq",
        "dk",
        "dv",
        "d index_q",
    ]
    assert report.dtype == str(dtype).removeprefix("torch.")


@pytest.mark.parametrize("pattern", ["indexer", "random", "recent", "clustered"])
def test_every_pattern_passes_the_check_where_blocks_are_left_out(pattern):
    settings = changed(
        workload=parse_workload("uniform/1x2200"), pattern=pattern, passes=("select", "forward")
    )
    report = run(settings, BACKENDS["auto"])
    assert report.check.passed, report.check
    assert report.kept < 1
    assert report.causal_pairs == 2200 * 2201 // 2


def test_the_report_has_the_passes_asked_for_with_dense_ones_beside_them():
    report = run(changed(passes=("schedule", "backward"), check=False), BACKENDS["auto"])
    assert [row.name for row in report.rows] == ["schedule", "backward"]
    assert [row.dense is not None for row in report.rows] == [False, True]
    assert report.check is None

    report = run(SETTINGS, BACKENDS["auto"])
    assert [row.name for row in report.rows] == [*PASSES, "forward+backward"]
    forward, backward, total = (report.rows[index] for index in (2, 3, 5))
    assert total.sparse.flop == forward.sparse.flop + backward.sparse.flop
    assert total.dense.milliseconds == forward.dense.milliseconds + backward.dense.milliseconds
    # 290 tokens select all their blocks: as many pairs as dense attention has.
    assert forward.sparse.flop == forward.dense.flop == 32768 * report.causal_pairs
    assert backward.dense.flop == 81920 * report.causal_pairs


@pytest.mark.parametrize("passes", [PASSES, ("schedule",), ("kl",), ("backward",)])
@pytest.mark.parametrize("check", [True, False])
def test_every_step_is_announced(passes, check):
    names = []

    @contextlib.contextmanager
    def step(name):
        names.append(name)
        yield

    settings = changed(passes=passes, check=check)
    run(settings, BACKENDS["auto"], step)
    assert len(names) == settings.num_steps
    assert set(passes) <= set(names)


def test_a_schedule_alone_needs_no_attention():
    def unused(*args):
        raise AssertionError("not asked for")

    operators = BACKENDS["auto"]._replace(
        select=unused, forward=unused, backward=unused, index_kl=unused
    )
    report = run(changed(passes=("schedule",), pattern="recent"), operators)
    assert str(report.check) == "check: passed (support, schedule)"


def scaled(tensor, row, factor):
    tensor = tensor.detach().clone()
    tensor[row] *= factor
    return tensor


@pytest.mark.parametrize("factor", [1.01, math.nan])
@pytest.mark.parametrize(
    ("name", "operator", "result", "tensor"),
    [
        ("forward", "forward", 0, "out"),
        ("forward", "forward", 1, "lse"),
        ("backward", "backward", 0, "dq"),
        ("backward", "backward", 1, "dk"),
        ("backward", "backward", 2, "dv"),
        ("kl", "index_kl", 1, "d index_q"),
    ],
)
def test_one_wrong_row_fails_the_check(name, operator, result, tensor, factor):
    """The last row: the last query of a document is in every sample."""
    right = getattr(BACKENDS["reference"], operator)

    def wrong(*args):
        results = list(right(*args))
        results[result] = scaled(results[result], -1, factor)
        return tuple(results)

    operators = BACKENDS["reference"]._replace(**{operator: wrong})
    report = run(changed(passes=(name,)), operators)
    assert not report.check.passed
    assert str(report.check).startswith("check: FAILED: ")
    assert f"{tensor} is off by" in str(report.check)
    assert [found.tensor for found in report.check.comparisons if not found.passed] == [tensor]


def test_a_wrong_selection_fails_the_check():
    def wrong(*args):
        support = BACKENDS["auto"].select(*args)
        support[3, -1] = -1
        support[3, -1, 0] = 0
        return support

    report = run(changed(passes=("select",)), BACKENDS["auto"]._replace(select=wrong))
    assert "FAILED: support must hold" in str(report.check)

    def invalid(*args):
        return BACKENDS["auto"].select(*args) + 1

    report = run(changed(passes=("select",)), BACKENDS["auto"]._replace(select=invalid))
    assert "FAILED: support must hold distinct ids" in str(report.check)
