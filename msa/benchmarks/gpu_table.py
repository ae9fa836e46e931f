"""The GPU table as text, a row at a time."""

from collections.abc import Callable

from msa.benchmarks.card import CardUse
from msa.benchmarks.gpu_report import REGIMES, DenseFigures, PassFigures, RowReport, SelectFigures
from msa.benchmarks.report import Cost

_GB = 1e9
_TERA = 1e12

_ROW = "{:<16}{:>5}{:>9}{:>3}  {:<13}"
_REGIME = "{:<9}"
_SCHEDULE = "{:>9}{:>7}"
_PASSES = "{:>9}{:>6}{:>9}{:>6}{:>7}"
_END = "{:>7}{:>8}{:>8}{:>8}"

LEGEND = """\
G: KV groups of 16 query heads; a whole model has 4. TF/s: useful TFLOP per second. schedule: CSR,
work items and task tables; its share is of forward and backward, which build their task tables once
more. MHz: median SM clock of forward or backward, the lower one, with a * where the power limit
held it down. ratio: time of dense over sparse, forward and backward. GB: peak memory beyond the
inputs, with the results. Rows of
selection count all causal pairs, scored or not; those of the index loss (kl) have its gradients in
them; those of a layer are its whole training step, beside dense attention alone, with the time of
each part alone as a share of it. These three have lines of their own kind."""


def titles() -> str:
    """The head of the table."""
    passes = _PASSES.format("fwd ms", "TF/s", "bwd ms", "TF/s", "MHz")
    groups = (
        _ROW.format("", "", "", "", ""),
        _REGIME.format(""),
        _group("schedule", _SCHEDULE.format("", "")),
        _group("sparse", passes),
        _group("dense causal: torch SDPA", passes),
        _END.format("", "fwd", "bwd", ""),
    )
    names = (
        _ROW.format("workload", "docs", "tokens", "G", "selection"),
        _REGIME.format("regime"),
        _SCHEDULE.format("ms", "share"),
        passes,
        passes,
        _END.format("ratio", "GB", "GB", "check"),
    )
    return f"{''.join(groups).rstrip()}\n{''.join(names)}"


def lines(report: RowReport) -> str:
    """A row: a line for each regime, then what ran dense attention and what went wrong, if any."""
    workload = report.row.workload
    tokens, documents = f"{workload.num_tokens:,}", len(workload.offsets) - 1
    row = _ROW.format(workload.name, documents, tokens, report.num_groups, report.row.pattern)
    indent = " " * len(row)
    own = _own_kind(report)
    if own:
        result = [
            f"{start}{_REGIME.format(regime)}{own(regime)}"
            for start, regime in zip((row, indent), REGIMES, strict=True)
        ]
        return "\n".join([*result, *_remarks(report, indent)])
    sustained, spaced = (_regime_cells(report, regime) for regime in REGIMES)
    end = (_peak(report.forward), _peak(report.backward), _verdict(report))
    result = [
        row + sustained + _END.format(_ratio(report, "sustained"), *end),
        indent + spaced + _END.format(_ratio(report, "spaced"), "", "", ""),
    ]
    result += _remarks(report, indent)
    return "\n".join(line.rstrip() for line in result)


def _remarks(report: RowReport, indent: str) -> list[str]:
    """Lines below a row: what ran dense attention, and what went wrong, if any."""
    result = []
    if report.dense and set(report.dense.backends) != {"cuDNN"}:
        counts = (f"{name} {count}" for name, count in report.dense.backends.items())
        result.append(f"{indent}documents of dense attention by backend: {', '.join(counts)}")
    if report.check and not report.check.passed:
        result.append(f"{indent}{report.check}")
    if report.error:
        result.append(f"{indent}FAILED: {report.error}")
    return result


def _own_kind(report: RowReport) -> Callable[[str], str] | None:
    """What a row says of a regime, where it is of a kind that has no columns."""
    if report.select:
        return lambda regime: _selection(report.select, regime)
    if report.kl:
        return lambda regime: (
            f"{_rate(getattr(report.kl, regime))}; {_end(report.kl, report, regime)}"
        )
    if report.layer:
        return lambda regime: _layer(report, regime)
    return None


def _selection(figures: SelectFigures, regime: str) -> str:
    """What a row of the selection says of a regime."""
    cost: Cost = getattr(figures.select, regime)
    topk: Cost = getattr(figures.topk, regime)
    return (
        f"{_rate(cost)}, {figures.over_product(regime):.2f} of a matrix product, "
        f"{_regime_clock(figures.select, regime)} MHz; "
        f"torch.topk over ready scores {topk.milliseconds:,.3f} ms"
    )


def _layer(report: RowReport, regime: str) -> str:
    """What a row of a whole step says of a regime."""
    layer = report.layer
    shares = ", ".join(f"{name} {layer.share(name, regime):.1%}" for name in layer.parts)
    return (
        f"{_rate(getattr(layer.step, regime))}, ratio {_ratio(report, regime)}; {shares}; "
        f"{_end(layer.step, report, regime)}"
    )


def _rate(cost: Cost) -> str:
    return f"{cost.milliseconds:9,.3f} ms {cost.rate / _TERA:,.0f} TF/s"


def _end(figures: PassFigures, report: RowReport, regime: str) -> str:
    """Clock, memory and check: what such a row says behind its figures."""
    clock = f"{_regime_clock(figures, regime)} MHz"
    if regime != "sustained":
        return clock
    return f"{clock}, {_peak(figures)} GB, check {_verdict(report)}"


def _regime_clock(figures: PassFigures, regime: str) -> str:
    return _clock([figures.card] if figures.card and regime == "sustained" else [])


def _group(name: str, columns: str) -> str:
    """A title above columns."""
    return f"  {f' {name} ':-^{len(columns) - 2}}"


def _regime_cells(report: RowReport, regime: str) -> str:
    schedule = report.schedule and getattr(report.schedule, regime)
    return (
        _REGIME.format(regime)
        + _SCHEDULE.format(
            _or_dash(schedule and schedule.milliseconds, ".3f"),
            _or_dash(report.schedule_share(regime), ".1%"),
        )
        + _PASSES.format(*_cells(report, regime))
        + _PASSES.format(*_cells(report.dense, regime))
    )


def _cells(figures: RowReport | DenseFigures | None, regime: str) -> list[str]:
    """Time and rate of forward and backward, and the clock where it was read."""
    passes = [getattr(figures, name, None) for name in ("forward", "backward")]
    cells = []
    for part in passes:
        cost = part and getattr(part, regime)
        cells += [
            _or_dash(cost and cost.milliseconds, ",.2f"),
            _or_dash(cost and cost.rate / _TERA, ",.0f"),
        ]
    uses = [part.card for part in passes if part and part.card]
    return [*cells, _clock(uses) if regime == "sustained" else ""]


def _clock(uses: list[CardUse]) -> str:
    """The lowest clock of some passes."""
    if not uses:
        return "-"
    capped = any(use.power_capped for use in uses)
    return f"{min(use.sm_mhz for use in uses):.0f}{'*' if capped else ''}"


def _ratio(report: RowReport, regime: str) -> str:
    return _or_dash(report.dense_over_sparse(regime), ".2f")


def _peak(figures: PassFigures | None) -> str:
    peak = figures and figures.sustained.peak_bytes
    return _or_dash(peak and peak / _GB, ".2f")


def _verdict(report: RowReport) -> str:
    if report.check is None:
        return "-"
    return "passed" if report.check.passed else "FAILED"


def _or_dash(value: float | None, spec: str) -> str:
    return "-" if value is None else format(value, spec)
