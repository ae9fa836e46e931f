"""Registers the operators of this package under `torch.ops.msa`."""

from collections.abc import Callable

import torch

_LIBRARY = torch.library.Library("msa", "FRAGMENT")


def define(name: str, run: Callable, fake: Callable) -> torch._ops.OpOverload:
    """Registers `msa::<name>`, which mutates none of its arguments, and returns it.

    Uses `torch.library.Library`, since the first call of `custom_op` imports torch._dynamo, as much
    code as torch itself, even in programs that compile nothing.

    Args:
        name: of the operator.
        run: its implementation on any device; its annotations give the schema.
        fake: its fake implementation.
    """
    schema = torch.library.infer_schema(run, mutates_args=())
    _LIBRARY.define(name + schema, tags=torch.Tag.pt2_compliant_tag)
    _LIBRARY.impl(name, run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"msa::{name}", fake, lib=_LIBRARY)
    return getattr(torch.ops.msa, name).default
