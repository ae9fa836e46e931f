import dataclasses
import json

import pytest

from msa.benchmarks.report import Cost, PassCost, Report


@pytest.fixture
def plot(tmp_path, monkeypatch):
    """The module, imported where matplotlib keeps its caches in a folder of the test's own."""
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "matplotlib"))
    from msa.benchmarks import plot

    return plot


ATTENTION = tuple(
    PassCost(name, Cost(20.0, 3, 10**12, None), Cost(50.0, 3, 2 * 10**12, None))
    for name in ("forward", "backward")
)
OTHERS = (
    PassCost("select", Cost(1.5, 3, 10**10, None)),
    PassCost("schedule", Cost(0.5, 3, None, None)),
)
REPORT = Report(
    workload="uniform/1x128",
    tokens=128,
    documents=1,
    longest_document=128,
    pattern="recent",
    visible_pairs=8256.0,
    causal_pairs=8256,
    backend="auto",
    dtype="float32",
    device="a processor",
    threads=2,
    torch_version="2.9",
    seed=0,
    ceiling_size=2048,
    ceiling=1e14,
    passes=OTHERS + ATTENTION,
    check=None,
)


@pytest.mark.parametrize("passes", [OTHERS + ATTENTION, ATTENTION[:1], OTHERS[:1], OTHERS[1:]])
def test_a_picture_of_any_passes_is_a_png(plot, tmp_path, passes):
    path = tmp_path / "picture.png"
    plot.save(dataclasses.replace(REPORT, passes=passes), path)
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_panels_have_the_times_and_rates_with_their_units(plot):
    times, rates = plot.draw(REPORT).axes
    assert times.get_ylabel() == "median time (ms)"
    assert rates.get_ylabel() == "useful TFLOP/s"
    assert sorted(bar.get_height() for bar in times.patches) == [0.5, 1.5, 20, 20, 50, 50]
    assert 50.0 in [bar.get_height() for bar in rates.patches]  # 1 TFLOP in 20 ms
    (ceiling,) = rates.lines
    assert set(ceiling.get_ydata()) == {100.0}


def test_the_program_draws_what_the_bench_wrote_where_bazel_run_was_called(
    plot, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("BUILD_WORKING_DIRECTORY", str(tmp_path))
    (tmp_path / "report.json").write_text(json.dumps(REPORT.to_json()))
    drawn = []
    right = plot.draw
    monkeypatch.setattr(plot, "draw", lambda report: drawn.append(report) or right(report))
    assert plot.main(["report.json", "picture.png"]) == 0
    assert drawn == [REPORT]
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
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
    assert plot.main([str(path), str(tmp_path / "picture.png")]) == 1
    error = capsys.readouterr().err
    assert error.startswith("plot: ")
    assert expected in error
    assert error.count("\n") == 1


def test_a_picture_is_a_png(plot, capsys):
    with pytest.raises(SystemExit):
        plot.main(["report.json", "picture.svg"])
    assert "expected a file name that ends in .png, got 'picture.svg'" in capsys.readouterr().err
