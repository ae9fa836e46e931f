import dataclasses
import json
import os
import pathlib
import subprocess
import sys

import pytest
import torch

from msa.benchmarks import gpu_bench, layer
from msa.benchmarks.gpu_bench import TableSettings
from msa.benchmarks.gpu_rows import parse_rows
from msa.benchmarks.timing import RunPlan

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _short_runs_without_graphs(monkeypatch):
    """The plain torch operators on a CPU take the place of a GPU's."""
    monkeypatch.setattr(RunPlan, "of", lambda milliseconds: RunPlan(0, 1, 1))
    monkeypatch.setattr("msa.benchmarks.timing.PAUSE_SECONDS", 0)
    monkeypatch.setattr(gpu_bench, "captured", lambda operation: operation)


def settings(rows, *, dense=True, check=True, json=None):
    return TableSettings(parse_rows(rows), CPU, dense, check, seed=0, json=json)


def test_rows_are_measured_and_pass_the_check(tmp_path, capsys):
    path = tmp_path / "table.json"
    rows = "uniform/1x300:random,uniform/2x150:clustered"
    assert gpu_bench.main(settings(rows, json=path)) == 0
    captured = capsys.readouterr()
    first, second = (
        next(line for line in captured.out.splitlines() if line.startswith(name))
        for name in ("uniform/1x300", "uniform/2x150")
    )
    assert first.split()[1:6] == ["1", "300", "4", "random", "sustained"]
    assert second.split()[1:6] == ["2", "300", "4", "clustered", "sustained"]
    assert first.split()[-1] == second.split()[-1] == "passed"
    assert "clock    SM clock and power cap not read" in captured.out

    table = json.loads(path.read_text())
    assert table["torch_version"] == torch.__version__
    one, two = table["rows"]
    # All blocks of so few tokens are selected: as much work as dense attention has.
    assert one["visible_pairs"] == one["causal_pairs"] == 300 * 301 // 2
    for name, flop in (("forward", 32768), ("backward", 81920)):
        assert one[name]["sustained"]["flop"] == flop * one["causal_pairs"]
        assert one["dense"][name]["spaced"]["flop"] == flop * one["causal_pairs"]
    assert sum(two["dense"]["backends"].values()) == 2
    assert one["check"]["passed"]
    assert [found["tensor"] for found in one["check"]["comparisons"]] == [
        *("out", "lse", "dq", "dk", "dv")
    ]


def test_a_row_is_measured_with_each_number_of_groups(tmp_path, capsys):
    path = tmp_path / "table.json"
    plan = settings("uniform/1x130:random,uniform/1x140:recent", json=path)
    assert gpu_bench.main(dataclasses.replace(plan, groups=(8, 1))) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("uniform")]
    assert [line.split()[3] for line in lines] == ["8", "1", "8", "1"]
    rows = json.loads(path.read_text())["rows"]
    assert [row["groups"] for row in rows] == [8, 1, 8, 1]
    # Work is that of all groups, in sparse attention as in dense.
    for row in rows:
        pairs = row["groups"] * row["causal_pairs"]
        assert row["visible_pairs"] == row["causal_pairs"]
        for name, flop in (("forward", 32768 // 4), ("backward", 81920 // 4)):
            assert row[name]["sustained"]["flop"] == flop * pairs
            assert row["dense"][name]["sustained"]["flop"] == flop * pairs
        assert row["check"]["passed"]


def test_a_row_of_selection(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(gpu_bench, "PRODUCT_SIZE", 16)
    path = tmp_path / "table.json"
    assert gpu_bench.main(settings("uniform/1x2200:select,uniform/2x9:select", json=path)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("uniform/1x2200") and "torch.topk" in line for line in lines)
    one, two = json.loads(path.read_text())["rows"]
    assert one["causal_pairs"] == 2200 * 2201 // 2
    assert one["select"]["select"]["sustained"]["flop"] == 1024 * one["causal_pairs"]
    assert one["select"]["product"] == two["select"]["product"]
    ratio = one["select"]["over_product"]["spaced"]
    rates = [one["select"][name]["spaced"]["flop_per_second"] for name in ("select", "product")]
    assert ratio == pytest.approx(rates[0] / rates[1])


def test_rows_of_the_index_loss(tmp_path, capsys):
    path = tmp_path / "table.json"
    rows = "uniform/1x300:kl_random,uniform/2x150:kl_clustered,uniform/2x150:kl_dense"
    assert gpu_bench.main(settings(rows, json=path)) == 0
    lines = capsys.readouterr().out.splitlines()
    random, clustered, dense = json.loads(path.read_text())["rows"]
    for name, row in (("kl_random", random), ("kl_clustered", clustered)):
        # 19456 of a selected pair of one of four groups.
        assert row["kl"]["sustained"]["flop"] == 19456 * row["visible_pairs"]
        assert [found["tensor"] for found in row["check"]["comparisons"]] == [
            *("out", "lse", "d index_q")
        ]
        assert sum(f" {name} " in line and "check passed" in line for line in lines) == 1
    assert dense["causal_pairs"] == 2 * 150 * 151 // 2
    assert dense["kl"]["sustained"]["flop"] == 19456 * dense["causal_pairs"]
    assert dense["check"] is None


def test_a_row_of_a_layer_is_its_whole_step(tmp_path, capsys):
    path = tmp_path / "table.json"
    assert gpu_bench.main(settings("uniform/1x300:layer", json=path)) == 0
    (row,) = json.loads(path.read_text())["rows"]
    layer = row["layer"]
    parts = ["select", "schedule", "forward", "kl", "backward"]
    assert list(layer["parts"]) == list(layer["shares"]["spaced"]) == parts
    causal, selected = row["causal_pairs"], row["visible_pairs"]
    flop = {name: layer["parts"][name]["sustained"]["flop"] for name in parts}
    assert flop == {
        "select": 1024 * causal,
        "schedule": None,
        "forward": 32768 * selected,
        "kl": 19456 * selected,
        "backward": 81920 * selected,
    }
    step = layer["step"]["sustained"]
    assert step["flop"] == 1024 * causal + (32768 + 19456 + 81920) * selected
    kl = layer["parts"]["kl"]["sustained"]["milliseconds"]
    assert layer["shares"]["sustained"]["kl"] == pytest.approx(kl / step["milliseconds"])
    dense = (row["dense"][name]["sustained"]["milliseconds"] for name in ("forward", "backward"))
    ratio = sum(dense) / step["milliseconds"]
    assert row["dense_over_sparse"]["sustained"] == pytest.approx(ratio)
    assert row["check"]["passed"]
    assert "selection" in row["check"]["sampled"]
    assert [found["tensor"] for found in row["check"]["comparisons"]] == [
        *("out", "lse", "dq", "dk", "dv", "d index_q")
    ]
    (line,) = (x for x in capsys.readouterr().out.splitlines() if x.startswith("uniform/1x300"))
    assert line.split()[4:6] == ["layer", "sustained"]
    assert "check passed" in line


def test_loss_and_layer_run_in_the_mode(monkeypatch):
    seen = set()

    def watch(home, name):
        right = getattr(home, name)

        def watched(*args, **kwargs):
            seen.add((home, name, torch.are_deterministic_algorithms_enabled()))
            return right(*args, **kwargs)

        monkeypatch.setattr(home, name, watched)

    watched = [
        *((layer, name) for name in ("select_blocks", "build_backward_schedule")),
        *((layer, name) for name in ("sparse_attention", "index_kl_loss")),
        *((gpu_bench, name) for name in ("index_kl_loss", "dense_index_kl_loss")),
    ]
    for home, name in watched:
        watch(home, name)
    rows = settings("uniform/1x130:layer,uniform/1x130:kl_hot,uniform/1x130:kl_dense", dense=False)
    assert gpu_bench.main(dataclasses.replace(rows, mode="deterministic", check=False)) == 0
    assert seen == {(home, name, True) for home, name in watched}


@pytest.mark.parametrize("mode", ["fast", "deterministic"])
def test_a_mode_is_that_of_the_kernels_alone(monkeypatch, tmp_path, capsys, mode):
    seen = {"sparse": set(), "dense": set()}

    def watch(name, function):
        def watched(*args, **kwargs):
            seen[name].add(torch.are_deterministic_algorithms_enabled())
            return function(*args, **kwargs)

        return watched

    for name in ("sparse_attention", "sparse_attention_backward"):
        monkeypatch.setattr(torch.ops.msa, name, watch("sparse", getattr(torch.ops.msa, name)))
    for name in ("forward", "backward"):
        attention = gpu_bench.DenseAttention
        monkeypatch.setattr(attention, name, watch("dense", getattr(attention, name)))
    path = tmp_path / "table.json"
    plan = dataclasses.replace(settings("uniform/1x130:hot", json=path), mode=mode)
    assert gpu_bench.main(plan) == 0
    assert seen == {"sparse": {mode == "deterministic"}, "dense": {False}}
    assert f"mode     {mode}\n" in capsys.readouterr().out
    assert json.loads(path.read_text())["mode"] == mode


def test_rows_of_one_workload_share_their_dense_attention(monkeypatch, tmp_path):
    path = tmp_path / "table.json"
    measured = []
    right = gpu_bench.DenseAttention

    def counted(operands, documents):
        measured.append(documents.num_tokens)
        return right(operands, documents)

    monkeypatch.setattr(gpu_bench, "DenseAttention", counted)
    rows = "uniform/1x200:random,uniform/1x200:recent,uniform/1x130:random"
    assert gpu_bench.main(settings(rows, check=False, json=path)) == 0
    assert measured == [200, 130]
    one, two, _ = json.loads(path.read_text())["rows"]
    assert one["dense"] == two["dense"]
    assert one["forward"] != two["forward"]


def test_a_row_that_breaks_takes_no_other_with_it(monkeypatch, tmp_path, capsys):
    path = tmp_path / "table.json"
    right = gpu_bench.DenseAttention

    def break_at_130(operands, documents):
        if documents.num_tokens == 130:
            raise RuntimeError("an illegal address\nand its advice")
        return right(operands, documents)

    monkeypatch.setattr(gpu_bench, "DenseAttention", break_at_130)
    rows = "uniform/1x200:random,uniform/1x130:random,uniform/1x140:random"
    assert gpu_bench.main(settings(rows, check=False, json=path)) == 1
    captured = capsys.readouterr()
    assert "FAILED: dense: RuntimeError: an illegal address\n" in captured.out
    assert "Traceback" in captured.err
    errors = [row["error"] for row in json.loads(path.read_text())["rows"]]
    assert [error is None for error in errors] == [True, False, True]
    broken = json.loads(path.read_text())["rows"][1]
    assert broken["backward"] is not None
    assert broken["dense"] is None


def test_each_row_is_on_paper_before_the_next_one_starts(monkeypatch, tmp_path, capsys):
    path = tmp_path / "table.json"
    right = gpu_bench.PATTERNS["random"]
    seen = []

    def random(documents, generator, num_groups):
        seen.append(
            ("uniform/1x200" in capsys.readouterr().out, path.exists() and len(path.read_text()))
        )
        return right(documents, generator, num_groups)

    monkeypatch.setitem(gpu_bench.PATTERNS, "random", random)
    rows = "uniform/1x200:random,uniform/1x130:random"
    assert gpu_bench.main(settings(rows, dense=False, check=False, json=path)) == 0
    assert seen[0] == (False, False)
    assert seen[1][0]
    assert 0 < seen[1][1] < len(path.read_text())


def test_dense_attention_and_check_can_be_left_out(monkeypatch, capsys):
    def unused(*args):
        raise AssertionError("not asked for")

    monkeypatch.setattr(gpu_bench, "DenseAttention", unused)
    monkeypatch.setattr(gpu_bench, "check_results", unused)
    assert gpu_bench.main(settings("uniform/1x130:recent", dense=False, check=False)) == 0
    row = capsys.readouterr().out.splitlines()[-2].split()
    assert row[13:19] == ["-"] * 6


def test_a_wrong_result_ends_with_status_1(monkeypatch, capsys):
    def wrong(results, *args):
        results.out = results.out * 1.05
        return right(results, *args)

    right = gpu_bench.check_results
    monkeypatch.setattr(gpu_bench, "check_results", wrong)
    assert gpu_bench.main(settings("uniform/1x130:recent", dense=False)) == 1
    assert "check: FAILED: out is off by" in capsys.readouterr().out


def test_a_file_that_cannot_be_written_does_not_end_the_table(tmp_path, capsys):
    rows = "uniform/1x130:recent,uniform/1x140:recent"
    path = tmp_path / "missing" / "table.json"
    assert gpu_bench.main(settings(rows, dense=False, check=False, json=path)) == 1
    captured = capsys.readouterr()
    assert "uniform/1x140" in captured.out
    assert "gpu_bench: " in captured.err


def test_arguments(monkeypatch, tmp_path):
    monkeypatch.setattr(gpu_bench, "find_device", lambda: CPU)
    whole = gpu_bench.parse_arguments([])
    assert whole == TableSettings(parse_rows("all"), CPU, True, True, 0, None)
    arguments = ["--rows=uniform/1x5:random", "--nodense", "--nocheck", "--seed=3", "--json=a"]
    one = gpu_bench.parse_arguments(arguments)
    assert (str(one.rows[0]), one.dense, one.check, one.seed) == (
        *("uniform/1x5:random", False, False, 3),
    )
    assert one.json.name == "a"
    assert whole.groups == (4,)
    assert gpu_bench.parse_arguments(["--groups=1,2,4,8"]).groups == (1, 2, 4, 8)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--rows=uniform/1x5"], "--rows: expected all, or some of <workload>:<pattern>"),
        (["--groups=3"], "--groups: expected some of 1, 2, 4, 8 with commas between them, got '3'"),
        (["--groups="], "--groups: expected some of 1, 2, 4, 8"),
        ([], "expected a GPU with attention kernels, found none"),
    ],
)
def test_what_cannot_run_is_refused(arguments, expected, monkeypatch, capsys):
    monkeypatch.setattr(gpu_bench, "find_device", lambda: None)
    with pytest.raises(SystemExit) as exit_status:
        gpu_bench.parse_arguments(arguments)
    assert exit_status.value.code == 2
    assert expected in capsys.readouterr().err


def test_the_program_needs_torch_alone():
    """It runs on machines that have torch and little else."""
    program = (
        "import runpy, sys\n"
        "sys.modules.update(dict.fromkeys(['absl', 'matplotlib', 'tqdm', 'cutlass']))\n"
        "sys.argv = ['gpu_bench', '--rows=none']\n"
        "runpy.run_module('msa.benchmarks.gpu_bench', run_name='__main__')\n"
    )
    root = pathlib.Path(gpu_bench.__file__).parents[2]
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "--rows: expected all, or" in ended.stderr
