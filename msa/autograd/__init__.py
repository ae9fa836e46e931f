"""What a model calls: block selection, sparse attention and the loss of the index branch."""

import msa.kernels.operators  # noqa: F401  (puts the kernels behind the schedule's operators)
from msa.autograd.attention import sparse_attention
from msa.autograd.index_kl import index_kl_loss
from msa.autograd.selection import select_blocks
from msa.autograd.warm_up import warm_up

__all__ = ["index_kl_loss", "select_blocks", "sparse_attention", "warm_up"]
