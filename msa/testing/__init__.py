"""Shared by tests and the bench: expected results, selections, samples, inputs, comparisons.

`definition` computes expected results densely, `expected` at sampled queries of any workload.
"""
