"""Runs pytest under Bazel: files and options are arguments, the rest is Bazel's environment."""

import os
import sys

import pytest

_OPTIONS = [
    "-p",
    "no:cacheprovider",
    # A test module is imported by its dotted name and so shares the modules it imports.
    "--import-mode=importlib",
    "--override-ini=consider_namespace_packages=true",
    "--rootdir=.",
    # Print where a test hangs before Bazel's timeout ends it.
    "--override-ini=faulthandler_timeout=120",
]


def main(arguments: list[str]) -> int:
    """Returns pytest's exit status; a run that collects no test fails."""
    options = list(_OPTIONS)
    if xml := os.environ.get("XML_OUTPUT_FILE"):
        options.append(f"--junitxml={xml}")
    if pattern := os.environ.get("TESTBRIDGE_TEST_ONLY"):  # bazel test --test_filter
        options += ["-k", pattern]
    return pytest.main(options + arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
