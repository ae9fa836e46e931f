"""From a kernel's source to its library and report, as Bazel actions."""
