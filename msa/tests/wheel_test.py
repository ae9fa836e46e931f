"""The wheel is whole, needs torch alone, and fits the metadata of the package."""

import base64
import csv
import email
import hashlib
import io
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

import msa

_MSA = pathlib.Path(__file__).parents[1]
_LIBRARIES = _MSA / "kernels/runtime/all_libraries.txt"

# Loads each public name and operator, and says where the package is.
_LOADS = """
import msa, torch
for name in msa.__all__:
    getattr(msa, name)
print(msa.__file__, *(name for name in dir(torch.ops.msa) if name.endswith("attention")))
"""


@pytest.fixture(name="wheel")
def _wheel():
    (path,) = _MSA.glob("*.whl")
    return path


@pytest.fixture(name="files")
def _files(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def info(files, name: str) -> str:
    (path,) = (path for path in files if path.endswith(f".dist-info/{name}"))
    return files[path].decode()


def test_contents(files):
    folders = {name.partition("/")[0] for name in files}
    assert len(folders) == 2
    assert "msa" in folders
    modules = {name for name in files if name.startswith("msa/")}
    assert {pathlib.PurePath(name).suffix for name in modules} == {".py", ".typed", ".json", ".so"}
    assert {"msa/__init__.py", "msa/py.typed"} <= modules
    outside = ("benchmarks", "testing", "tests", "kernels/emulation", "kernels/device")
    assert not any(name.startswith(f"msa/{folder}/") for name in modules for folder in outside)
    libraries = set(_LIBRARIES.read_text().split())
    assert {name for name in modules if name.endswith(".so")} == libraries
    assert {arch for arch in ("sm_90a", "sm_100a", "sm_103a") if f".{arch}." in str(libraries)} == {
        "sm_90a",
        "sm_100a",
        "sm_103a",
    }
    assert {library.removesuffix("so") + "json" for library in libraries} <= modules


def test_record_is_true(files):
    rows = {
        name: (digest, size)
        for name, digest, size in csv.reader(io.StringIO(info(files, "RECORD")))
    }
    assert rows.keys() == files.keys()
    for name, (digest, size) in rows.items():
        if name.endswith("/RECORD"):
            continue
        expected = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=")
        assert (digest, size) == (f"sha256={expected.decode()}", str(len(files[name])))


def test_metadata(wheel, files):
    metadata = email.message_from_string(info(files, "METADATA"))
    assert metadata["Name"] == "msa-training"
    assert metadata.get_all("Requires-Dist") == ["torch>=2.9"]
    assert metadata["Requires-Python"] == ">=3.11"
    version = metadata["Version"]
    assert version in (msa.__version__, "0")  # the latter by WORKSPACE, which knows no version
    tag = "py3-none-linux_x86_64"
    assert wheel.name == f"msa_training-{version}-{tag}.whl"
    properties = email.message_from_string(info(files, "WHEEL"))
    assert properties.get_all("Tag") == [tag]
    assert properties["Root-Is-Purelib"] == "false"
    assert "Apache License" in info(files, "LICENSE")


def test_the_package_imports_nothing_that_is_not_in_it(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    path = [str(tmp_path), *(entry for entry in sys.path if "site-packages" in entry)]
    process = subprocess.run(
        [sys.executable, "-c", _LOADS],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.split() == [str(tmp_path / "msa/__init__.py"), "sparse_attention"]
