"""Measures what one MSA layer does in a training step, and checks it: `bazel run //msa:bench`.

A row is `<workload>:<kind>`: packed documents, and passes over them. Its results are checked on a
sample of queries against a float64 definition; its times come with those of dense causal attention
on the same documents. By default one row on a CPU, and a table of many on a GPU with kernels.
Without Bazel, `python3 -m msa.benchmarks.bench` from the bundle of GPU tests is the same program.
"""

import itertools
import json
import os
import pathlib
import sys
from collections.abc import Callable
from typing import Any

import torch
from absl import app, flags

from msa.benchmarks import report
from msa.benchmarks.measure import Bench, Settings
from msa.benchmarks.record import Run
from msa.benchmarks.rows import KINDS, SETS, parse_rows
from msa.kernels.attention.plan import has_kernels
from msa.schedule import GROUP_COUNTS, NUM_KV_HEADS
from msa.testing.modes import MODES

CPU_ROWS = "uniform/1x8192:indexer"
"""A document so long that half of the pairs are left out, and short enough for two cores."""
CPU_GROUPS = 1
_DTYPES = {
    "bfloat16": torch.bfloat16,
    "float32": torch.float32,
    "float64": torch.float64,
}


class _Parser(flags.ArgumentParser):
    """A flag's parser from a function that raises ValueError with what it expected."""

    def __init__(self, parse: Callable[[str], Any]):
        self._parse = parse

    def parse(self, argument: str) -> Any:
        return self._parse(argument)


def _define(name: str, parse: Callable[[str], Any], default: str | None, text: str):
    return flags.DEFINE(_Parser(parse), name, default, text)


def _parse_groups(argument: str) -> tuple[int, ...]:
    choices = {str(count): count for count in GROUP_COUNTS}
    names = argument.split(",")
    if not choices.keys() >= set(names):
        raise ValueError(f"expected some of {', '.join(choices)}, with commas between them")
    return tuple(choices[name] for name in names)


def _parse_output(argument: str) -> pathlib.Path:
    """A path to write to, relative to where `bazel run` was called."""
    path = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), argument)
    if not argument or path.is_dir() or not os.access(path.parent, os.W_OK):
        raise ValueError("expected a file in a folder that exists and can be written to")
    return path


_ROWS = _define(
    "rows",
    parse_rows,
    None,
    "Rows to measure, with commas between them: <workload>:<kind>, or a set of rows, one of "
    f"{', '.join(SETS)}. A workload is packed_192k/<case>, a real packed training microbatch of "
    f"192K tokens, or uniform/<documents>x<length>; a kind is one of {', '.join(KINDS)} "
    f"(default: all on a GPU with kernels, else {CPU_ROWS}).",
)
_TOKENS = flags.DEFINE_integer(
    "tokens", None, "Tokens of each row to keep, from its start (default: all).", lower_bound=1
)
_GROUPS = _define(
    "groups",
    _parse_groups,
    None,
    f"KV groups of 16 query heads to measure each row with, some of {GROUP_COUNTS} with commas "
    f"between them (default: {NUM_KV_HEADS}, a whole model's; {CPU_GROUPS} on a CPU).",
)
_DEVICE = flags.DEFINE_enum(
    "device", "auto", ("auto", "cpu", "cuda"), "auto: a GPU if there is one."
)
_DTYPE = flags.DEFINE_enum(
    "dtype", None, tuple(_DTYPES), "Of the operands (default: bfloat16 on a GPU, float32 on a CPU)."
)
_MODE = flags.DEFINE_enum("mode", "fast", tuple(MODES), "Of the kernels.")
_BASELINES = flags.DEFINE_bool("baselines", True, "Also measure dense attention and others.")
_CHECK = flags.DEFINE_bool("check", True, "Check a sample of queries; status 1 if one is wrong.")
_KERNELS = flags.DEFINE_bool("kernels", False, "Print each kernel's device time within a row.")
_MARKDOWN = flags.DEFINE_bool("markdown", False, "Print tables in Markdown.")
_JSON = _define(
    "json",
    _parse_output,
    None,
    "Write what was measured to this file, as JSON; `bazel run //msa/benchmarks:plot` draws it.",
)
_SEED = flags.DEFINE_integer("seed", 0, "Of the operands and of random patterns.", lower_bound=0)


def settings_from_flags() -> Settings:
    """The settings that the parsed flags ask for.

    Raises:
        flags.IllegalFlagValueError: flags do not fit each other or this machine.
    """
    has_gpu = torch.cuda.is_available()
    if _DEVICE.value == "cuda" and not has_gpu:
        raise flags.IllegalFlagValueError("flag --device=cuda: expected a GPU, torch finds none")
    on_cpu = _DEVICE.value == "cpu" or not has_gpu
    device = torch.device("cpu" if on_cpu else f"cuda:{torch.cuda.current_device()}")
    if _KERNELS.value and not has_kernels(device):
        raise flags.IllegalFlagValueError(
            "flag --kernels: expected a GPU that kernels are built for, found none"
        )
    rows = _ROWS.value or parse_rows("all" if has_kernels(device) else CPU_ROWS)
    if (tokens := _TOKENS.value) is not None:
        try:
            rows = tuple(row._replace(workload=row.workload.cut(tokens)) for row in rows)
        except ValueError as error:
            raise flags.IllegalFlagValueError(f"flag --tokens={tokens}: {error}") from error
    return Settings(
        rows=rows,
        groups=_GROUPS.value or (CPU_GROUPS if on_cpu else NUM_KV_HEADS,),
        device=device,
        dtype=_DTYPES[_DTYPE.value or ("float32" if on_cpu else "bfloat16")],
        mode=_MODE.value,
        baselines=_BASELINES.value,
        check=_CHECK.value,
        kernels=_KERNELS.value,
        seed=_SEED.value,
    )


def main(settings: Settings) -> int:
    """Runs the bench; returns 1 for a row that failed or a file that was not written, else 0."""
    import tqdm  # imported late: a flag error does not need it

    rows = list(itertools.product(settings.rows, settings.groups))
    markdown, path = _MARKDOWN.value, _JSON.value
    # A progress line on stderr, only on a terminal; it is cleared while tables are printed.
    form = "[{elapsed}] row {n_fmt} of {total_fmt} done; {desc}"
    with tqdm.tqdm(total=len(rows), leave=False, disable=None, bar_format=form) as bar:

        def show(text: str) -> None:
            with bar.external_write_mode(file=sys.stdout):
                print(text, end="\n\n", flush=True)

        bench = Bench(settings, bar.set_description_str)
        run, written = bench.start(), True
        show(report.header(run))
        for row, groups in rows:
            run.rows.append(bench.row(row, groups))
            bar.update()
            show(report.block(run.rows[-1], run, markdown))
            written = path is None or _write(run, path)
        if len(rows) > 1:
            show(report.summary(run, markdown))
    if path and written:
        print(f"report: {path}")
    return 0 if written and all(row.passed for row in run.rows) else 1


def _write(run: Run, path: pathlib.Path) -> bool:
    """Writes a run, complete or not; reports an error on stderr."""
    try:
        text = json.dumps(run.to_json(), indent=2, allow_nan=False)
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        print(f"bench: {error}", file=sys.stderr)
        return False
    return True


def parse_flags(arguments: list[str]) -> Settings:
    """Returns the settings of a command line; ends the program with one line where it is wrong."""
    try:
        unparsed = flags.FLAGS(arguments)[1:]
        if unparsed:
            raise flags.Error(f"expected flags only, got {' '.join(unparsed)}")
        return settings_from_flags()
    except flags.Error as error:
        print(f"bench: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    app.run(main, flags_parser=parse_flags)
