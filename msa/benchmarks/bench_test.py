import io
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
import torch
from absl import flags
from absl.testing import flagsaver

from msa.benchmarks import bench, measure, timing
from msa.benchmarks.measure import Settings
from msa.benchmarks.record import Run
from msa.benchmarks.rows import parse_rows

CPU = torch.device("cpu")
TINY = ("--device=cpu", "--tokens=130")


@pytest.fixture(autouse=True)
def restored_flags(monkeypatch):
    monkeypatch.setattr(timing, "_PRODUCT_SIZES", {"cpu": 64})
    monkeypatch.setattr(timing, "AUTO_SECONDS", 0)
    with flagsaver.flagsaver():
        yield


def run_bench(*arguments):
    """The exit status of a run in this process."""
    flags.FLAGS.unparse_flags()
    return bench.main(bench.parse_flags(["bench", *arguments]))


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("--rows=uniform/1x5", "some of all, lengths and <workload>:<kind>"),
        ("--rows=packed_192k/1:random", "packed_192k/<case>, with a case of 2, 3, 8, 9, 14, 21"),
        ("--tokens=0", "0 is not a positive integer"),
        ("--tokens=many", "invalid literal"),
        ("--tokens=8193", "1 to 8192 tokens of uniform/1x8192"),
        ("--groups=3", "some of 1, 2, 4, 8, with commas between them"),
        ("--groups=", "some of 1, 2, 4, 8"),
        ("--dtype=float16", "<bfloat16|float32|float64>"),
        ("--device=tpu", "<auto|cpu|cuda>"),
        ("--mode=slow", "<fast|deterministic>"),
        ("--check=perhaps", "boolean"),
        ("--json=/nowhere/report.json", "a file in a folder that exists"),
        ("--json=", "a file in a folder that exists"),
        ("--seed=-1", "-1 is not a non-negative integer"),
    ],
)
def test_a_wrong_flag_is_one_line_that_names_it_and_what_was_expected(argument, expected, capsys):
    with pytest.raises(SystemExit) as exit_status:
        bench.parse_flags(["bench", "--device=cpu", argument])
    assert exit_status.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"bench: flag {argument}: ")
    assert expected in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("argument", ["--no_such_flag", "forward", "--kernels"])
def test_an_argument_that_cannot_be_is_one_line(argument, capsys):
    with pytest.raises(SystemExit) as exit_status:
        bench.parse_flags(["bench", "--device=cpu", argument])
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
    assert ended.stderr == "bench: flag --tokens=-1: -1 is not a positive integer\n"


def test_defaults_on_a_cpu_and_on_a_gpu_with_kernels(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    one = Settings(parse_rows("uniform/1x8192:indexer"), (1,), CPU, torch.float32)
    assert bench.parse_flags(["bench"]) == one
    cuda = torch.device("cuda", 0)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(bench, "has_kernels", lambda device: device == cuda)
    whole = Settings(parse_rows("all"), (4,), cuda, torch.bfloat16)
    assert bench.parse_flags(["bench"]) == whole
    flags.FLAGS.unparse_flags()
    assert bench.parse_flags(["bench", "--device=cpu"]) == one
    monkeypatch.setattr(bench, "has_kernels", lambda device: False)
    flags.FLAGS.unparse_flags()
    assert bench.parse_flags(["bench"]).rows == one.rows


def test_flags_are_settings(monkeypatch):
    arguments = ["--rows=uniform/1x9:recent,packed_192k/8:layer", "--groups=1,8", "--mode=fast"]
    arguments += ["--nobaselines", "--nocheck", "--seed=3", "--dtype=bfloat16", "--device=cpu"]
    assert bench.parse_flags(["bench", *arguments]) == Settings(
        parse_rows("uniform/1x9:recent,packed_192k/8:layer"),
        (1, 8),
        CPU,
        torch.bfloat16,
        baselines=False,
        check=False,
        seed=3,
    )


def test_a_run_prints_what_ran_and_the_passes_of_each_row(capsys):
    rows = "--rows=uniform/2x100:indexer,uniform/2x100:kl_recent"
    assert run_bench(*TINY, rows, "--groups=1,2") == 0
    captured = capsys.readouterr()
    out = captured.out
    assert "float32, plain torch, fast mode, seed 0" in out
    assert "/msa   how many times as long" in out
    titles = re.findall(r"^(uniform/2x100:.*)$", out, re.MULTILINE)[:4]
    assert titles[1] == (
        "uniform/2x100:indexer: 130 tokens in 2 documents, 2 KV groups of 16 heads; "
        "100.0% of the causal pairs kept"
    )
    assert len(re.findall(r"^check: passed \(support, ", out, re.MULTILINE)) == 4
    table = out[out.index(titles[0]) : out.index(titles[1])]
    passes = [line.split("  ")[0] for line in table.splitlines()[4:13]]
    own = ["select", "schedule", "tables", "forward", "backward", "forward + backward"]
    assert passes == [*own, *own[3:]]
    # What has nothing to tell has no column, and columns stand below their titles.
    assert "MHz" not in table
    assert "spaced" not in table
    assert len({len(line) for line in table.splitlines()[2:13]}) == 1
    # A line a row at the end.
    assert len(re.findall(r"^uniform/2x100:\w+ +[12] .* passed$", out, re.MULTILINE)) == 4


def test_markdown_is_markdown(capsys):
    assert run_bench(*TINY, "--rows=uniform/1x130:schedule_hot", "--markdown") == 0
    assert re.search(r"^\| pass +\| by +\| +runs \|", capsys.readouterr().out, re.MULTILINE)


def test_a_log_has_no_progress_and_a_terminal_a_line_that_leaves_no_trace(monkeypatch, capsys):
    arguments = (*TINY, "--rows=uniform/1x130:schedule_hot", "--nocheck")
    run_bench(*arguments)
    assert capsys.readouterr().err == ""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    both = Terminal()
    monkeypatch.setattr(sys, "stderr", both)
    monkeypatch.setattr(sys, "stdout", both)
    run_bench(*arguments)
    written = both.getvalue()
    assert "uniform/1x130:schedule_hot, 1 groups: tables" in written
    # Whatever is printed starts on a line that was wiped.
    for line in ("device  ", "uniform/1x130:schedule_hot: 130 tokens"):
        before = written[: written.index(line)].rpartition("\n")[2]
        assert before == "" or re.fullmatch(r"(.*\r)? *\r", before), before
    assert written.rpartition("\r")[2].strip() == ""


def test_a_wrong_result_ends_with_status_1_and_says_so(monkeypatch, capsys):
    right = measure.sparse_attention

    def wrong(*args, **kwargs):
        out, lse = right(*args, **kwargs)
        return out * float("nan"), lse

    monkeypatch.setattr(measure, "sparse_attention", wrong)
    assert run_bench(*TINY, "--rows=uniform/1x130:random,uniform/1x130:schedule_hot") == 1
    out = capsys.readouterr().out
    assert "\ncheck: FAILED: out is off by" in out
    assert re.search(r"^uniform/1x130:random .* FAILED$", out, re.MULTILINE)
    assert re.search(r"^uniform/1x130:schedule_hot .* passed$", out, re.MULTILINE)


def test_json_has_the_whole_run_and_goes_where_bazel_run_was_called(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("BUILD_WORKING_DIRECTORY", str(tmp_path))
    written = []
    write = pathlib.Path.write_text

    def watched(path, text, **options):
        if path.name == "a.json":
            written.append(len(json.loads(text)["rows"]))
        return write(path, text, **options)

    monkeypatch.setattr(pathlib.Path, "write_text", watched)
    rows = "--rows=uniform/1x130:layer,uniform/1x130:kl_dense"
    assert run_bench(*TINY, rows, "--json=a.json") == 0
    assert written == [1, 2]  # each row is on paper before the next one starts
    assert f"report: {tmp_path / 'a.json'}\n" in capsys.readouterr().out
    fields = json.loads((tmp_path / "a.json").read_text())
    assert fields["rows"][0]["check"]["passed"] is True
    assert fields["rows"][1]["check"] is None
    fields["rows"][0]["check"] = None
    assert Run.from_json(fields).to_json() == fields


def test_a_file_that_cannot_be_written_does_not_end_the_run(monkeypatch, tmp_path, capsys):
    def fail(*args, **kwargs):
        raise OSError("no space left")

    rows = "--rows=uniform/1x130:schedule_hot,uniform/1x130:schedule_recent"
    monkeypatch.setattr(pathlib.Path, "write_text", fail)
    assert run_bench(*TINY, rows, f"--json={tmp_path / 'a.json'}") == 1
    captured = capsys.readouterr()
    assert captured.err.endswith("bench: no space left\n")
    assert "uniform/1x130:schedule_recent" in captured.out
