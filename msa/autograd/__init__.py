"""The functions that a model calls: block selection, attention, the loss of the index branch."""

from msa.autograd import flops as _flops  # noqa: F401  (registers FLOP formulas)
from msa.autograd.attention import sparse_attention
from msa.autograd.dispatch import MsaFallbackWarning, backend
from msa.autograd.index_kl import dense_index_kl_loss, index_kl_loss
from msa.autograd.memory import (
    ActivationBytes,
    WorkspaceBytes,
    activation_bytes,
    workspace_bytes,
)
from msa.autograd.recomputation import save_selection
from msa.autograd.selected_mass import selected_mass
from msa.autograd.selection import select_blocks
from msa.autograd.warm_up import warm_up

__all__ = [
    "ActivationBytes",
    "MsaFallbackWarning",
    "WorkspaceBytes",
    "activation_bytes",
    "backend",
    "dense_index_kl_loss",
    "index_kl_loss",
    "save_selection",
    "select_blocks",
    "selected_mass",
    "sparse_attention",
    "warm_up",
    "workspace_bytes",
]
