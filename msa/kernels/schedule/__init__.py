"""The schedule's tensors, the tasks and the items of a walk, by kernels."""
