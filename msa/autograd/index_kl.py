"""The index loss operators, `msa::index_kl_loss` and its backward, and their public function."""

import torch

from msa.autograd import arguments, dispatch
from msa.reference.index_kl import index_kl_backward, index_kl_forward
from msa.reference.precision import accumulation_dtype
from msa.schedule.backward_schedule import MSABackwardSchedule, schedule_tensors
from msa.schedule.documents import PackedDocuments


def index_kl_loss(
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    support: torch.Tensor,
    documents: PackedDocuments,
    *,
    coefficient: float | torch.Tensor = 1.0,
    schedule: MSABackwardSchedule | None = None,
) -> torch.Tensor:
    """KL divergence of the index branch from attention, which trains the index branch.

    `L = coefficient / (G T) * sum over queries and index heads of KL(P̄ || P_idx)` over the visible
    keys of the selected blocks, where `P̄` is the mean of the attention probabilities of the
    group's 16 heads and `P_idx` the softmax of `index_q . index_k * 128 ** -0.5`. Heads whose `lse`
    is 2^22 or more in size (FP64: 2^51) are left out of the mean. A query without a head that is
    left, or without a visible key, adds 0, has no gradient and is counted in `T`. Gradients reach
    `index_q` and `index_k` only (and a tensor `coefficient`), once: a second derivative raises.

    Args:
        q: bf16, FP32 or FP64 `[T, 16 G, 128]` of 1, 2, 4 or 8 groups, of any strides.
        k: of the same dtype, `[T, G, 128]`.
        lse: FP32 (FP64 where `q` is FP64) `[T, 16 G]`, from `sparse_attention` over this support.
        index_q: of the dtype of `q`, `[T, G, 128]`.
        index_k: of the dtype of `q`, `[T, 1, 128]`.
        support: int32 `[G, T, 16]`, document-local block ids in any order, -1 in unused slots. A
            bad id (see `check_support`) is dropped.
        documents: layout of the `T` tokens.
        coefficient: factor of the loss, a number or a scalar tensor (with the operands, or on the
            CPU), by which ranks that hold different numbers of tokens can normalise globally. By
            0, loss and gradients are 0 whatever the divergence is. Of `n` tensor-parallel ranks,
            each passes the `n`-th part.
        schedule: `build_backward_schedule(support, documents)` where it is at hand; built if None.
            That it is of this support and these documents is the caller's word: its sizes alone
            are checked.

    Returns:
        The loss, a scalar in FP32 (FP64 for FP64).

    Raises:
        TypeError: an argument has a wrong type or dtype.
        ValueError: an argument has a wrong shape or device, `coefficient` is a number past the
            largest float, or a schedule has other numbers of groups, tokens, blocks or documents.
        NotImplementedError: an operand carries a forward-mode tangent, or is one that `torch.func`
            differentiates.
    """
    q, k, index_q, index_k = arguments.cast_operands(q=q, k=k, index_q=index_q, index_k=index_k)
    arguments.check_lse_type(lse, q)
    arguments.check_schedule_types(schedule, support, documents)
    coefficient = arguments.check_coefficient(coefficient)
    arguments.check_coefficient_layout(coefficient, documents)
    arguments.refuse_forward_mode("index_kl_loss", index_q=index_q, index_k=index_k)
    arguments.refuse_function_transforms("index_kl_loss", index_q=index_q, index_k=index_k)
    schedule = arguments.prepare_schedule(
        schedule, support, documents, q=q, k=k, lse=lse, index_q=index_q, index_k=index_k
    )
    total, _ = _FORWARD.of(q)(
        q.detach(),
        k.detach(),
        lse.detach(),
        index_q,
        index_k,
        *schedule_tensors(schedule),
    )
    if isinstance(coefficient, torch.Tensor):
        coefficient = coefficient.to(total)
    scale = coefficient / (index_q.shape[1] * documents.num_tokens)
    if not isinstance(scale, torch.Tensor):
        scale = total.new_full((), scale)
    # A loss that is switched off is 0, not 0 * inf.
    return total.masked_fill((scale == 0) & ~total.isfinite(), 0) * scale


def _forward_fake(q, k, lse, index_q, index_k, *schedule):
    dtype = accumulation_dtype(index_q.dtype)
    statistics = index_q.new_empty((3, *index_q.shape[:2]), dtype=dtype)
    return index_q.new_empty((), dtype=dtype), statistics


_FORWARD = dispatch.define(
    "index_kl_loss",
    "(Tensor q, Tensor k, Tensor lse, Tensor index_q, Tensor index_k, "
    f"{dispatch.SCHEDULE_SCHEMA}) -> (Tensor, Tensor)",
    dispatch.flat(index_kl_forward),
    _forward_fake,
)


def _backward_fake(grad_total, q, k, lse, index_q, index_k, *saved):
    return index_q.new_empty(index_q.shape), index_k.new_empty(index_k.shape)


_BACKWARD = dispatch.define(
    "index_kl_loss_backward",
    "(Tensor grad_total, Tensor q, Tensor k, Tensor lse, Tensor index_q, Tensor index_k, "
    f"Tensor statistics, {dispatch.SCHEDULE_SCHEMA}) -> (Tensor, Tensor)",
    dispatch.flat(index_kl_backward),
    _backward_fake,
)


def _save(ctx, inputs, output) -> None:
    q, k, lse, index_q, index_k, *schedule = inputs
    _, statistics = output
    ctx.mark_non_differentiable(statistics)
    ctx.save_for_backward(q, k, lse, index_q, index_k, statistics, *schedule)


def _grads(backward, ctx, grad_total, grad_statistics):
    grads = backward(grad_total, *ctx.saved_tensors)
    return None, None, None, *grads, *dispatch.NO_SCHEDULE_GRADS


dispatch.differentiate(_FORWARD, _BACKWARD, _save, _grads)
