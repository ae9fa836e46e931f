"""Kernels for Hopper; their host functions need the DSL to be imported."""
