import os
import subprocess
import sys
import tarfile
import zipfile

import pytest

from msa.tests import pack


def write(folder, contents):
    folder.mkdir()
    paths = {}
    for name, text in contents.items():
        path = folder / name.replace("/", "_")
        path.write_text(text)
        paths[name] = path
    return paths


def members(archive):
    with tarfile.open(archive) as tar:
        return {member.name: tar.extractfile(member).read().decode() for member in tar}


CONTENTS = {"msa/a.py": "a = 1\n", "run.py": "", "msa/kernels/b.so": "b" * 100_000}
WHEEL = {"msa/a.py": "a = 1\n", "msa/w.py": "w = 1\n"}
TOGETHER = CONTENTS | WHEEL


@pytest.fixture(name="wheel")
def _wheel(tmp_path):
    """One that shares a file with the contents."""
    path = tmp_path / "some.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in WHEEL.items():
            archive.writestr(name, text)
    return path


def test_contents(tmp_path, wheel):
    files = write(tmp_path / "files", CONTENTS)
    archive = tmp_path / "archive.tar.gz"
    pack.pack(archive, wheel, files)
    assert members(archive) == TOGETHER
    assert archive.stat().st_size < 2000


def test_another_file_of_a_name_in_the_wheel(tmp_path, wheel):
    files = write(tmp_path / "files", CONTENTS | {"msa/a.py": "a = 2\n"})
    with pytest.raises(ValueError, match=r"msa/a\.py must be what .*some\.whl has"):
        pack.pack(tmp_path / "archive.tar.gz", wheel, files)


def test_same_bytes_from_another_place_time_and_order(tmp_path, wheel):
    first = write(tmp_path / "first", CONTENTS)
    second = write(tmp_path / "second", dict(reversed(CONTENTS.items())))
    for path in second.values():
        os.utime(path, (0, 0))
        path.chmod(0o755)
    pack.pack(tmp_path / "one.tar.gz", wheel, first)
    pack.pack(tmp_path / "other.tar.gz", wheel, second)
    assert (tmp_path / "one.tar.gz").read_bytes() == (tmp_path / "other.tar.gz").read_bytes()


def test_other_bytes_for_other_contents(tmp_path, wheel):
    other = CONTENTS | {"run.py": "2"}
    pack.pack(tmp_path / "one.tar.gz", wheel, write(tmp_path / "one", CONTENTS))
    pack.pack(tmp_path / "two.tar.gz", wheel, write(tmp_path / "two", other))
    assert (tmp_path / "one.tar.gz").read_bytes() != (tmp_path / "two.tar.gz").read_bytes()


def test_no_trace_of_who_packed_it(tmp_path, wheel):
    archive = tmp_path / "archive.tar.gz"
    pack.pack(archive, wheel, write(tmp_path / "files", CONTENTS))
    with tarfile.open(archive) as tar:
        assert tar.getnames() == sorted(TOGETHER)
        for member in tar:
            assert (member.uid, member.gid, member.uname, member.gname) == (0, 0, "", "")
            assert (member.mtime, member.mode) == (0, 0o644)


def test_command_line(tmp_path, wheel):
    files = write(tmp_path / "files", CONTENTS)
    archive = tmp_path / "archive.tar.gz"
    arguments = tmp_path / "arguments"
    lines = [str(archive), str(wheel), *(f"{name}={path}" for name, path in files.items())]
    arguments.write_text("\n".join(lines) + "\n")
    subprocess.run([sys.executable, pack.__file__, f"@{arguments}"], check=True)
    assert members(archive) == TOGETHER
