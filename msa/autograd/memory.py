"""How much memory a layer takes: what it saves for the backward, and what each pass needs besides.

Neither is counted by hand: a layer runs on the meta device, where tensors have sizes and no memory,
by the code that runs on a GPU.
"""

import weakref
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

from msa.autograd import arguments
from msa.autograd.attention import sparse_attention
from msa.autograd.index_kl import index_kl_loss
from msa.autograd.selection import select_blocks
from msa.kernels.attention import plan as attention
from msa.kernels.index_kl import plan as index_kl
from msa.kernels.schedule import plan as schedule_plan
from msa.kernels.selection import plan as selection
from msa.schedule.backward_schedule import build_backward_schedule, schedule_tensors
from msa.schedule.checks import require_int
from msa.schedule.documents import PackedDocuments
from msa.schedule.topology import GROUP_COUNTS, GROUP_HEADS, HEAD_DIM, INDEX_DIM

_R = TypeVar("_R")

_ALLOCATOR_BYTES = 512
"""To a multiple of this torch's allocator rounds on a GPU."""


class ActivationBytes(NamedTuple):
    """What a layer saves for its backward; `sum` gives all of it.

    Attributes:
        attention: q, k, v, out and lse.
        schedule: of attention, less what belongs to the documents.
        index_kl: index_q, index_k and a gradient for each.
    """

    attention: int
    schedule: int
    index_kl: int


class WorkspaceBytes(NamedTuple):
    """What each pass takes at its peak, besides its operands and results.

    Attributes:
        select_blocks: of `msa.select_blocks`.
        build_backward_schedule: of `msa.build_backward_schedule`.
        sparse_attention: of its forward.
        sparse_attention_backward: of its backward.
        index_kl_loss: of its forward, which computes the gradients; the backward takes nothing.
        dense_index_kl_loss: likewise.
    """

    select_blocks: int
    build_backward_schedule: int
    sparse_attention: int
    sparse_attention_backward: int
    index_kl_loss: int
    dense_index_kl_loss: int


@torch.inference_mode(False)
@torch.enable_grad()
def activation_bytes(
    documents: PackedDocuments, groups: int, *, dtype: torch.dtype = torch.bfloat16
) -> ActivationBytes:
    """How many bytes a layer saves for its backward; nothing is allocated.

    A layer is `select_blocks`, `build_backward_schedule`, `sparse_attention` and `index_kl_loss`
    with that schedule. Operands are among it, since they must stay. It does not depend on the
    device, nor on whether kernels run.

    Args:
        documents: layout of the tokens.
        groups: KV groups of the call.
        dtype: of the operands, which are contiguous.

    Raises:
        TypeError: `documents` is not a `PackedDocuments`, `groups` not an int, or `dtype` not bf16,
            FP32 or FP64.
        ValueError: `groups` is not 1, 2, 4 or 8.
    """
    if dtype not in arguments.DTYPES:
        raise TypeError(f"dtype must be bfloat16, float32 or float64, got {dtype}")
    documents = _on_meta(documents, groups)
    q, k, v, index_q, index_k = _operands(documents, groups, dtype)
    support = select_blocks(index_q, index_k, documents)
    schedule = build_backward_schedule(support, documents)

    saved: dict[int, torch.UntypedStorage] = {}

    def save(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        saved[storage._cdata] = storage
        return tensor

    def take(*tensors: torch.Tensor) -> int:
        """The bytes of those of the tensors that were saved, which no longer count."""
        storages = [saved.pop(tensor.untyped_storage()._cdata, None) for tensor in tensors]
        return sum(storage.nbytes() for storage in storages if storage is not None)

    with saved_tensors_hooks(save, lambda tensor: tensor):
        out, lse = sparse_attention(q, k, v, support, documents, schedule=schedule, return_lse=True)
        index_kl_loss(q, k, lse, index_q, index_k, support, documents, schedule=schedule)
    take(documents.cu_seqlens, documents.document_workspace_starts)
    return ActivationBytes(
        attention=take(q, k, v, out, lse),
        schedule=take(*schedule_tensors(schedule)),
        index_kl=sum(storage.nbytes() for storage in saved.values()),
    )


@torch.inference_mode(False)
@torch.no_grad()
def workspace_bytes(documents: PackedDocuments, groups: int) -> WorkspaceBytes:
    """How many bytes each pass takes besides operands and results; nothing is allocated.

    At its peak, by kernels for Hopper in the mode that `torch.use_deterministic_algorithms` has
    set, for bf16 operands that are contiguous and aligned. Passes follow each other, so that a
    layer takes the largest of them. Kernels for Blackwell differ by a few percent.

    Args:
        documents: layout of the tokens.
        groups: KV groups of the call.

    Raises:
        TypeError: `documents` is not a `PackedDocuments`, or `groups` not an int.
        ValueError: `groups` is not 1, 2, 4 or 8, or there are more tokens than kernels can count.
    """
    documents = _on_meta(documents, groups)
    q, k, v, index_q, index_k = _operands(documents, groups, torch.bfloat16)
    offsets = documents.cu_seqlens
    support, selecting = _measured(lambda: selection.select_blocks(index_q, index_k, offsets, 0, 1))
    _, scheduling = _measured(
        lambda: schedule_plan.build_schedule_tensors(
            support,
            documents.document_positions,
            documents.workspace_positions,
            documents.document_workspace_starts,
            documents.workspace_size,
        )
    )
    schedule = schedule_tensors(build_backward_schedule(support, documents))
    (out, lse), forward = _measured(lambda: attention.attention_forward(q, k, v, schedule))
    _, backward = _measured(lambda: attention.attention_backward(out, q, k, v, out, lse, schedule))
    _, kl = _measured(lambda: index_kl.index_kl(q, k, lse, index_q, index_k, True, schedule))
    _, dense_kl = _measured(
        lambda: index_kl.dense_index_kl(q, k, lse, index_q, index_k, True, offsets)
    )
    return WorkspaceBytes(selecting, scheduling, forward, backward, kl, dense_kl)


class PeakMemory(TorchDispatchMode):
    """Counts the memory that operations allocate, on any device, while it is on.

    Attributes:
        now: bytes that are alive.
        peak: the most there were.
    """

    def __init__(self):
        super().__init__()
        self.now = self.peak = 0
        self._alive: dict[int, int] = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in _pytree.tree_leaves(result):
            if isinstance(tensor, torch.Tensor):
                self._add(tensor.untyped_storage())
        return result

    def _add(self, storage: torch.UntypedStorage) -> None:
        key = storage._cdata
        if key in self._alive:
            return
        size = -(-storage.nbytes() // _ALLOCATOR_BYTES) * _ALLOCATOR_BYTES
        self._alive[key] = size
        self.now += size
        self.peak = max(self.peak, self.now)
        weakref.finalize(storage, self._free, key)

    def _free(self, key: int) -> None:
        self.now -= self._alive.pop(key)


def _measured(run: Callable[[], _R]) -> tuple[_R, int]:
    """What a pass returns, and what it took besides."""
    with PeakMemory() as memory:
        results = run()
    return results, memory.peak - memory.now


def _on_meta(documents: PackedDocuments, groups: int) -> PackedDocuments:
    """The layout on the meta device, once the arguments are checked."""
    arguments.check_documents_type(documents)
    if require_int("groups", groups, 1) not in GROUP_COUNTS:
        raise ValueError(f"groups must be one of {GROUP_COUNTS}, got {groups}")
    return documents.to("meta")


def _operands(
    documents: PackedDocuments, groups: int, dtype: torch.dtype
) -> tuple[torch.Tensor, ...]:
    """q, k, v, index_q and index_k."""
    heads = (GROUP_HEADS * groups, groups, groups, groups, 1)
    channels = (HEAD_DIM, HEAD_DIM, HEAD_DIM, INDEX_DIM, INDEX_DIM)
    return tuple(
        torch.empty(documents.num_tokens, *shape, dtype=dtype, device="meta", requires_grad=True)
        for shape in zip(heads, channels, strict=True)
    )
