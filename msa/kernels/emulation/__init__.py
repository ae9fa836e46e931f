"""Runs kernels for Blackwell on a Hopper GPU, for their results alone: see emulated_kernel.bzl."""
