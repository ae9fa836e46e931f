"""What a model calls: block selection, sparse attention and the loss of the index branch."""

from msa.autograd import flops as _flops  # noqa: F401  (registers what a flop counter counts)
from msa.autograd.attention import sparse_attention
from msa.autograd.dispatch import MsaFallbackWarning, backend
from msa.autograd.index_kl import index_kl_loss
from msa.autograd.selection import select_blocks
from msa.autograd.warm_up import warm_up

__all__ = [
    "MsaFallbackWarning",
    "backend",
    "index_kl_loss",
    "select_blocks",
    "sparse_attention",
    "warm_up",
]
