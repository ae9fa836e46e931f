"""Tests written for pytest, as Bazel tests."""

load("@rules_python//python:defs.bzl", "py_test")

_MAIN = str(Label("//tools/pytest:main.py"))
_PYTEST = str(Label("//third_party/python:pytest"))

def pytest_test(name, deps = [], args = [], **kwargs):
    """The tests of `<name>.py`, one Bazel target.

    Args:
      name: the module's name, `<what it tests>_test`.
      deps: the libraries it imports; pytest itself is added.
      args: more arguments for pytest.
      **kwargs: whatever else `py_test` takes.
    """
    source = name + ".py"
    py_test(
        name = name,
        srcs = [_MAIN, source],
        main = _MAIN,
        args = ["$(rootpath %s)" % source] + args,
        deps = deps + [_PYTEST],
        **kwargs
    )

pytest_group = rule(
    implementation = lambda ctx: [DefaultInfo()],
    doc = "Tests, and groups of them, under one name, for a bundle to take.",
    attrs = {"tests": attr.label_list()},
)
