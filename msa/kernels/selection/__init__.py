"""Block selection: `plan.select_blocks`, and the kernels behind it."""
