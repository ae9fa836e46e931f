import dataclasses
import functools
import math

import pytest
import torch

from msa.benchmarks import measure, timing
from msa.benchmarks.baselines import DenseAttention
from msa.benchmarks.measure import Bench, Layer, Settings
from msa.benchmarks.record import BOTH, Pass
from msa.benchmarks.rows import KINDS, parse_rows
from msa.benchmarks.timing import RunPlan

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _short_runs_by_a_gpu_s_regimes(monkeypatch):
    """A CPU takes the place of a GPU, without graphs and rests."""
    monkeypatch.setattr(RunPlan, "of", lambda milliseconds: RunPlan(0, 1, 1))
    monkeypatch.setattr(timing, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(timing, "has_regimes", lambda device: True)
    monkeypatch.setattr(timing, "captured", lambda operation: operation)
    monkeypatch.setattr(timing, "_PRODUCT_SIZES", {"cpu": 64})
    monkeypatch.setattr(Bench, "_warm_up", lambda *args: None)


def settings(**changes):
    return Settings(**{"rows": (), "groups": (), "device": CPU, "dtype": torch.float32} | changes)


def run(names, groups=1, **changes):
    """The records of some rows, and what was announced."""
    steps = []
    bench = Bench(settings(**changes), steps.append)
    return [bench.row(row, groups) for row in parse_rows(names)], steps


def flop_of(record, by="msa"):
    return {x.name: x.flop for x in record.passes if x.by == by}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_passes_and_passes_the_check(kind):
    (record,), _ = run(f"uniform/2x70:{kind}", groups=2)
    assert record.error is None
    assert [x.name for x in record.passes if x.by == "msa"] == list(KINDS[kind].passes)
    assert all(x.sustained_ms > 0 and x.spaced_ms > 0 and x.runs == 1 for x in record.passes)
    assert record.causal_pairs == 2 * 70 * 71 // 2
    if kind == "kl_dense":
        assert record.check is None
    else:
        assert record.check.passed, record.check
        # All blocks of so few tokens are selected.
        assert record.visible_pairs == record.causal_pairs


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_every_dtype_passes_the_whole_check(dtype):
    (record,), _ = run("uniform/1x140:layer", dtype=dtype, baselines=False)
    assert record.check.passed, record.check
    tensors = [found.tensor for found in record.check.comparisons]
    assert tensors == ["out", "lse", "dq", "dk", "dv", "d index_q"]
    assert "the selection of 64 queries" in record.check.checked


def test_blocks_that_are_left_out_take_no_part_in_the_work():
    (record,), _ = run("uniform/1x2200:recent", baselines=False)
    assert record.check.passed, record.check
    assert record.visible_pairs < record.causal_pairs == 2200 * 2201 // 2
    assert flop_of(record)["forward"] == 8192 * record.visible_pairs


@pytest.mark.parametrize("groups", [1, 2])
def test_work_is_that_of_all_groups(groups):
    (record,), _ = run("uniform/1x130:layer", groups=groups)
    causal, selected = groups * record.causal_pairs, groups * record.visible_pairs
    parts = {
        "select": 256 * causal,
        "schedule": None,
        "forward": 8192 * selected,
        "kl": 4864 * selected,
        "backward": 20480 * selected,
    }
    assert flop_of(record) == parts | {"step": sum(filter(None, parts.values()))}
    dense = flop_of(record, "dense SDPA")
    assert dense == {"forward": 8192 * causal, "backward": 20480 * causal}


def test_times_stand_against_dense_attention_of_the_same_passes():
    records, _ = run("uniform/1x130:random,uniform/1x130:layer")
    for record, ours in zip(records, (BOTH, "step"), strict=True):
        dense = sum(x.sustained_ms for x in record.passes if x.by == "dense SDPA")
        assert record.whole() == record.find(ours)
        ratio = dense / record.find(ours).sustained_ms
        assert record.over_msa(BOTH, "dense SDPA") == pytest.approx(ratio)
        assert record.over_msa(BOTH, "msa") is None


def test_rows_of_one_workload_share_their_dense_attention(monkeypatch):
    measured = []

    def counted(operands, documents):
        measured.append(documents.num_tokens)
        return DenseAttention(operands, documents)

    monkeypatch.setattr(measure, "DenseAttention", counted)
    names = "uniform/1x200:random,uniform/1x200:recent,uniform/1x130:random"
    (one, two, _), _ = run(names, check=False)
    assert measured == [200, 130]
    assert one.find("backward", "dense SDPA") == two.find("backward", "dense SDPA")
    assert one.find("backward") != two.find("backward")


def test_dense_attention_that_would_take_minutes_and_what_is_not_asked_for_is_left_out(monkeypatch):
    monkeypatch.setattr(measure, "DENSE_PAIRS", 10_000)
    (record,), _ = run("uniform/1x200:random")
    assert {x.by for x in record.passes} == {"msa"}
    assert record.notes == ["dense attention is left out: it would take minutes"]
    (record,), _ = run("uniform/1x130:random", baselines=False, check=False)
    assert ({x.by for x in record.passes}, record.check, record.notes) == ({"msa"}, None, [])


def test_packages_are_measured_on_a_gpu_and_one_that_cannot_run_says_why(monkeypatch):
    class Broken:
        name = "broken"

        def __init__(self, operands, documents):
            raise RuntimeError("no kernel\nfor it")

    class Step:
        name = "another"

        def __init__(self, operands, documents):
            pass

        def step(self):
            return ()

    monkeypatch.setattr(measure, "installed", lambda: (Broken, Step))
    bench = Bench(settings(check=False), lambda text: None)
    bench._settings = dataclasses.replace(bench._settings, device=torch.device("cuda", 0))
    rows = [run(f"uniform/1x130:{name}")[0][0] for name in ("layer", "hot")]
    operands = measure.random_operands(130, torch.float32, torch.Generator(), num_groups=1)
    documents = parse_rows("uniform/1x130:layer")[0].workload.documents(CPU)
    monkeypatch.setattr(bench, "_timed", functools.partial(timed_on_a_cpu, bench))
    for record, kind in zip(rows, (KINDS["layer"], KINDS["hot"]), strict=True):
        bench._baselines(record, kind, operands, documents)
        assert record.notes[0].startswith("documents of dense attention by backend: ")
        assert record.notes[1:] == ["broken: RuntimeError: no kernel"]
    assert rows[0].over_msa("step", "another") > 0
    assert rows[1].find("step", "another") is None  # the row has no step to compare with


def timed_on_a_cpu(bench, passes, name, by, operation, flop):
    times, result = timing.measure(operation, CPU)
    passes.append(Pass.of(name, by, times, flop))
    return result


@pytest.mark.parametrize("mode", ["fast", "deterministic"])
def test_the_mode_is_that_of_the_kernels_alone(monkeypatch, mode):
    seen = {}

    def watch(home, name):
        right = getattr(home, name)

        def watched(*args, **kwargs):
            seen.setdefault(name, set()).add(torch.are_deterministic_algorithms_enabled())
            return right(*args, **kwargs)

        monkeypatch.setattr(home, name, watched)

    ours = ("select_blocks", "build_backward_schedule", "sparse_attention", "index_kl_loss")
    for name in (*ours, "dense_index_kl_loss"):
        watch(measure, name)
    for name in ("forward", "backward"):
        watch(DenseAttention, name)
    run("uniform/1x130:layer,uniform/1x130:kl_dense,uniform/1x130:hot", mode=mode)
    assert seen == {name: {mode == "deterministic"} for name in (*ours, "dense_index_kl_loss")} | {
        name: {False} for name in ("forward", "backward")
    }


def test_a_row_that_breaks_says_where_and_takes_no_other_with_it(monkeypatch, capsys):
    def broken(*args):
        raise RuntimeError("an illegal address\nand its advice")

    monkeypatch.setattr(measure, "check_results", broken)
    (one, two), steps = run("uniform/1x130:random,uniform/1x130:kl_dense")
    assert one.error == "check: RuntimeError: an illegal address"
    assert not one.passed
    assert one.find("backward") is not None
    assert two.passed
    assert "Traceback" in capsys.readouterr().err
    assert "uniform/1x130:random, 1 groups: check" in steps


def scaled(tensor, row, factor):
    tensor = tensor.detach().clone()
    tensor[row] *= factor
    return tensor


@pytest.mark.parametrize("factor", [1.01, math.nan])
@pytest.mark.parametrize(
    ("name", "result", "tensor"),
    [
        ("forward", 0, "out"),
        ("forward", 1, "lse"),
        ("backward", 0, "dq"),
        ("backward", 1, "dk"),
        ("backward", 2, "dv"),
        ("step", 3, "d index_q"),
    ],
)
def test_one_wrong_row_fails_the_check(monkeypatch, name, result, tensor, factor):
    """The last row: the last query of a document is in every sample."""
    right = getattr(Layer, f"_{name}")

    def wrong(layer, *args):
        # Each with the graph of the right results.
        results = list(right(layer, *args))
        results[result] = results[result] + (
            scaled(results[result], -1, factor) - results[result].detach()
        )
        return tuple(results)

    monkeypatch.setattr(Layer, f"_{name}", wrong)
    (record,), _ = run("uniform/2x70:layer", baselines=False)
    assert not record.passed
    assert f"check: FAILED: {tensor} is off by" in str(record.check)
    assert [found.tensor for found in record.check.comparisons if not found.passed] == [tensor]
    differences = [found["relative"] for found in record.check.to_json()["comparisons"]]
    assert (None in differences) == math.isnan(factor)


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda support: support[0, -1, 1:].fill_(-1), "support must hold min"),
        (lambda support: support.add_(1), "support must hold distinct ids"),
    ],
)
def test_a_wrong_selection_fails_the_check(monkeypatch, damage, expected):
    right = measure.select_blocks

    def wrong(*args):
        support = right(*args)
        damage(support)
        return support

    monkeypatch.setattr(measure, "select_blocks", wrong)
    (record,), _ = run("uniform/2x140:select")
    assert f"FAILED: {expected}" in str(record.check)


def test_a_wrong_schedule_fails_the_check(monkeypatch):
    right = measure.build_backward_schedule

    def wrong(*args):
        schedule = right(*args)
        return dataclasses.replace(schedule, work_count=schedule.work_count - 1)

    monkeypatch.setattr(measure, "build_backward_schedule", wrong)
    (record,), _ = run("uniform/2x140:schedule_random")
    assert "FAILED: schedule must hold" in str(record.check)


def test_a_run_says_what_it_is():
    found = Bench(settings(seed=7, mode="deterministic"), lambda text: None).start()
    said = (found.dtype, found.operators, found.mode, found.seed)
    assert said == ("float32", "plain torch", "deterministic", 7)
    assert found.ceiling.flop == 2 * 64**3
    assert found.cudnn_version is None
