"""A run as text: a table of passes a row, and one of all rows at the end."""

from collections.abc import Iterable, Sequence

import tabulate

from msa.benchmarks.record import BOTH, GRAPHED, MSA, Pass, RowRecord, Run
from msa.benchmarks.timing import PAUSE_SECONDS, WARM_UP_MS

# From this rate on, work is counted in TFLOP.
_TERA_RATE = 1e13
_GB = 1e9
_DENSE = "dense SDPA"

_LEGEND = f"""\
pass   select: block selection. schedule: CSR and work items; tables: task tables of both passes,
       which attention builds for itself. forward, backward: of attention. kl: the index loss with
       its gradients. step: a layer's whole training step. {BOTH}: their sum.
ms     median time of runs back to back{{sustained}}
FLOP/s useful work: only pairs that a query sees count; of a selection, all causal pairs.
of mm  that rate as a share of a large torch.mm in this run.
GB     how far memory grew at most, results included.
share  time as a part of the step; without one, of forward + backward.
/msa   how many times as long as msa's pass it takes: above 1, the sparse pass wins.
       {BOTH} stands against the step, where a row has one."""

_SUSTAINED = f"""\
, after {WARM_UP_MS:.0f} ms of the same work;
       spaced: with {PAUSE_SECONDS * 1e3:.0f} ms of rest before each. {", ".join(GRAPHED)}: replays
       of a CUDA graph; the others are calls.
MHz    median SM clock back to back, with a * where the power limit held it down."""


def header(run: Run) -> str:
    """What ran, and what the columns mean."""
    scale, unit = _unit(run)
    sustained = "."
    cudnn = ""
    if run.ceiling.spaced_ms:
        sustained = _SUSTAINED
        cudnn = f", cuDNN {run.cudnn_version}"
        if run.ceiling.sm_mhz is None:
            sustained += " Not read: NVML does not report it."
    return (
        f"device  {run.device}; {run.threads} CPU threads; torch {run.torch_version}{cudnn}\n"
        f"run     {run.dtype}, {run.operators}, {run.mode} mode, seed {run.seed}\n"
        f"mm      torch.mm in {run.dtype}: {run.ceiling.rate / scale:,.1f} {unit}/s\n\n"
        f"{_LEGEND.format(sustained=sustained)}"
    )


def block(record: RowRecord, run: Run, markdown: bool = False) -> str:
    """A row: a title, its passes, kernels, notes and check."""
    title = (
        f"{record.workload}:{record.kind}: {_count(record.tokens, 'token')} in "
        f"{_count(record.documents, 'document')}, {_count(record.groups, 'KV group')} of 16 heads"
    )
    if record.visible_pairs is not None:
        title += f"; {record.visible_pairs / record.causal_pairs:.1%} of the causal pairs kept"
    parts = [title]
    passes = list(_with_sums(record.passes, record))
    if passes:
        parts.append(_pass_table(passes, record, run, markdown))
    if record.kernels:
        rows = [
            (kernel.name, f"{kernel.launches:g}", f"{kernel.milliseconds:.4f}")
            for kernel in record.kernels
        ]
        parts.append(_table(("kernel", "launches", "device ms"), rows, markdown))
    lines = [*record.notes]
    if record.check:
        lines.append(str(record.check))
    if record.error:
        lines.append(f"FAILED: {record.error}")
    return "\n\n".join(parts) + "".join(f"\n{line}" for line in lines)


def summary(run: Run, markdown: bool = False) -> str:
    """All rows, a line each: attention's passes, and the whole of what a row measures."""
    scale, unit = _unit(run)
    rate = f"{unit}/s"
    titles = ("row", "groups", "forward ms", rate, "backward ms", rate, "whole ms", rate)
    titles += ("spaced ms", "tokens/s", "GB", "dense/msa", "spaced", "check")
    rows = []
    for record in run.rows:
        forward, backward, whole = record.find("forward"), record.find("backward"), record.whole()
        peaks = [x.peak_bytes for x in record.passes if x.by == MSA and x.peak_bytes is not None]
        rows.append(
            (
                f"{record.workload}:{record.kind}",
                record.groups,
                *_time_and_rate(forward, scale),
                *_time_and_rate(backward, scale),
                *_time_and_rate(whole, scale),
                whole and _ms(whole.spaced_ms),
                whole and f"{1e3 * record.tokens / whole.sustained_ms:,.0f}",
                _format(max(peaks, default=None), ",.2f", _GB),
                _format(record.over_msa(BOTH, _DENSE), ".2f"),
                _format(record.over_msa(BOTH, _DENSE, spaced=True), ".2f"),
                "FAILED" if not record.passed else "passed" if record.check else None,
            )
        )
    return _table(titles, rows, markdown)


def _pass_table(passes: list[Pass], record: RowRecord, run: Run, markdown: bool) -> str:
    scale, unit = _unit(run)
    whole = record.whole()
    titles = ("pass", "by", "runs", "ms", f"{unit}/s", "of mm", "spaced ms", f"{unit}/s", "MHz")
    titles += ("tokens/s", "GB", "share", "/msa")
    rows = [
        (
            x.name,
            x.by,
            x.runs,
            *_time_and_rate(x, scale),
            _format(x.rate, ".1%", run.ceiling.rate),
            _ms(x.spaced_ms),
            _format(x.spaced_rate, ",.1f", scale),
            _format(x.sm_mhz, ".0f") and f"{x.sm_mhz:.0f}{'*' if x.power_capped else ''}",
            f"{1e3 * record.tokens / x.sustained_ms:,.0f}",
            _format(x.peak_bytes, ",.2f", _GB),
            f"{x.sustained_ms / whole.sustained_ms:.1%}" if whole and x.by == MSA else None,
            _format(record.over_msa(x.name, x.by), ".2f"),
        )
        for x in passes
    ]
    return _table(titles, rows, markdown)


def _with_sums(passes: list[Pass], record: RowRecord) -> Iterable[Pass]:
    """Each backward with forward and backward together after it."""
    for one in passes:
        yield one
        if one.name == "backward" and (both := record.find(BOTH, one.by)):
            yield both


def _table(titles: Sequence[str], rows: list[tuple], markdown: bool) -> str:
    """A table of the columns that have values; words are left-aligned, a dash marks no value."""
    kept = [i for i in range(len(titles)) if any(row[i] is not None for row in rows)]
    words = ("pass", "by", "row", "kernel")
    return tabulate.tabulate(
        [[row[i] for i in kept] for row in rows],
        headers=[titles[i] for i in kept],
        tablefmt="github" if markdown else "simple",
        missingval="-",
        disable_numparse=True,
        colalign=["left" if titles[i] in words else "right" for i in kept],
    )


def _time_and_rate(one: Pass | None, scale: float) -> tuple[str | None, str | None]:
    if one is None:
        return None, None
    return _ms(one.sustained_ms), _format(one.rate, ",.1f", scale)


def _ms(milliseconds: float | None) -> str | None:
    """Four digits at least, from 1 ms on."""
    return _format(milliseconds, ",.3f" if milliseconds and milliseconds < 10 else ",.2f")


def _unit(run: Run) -> tuple[float, str]:
    """The unit of work for the rates of a run: its FLOP, and its name."""
    return (1e12, "TFLOP") if run.ceiling.rate >= _TERA_RATE else (1e9, "GFLOP")


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' if number != 1 else ''}"


def _format(value: float | None, spec: str, unit: float = 1) -> str | None:
    return None if value is None else format(value / unit, spec)
