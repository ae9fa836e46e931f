import json

import pytest

from msa.benchmarks.record import Pass, RowRecord, Run


@pytest.fixture
def plot(tmp_path, monkeypatch):
    """The module, imported where matplotlib keeps its caches in a folder of the test's own."""
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "matplotlib"))
    from msa.benchmarks import plot

    return plot


def layer(tokens, dense_ms):
    row = RowRecord("uniform", "layer", 4, tokens, 1, tokens**2 // 2)
    row.passes = [
        Pass("forward", "msa", tokens / 2e3, None, 5, 10**9, 2 * 10**9),
        Pass("step", "msa", tokens / 1e3, None, 5, 10**9, 3 * 10**9),
    ]
    if dense_ms:
        row.passes += [
            Pass(name, "dense SDPA", dense_ms, None, 5, 10**9) for name in ("forward", "backward")
        ]
    return row


CEILING = Pass("torch.mm", "torch", 1.0, None, 5, 10**12)
RUN = Run("a GPU", "2.11", 9, 4, "bfloat16", "kernels", "fast", 0, CEILING)
RUN.rows = [layer(16384, None), layer(8192, 40.0)]


def test_lines_are_times_of_steps_and_dense_passes_over_tokens(plot):
    times, memory = plot.draw(RUN).axes
    lines = {line.get_label(): line.get_xydata().tolist() for line in times.lines}
    assert lines == {
        "layer, G=4": [[8192, 8.192], [16384, 16.384]],
        "dense SDPA, G=4": [[8192, 80.0]],
    }
    (line,) = memory.lines
    assert line.get_ydata().tolist() == [3.0, 3.0]
    assert (times.get_ylabel(), memory.get_ylabel()) == ("ms", "GB")


def test_the_program_draws_what_the_bench_wrote_where_bazel_run_was_called(
    plot, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("BUILD_WORKING_DIRECTORY", str(tmp_path))
    (tmp_path / "report.json").write_text(json.dumps(RUN.to_json()))
    assert plot.main(["plot", "report.json", "picture.png"]) == 0
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert capsys.readouterr().out == f"plot: {tmp_path / 'picture.png'}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, "No such file"),
        ("words", "Expecting value"),
        ('{"rows": []}', "expected the report of a run, as JSON; got none: 'ceiling'"),
        ("[]", "expected the report of a run"),
    ],
)
def test_a_file_that_is_no_report_is_one_line(plot, tmp_path, capsys, text, expected):
    path = tmp_path / "report.json"
    if text is not None:
        path.write_text(text)
    assert plot.main(["plot", str(path), str(tmp_path / "picture.png")]) == 1
    error = capsys.readouterr().err
    assert error.startswith("plot: ")
    assert expected in error
    assert error.count("\n") == 1


def test_a_picture_is_a_png(plot, capsys):
    assert plot.main(["plot", "report.json", "picture.svg"]) == 2
    assert "expected REPORT.json PICTURE.png, got" in capsys.readouterr().err
