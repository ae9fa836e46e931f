"""Block selection: `plan.select_blocks`, and its kernels."""
