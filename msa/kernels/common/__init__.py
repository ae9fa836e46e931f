"""Kernels that every architecture shares; their host functions need the DSL to be imported."""
