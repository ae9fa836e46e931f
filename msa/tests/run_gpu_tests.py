"""Runs a bundle's GPU tests without Bazel, on a machine with Python, torch and pytest.

    bazel build //msa/tests:gpu_bundle        # then copy bazel-bin/msa/tests/gpu_bundle.tar.gz
    tar xzf gpu_bundle.tar.gz && python3 run_gpu_tests.py sm90

Each test module gets a process of its own and a deadline. Then come the bench's figures and a table
of the tests; the exit status is 1 if a test failed, or none passed.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple
from xml.etree import ElementTree

# By the tag of a test, the architectures whose GPUs run it.
ARCHS = {"sm90": ("sm_90a",), "sm100": ("sm_100a", "sm_103a")}
# The program that prints figures.
BENCH = "msa.benchmarks.bench"
_NOTHING_SELECTED = 5  # pytest's exit status


class Outcome(NamedTuple):
    """A line of the table."""

    name: str
    passed: int
    failed: int
    skipped: int
    seconds: float
    note: str = ""


def refusal(tag: str) -> str:
    """Why this machine cannot run the tests of `tag`, empty if it can."""
    missing = [name for name in ("torch", "pytest") if importlib.util.find_spec(name) is None]
    if missing:
        return f"needs {' and '.join(missing)}, which {sys.executable} cannot import"
    import torch

    from msa.kernels.runtime.library import arch_of

    expected = f"{tag} needs a GPU of {' or '.join(ARCHS[tag])}"
    if not torch.cuda.is_available():
        return f"{expected}, torch {torch.__version__} finds no GPU"
    gpu = torch.device("cuda", torch.cuda.current_device())
    if arch_of(gpu) not in ARCHS[tag]:
        version = ".".join(map(str, torch.cuda.get_device_capability(gpu)))
        return f"{expected}, got {torch.cuda.get_device_name(gpu)} (compute capability {version})"
    return ""


def run(command: list[str], root: pathlib.Path, deadline: float, **environment: str) -> int | None:
    """Runs Python with `command` in `root`; returns its exit status, None past the deadline."""
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=root,
        env=os.environ | {"PYTHONPATH": path} | environment,
        start_new_session=True,
    )
    try:
        return process.wait(deadline)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            # With the processes that it started.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def run_module(module: str, root: pathlib.Path, deadline: float, pattern: str = "") -> Outcome:
    """Runs the tests of one module, those that `pattern` selects."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        environment = {"XML_OUTPUT_FILE": str(report)}
        if pattern:
            environment["TESTBRIDGE_TEST_ONLY"] = pattern
        command = ["tools/pytest/main.py", "-q", "-rs", "--tb=short", module]
        status = run(command, root, deadline, **environment)
        cases = list(ElementTree.parse(report).iter("testcase")) if report.exists() else []
    children = [{child.tag for child in case} for case in cases]
    failed = sum(bool(tags & {"failure", "error"}) for tags in children)
    skipped = sum("skipped" in tags for tags in children)
    passed = len(cases) - failed - skipped
    note = ""
    if status is None:
        note = f"stopped after {deadline:g} s"
    elif status and not failed and not (pattern and status == _NOTHING_SELECTED):
        note = f"exit status {status}"
    return Outcome(module, passed, failed + bool(note), skipped, time.monotonic() - start, note)


def run_figures(module: str, root: pathlib.Path, deadline: float) -> Outcome:
    """Runs a module that prints figures."""
    start = time.monotonic()
    status = run(["-m", module], root, deadline)
    note = f"stopped after {deadline:g} s" if status is None else f"exit status {status}"
    failed = int(status != 0)
    return Outcome(module, 0, failed, 0, time.monotonic() - start, note if failed else "")


def table(outcomes: list[Outcome]) -> str:
    """The outcomes and their sum."""
    passed, failed, skipped, seconds = map(sum, list(zip(*outcomes, strict=True))[1:5])
    total = Outcome("all", passed, failed, skipped, seconds)
    width = max(len(outcome.name) for outcome in [*outcomes, total])
    lines = [f"{'':{width}}  passed  failed  skipped  seconds"]
    for name, passed, failed, skipped, seconds, note in [*outcomes, total]:
        line = f"{name:{width}}  {passed:6}  {failed:6}  {skipped:7}  {seconds:7.1f}  {note}"
        lines.append(line.rstrip())
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tag", choices=ARCHS, help="the architecture whose tests to run")
    parser.add_argument("-k", dest="pattern", default="", help="pytest's; leaves the figures out")
    parser.add_argument("--deadline", type=float, default=600, help="seconds to a module (600)")
    options = parser.parse_args(arguments)

    reason = refusal(options.tag)
    if reason:
        print(f"run_gpu_tests.py: {reason}", file=sys.stderr)
        return 1
    root = pathlib.Path(__file__).parent.resolve()
    tests = json.loads((root / "tests.json").read_text())
    outcomes = []
    for module in sorted(module for module, tags in tests.items() if options.tag in tags):
        print(f"=== {module}", flush=True)
        outcomes.append(run_module(module, root, options.deadline, options.pattern))
    if not options.pattern and (root / BENCH.replace(".", "/")).with_suffix(".py").exists():
        print(f"=== {BENCH}", flush=True)
        outcomes.append(run_figures(BENCH, root, options.deadline))
    if not outcomes:
        print(f"run_gpu_tests.py: no test has the tag {options.tag}", file=sys.stderr)
        return 1
    print(table(outcomes))
    return int(any(o.failed for o in outcomes) or not any(o.passed for o in outcomes))


if __name__ == "__main__":
    sys.exit(main())
