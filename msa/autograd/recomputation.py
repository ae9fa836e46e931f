"""Activation checkpointing that keeps the selection instead of computing it again."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import torch
from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts

Policy = Callable[..., CheckpointPolicy | bool] | list[torch._ops.OpOverload]
"""As `torch.utils.checkpoint.create_selective_checkpoint_contexts` takes it."""

_SELECTION = ("select_blocks", "select_blocks_reference", "build_backward_schedule")
_KL = (
    "index_kl_loss",
    "index_kl_loss_reference",
    "dense_index_kl_loss",
    "dense_index_kl_loss_reference",
)


def save_selection(
    policy: Policy | None = None, *, keep_kl: bool = False
) -> tuple[AbstractContextManager, AbstractContextManager]:
    """Keeps the selection and its schedule under activation checkpointing: a context function.

        checkpoint(layer, x, use_reentrant=False, context_fn=save_selection)

    Both depend on the index branch alone and take about 130 bytes per query and KV group; computing
    them again takes time that grows with the square of a document's length.
    `functools.partial(save_selection, policy)` combines it with the caller's policy, which decides
    about all other operators.

    Args:
        policy: of all other operators, as `create_selective_checkpoint_contexts` takes it, a
            function or a list of operators to save; None computes them again.
        keep_kl: keep what `index_kl_loss` and `dense_index_kl_loss` compute as well.

    Returns:
        The contexts of the forward and of the recomputation.

    Raises:
        TypeError: `policy` is neither a function, a list nor None, or `keep_kl` not a bool.
        ValueError: `policy` is a list that holds something other than operator overloads.
    """
    if not (policy is None or callable(policy) or isinstance(policy, list)):
        raise TypeError(
            f"policy must be a function, a list of operators or None, got {type(policy).__name__}"
        )
    if not isinstance(keep_kl, bool):
        raise TypeError(f"keep_kl must be a bool, got {type(keep_kl).__name__}")
    if isinstance(policy, list):
        for operator in policy:
            if not isinstance(operator, (torch._ops.OpOverload, torch._ops.HigherOrderOperator)):
                raise ValueError(f"policy must list operator overloads, got {operator!r}")
    names = _SELECTION + _KL if keep_kl else _SELECTION
    kept = {getattr(torch.ops.msa, name).default for name in names}

    def compose(context, operator, *args, **kwargs):
        if operator in kept:
            return CheckpointPolicy.MUST_SAVE
        if callable(policy):
            return policy(context, operator, *args, **kwargs)
        if policy is not None and operator in policy:
            return CheckpointPolicy.MUST_SAVE
        return CheckpointPolicy.PREFER_RECOMPUTE

    return create_selective_checkpoint_contexts(compose)
