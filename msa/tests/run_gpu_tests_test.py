"""The runner of the bundle, with stand-ins for its tests and the machine."""

import importlib.util
import json
import os
import pathlib
import shutil
import sys
import time

import pytest
import torch

from msa.kernels.runtime import library
from msa.tests import run_gpu_tests

MIXED = """
import pytest

def test_right():
    pass

def test_wrong():
    assert False

@pytest.fixture
def broken():
    raise RuntimeError

def test_error(broken):
    pass

@pytest.mark.skip(reason="shown")
def test_skipped():
    pass
"""
RIGHT = "def test_right():\n    pass\n\ndef test_too():\n    pass\n"
SKIPPED = "import pytest\n\n@pytest.mark.skip\ndef test_skipped():\n    pass\n"
HANGING = """
import pathlib, subprocess, sys

def test_hangs():
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    pathlib.Path("child").write_text(str(child.pid))
    child.wait()
"""
CRASHING = "import os\n\ndef test_right():\n    pass\n\ndef test_crashes():\n    os.abort()\n"


@pytest.fixture(name="root")
def _root(tmp_path, monkeypatch):
    """A bundle without tests; here, the runner's processes must find pytest."""
    main = pathlib.Path("tools/pytest/main.py")
    (tmp_path / main).parent.mkdir(parents=True)
    shutil.copy(pathlib.Path(__file__).parents[2] / main, tmp_path / main)
    shutil.copy(run_gpu_tests.__file__, tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.delenv("TESTBRIDGE_TEST_ONLY", raising=False)
    return tmp_path


def add(root, name: str, source: str, *tags: str) -> str:
    """Puts a test module into the bundle."""
    (root / name).write_text(source)
    manifest = root / "tests.json"
    tests = json.loads(manifest.read_text()) if manifest.exists() else {}
    manifest.write_text(json.dumps(tests | {name: tags}))
    return name


def main(root, monkeypatch, *arguments: str) -> int:
    """Runs the bundle's own copy of the program, on a machine that fits."""
    path = root / "run_gpu_tests.py"
    spec = importlib.util.spec_from_file_location("bundled_run_gpu_tests", path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    monkeypatch.setattr(program, "refusal", lambda tag: "")
    return program.main(list(arguments))


def counts(outcome) -> tuple[int, int, int, str]:
    return outcome.passed, outcome.failed, outcome.skipped, outcome.note


def test_counts(root):
    outcome = run_gpu_tests.run_module(add(root, "mixed_test.py", MIXED), root, 60)
    assert counts(outcome) == (1, 2, 1, "")
    assert outcome.seconds > 0


def test_pattern(root):
    module = add(root, "mixed_test.py", MIXED)
    assert counts(run_gpu_tests.run_module(module, root, 60, "right")) == (1, 0, 0, "")
    assert counts(run_gpu_tests.run_module(module, root, 60, "elsewhere")) == (0, 0, 0, "")


def test_a_module_that_does_not_import(root):
    outcome = run_gpu_tests.run_module(add(root, "bad_test.py", "import no_such"), root, 60)
    assert outcome.failed == 1
    assert outcome.passed == 0


def test_a_module_without_tests_fails(root):
    outcome = run_gpu_tests.run_module(add(root, "empty_test.py", ""), root, 60)
    assert counts(outcome) == (0, 1, 0, "exit status 5")


def test_a_crash_fails(root):
    outcome = run_gpu_tests.run_module(add(root, "crashing_test.py", CRASHING), root, 60)
    assert counts(outcome) == (0, 1, 0, "exit status -6")


def test_past_the_deadline_nothing_is_left(root):
    outcome = run_gpu_tests.run_module(add(root, "hanging_test.py", HANGING), root, 8)
    assert counts(outcome) == (0, 1, 0, "stopped after 8 s")
    child = pathlib.Path("/proc") / (root / "child").read_text() / "stat"
    # Gone, or a zombie that waits for its new parent.
    for _ in range(100):
        if not child.exists() or child.read_text().rpartition(")")[2].split()[0] == "Z":
            break
        time.sleep(0.1)
    else:
        pytest.fail("the test's own process still runs")


def test_runs_the_tests_of_the_tag(root, monkeypatch, capsys):
    add(root, "b_test.py", RIGHT, "gpu", "sm90")
    add(root, "a_test.py", RIGHT, "gpu", "sm90", "sm100")
    add(root, "c_test.py", MIXED, "gpu", "sm100")
    assert main(root, monkeypatch, "sm90") == 0
    lines = capsys.readouterr().out.splitlines()[-4:]
    assert lines[0].split() == ["passed", "failed", "skipped", "seconds"]
    assert [line.split()[:4] for line in lines[1:]] == [
        ["a_test.py", "2", "0", "0"],
        ["b_test.py", "2", "0", "0"],
        ["all", "4", "0", "0"],
    ]
    assert main(root, monkeypatch, "sm100") == 1
    assert capsys.readouterr().out.splitlines()[-1].split()[:4] == ["all", "3", "2", "1"]


def test_fails_where_nothing_ran(root, monkeypatch, capsys):
    add(root, "skipped_test.py", SKIPPED, "sm90")
    assert main(root, monkeypatch, "sm90") == 1
    assert main(root, monkeypatch, "sm100") == 1
    assert "no test has the tag sm100" in capsys.readouterr().err


@pytest.mark.parametrize("status", [0, 3])
def test_figures(root, monkeypatch, capfd, status):
    add(root, "right_test.py", RIGHT, "sm90")
    figures = root / "msa" / "benchmarks" / "bench.py"
    figures.parent.mkdir(parents=True)
    # The bundle's, whatever else the process finds.
    (root / "msa" / "__init__.py").touch()
    figures.write_text(f"print('a figure')\nraise SystemExit({status})\n")
    assert main(root, monkeypatch, "sm90") == (1 if status else 0)
    output = capfd.readouterr().out
    assert "\na figure\n" in output
    assert (f"exit status {status}" in output) == bool(status)
    assert main(root, monkeypatch, "sm90", "-k", "right") == 0
    assert "a figure" not in capfd.readouterr().out
    add(root, "other_test.py", RIGHT, "sm100")
    main(root, monkeypatch, "sm100")
    assert "\na figure\n" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("tag", "version", "fits"),
    [
        ("sm90", (9, 0), True),
        ("sm90", (10, 0), False),
        ("sm90", (8, 0), False),
        ("sm100", (10, 0), True),
        ("sm100", (10, 3), True),
        ("sm100", (9, 0), False),
        ("sm100", (12, 0), False),
    ],
)
def test_a_gpu_that_does_not_fit(monkeypatch, tag, version, fits):
    library.arch_of.cache_clear()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda gpu: "Stand-in")
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda gpu: version)
    reason = run_gpu_tests.refusal(tag)
    library.arch_of.cache_clear()
    if fits:
        assert not reason
    else:
        dotted = ".".join(map(str, version))
        assert reason.startswith(f"{tag} needs a GPU of sm_")
        assert reason.endswith(f"got Stand-in (compute capability {dotted})")


def test_a_machine_without_a_gpu_is_refused_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert run_gpu_tests.main(["sm90"]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert "sm90 needs a GPU of sm_90a" in output.err


def test_a_machine_without_pytest_is_refused(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "pytest" else find(name)
    )
    assert run_gpu_tests.refusal("sm90").startswith("needs pytest, which ")
