"""Attention, forward and backward, by kernels."""
