"""How much of dense attention a selection holds."""

import torch

from msa.schedule.checks import require_tensor


def selected_mass(lse: torch.Tensor, dense_lse: torch.Tensor) -> torch.Tensor:
    """The share of dense attention's mass that lies in the selected blocks, per query and head.

    `exp(lse - dense_lse)`: 1 where all keys are selected, 0 where none is. It measures the quality
    of an index branch.

    Args:
        lse: FP32 or FP64 `[T, 16 G]`, natural-log, of `sparse_attention`.
        dense_lse: of the same dtype, shape and device, of dense causal attention.

    Returns:
        `[T, 16 G]` in the dtype of `lse`, not differentiable.

    Raises:
        TypeError: an argument is no tensor, is neither FP32 nor FP64, or they differ in dtype.
        ValueError: they differ in shape or device, or are not 2-D.
    """
    for name, value in (("lse", lse), ("dense_lse", dense_lse)):
        require_tensor(name, value)
        if value.dtype not in (torch.float32, torch.float64):
            raise TypeError(f"{name} must be float32 or float64, got {value.dtype}")
    if dense_lse.dtype != lse.dtype:
        raise TypeError(f"dense_lse must have the dtype of lse, {lse.dtype}, got {dense_lse.dtype}")
    if lse.dim() != 2:
        raise ValueError(f"lse must be [tokens, heads], got shape {list(lse.shape)}")
    if dense_lse.shape != lse.shape:
        raise ValueError(
            f"dense_lse must have the shape of lse, {list(lse.shape)}, got {list(dense_lse.shape)}"
        )
    if dense_lse.device != lse.device:
        raise ValueError(
            f"dense_lse must be on the device of lse, {lse.device}, got {dense_lse.device}"
        )
    lse, dense_lse = lse.detach(), dense_lse.detach()
    # A query that sees no key has a mass of 0, not NaN from -inf - -inf.
    return (lse - dense_lse).exp().masked_fill(lse == -torch.inf, 0)
