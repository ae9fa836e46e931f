"""The bundle of GPU tests is the wheel and what else they need: whole, small, nothing of others."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

_BUNDLE = pathlib.Path(__file__).with_name("gpu_bundle.tar.gz")

_MSA = pathlib.Path(__file__).parents[1]


@pytest.fixture(name="root")
def _root(tmp_path):
    shutil.unpack_archive(_BUNDLE, tmp_path)
    return tmp_path


def test_contents():
    (wheel,) = _MSA.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packaged = set(archive.namelist())
    with tarfile.open(_BUNDLE) as tar:
        names = set(tar.getnames())
    assert packaged < names
    assert {"run_gpu_tests.py", "tests.json", "pynvml.py"} <= names
    folders = {name.partition("/")[0] for name in names - packaged if "/" in name}
    assert folders == {"absl", "msa", "tabulate", "tools", "tqdm"}
    suffixes = {pathlib.PurePath(name).suffix for name in names - packaged}
    assert suffixes <= {".py", ".json", ".ptx", ".so"}
    assert _BUNDLE.stat().st_size < 10_000_000


def test_unpacked_modules_find_what_they_import(root):
    tests = json.loads((root / "tests.json").read_text())
    assert {"sm90", "sm100"} <= {tag for tags in tests.values() for tag in tags}
    process = run_in(root, "tools/pytest/main.py", "--collect-only", "-q", *tests)
    assert process.returncode == 0, process.stdout + process.stderr
    for module in tests:
        assert f"{module}::" in process.stdout


def test_the_bench_runs_with_torch_and_what_the_bundle_carries(root):
    command = ("-m", "msa.benchmarks.bench", "--device=cpu", "--rows=uniform/1x9:schedule_hot")
    process = run_in(root, *command, "--nocheck")
    assert process.returncode == 0, process.stdout + process.stderr
    assert "uniform/1x9:schedule_hot: 9 tokens" in process.stdout


def run_in(root, *command):
    """Runs Python where the bundle is unpacked, with third-party packages of this test alone."""
    path = [str(root), *(entry for entry in sys.path if "site-packages" in entry)]
    return subprocess.run(
        [sys.executable, *command],
        cwd=root,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        check=False,
    )
