"""Draws a report: time and rate per pass, sparse beside dense.

`bazel run //msa:bench -- --json=report.json` writes what

    bazel run //msa/benchmarks:plot -- report.json picture.png

draws.
"""

import argparse
import json
import os
import pathlib
import sys
from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from msa.benchmarks.report import Cost, PassCost, Report
from msa.benchmarks.table import unit_of

_BAR_WIDTH = 0.38
_SPARSE = {"label": "sparse", "color": "#2f6db3"}
_DENSE = {"label": "dense causal (torch SDPA)", "color": "#b4bac4"}
_CEILING = {"label": "torch.mm, same run", "color": "#c0392b", "linestyle": "--"}


def save(report: Report, path: pathlib.Path) -> None:
    """Writes the picture to `path`, a .png file."""
    draw(report).savefig(path)


def draw(report: Report) -> Figure:
    """Two panels: median time per pass, and useful rate below the ceiling of a matrix product."""
    figure = Figure(figsize=(11, 4.8), dpi=150, layout="constrained")
    figure.suptitle(
        f"MSA on {report.workload}: {report.tokens:,} tokens, {report.pattern} selection, "
        f"{report.kept:.0%} of the causal pairs\n"
        f"{report.dtype}, {report.device}, backend {report.backend}",
        fontsize=11,
    )
    times, rates = figure.subplots(1, 2)

    costs = [cost for row in report.passes for cost in (row.sparse, row.dense) if cost]
    in_seconds = max(cost.milliseconds for cost in costs) >= 1e3
    scale, unit = (1e3, "s") if in_seconds else (1.0, "ms")
    _draw_bars(times, report.passes, lambda cost: cost.milliseconds / scale)
    times.set_title("Time per pass")
    times.set_ylabel(f"median time ({unit})")

    flop, unit = unit_of(report.ceiling)
    rows = tuple(row for row in report.rows if row.sparse.rate)
    rates.axhline(report.ceiling / flop, **_CEILING)
    _draw_bars(rates, rows, lambda cost: cost.rate / flop)
    rates.set_title("Useful rate per pass")
    rates.set_ylabel(f"useful {unit}/s")
    return figure


def _draw_bars(axes: Axes, rows: tuple[PassCost, ...], value: Callable[[Cost], float]) -> None:
    """Bars of `value` for each row, labelled with their numbers, below a legend."""
    for style, shift, cost_of in (
        (_SPARSE, -_BAR_WIDTH / 2, lambda row: row.sparse),
        (_DENSE, _BAR_WIDTH / 2, lambda row: row.dense),
    ):
        # A row without a dense counterpart has its one bar in the middle.
        bars = [
            (index + (shift if row.dense else 0.0), value(cost_of(row)))
            for index, row in enumerate(rows)
            if cost_of(row)
        ]
        if bars:
            container = axes.bar(*zip(*bars, strict=True), width=_BAR_WIDTH, **style)
            axes.bar_label(container, fmt="{:.3g}", padding=2, fontsize=8)
    names = [row.name.replace("+", "\n+ ") for row in rows]
    axes.set_xticks(range(len(rows)), names)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_ylim(top=axes.get_ylim()[1] * 1.2)  # room for the legend
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left", ncols=3, fontsize=8, frameon=False)


def main(arguments: list[str] | None = None) -> int:
    """Draws the report that a command line names; returns 1 for a file that does not serve."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("report", help="JSON of a run of the bench")
    parser.add_argument("picture", help="file to write, which ends in .png")
    options = parser.parse_args(arguments)
    if not options.picture.endswith(".png"):
        parser.error(f"picture: expected a file name that ends in .png, got {options.picture!r}")
    folder = os.environ.get("BUILD_WORKING_DIRECTORY", ".")  # where `bazel run` was called
    report, picture = (pathlib.Path(folder, name) for name in (options.report, options.picture))
    try:
        save(Report.from_json(json.loads(report.read_text(encoding="utf-8"))), picture)
    except (OSError, ValueError) as error:
        print(f"plot: {error}", file=sys.stderr)
        return 1
    print(f"plot: {picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
