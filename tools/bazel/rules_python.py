"""Fits Debian's rules_python 0.22 to a current workspace and Python.

Run as `rules_python.py RULES TOOLS`: RULES is the unpacked rules_python, TOOLS a folder with the
Python packages `pip` and `installer`. Five things change, in place:

* `pip.parse`, `python.toolchain` and `pip_parse` take the attributes, and have the aliases, of
  rules_python 1.x. Every Python toolchain is the system's interpreter, so of several `pip.parse`
  for one hub the first one stands.
* pip and installer come from TOOLS: what 0.22 pins does not run on Python 3.12 and later.
* Wheel metadata is read without pkg_resources, which setuptools no longer ships.
* Files with spaces in their names are part of a package, as in rules_python 1.x: setuptools reads
  one when it is imported.
* `py_wheel` finds the program that writes the wheel, `wheelmaker.py`: Debian leaves it out.
"""

import pathlib
import shutil
import sys


def replace(path: pathlib.Path, *pairs: tuple[str, str]) -> None:
    """Replaces each `old` by `new` in the file; one that is absent means another rules_python."""
    text = path.read_text()
    for old, new in pairs:
        if old not in text:
            raise SystemExit(f"{path}: expected the text {old!r} of rules_python 0.22, not found")
        text = text.replace(old, new)
    path.write_text(text)


_HOST_TOOLS = """
def _host_tool_impl(rctx):
    rctx.symlink(rctx.attr.package, rctx.path(rctx.attr.package).basename)
    rctx.file("BUILD.bazel", "")

_host_tool = repository_rule(implementation = _host_tool_impl, attrs = {{"package": attr.string()}})

def _host_tools():
    for name in ["pip", "installer"]:
        maybe(_host_tool, "pypi__" + name, package = "{tools}/" + name)

all_requirements = ["pypi__pip", "pypi__installer"]
"""

_WHEELMAKER_BUILD = """load("//python:defs.bzl", "py_binary")

py_binary(
    name = "wheelmaker",
    srcs = ["wheelmaker.py"],
    visibility = ["//visibility:public"],
)
"""


def main(rules: pathlib.Path, tools: pathlib.Path) -> None:
    """Applies the five changes to `rules`."""
    replace(
        rules / "python/extensions/pip.bzl",
        ("def _pip_impl(module_ctx):\n", "def _pip_impl(module_ctx):\n    hubs = []\n"),
        (
            "        for attr in mod.tags.parse:\n",
            "        for attr in mod.tags.parse:\n"
            "            if attr.hub_name in hubs:\n"
            "                continue\n"
            "            hubs.append(attr.hub_name)\n",
        ),
        ("attr.name", "attr.hub_name"),
        (
            '"name": attr.string(mandatory = True),',
            '"hub_name": attr.string(mandatory = True), "python_version": attr.string(),',
        ),
    )
    replace(
        rules / "python/pip_install/pip_repository.bzl",
        (
            '"incompatible_generate_aliases": attr.bool(\n        default = False,',
            '"incompatible_generate_aliases": attr.bool(\n        default = True,',
        ),
    )
    replace(
        rules / "python/extensions/python.bzl",
        ("toolchain_attr.name", '"python_" + toolchain_attr.python_version.replace(".", "_")'),
        ('"name": attr.string(mandatory = True),', '"is_default": attr.bool(),'),
    )
    replace(
        rules / "python/pip_install/repositories.bzl",
        (
            "all_requirements = [name for (name, _, _) in _RULE_DEPS]\n",
            _HOST_TOOLS.format(tools=tools),
        ),
        (
            "    for (name, url, sha256) in _RULE_DEPS:\n",
            "    _host_tools()\n"
            "    pinned = [dep for dep in _RULE_DEPS if dep[0] not in all_requirements]\n"
            "    for (name, url, sha256) in pinned:\n",
        ),
    )
    replace(
        rules / "python/pip_install/tools/wheel_installer/wheel.py",
        ("import pkg_resources\n", "from pip._vendor.packaging.requirements import Requirement\n"),
        ("pkg_resources.Requirement(", "Requirement("),
    )
    replace(
        rules / "python/pip_install/tools/wheel_installer/wheel_installer.py",
        ('                "**/* *",\n', ""),
    )
    package = rules / "tools"
    package.mkdir()
    (package / "BUILD.bazel").write_text(_WHEELMAKER_BUILD)
    shutil.copy(pathlib.Path(__file__).with_name("wheelmaker.py"), package)


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
