"""Which Bazel `bazelw` runs; each is a script here that prints its name."""

import pathlib
import shutil
import subprocess

import pytest

_BAZELW = pathlib.Path(__file__).parents[2] / "bazelw"

# What stands for tools/bazel/install.sh.
_INSTALLER = """#!/bin/sh
mkdir -p "$1"
printf '#!/bin/sh\\necho "installed: $*"\\n' > "$1/bazel"
chmod +x "$1/bazel"
"""


def install(path: pathlib.Path, version: str) -> None:
    """Puts a program at `path` that knows its version, else prints its name and its arguments."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo "{version}" && exit\n'
        f'echo "{path.name} {version}: $*"\n'
    )
    path.chmod(0o755)


@pytest.fixture(name="run")
def _run(tmp_path):
    """Runs a copy of bazelw on a machine that has the Bazels given, by name, and no others."""
    shutil.copy(_BAZELW, tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "chmod", "dirname", "mkdir", "sh", "timeout"):
        (programs / name).symlink_to(shutil.which(name))
    installer = tmp_path / "tools/bazel/install.sh"
    installer.parent.mkdir(parents=True)
    installer.write_text(_INSTALLER)
    installer.chmod(0o755)

    def run(bazels: dict[str, str], *arguments: str, **environment: str) -> str:
        for name, version in bazels.items():
            install(programs / name, version)
        process = subprocess.run(
            [tmp_path / "bazelw", *arguments],
            env={"HOME": str(tmp_path / "home"), "PATH": str(programs), **environment},
            cwd="/",
            check=True,
            capture_output=True,
            text=True,
        )
        return process.stdout.strip()

    return run


@pytest.mark.parametrize(
    ("bazels", "expected"),
    [
        ({"bazel": "bazel 7.7.1", "bazelisk": "bazel 7.7.1"}, "bazel bazel 7.7.1"),
        ({"bazel": "bazel 8.4.0"}, "bazel bazel 8.4.0"),
        ({"bazelisk": "bazel 7.7.1"}, "bazelisk bazel 7.7.1"),
        # One that does not fit is passed over.
        ({"bazel": "bazel 6.5.0", "bazelisk": "bazel 7.7.1"}, "bazelisk bazel 7.7.1"),
        ({"bazel": "bazel 9.0.0"}, "installed"),
        ({"bazel": "no Bazel", "bazelisk": ""}, "installed"),
        ({}, "installed"),
    ],
)
def test_prefers_bazel_then_bazelisk_then_its_own(run, bazels, expected):
    assert run(bazels, "test", "//a:b", "--c=d e") == f"{expected}: test //a:b --c=d e"


def test_the_one_that_is_named_comes_first(run, tmp_path):
    install(tmp_path / "mine", "bazel 6.5.0")
    bazels = {"bazel": "bazel 7.7.1"}
    assert run(bazels, "info", BAZEL=str(tmp_path / "mine")) == "mine bazel 6.5.0: info"


def test_installs_once_into_a_private_folder(run, tmp_path):
    assert run({}, "info") == "installed: info"
    installed = tmp_path / "home/.cache/msa_training/bazel/bazel"
    install(installed, "bazel 7.7.1")
    assert run({}, "info") == "bazel bazel 7.7.1: info"


def test_installs_where_it_is_told_to(run, tmp_path):
    assert run({}, "info", MSA_BAZEL_PREFIX=str(tmp_path / "prefix")) == "installed: info"
    assert (tmp_path / "prefix/bazel").exists()
    assert not (tmp_path / "home").exists()
