"""`msa.__version__` and the Bazel module's version are one; neither file can read the other."""

import pathlib
import re

import msa

_MODULE = pathlib.Path(__file__).parents[2] / "MODULE.bazel"


def test_package_and_module_have_one_version():
    (version,) = re.findall(r'^    version = "(.+)",$', _MODULE.read_text(), re.MULTILINE)
    assert msa.__version__ == version
