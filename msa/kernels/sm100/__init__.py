"""Kernels for Blackwell; their host functions need the DSL to be imported."""
