"""A report as text."""

from msa.benchmarks.report import CheckResult, Cost, PassCost, Report

# From this rate on, work is counted in TFLOP.
_TERA_RATE = 1e13
_MIB = 2**20

_NAME = "{:<17}"
_COST = "{:>5}{:>10}{:>9}{:>10}{:>7}{:>10}"
_DENSE = "{:>12}{:>10}{:>10}{:>9}"


def unit_of(rate: float) -> tuple[float, str]:
    """The unit of work for rates up to `rate` FLOP per second: its FLOP, and its name."""
    return (1e12, "TFLOP") if rate >= _TERA_RATE else (1e9, "GFLOP")


def header(report: Report) -> str:
    """What ran, in a few lines."""
    flop, unit = unit_of(report.ceiling)
    return (
        f"workload   {report.workload}: {report.tokens:,} tokens; documents: {report.documents}, "
        f"the longest of {report.longest_document:,}\n"
        f"selection  {report.pattern}: E = {report.visible_pairs:,.0f} (query, key) pairs per "
        f"group, {report.kept:.1%} of {report.causal_pairs:,} causal pairs\n"
        f"run        {report.dtype}, backend {report.backend}, torch {report.torch_version}, "
        f"seed {report.seed}\n"
        f"device     {report.device}; {report.threads} CPU threads\n"
        f"ceiling    torch.mm, {report.ceiling_size} x {report.ceiling_size}: "
        f"{report.ceiling / flop:,.1f} {unit}/s"
    )


def table(report: Report) -> str:
    """Costs per pass, sparse beside dense; a dash where there is nothing to tell.

    `of mm` is the share of the ceiling, `speedup` the time of dense attention over that of sparse.
    """
    flop, unit = unit_of(report.ceiling)
    titles = (
        _NAME.format("pass"),
        _COST.format("runs", "ms", unit, f"{unit}/s", "of mm", "peak MiB"),
        _DENSE.format("ms", f"{unit}/s", "peak MiB", "speedup"),
    )
    groups = (
        _NAME.format(""),
        f"  {' sparse ':-^{len(titles[1]) - 2}}",
        f"  {' dense causal: torch SDPA ':-^{len(titles[2]) - 2}}",
    )
    rows = (_NAME.format(row.name) + _cells(row, report, flop) for row in report.rows)
    return "\n".join(("".join(groups), "".join(titles), *rows))


def comparisons(check: CheckResult) -> str:
    """How far results are from the float64 definition."""
    line = "{:<17}{:>12}{:>12}{:>14}{:>12}"
    rows = (
        line.format(
            found.tensor,
            f"{found.absolute:.2e}",
            f"{found.tolerance.absolute:.2e}",
            f"{found.relative:.2e}",
            f"{found.tolerance.relative:.2e}",
        )
        for found in check.comparisons
    )
    titles = line.format("checked", "max abs", "allowed", "|diff|/|ref|", "allowed")
    return "\n".join((titles, *rows))


def _cells(row: PassCost, report: Report, flop: float) -> str:
    sparse = row.sparse
    cells = _COST.format(
        _or_dash(sparse.runs, "d"),
        f"{sparse.milliseconds:,.2f}",
        _or_dash(sparse.flop, ",.2f", flop),
        _or_dash(sparse.rate, ",.2f", flop),
        _or_dash(sparse.rate, ".1%", report.ceiling),
        _or_dash(sparse.peak_bytes, ",.0f", _MIB),
    )
    if row.dense is None:
        return cells + _DENSE.format("-", "-", "-", "-")
    dense: Cost = row.dense
    return cells + _DENSE.format(
        f"{dense.milliseconds:,.2f}",
        _or_dash(dense.rate, ",.2f", flop),
        _or_dash(dense.peak_bytes, ",.0f", _MIB),
        f"{row.dense_over_sparse:.2f}",
    )


def _or_dash(value: float | None, spec: str, unit: float | None = None) -> str:
    if value is None:
        return "-"
    return format(value / unit if unit else value, spec)
