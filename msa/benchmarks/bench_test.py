import json
import os
import pathlib
import subprocess
import sys

import pytest
import torch
from absl import flags
from absl.testing import flagsaver

from msa.benchmarks import bench, gpu_bench
from msa.benchmarks.gpu_bench import TableSettings
from msa.benchmarks.gpu_rows import parse_rows
from msa.benchmarks.operators import BACKENDS
from msa.benchmarks.passes import Settings

TINY = ("--workload=uniform/2x150", "--device=cpu", "--repeats=1")


@pytest.fixture(autouse=True)
def restored_flags(monkeypatch):
    monkeypatch.setattr("msa.benchmarks.timing._CEILING_SIZES", {"cpu": 64})
    with flagsaver.flagsaver():
        yield


def run_bench(*arguments):
    """The exit status of a run in this process."""
    return bench.main(bench.parse_flags(["bench", *arguments]))


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("--pattern=dense", "<indexer|random|recent|clustered|hot>"),
        ("--workload=packed_192k/1", "packed_192k/<case>, with a case of 2, 3, 8, 9, 14, 21"),
        ("--workload=uniform/1", "uniform/<documents>x<length>"),
        ("--tokens=0", "an integer from 1 to"),
        ("--tokens=many", "an integer from 1 to"),
        ("--tokens=196609", "1 to 196608 tokens of packed_192k/3"),
        ("--passes=forward,sideways", "some of select, schedule, forward, backward, kl"),
        ("--passes=", "some of select, schedule, forward, backward, kl"),
        ("--backend=triton", "<auto|reference>"),
        ("--dtype=float16", "<bfloat16|float32|float64>"),
        ("--device=tpu", "<auto|cpu|cuda>"),
        ("--check=perhaps", "boolean"),
        ("--json=/nowhere/report.json", "a file in a folder that exists"),
        ("--json=", "a file in a folder that exists"),
        ("--repeats=0", "an integer from 1 to"),
        ("--seed=-1", "an integer from 0 to"),
        ("--table=uniform/1x5", "all, or some of <workload>:<pattern>"),
        ("--table=packed_192k/1:random", "packed_192k/<case>, with a case of 2, 3"),
    ],
)
def test_a_wrong_flag_is_one_line_that_names_it_and_what_was_expected(argument, expected, capsys):
    with pytest.raises(SystemExit) as exit_status:
        bench.parse_flags(["bench", argument])
    assert exit_status.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"bench: flag {argument}: ")
    assert expected in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("argument", ["--no_such_flag", "forward"])
def test_an_unknown_argument_is_one_line(argument, capsys):
    with pytest.raises(SystemExit) as exit_status:
        bench.parse_flags(["bench", argument])
    assert exit_status.value.code == 2
    error = capsys.readouterr().err
    assert argument.strip("-") in error
    assert error.count("\n") == 1


def test_the_program_itself_ends_with_one_line_and_no_traceback():
    root = pathlib.Path(bench.__file__).parents[2]
    ended = subprocess.run(
        [sys.executable, "-m", "msa.benchmarks.bench", "--tokens=-1"],
        env={**os.environ, "PYTHONPATH": ":".join([str(root), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr == "bench: flag --tokens=-1: expected an integer from 1 to 2147483647\n"


def test_defaults():
    settings = bench.parse_flags(["bench"])
    assert settings.workload.name.startswith("packed_192k/")
    assert settings.workload.num_tokens == bench.DEFAULT_TOKENS
    assert settings.passes == ("select", "schedule", "forward", "backward")
    assert settings.check


@pytest.fixture(name="kernels")
def _kernels(monkeypatch):
    """As if torch's CPU were a GPU with attention kernels."""
    monkeypatch.setattr(gpu_bench, "find_device", lambda: torch.device("cpu"))


def test_where_there_are_kernels_the_default_is_the_whole_table(kernels):
    settings = bench.parse_flags(["bench", "--seed=3", "--nocheck"])
    assert settings == TableSettings(
        parse_rows("all"), torch.device("cpu"), dense=True, check=False, seed=3, json=None
    )


@pytest.mark.parametrize(
    "argument",
    [
        "--workload=packed_192k/3",
        "--pattern=indexer",
        "--tokens=4096",
        "--passes=forward",
        "--backend=reference",
        "--dtype=float32",
        "--repeats=2",
        "--device=cpu",
    ],
)
def test_a_flag_of_one_run_asks_for_that(argument, kernels):
    assert isinstance(bench.parse_flags(["bench", argument]), Settings)


def test_a_table_has_the_rows_asked_for(kernels):
    settings = bench.parse_flags(["bench", "--table=uniform/1x9:recent,packed_192k/8:random"])
    assert list(map(str, settings.rows)) == ["uniform/1x9:recent", "packed_192k/8:random"]


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("--tokens=5", "expected no --tokens beside it"),
        ("--device=cpu", "expected a GPU with attention kernels, found none"),
    ],
)
def test_a_table_that_cannot_run_is_one_line(argument, expected, kernels, capsys):
    with pytest.raises(SystemExit) as exit_status:
        bench.parse_flags(["bench", "--table=all", argument])
    assert exit_status.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("bench: flag --table: ")
    assert expected in error
    assert error.count("\n") == 1


def test_a_table_runs_as_one(kernels, monkeypatch):
    monkeypatch.setattr(gpu_bench, "main", lambda settings: len(settings.rows))
    assert run_bench("--table=uniform/1x9:recent,uniform/1x9:random") == 2


def test_uniform_documents_are_whole_by_default_and_cut_on_request():
    assert bench.parse_flags(["bench", "--workload=uniform/9x1000"]).workload.num_tokens == 9000
    flags.FLAGS.unparse_flags()
    settings = bench.parse_flags(["bench", "--workload=uniform/9x1000", "--tokens=1500"])
    assert settings.workload.offsets == (0, 1000, 1500)


def test_passes_run_in_their_order_whatever_the_flag():
    settings = bench.parse_flags(["bench", "--passes=kl,forward,select,forward"])
    assert settings.passes == ("select", "forward", "kl")


def test_a_run_prints_what_ran_a_table_and_a_passed_check(capsys):
    assert run_bench(*TINY, "--pattern=random", "--seed=3") == 0
    captured = capsys.readouterr()
    for part in ("uniform/2x150", "random", "seed 3", "forward+backward", "dense causal"):
        assert part in captured.out
    assert "\ncheck: passed (support, schedule; on a sample of 64 queries: " in captured.out
    assert "\r" not in captured.out
    assert "check" in captured.err  # the progress bar's
    assert captured.err.rsplit("\r", 1)[-1].strip() == ""


def test_without_check_nothing_is_said_of_one(capsys):
    assert run_bench(*TINY, "--nocheck", "--passes=schedule") == 0
    assert "check" not in capsys.readouterr().out


def test_a_wrong_result_ends_with_status_1_and_says_so(monkeypatch, capsys):
    right = BACKENDS["reference"].forward

    def wrong(*args):
        out, lse = right(*args)
        return out * 1.01, lse

    monkeypatch.setitem(BACKENDS, "reference", BACKENDS["reference"]._replace(forward=wrong))
    assert run_bench(*TINY, "--backend=reference", "--passes=forward") == 1
    assert "\ncheck: FAILED: out is off by" in capsys.readouterr().out


def test_files_go_where_bazel_run_was_called(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("BUILD_WORKING_DIRECTORY", str(tmp_path))
    assert run_bench(*TINY, "--passes=forward", "--json=a.json") == 0
    assert json.loads((tmp_path / "a.json").read_text())["workload"] == "uniform/2x150"
    assert str(tmp_path / "a.json") in capsys.readouterr().out


def test_json_has_the_whole_report(tmp_path):
    path = tmp_path / "report.json"
    assert run_bench(*TINY, f"--json={path}") == 0

    def no_constant(name):
        raise AssertionError(f"{name} is not JSON")

    report = json.loads(path.read_text(), parse_constant=no_constant)
    assert {name: type(value) for name, value in report.items()} == {
        "workload": str,
        "tokens": int,
        "documents": int,
        "longest_document": int,
        "pattern": str,
        "visible_pairs": float,
        "causal_pairs": int,
        "kept": float,
        "backend": str,
        "dtype": str,
        "device": str,
        "threads": int,
        "torch_version": str,
        "seed": int,
        "ceiling": dict,
        "passes": list,
        "check": dict,
    }
    assert report["ceiling"].keys() == {"size", "flop_per_second"}
    assert [row["name"] for row in report["passes"]] == [
        "select",
        "schedule",
        "forward",
        "backward",
        "forward+backward",
    ]
    cost = {"milliseconds", "runs", "flop", "flop_per_second", "share_of_ceiling", "peak_bytes"}
    for row in report["passes"]:
        assert row.keys() == cost | {"name", "dense", "dense_over_sparse"}
    forward = report["passes"][2]
    assert forward["dense"].keys() == cost
    assert forward["flop"] == 32768 * report["visible_pairs"]
    ratio = forward["dense"]["milliseconds"] / forward["milliseconds"]
    assert forward["dense_over_sparse"] == pytest.approx(ratio)
    assert report["check"]["passed"] is True
    assert report["check"]["queries"] == 64
    assert report["check"]["failures"] == []
    for found in report["check"]["comparisons"]:
        assert found.keys() == {"tensor", "absolute", "relative", "tolerance", "passed"}


def test_json_of_a_nan_is_json(monkeypatch, tmp_path):
    right = BACKENDS["reference"].forward

    def wrong(*args):
        out, lse = right(*args)
        return out * float("nan"), lse

    monkeypatch.setitem(BACKENDS, "reference", BACKENDS["reference"]._replace(forward=wrong))
    path = tmp_path / "report.json"
    assert run_bench(*TINY, "--backend=reference", "--passes=forward", f"--json={path}") == 1
    check = json.loads(path.read_text())["check"]
    assert check["passed"] is False
    assert check["comparisons"][0]["absolute"] is None


def test_a_file_that_cannot_be_written_is_one_line(monkeypatch, tmp_path, capsys):
    def fail(*args, **kwargs):
        raise OSError("no space left")

    monkeypatch.setattr(pathlib.Path, "write_text", fail)
    assert run_bench(*TINY, "--passes=schedule", f"--json={tmp_path / 'a.json'}") == 1
    assert capsys.readouterr().err.endswith("bench: no space left\n")
