"""Draws a report: time and memory over the number of tokens, sparse and dense.

`bazel run //msa:bench -- --json=report.json` writes what

    bazel run //msa/benchmarks:plot -- report.json picture.png

draws; `--rows=lengths` has layers of 8K to 1M tokens. A program of its own, since Bazel would build
and download matplotlib for the bench even where nobody draws.
"""

import json
import os
import pathlib
import sys
from collections.abc import Callable

from absl import app
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from msa.benchmarks.record import MSA, RowRecord, Run

_GB = 1e9


def draw(run: Run) -> Figure:
    """Two panels, a line for each kind of row, number of groups and what does it."""
    figure = Figure(figsize=(11, 4.8), dpi=150, layout="constrained")
    figure.suptitle(f"{run.device}, {run.dtype}, {run.operators}, {run.mode} mode", fontsize=11)
    times, memory = figure.subplots(1, 2)
    _draw_lines(times, run, _milliseconds)
    times.set_title("Time of a row's passes, back to back")
    times.set_ylabel("ms")
    _draw_lines(memory, run, _peak_gb)
    memory.set_title("Peak memory beyond the inputs")
    memory.set_ylabel("GB")
    return figure


def _milliseconds(row: RowRecord, by: str) -> float | None:
    whole = row.whole(by)
    return whole and whole.sustained_ms


def _peak_gb(row: RowRecord, by: str) -> float | None:
    peaks = [x.peak_bytes for x in row.passes if x.by == by and x.peak_bytes]
    return max(peaks) / _GB if peaks else None


def _draw_lines(axes: Axes, run: Run, value: Callable[[RowRecord, str], float | None]) -> None:
    """Lines of `value` over tokens, one for each label; solid for this repository's passes."""
    lines: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for row in run.rows:
        for by in dict.fromkeys(x.by for x in row.passes):
            # Dense attention is the same whatever a row selects.
            label = f"{row.kind if by == MSA else by}, G={row.groups}"
            if (found := value(row, by)) is not None:
                lines.setdefault((by, label), []).append((row.tokens, found))
    for (by, label), points in lines.items():
        points = sorted(set(points))
        style = "o-" if by == MSA else "s--"
        axes.plot(*zip(*points, strict=True), style, label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("tokens")
    axes.grid(alpha=0.3)
    if lines:
        axes.legend(fontsize=8, frameon=False)


def main(arguments: list[str]) -> int:
    """Draws the report that a command line names; returns 1 if a file cannot be used."""
    if len(arguments) != 3 or not arguments[2].endswith(".png"):
        print(f"plot: expected REPORT.json PICTURE.png, got {arguments[1:]}", file=sys.stderr)
        return 2
    folder = os.environ.get("BUILD_WORKING_DIRECTORY", ".")  # where `bazel run` was called
    report, picture = (pathlib.Path(folder, name) for name in arguments[1:])
    try:
        run = Run.from_json(json.loads(report.read_text(encoding="utf-8")))
        draw(run).savefig(picture)
    except (OSError, ValueError) as error:
        print(f"plot: {error}", file=sys.stderr)
        return 1
    print(f"plot: {picture}")
    return 0


if __name__ == "__main__":
    app.run(main)
