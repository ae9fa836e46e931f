"""Runs and measures what one MSA layer does in a training step.

`bazel run //msa:bench` selects key blocks, builds the schedule and runs attention forward and
backward on a packed training microbatch. It checks the results on a sample of queries against a
float64 definition, and prints what each pass costs beside dense causal attention on the same
documents. On a GPU with attention kernels and without flags about such a run, it prints a table of
attention over documents of several shapes instead.
"""

import contextlib
import json
import os
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch
from absl import app, flags

from msa.benchmarks import gpu_bench, table
from msa.benchmarks.gpu_bench import TableSettings
from msa.benchmarks.gpu_rows import ALL, parse_rows
from msa.benchmarks.operators import BACKENDS
from msa.benchmarks.passes import DEFAULT_PASSES, INDEXER, PASSES, Settings, run
from msa.benchmarks.patterns import PATTERNS
from msa.benchmarks.report import Report
from msa.benchmarks.timing import AUTO_RUNS, AUTO_SECONDS
from msa.benchmarks.workloads import PACKED_PREFIX, parse_workload

DEFAULT_TOKENS = 4096
"""Tokens that are kept of a packed microbatch where `--tokens` does not say."""
_ONE_RUN_FLAGS = (
    "workload",
    "tokens",
    "pattern",
    "passes",
    "backend",
    "dtype",
    "repeats",
)
"""Flags that a table has no use for: with one of them, the bench runs one workload."""
_INT32_MAX = 2**31 - 1
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


def _define(name: str, parse: Callable[[str], Any], default: str | None, text: str, **options):
    return flags.DEFINE(_Parser(parse), name, default, text, **options)


def _parse_count(minimum: int) -> Callable[[str], int]:
    def parse(argument: str) -> int:
        if not argument.isdecimal() or not minimum <= int(argument) <= _INT32_MAX:
            raise ValueError(f"expected an integer from {minimum} to {_INT32_MAX}")
        return int(argument)

    return parse


def _parse_passes(argument: str) -> tuple[str, ...]:
    names = argument.split(",")
    if not set(names) <= set(PASSES):
        raise ValueError(f"expected some of {', '.join(PASSES)}, with commas between them")
    return tuple(name for name in PASSES if name in names)


def _parse_output(argument: str) -> pathlib.Path:
    """A path to write to, relative to where `bazel run` was called."""
    path = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), argument)
    if not argument or path.is_dir() or not os.access(path.parent, os.W_OK):
        raise ValueError("expected a file in a folder that exists and can be written to")
    return path


_WORKLOAD = _define(
    "workload",
    parse_workload,
    f"{PACKED_PREFIX}3",
    f"Documents: {PACKED_PREFIX}<case>, a real packed training microbatch of 192K tokens, or "
    "uniform/<documents>x<length>.",
)
_TOKENS = _define(
    "tokens",
    _parse_count(1),
    None,
    "Tokens of the workload to keep, from its start (default: "
    f"{DEFAULT_TOKENS} of {PACKED_PREFIX}<case>, all of uniform/...).",
)
_PATTERN = flags.DEFINE_enum(
    "pattern",
    INDEXER,
    (INDEXER, *PATTERNS),
    "Blocks that attention runs over. indexer: selected from random index vectors; random: the own "
    "block and random earlier ones; recent: the last 16; clustered: block 0 in 99% of the queries, "
    "the own block, the rest from a hot pool per 64 queries.",
)
_PASSES = _define(
    "passes",
    _parse_passes,
    ",".join(DEFAULT_PASSES),
    f"Passes to measure, some of {','.join(PASSES)}; kl is the index loss, forward and backward.",
    serializer=flags.ListSerializer(","),
)
_TABLE = _define(
    "table",
    parse_rows,
    None,
    "Rows of the GPU table to print, each <workload>:<pattern>, with commas between them, or "
    f"{ALL}; that is the default on a GPU with attention kernels where no flag asks for another "
    "run.",
)
_BACKEND = flags.DEFINE_enum(
    "backend",
    "auto",
    tuple(BACKENDS),
    "auto: the public functions, which run what is fastest on the device; reference: plain torch.",
)
_DEVICE = flags.DEFINE_enum(
    "device", "auto", ("auto", "cpu", "cuda"), "auto: a GPU where torch finds one."
)
_DTYPE = flags.DEFINE_enum(
    "dtype", None, tuple(_DTYPES), "Of the operands (default: bfloat16 on a GPU, float32 on a CPU)."
)
_CHECK = flags.DEFINE_bool(
    "check", True, "Check a sample of the queries; a wrong result ends the program with status 1."
)
_JSON = _define(
    "json",
    _parse_output,
    None,
    "Write the report to this file, as JSON; `bazel run //msa/benchmarks:plot` draws it.",
)
_REPEATS = _define(
    "repeats",
    _parse_count(1),
    None,
    f"Runs of each measurement, of which the table has the median (default: up to {AUTO_RUNS} that "
    f"fit into {AUTO_SECONDS:.0f} seconds, at least 1).",
)
_SEED = _define("seed", _parse_count(0), "0", "Of the operands and of random patterns.")


def settings_from_flags() -> Settings | TableSettings:
    """The settings that the parsed flags ask for: of one workload, or of the GPU table.

    Raises:
        flags.IllegalFlagValueError: flags do not fit each other or this machine.
    """
    table_settings = _table_settings()
    if table_settings is not None:
        return table_settings
    workload, tokens = _WORKLOAD.value, _TOKENS.value
    if tokens is None and workload.name.startswith(PACKED_PREFIX):
        tokens = DEFAULT_TOKENS
    if tokens is not None:
        try:
            workload = workload.cut(tokens)
        except ValueError as error:
            raise flags.IllegalFlagValueError(f"flag --tokens={tokens}: {error}") from error
    device = _DEVICE.value
    if device == "cuda" and not torch.cuda.is_available():
        raise flags.IllegalFlagValueError("flag --device=cuda: expected a GPU, torch finds none")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = _DTYPE.value or ("bfloat16" if device == "cuda" else "float32")
    return Settings(
        workload=workload,
        pattern=_PATTERN.value,
        passes=_PASSES.value,
        backend=_BACKEND.value,
        device=torch.device(device),
        dtype=_DTYPES[dtype],
        check=_CHECK.value,
        repeats=_REPEATS.value,
        seed=_SEED.value,
    )


def _table_settings() -> TableSettings | None:
    """The settings of the GPU table, None where it does not run."""
    given = [name for name in _ONE_RUN_FLAGS if flags.FLAGS[name].present]
    device = gpu_bench.find_device() if _DEVICE.value != "cpu" else None
    if _TABLE.value is None and (given or device is None):
        return None
    if given:
        raise flags.IllegalFlagValueError(
            f"flag --table: expected no --{given[0]} beside it; its rows name workload and pattern"
        )
    if device is None:
        raise flags.IllegalFlagValueError(
            "flag --table: expected a GPU with attention kernels, found none"
        )
    return TableSettings(
        rows=_TABLE.value or parse_rows(ALL),
        device=device,
        dense=True,
        check=_CHECK.value,
        seed=_SEED.value,
        json=_JSON.value,
    )


def run_with_progress(settings: Settings) -> Report:
    """Runs the passes behind a progress bar on stderr that is gone when they are done."""
    import tqdm  # not before a run: a flag error needs no progress bar

    with tqdm.tqdm(total=settings.num_steps, leave=False, unit="step") as bar:

        @contextlib.contextmanager
        def step(name: str) -> Iterator[None]:
            bar.set_description(f"{name:<14}")
            yield
            bar.update()

        return run(settings, BACKENDS[settings.backend], step)


def main(settings: Settings | TableSettings) -> int:
    """Runs the bench; returns 1 for a wrong result or a file that could not be written, else 0."""
    if isinstance(settings, TableSettings):
        return gpu_bench.main(settings)
    report = run_with_progress(settings)
    print(table.header(report), table.table(report), sep="\n\n")
    if report.check:
        if report.check.comparisons:
            print("", table.comparisons(report.check), sep="\n")
        print("", report.check, sep="\n")
    try:
        if _JSON.value:
            _JSON.value.write_text(json.dumps(report.to_json(), indent=2) + "\n", encoding="utf-8")
            print(f"report: {_JSON.value}")
    except OSError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0 if report.check is None or report.check.passed else 1


def parse_flags(arguments: list[str]) -> Settings | TableSettings:
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
