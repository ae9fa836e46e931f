"""The program that writes wheels for Debian's rules_python."""

import subprocess
import sys
import zipfile

import pytest

from tools.bazel import wheelmaker


def make(folder, *more: str) -> zipfile.ZipFile:
    """A wheel of two files, as `py_wheel` asks for it."""
    folder.mkdir()
    (folder / "source.py").write_text("b = 1\n")
    (folder / "init.py").write_text("")
    (folder / "list").write_text(f"b/a.py;{folder}/source.py\na/__init__.py;{folder}/init.py\n")
    (folder / "metadata").write_text("Metadata-Version: 2.1\nName: some-name\n")
    (folder / "page").write_text("# Page\n")
    options = {
        "name": "some-name",
        "version": "1.2",
        "python_tag": "py3",
        "abi": "none",
        "platform": "any",
        "out": folder / "out.whl",
        "name_file": folder / "name",
        "input_file_list": folder / "list",
        "metadata_file": folder / "metadata",
        "description_file": folder / "page",
        "extra_distinfo_file": f"LICENSE;{folder}/page",
    }
    pairs = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    subprocess.run([sys.executable, wheelmaker.__file__, *pairs, *more], check=True)
    return zipfile.ZipFile(folder / "out.whl")


def test_contents(tmp_path):
    with make(tmp_path / "one") as wheel:
        files = {name: wheel.read(name).decode() for name in wheel.namelist()}
        assert all(member.external_attr >> 16 == 0o100644 for member in wheel.infolist())
    info = "some_name-1.2.dist-info"
    assert list(files) == [
        "a/__init__.py",
        "b/a.py",
        *(f"{info}/{name}" for name in ("WHEEL", "METADATA", "LICENSE", "RECORD")),
    ]
    assert files["b/a.py"] == "b = 1\n"
    assert files[f"{info}/WHEEL"].splitlines()[-1] == "Tag: py3-none-any"
    assert files[f"{info}/METADATA"] == (
        "Metadata-Version: 2.1\nName: some-name\nVersion: 1.2\n"
        "Description-Content-Type: text/markdown\n\n# Page\n"
    )
    assert (tmp_path / "one/name").read_text() == "some_name-1.2-py3-none-any.whl"


def test_record(tmp_path):
    with make(tmp_path / "one") as wheel:
        lines = wheel.read("some_name-1.2.dist-info/RECORD").decode().splitlines()
    # Of no bytes, as `sha256sum` has it.
    assert lines[0] == "a/__init__.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0"
    assert lines[-1] == "some_name-1.2.dist-info/RECORD,,"
    assert len(lines) == 6


def test_same_bytes_from_another_place(tmp_path):
    for name in ("one", "two"):
        make(tmp_path / name).close()
    assert (tmp_path / "one/out.whl").read_bytes() == (tmp_path / "two/out.whl").read_bytes()


def test_an_argument_that_it_does_not_take(tmp_path):
    with pytest.raises(subprocess.CalledProcessError):
        make(tmp_path / "one", "--strip_path_prefix=src")
