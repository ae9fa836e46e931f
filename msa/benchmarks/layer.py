"""The sparse part of one layer's training step, whole and by its parts, by the public functions."""

from collections.abc import Callable

import torch

from msa.autograd import index_kl_loss, select_blocks, sparse_attention
from msa.benchmarks.operands import Operands
from msa.schedule import MSABackwardSchedule, PackedDocuments, build_backward_schedule


class Layer:
    """Selection, schedule, attention and index loss over its own selection.

    Attributes:
        support: what the index branch selects, int32 `[G, T, 16]`.
        schedule: of the support.
        out: of attention, `[T, 16 G, 128]`, differentiable.
        lse: of attention, `[T, 16 G]`.
    """

    def __init__(self, operands: Operands, documents: PackedDocuments):
        """Runs the forward once, for what the parts take of those before them."""
        self._operands = operands
        self._documents = documents
        self.support = self.select()
        self.schedule = self.build_schedule(self.support)
        self.out, self.lse = self.forward(self.support, self.schedule)

    def step(self) -> tuple[torch.Tensor, ...]:
        """The whole step; returns the gradients of q, k, v, index_q and index_k."""
        support = self.select()
        schedule = self.build_schedule(support)
        out, lse = self.forward(support, schedule)
        loss = self.loss(lse, support, schedule)
        q, k, v = self._operands.q, self._operands.k, self._operands.v
        return torch.autograd.grad(
            (out, loss),
            (q, k, v, self._operands.index_q, self._operands.index_k),
            (self._operands.grad_out, None),
        )

    def parts(self) -> dict[str, Callable[[], object]]:
        """Each part of the step alone, in order; `kl` is the loss with its gradients."""
        return {
            "select": self.select,
            "schedule": lambda: self.build_schedule(self.support),
            "forward": lambda: self.forward(self.support, self.schedule),
            "kl": self.index_gradients,
            "backward": lambda: self.backward(self._operands.grad_out),
        }

    def select(self) -> torch.Tensor:
        """Selects key blocks."""
        return select_blocks(self._operands.index_q, self._operands.index_k, self._documents)

    def build_schedule(self, support: torch.Tensor) -> MSABackwardSchedule:
        """The schedule that attention and loss share."""
        return build_backward_schedule(support, self._documents)

    def forward(
        self, support: torch.Tensor, schedule: MSABackwardSchedule
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Attention; returns `(out, lse)`."""
        q, k, v = self._operands.q, self._operands.k, self._operands.v
        return sparse_attention(
            q, k, v, support, self._documents, schedule=schedule, return_lse=True
        )

    def loss(
        self, lse: torch.Tensor, support: torch.Tensor, schedule: MSABackwardSchedule
    ) -> torch.Tensor:
        """The index loss, a scalar."""
        index_q, index_k, q, k, *_ = self._operands
        return index_kl_loss(
            q, k, lse, index_q, index_k, support, self._documents, schedule=schedule
        )

    def index_gradients(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The index loss and its gradients, of index_q and index_k."""
        loss = self.loss(self.lse, self.support, self.schedule)
        return torch.autograd.grad(loss, (self._operands.index_q, self._operands.index_k))

    def backward(self, grad_out: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The gradients of q, k and v."""
        q, k, v = self._operands.q, self._operands.k, self._operands.v
        return torch.autograd.grad(self.out, (q, k, v), grad_out, retain_graph=True)
