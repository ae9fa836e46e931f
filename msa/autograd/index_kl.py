"""The index loss operators, over selected or all keys, and their public functions.

The forward computes the gradients of the sum of divergences with the sum; the backward scales them.
"""

from collections.abc import Callable
from typing import Literal, overload

import torch

from msa.autograd import arguments, dispatch
from msa.reference.index_kl import dense_index_kl, index_kl, scale_unit_gradients
from msa.reference.precision import accumulation_dtype
from msa.schedule.backward_schedule import MSABackwardSchedule, schedule_tensors
from msa.schedule.documents import PackedDocuments
from msa.schedule.profiling import recorded


@overload
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
    return_divergence: Literal[False] = False,
) -> torch.Tensor: ...


@overload
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
    return_divergence: Literal[True],
) -> tuple[torch.Tensor, torch.Tensor]: ...


@recorded
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
    return_divergence: bool = False,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """KL divergence of the index branch from attention, which trains the index branch.

    `L = coefficient / (G T) * sum over queries and index heads of KL(P̄ || P_idx)` over the visible
    keys of the selected blocks, where `P̄` is the mean of the attention probabilities of the
    group's 16 heads and `P_idx` the softmax of `index_q . index_k * 128 ** -0.5`. Heads whose `lse`
    is 2^22 or more in size (FP64: 2^51) are left out of the mean. A query whose heads are all
    left out, or without a visible key, adds 0, has no gradient and is counted in `T`. Gradients
    reach `index_q` and `index_k` only (and a tensor `coefficient`), once: a second derivative
    raises.

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
            each passes the `n`-th part. A number that changes from call to call compiles at most
            twice; where CUDA graphs are captured it is a constant, and a tensor is read.
        schedule: `build_backward_schedule(support, documents)`, if the caller has it; built if
            None. Only its sizes are checked: the caller must pass that of this support and these
            documents.
        return_divergence: return the divergence of each query and index head as well.

    Returns:
        The loss, a scalar in FP32 (FP64 for FP64); with `return_divergence` also the divergences
        `[T, G]` of that dtype, for logging: independent of `coefficient` and not differentiable.

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
    operands = (q.detach(), k.detach(), lse.detach(), index_q, index_k)
    with_gradients = _wants_gradients(index_q, index_k)
    total, divergence, _, _ = _FORWARD.of(q)(*operands, with_gradients, *schedule_tensors(schedule))
    return _results(total, divergence, coefficient, return_divergence)


@overload
def dense_index_kl_loss(
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    documents: PackedDocuments,
    *,
    coefficient: float | torch.Tensor = 1.0,
    return_divergence: Literal[False] = False,
) -> torch.Tensor: ...


@overload
def dense_index_kl_loss(
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    documents: PackedDocuments,
    *,
    coefficient: float | torch.Tensor = 1.0,
    return_divergence: Literal[True],
) -> tuple[torch.Tensor, torch.Tensor]: ...


@recorded
def dense_index_kl_loss(
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    documents: PackedDocuments,
    *,
    coefficient: float | torch.Tensor = 1.0,
    return_divergence: bool = False,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """`index_kl_loss` over all keys of a query's document up to itself, whatever is selected.

    This trains an index branch from scratch, before selection is switched on: a loss over only the
    keys that it selects would reinforce its own selection. Its work grows with the square of a
    document's length, its memory with the number of tokens.

    Args:
        q: bf16, FP32 or FP64 `[T, 16 G, 128]` of 1, 2, 4 or 8 groups, of any strides.
        k: of the same dtype, `[T, G, 128]`.
        lse: FP32 (FP64 where `q` is FP64) `[T, 16 G]`, natural-log, of dense causal attention with
            scale `128 ** -0.5` inside each document.
        index_q: of the dtype of `q`, `[T, G, 128]`.
        index_k: of the dtype of `q`, `[T, 1, 128]`.
        documents: layout of the `T` tokens.
        coefficient: as in `index_kl_loss`.
        return_divergence: as in `index_kl_loss`.

    Returns:
        As `index_kl_loss`.

    Raises:
        TypeError: an argument has a wrong type or dtype.
        ValueError: an argument has a wrong shape or device, or `coefficient` is a number past the
            largest float.
        NotImplementedError: an operand carries a forward-mode tangent, or is one that `torch.func`
            differentiates.
    """
    q, k, index_q, index_k = arguments.cast_operands(q=q, k=k, index_q=index_q, index_k=index_k)
    arguments.check_lse_type(lse, q)
    arguments.check_documents_type(documents)
    coefficient = arguments.check_coefficient(coefficient)
    arguments.check_coefficient_layout(coefficient, documents)
    arguments.refuse_forward_mode("dense_index_kl_loss", index_q=index_q, index_k=index_k)
    arguments.refuse_function_transforms("dense_index_kl_loss", index_q=index_q, index_k=index_k)
    arguments.check_layouts(documents, q=q, k=k, lse=lse, index_q=index_q, index_k=index_k)
    operands = (q.detach(), k.detach(), lse.detach(), index_q, index_k)
    with_gradients = _wants_gradients(index_q, index_k)
    total, divergence, _, _ = _DENSE_FORWARD.of(q)(*operands, with_gradients, documents.cu_seqlens)
    return _results(total, divergence, coefficient, return_divergence)


def _wants_gradients(index_q: torch.Tensor, index_k: torch.Tensor) -> bool:
    return torch.is_grad_enabled() and (index_q.requires_grad or index_k.requires_grad)


def _results(
    total: torch.Tensor,
    divergence: torch.Tensor,
    coefficient: float | torch.Tensor,
    return_divergence: bool,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    loss = _scaled(total, coefficient, divergence.numel())
    return (loss, divergence) if return_divergence else loss


def _scaled(total: torch.Tensor, coefficient: float | torch.Tensor, num_terms: int) -> torch.Tensor:
    """`total * coefficient / num_terms`; 0 for a coefficient of 0, never 0 * inf."""
    if isinstance(coefficient, torch.Tensor):
        scale = coefficient.to(total) / num_terms
    elif torch.compiler.is_compiling():
        # torch.compile makes a number a constant of the graph, unless it multiplies a tensor.
        scale = total.new_ones(()) * coefficient / num_terms
    else:
        scale = coefficient / num_terms
        vanishes = abs(scale) < torch.finfo(total.dtype).smallest_normal
        return (total.nan_to_num(0, 0, 0) if vanishes else total) * scale
    return total.masked_fill((scale == 0) & ~total.isfinite(), 0) * scale


def _forward_fake(q, k, lse, index_q, index_k, with_gradients, *layout):
    dtype = accumulation_dtype(index_q.dtype)
    total = index_q.new_empty((), dtype=dtype)
    divergence = index_q.new_empty(index_q.shape[:2], dtype=dtype)
    units = (x.new_empty(x.shape if with_gradients else 0) for x in (index_q, index_k))
    return total, divergence, *units


def _backward(unit_q, unit_k, grad_total, index_q, index_k):
    return scale_unit_gradients(unit_q, unit_k, grad_total)


def _backward_fake(unit_q, unit_k, grad_total, index_q, index_k):
    return unit_q.new_empty(unit_q.shape), unit_k.new_empty(unit_k.shape)


def _define(
    name: str, layout: str, reference: Callable, layout_grads: tuple[None, ...]
) -> dispatch.Operators:
    """Registers a loss and its backward; `layout` is the schema of the tensors that say which
    keys each query sees.

    The loss returns the sum of divergences, the divergences, and the sum's gradients with respect
    to `index_q` and `index_k`, which are of shape `[0]` where `with_gradients` is False.
    """
    forward = dispatch.define(
        name,
        "(Tensor q, Tensor k, Tensor lse, Tensor index_q, Tensor index_k, bool with_gradients, "
        f"{layout}) -> (Tensor, Tensor, Tensor, Tensor)",
        reference,
        _forward_fake,
    )
    backward = dispatch.define(
        f"{name}_backward",
        # The last two only for autograd, which must refuse a second derivative for them.
        "(Tensor unit_q, Tensor unit_k, Tensor grad_total, Tensor index_q, Tensor index_k) -> "
        "(Tensor, Tensor)",
        _backward,
        _backward_fake,
    )

    def grads(operator, ctx, grad_total, *_):
        scaled = (None, None)
        if grad_total is not None:
            unit_q, unit_k, *index = ctx.saved_tensors
            scaled = operator(unit_q, unit_k, grad_total, *index)
        return None, None, None, *scaled, None, *layout_grads

    dispatch.differentiate(forward, backward, _save, grads)
    return forward


def _save(ctx, inputs, output) -> None:
    _, _, _, index_q, index_k, with_gradients, *_ = inputs
    total, *others = output
    if with_gradients:
        _, unit_q, unit_k = others
        ctx.save_for_backward(unit_q, unit_k, index_q, index_k)
        ctx.mark_non_differentiable(*others)
        ctx.set_materialize_grads(False)  # else autograd allocates zeros as large as the operands
    else:
        ctx.mark_non_differentiable(total, *others)


_FORWARD = _define(
    "index_kl_loss",
    dispatch.SCHEDULE_SCHEMA,
    dispatch.flat(index_kl),
    dispatch.NO_SCHEDULE_GRADS,
)

_DENSE_FORWARD = _define(
    "dense_index_kl_loss", "Tensor cu_seqlens", dense_index_kl, layout_grads=(None,)
)
