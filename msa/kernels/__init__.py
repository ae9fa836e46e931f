"""Kernels, compiled ahead of time for Hopper and Blackwell, that run without the DSL."""
