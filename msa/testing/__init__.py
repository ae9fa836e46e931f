"""What tests and the bench share: expected results, selections, samples, inputs, comparisons.

`definition` states what is computed, densely, and `expected` at sampled queries of any workload.
"""
